import Foundation

/// Character encodings by the names that `Content-Type` gives them.
enum Charset {
    /// The encoding of the `charset` parameter of a Content-Type (RFC 9110 section 8.3.2), if it is one of those registered with IANA that
    /// Foundation knows on every platform. The names are Alamofire's.
    static func encoding(ofContentType contentType: String) -> String.Encoding? {
        parameter(ofContentType: contentType).flatMap { encodings[$0] }
    }

    private static func parameter(ofContentType contentType: String) -> String? {
        for part in parameters(ofContentType: contentType) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, pair[0].trimmingOptionalWhitespace().lowercased() == "charset" else { continue }
            return pair[1].trimmingOptionalWhitespace().filter { $0 != "\"" }.lowercased()
        }
        return nil
    }

    /// What stands between the semicolons, those inside of quoted strings left alone (RFC 9110 section 5.6.6).
    private static func parameters(ofContentType contentType: String) -> [Substring] {
        var parts: [Substring] = []
        var start = contentType.startIndex
        var isQuoted = false
        var isEscaped = false
        for index in contentType.indices {
            let character = contentType[index]
            if isEscaped {
                isEscaped = false
            } else if isQuoted, character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character == ";", !isQuoted {
                parts.append(contentType[start..<index])
                start = contentType.index(after: index)
            }
        }
        return parts.dropFirst() + [contentType[start...]].filter { _ in !parts.isEmpty }
    }

    private static let encodings: [String: String.Encoding] = [
        "utf-8": .utf8, "utf8": .utf8,
        "us-ascii": .ascii, "ascii": .ascii,
        "iso-8859-1": .isoLatin1, "latin1": .isoLatin1,
        "windows-1252": .windowsCP1252,
        "iso-10646-ucs-2": .utf16, "unicode-1-1": .utf16, "utf-16": .utf16, "utf-16be": .utf16BigEndian, "utf-16le": .utf16LittleEndian,
        "utf-32": .utf32, "utf-32be": .utf32BigEndian, "utf-32le": .utf32LittleEndian,
    ]
}
