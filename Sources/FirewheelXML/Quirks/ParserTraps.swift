// FoundationXML up to Swift 6.3 passes libxml2's null pointers to code that expects text, and traps while it calls a parser's delegate: for
// a processing instruction without data (`<?p?>`), and for declarations of attributes without a default and of notations without a public
// identifier. `ParserTrapTests` shows that documents with these are read.
#if canImport(FoundationXML)
    import Foundation
    import FoundationXML

    extension XMLGuard {
        /// The document without what traps: instructions without data get a space, and the internal subset is blank, so that the parser
        /// does not report its declarations. Lines are kept, and so are columns in front of the first such instruction of a line.
        ///
        /// - Throws: ``XMLFailure``, if the internal subset is malformed, or if the document is and has such an instruction where it may be
        ///   text.
        func withoutTraps() throws -> Data {
            var text = text
            if let subset = internalSubset {
                // Without the content, which has other limits and may be long.
                try Self.check(text[..<subset.upperBound] + Data("]><a/>".utf8))
                for index in subset where !text[index].isXMLSpace { text[index] = 0x20 }
            }
            let ends = EmptyInstructions(text)
            guard !ends.all.isEmpty else { return text }
            if ends.all.count > ends.ofInstructions.count {
                // What is well-formed has no instructions but those that were found.
                try Self.check(text)
            }
            var result = Data()
            result.reserveCapacity(text.count + ends.ofInstructions.count)
            var start = text.startIndex
            for end in ends.ofInstructions {
                result += text[start..<end]
                result.append(0x20)
                start = end
            }
            return result + text[start...]
        }

        /// Lets a parser without a delegate, for which nothing traps, read a document.
        private static func check(_ text: Data) throws {
            let parser = XMLParser(stream: InputStream(data: text))
            let isParsed = parser.parse()
            let error = parser.parserError
            guard isParsed, error.map(XMLFailure.isWarning) ?? true else { throw XMLFailure(.notWellFormed, underlyingError: error) }
        }
    }

    /// Where `?>` directly follows the name of an instruction.
    private struct EmptyInstructions {
        /// In the whole text, also where it is not an instruction.
        private(set) var all: [Int] = []
        /// Outside of comments and CDATA sections.
        private(set) var ofInstructions: [Int] = []

        init(_ text: Data) {
            var reader = ByteReader(text)
            let open = Data("<?".utf8)
            while let found = text.range(of: open, in: reader.index..<text.endIndex) {
                reader.index = found.upperBound
                guard reader.skipName() else { continue }
                let end = reader.index
                if reader.skip("?>") { all.append(end) }
            }
            guard !all.isEmpty else { return }
            reader = ByteReader(text)
            while let found = text[reader.index...].firstIndex(of: UInt8(ascii: "<")) {
                reader.index = found
                if reader.skip("<!--") {
                    reader.skip(behind: "-->")
                } else if reader.skip("<![CDATA[") {
                    reader.skip(behind: "]]>")
                } else if reader.skip("<?"), reader.skipName() {
                    let end = reader.index
                    if reader.skip("?>") { ofInstructions.append(end) } else { reader.skip(behind: "?>") }
                } else {
                    reader.index = max(reader.index, found + 1)
                }
            }
        }
    }

    extension ByteReader {
        fileprivate mutating func skip(behind text: String) {
            index = bytes.range(of: Data(text.utf8), in: index..<bytes.endIndex)?.upperBound ?? bytes.endIndex
        }
    }
#else
    import Foundation

    extension XMLGuard {
        func withoutTraps() throws -> Data { text }
    }
#endif
