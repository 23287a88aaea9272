import Foundation

/// Redaction of bodies and values.
extension Redaction {
    /// The most bytes of a body or a value to print, as in Alamofire.
    static let maximumShownBytes = 100_000

    /// Redacts a body according to its media type. Without one the text may be a form as well as JSON.
    static func body(_ text: String, contentType: String?) -> String {
        switch contentType.flatMap({ MediaType($0) })?.subtype {
        case "x-www-form-urlencoded": form(text)
        case .some(let subtype) where subtype.contains("json"): json(text)
        case .some(let subtype) where subtype.contains("xml") || subtype.contains("html"): markup(text)
        default: json(form(text))
        }
    }

    /// Redacts JSON text, descriptions of Swift values, and lines of `name: value`: the value of a secret's name is replaced, whether it is
    /// a word, a string, or bracketed. Other strings are redacted like URLs and forms.
    package static func json(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let start = index
            index = endOfToken(in: bytes, from: start)
            if let value = secretValue(in: bytes, behind: start..<index) {
                output += bytes[start..<value.lowerBound]
                output += "\"\(mark)\"".utf8
                index = value.upperBound
            } else if index > start + 2, bytes[start] == quote,
                bytes[start..<index].contains(UInt8(ascii: "=")) || bytes[start..<index].contains(UInt8(ascii: "@"))
            {
                let isClosed = bytes[index - 1] == quote
                output.append(quote)
                output += form(replacingUserInfo(String(decoding: bytes[(start + 1)..<(isClosed ? index - 1 : index)], as: UTF8.self))).utf8
                if isClosed { output.append(quote) }
            } else {
                output += bytes[start..<index]
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static let quote = UInt8(ascii: "\"")

    /// The end of a possible name: a string or a word, otherwise a single byte.
    private static func endOfToken(in bytes: [UInt8], from start: Int) -> Int {
        // JSON and Swift strings end within their line: otherwise the quote is an inch mark or a quotation.
        if bytes[start] == quote { return endOfString(in: bytes, from: start, isOneLine: true) }
        let word = bytes[start...].prefix { isOfWord($0) }
        return word.isEmpty ? start + 1 : word.endIndex
    }

    /// The range of a secret value after a name.
    private static func secretValue(in bytes: [UInt8], behind token: Range<Int>) -> Range<Int>? {
        func skipping(_ skipped: String.UTF8View, from index: Int) -> Int {
            bytes[index...].firstIndex { !skipped.contains($0) } ?? bytes.count
        }
        guard bytes[token.lowerBound] == quote || isOfWord(bytes[token.lowerBound]) else { return nil }
        let colon = skipping(" \t\r\n'".utf8, from: token.upperBound)
        guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":"), isSecret(name: name(bytes[token])) else { return nil }
        let start = skipping(" \t\r\n".utf8, from: colon + 1)
        guard start < bytes.count else { return nil }
        let value = start..<endOfValue(in: bytes, from: start)
        return value.isEmpty || ["null", "nil"].contains { bytes[value].elementsEqual($0.utf8) } ? nil : value
    }

    /// A name without its quotes and JSON escapes.
    private static func name(_ token: ArraySlice<UInt8>) -> String {
        guard token.first == quote, token.contains(UInt8(ascii: "\\")) else {
            return String(decoding: token, as: UTF8.self).trimmingCharacters(in: ["\""])
        }
        return (try? JSONDecoder().decode([String].self, from: Data("[".utf8) + Data(token) + Data("]".utf8)).first)
            ?? String(decoding: token, as: UTF8.self)
    }

    /// The end of a value: a comma, the end of the line, or the closing bracket of its container. Nested brackets and strings belong to it.
    private static func endOfValue(in bytes: [UInt8], from start: Int) -> Int {
        var depth = 0
        var index = start
        if bytes[start] == UInt8(ascii: "'") { index = bytes[(start + 1)...].firstIndex(of: UInt8(ascii: "'")) ?? bytes.count }
        while index < bytes.count {
            let byte = bytes[index]
            if byte == quote {
                index = endOfString(in: bytes, from: index)
                continue
            }
            if "([{".utf8.contains(byte) { depth += 1 }
            if ")]}".utf8.contains(byte) { depth -= 1 }
            if depth < 0 || depth == 0 && (byte == UInt8(ascii: ",") || isLineEnd(byte)) { break }
            index += 1
        }
        while index > start, bytes[index - 1] == UInt8(ascii: " ") { index -= 1 }
        return index
    }

    /// The index after a string's closing quote, or the end of the text.
    private static func endOfString(in bytes: [UInt8], from opening: Int, isOneLine: Bool = false) -> Int {
        var index = opening + 1
        while index < bytes.count, bytes[index] != quote {
            if isOneLine, isLineEnd(bytes[index]) { return index }
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index + 1, bytes.count)
    }

    private static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
            true
        default: "_-.$".utf8.contains(byte)
        }
    }
}
