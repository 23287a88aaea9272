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
        if isDER(data) { return [data] }
        let lists = all(in: data).filter { $0.label == "X509 CRL" }
        let contents = lists.compactMap(\.content)
        return lists.isEmpty || contents.count < lists.count ? nil : contents
    }

    /// Whether data is in DER: an encoding begins with a SEQUENCE, and text may begin with the same byte.
    static func isDER(_ data: Data) -> Bool { data.first == 0x30 && data.range(of: Data("-----BEGIN ".utf8)) == nil }

    /// The blocks of a text. Lines outside of blocks are skipped.
    static func all(in text: Data) -> [PEMBlock] {
        var blocks: [PEMBlock] = []
        // That of the open block; nil outside of one.
        var open: String?
        var start = 0
        var body: [UInt8] = []
        var lines = Lines(text)
        while let line = lines.next() {
            if let label = label(of: line, after: "-----BEGIN ") {
                // The last one has no end.
                if let open { blocks.append(PEMBlock(label: open, line: start, content: nil)) }
                (open, start) = (label, lines.number)
                body.removeAll()
            } else if let begun = open {
                guard let label = label(of: line, after: "-----END ") else {
                    body += line
                    continue
                }
                let content = label == begun ? Data(base64Encoded: Data(body)) : nil
                blocks.append(PEMBlock(label: begun, line: start, content: content?.isEmpty == true ? nil : content))
                open = nil
            }
        }
        if let open { blocks.append(PEMBlock(label: open, line: start, content: nil)) }
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

    /// The label of a line; nil if it is another line. Labels are in errors: a key that is on the same line must not be.
    private static func label(of line: ArraySlice<UInt8>, after prefix: String) -> String? {
        guard line.starts(with: prefix.utf8), line.count >= prefix.utf8.count + 5, line.suffix(5).elementsEqual("-----".utf8) else {
            return nil
        }
        let label = line.dropFirst(prefix.utf8.count).dropLast(5)
        guard label.count <= 40, label.allSatisfy({ 0x41...0x5A ~= $0 || $0.isASCIIDigit || $0 == 32 }) else { return nil }
        return String(decoding: label, as: UTF8.self)
    }
}
