import Foundation

/// A block between `-----BEGIN LABEL-----` and `-----END LABEL-----` (RFC 7468).
struct PEMBlock: Equatable {
    let label: String
    /// The line of its beginning, from 1.
    let line: Int
    /// nil if it has no end, or is not in base64.
    let content: Data?

    /// The labels that OpenSSL reads as certificates, without those that say more than the certificate does.
    var isCertificate: Bool { label == "CERTIFICATE" || label == "X509 CERTIFICATE" }

    /// The revocation lists of a text in PEM, or the data itself if it is in DER; nil if there is none, or one without an end or not in
    /// base64.
    static func revocationLists(in data: Data) -> [Data]? {
        // A DER encoding of a list begins with a SEQUENCE; no PEM does.
        if data.first == 0x30 { return [Data(data)] }
        let lists = all(in: data).filter { $0.label == "X509 CRL" }
        let contents = lists.compactMap(\.content)
        return lists.isEmpty || contents.count < lists.count ? nil : contents
    }

    /// The blocks of a text. Lines outside of blocks are skipped.
    static func all(in text: Data) -> [PEMBlock] {
        var blocks: [PEMBlock] = []
        var open: (label: String, line: Int, body: [UInt8])?
        var lines = Lines(text)
        while let line = lines.next() {
            if let label = label(of: line, after: "-----BEGIN ") {
                // The last one has no end.
                if let open { blocks.append(PEMBlock(label: open.label, line: open.line, content: nil)) }
                open = (label, lines.number, [])
            } else if let block = open {
                guard let label = label(of: line, after: "-----END ") else {
                    open?.body += line
                    continue
                }
                let content = label == block.label ? Data(base64Encoded: Data(block.body)) : nil
                blocks.append(PEMBlock(label: block.label, line: block.line, content: content?.isEmpty == true ? nil : content))
                open = nil
            }
        }
        if let open { blocks.append(PEMBlock(label: open.label, line: open.line, content: nil)) }
        return blocks
    }

    /// The lines of a text, without white space at both ends. A line may end with LF, CR or both.
    private struct Lines {
        private var rest: ArraySlice<UInt8>
        /// That of the last line, from 1.
        private(set) var number = 0

        init(_ text: Data) {
            rest = Array(text)[...]
            // A byte order mark.
            if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        }

        mutating func next() -> ArraySlice<UInt8>? {
            guard !rest.isEmpty else { return nil }
            number += 1
            let line = rest.prefix { $0 != 10 && $0 != 13 }
            rest = rest[line.endIndex...]
            if rest.popFirst() == 13, rest.first == 10 { rest = rest.dropFirst() }
            let start = line.drop(while: Self.isSpace)
            return start[..<((start.lastIndex { !Self.isSpace($0) }).map { $0 + 1 } ?? start.startIndex)]
        }

        private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }
    }

    private static func label(of line: ArraySlice<UInt8>, after prefix: String) -> String? {
        guard line.starts(with: prefix.utf8), line.count >= prefix.utf8.count + 5, line.suffix(5).elementsEqual("-----".utf8) else {
            return nil
        }
        return String(decoding: line.dropFirst(prefix.utf8.count).dropLast(5), as: UTF8.self)
    }
}
