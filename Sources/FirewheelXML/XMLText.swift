import Firewheel
import Foundation

/// Turns a body into UTF-8, so that the guard and the parser read the same characters whatever the encoding.
enum XMLText {
    /// The body in UTF-8, its XML declaration without another encoding.
    ///
    /// The encoding is that of the byte order mark, otherwise of the `charset` of the content type (RFC 7303 section 3), otherwise of the
    /// XML declaration, otherwise UTF-8 (XML 1.0 section 4.3.3). A `charset` that is not supported is ignored.
    static func utf8(_ body: Data, contentType: String?) throws -> Data {
        let encoding = try encoding(of: body, contentType: contentType)
        var text = body
        if encoding.value == .utf8 {
            // Foundation's parser on Linux traps on names in invalid UTF-8.
            guard String(data: body, encoding: .utf8) != nil else { throw XMLFailure(.encoding(encoding.name)) }
        } else {
            guard let decoded = Charset.decode(body, as: encoding.value) else { throw XMLFailure(.encoding(encoding.name)) }
            text = Data(decoded.utf8)
        }
        guard let name = try XMLDeclaration(text)?.encoding else { return text }
        let declared = String(decoding: text[name.value], as: UTF8.self).lowercased()
        if declared == "utf-8" || declared == "utf8" { return text }
        // Spaces of the same length keep lines and columns.
        text.replaceSubrange(name.whole, with: repeatElement(0x20, count: name.whole.count))
        return text
    }

    private static func encoding(of body: Data, contentType: String?) throws -> (value: String.Encoding, name: String?) {
        // The mark of little-endian UTF-32 begins with that of UTF-16.
        if body.starts(with: [0xFF, 0xFE, 0, 0]) || body.starts(with: [0, 0, 0xFE, 0xFF]) { return (.utf32, "UTF-32") }
        if let mark = Charset.byteOrderMark(of: body) { return (mark, mark == .utf8 ? "UTF-8" : "UTF-16") }
        if let charset = contentType.flatMap({ Charset.encoding(ofContentType: $0) }) { return (charset, "the charset of Content-Type") }
        // XML 1.0 appendix F.1: the encoding as far as the first character, "<", shows it.
        if body.starts(with: [0, 0, 0, 0x3C]) { return (.utf32BigEndian, "UTF-32") }
        if body.starts(with: [0x3C, 0, 0, 0]) { return (.utf32LittleEndian, "UTF-32") }
        if body.starts(with: [0, 0x3C]) { return (.utf16BigEndian, "UTF-16") }
        if body.starts(with: [0x3C, 0]) { return (.utf16LittleEndian, "UTF-16") }
        guard let range = try XMLDeclaration(body)?.encoding?.value else { return (.utf8, nil) }
        let name = String(decoding: body[range], as: UTF8.self)
        // In UTF-16 and UTF-32 the declaration could not have been read as ASCII.
        guard let encoding = Charset.named(name), !Charset.wide.contains(encoding) else { throw XMLFailure(.encoding(name)) }
        return (encoding, name)
    }
}

/// The XML declaration (XML 1.0 section 2.8) at the start of a document in an encoding that extends ASCII.
struct XMLDeclaration {
    /// The encoding's name, and the whole pseudo-attribute with the name; nil if the declaration has none.
    let encoding: (value: Range<Int>, whole: Range<Int>)?

    /// nil without a declaration.
    ///
    /// - Throws: ``XMLFailure``, if the declaration is malformed, since the parser could read another encoding from it.
    init?(_ text: Data) throws {
        var reader = ByteReader(text)
        reader.skip([0xEF, 0xBB, 0xBF])
        guard reader.skip("<?xml"), reader.skipSpaces() else { return nil }
        guard try reader.pseudoAttribute("version") != nil else { throw reader.malformed }
        var hasSpace = reader.skipSpaces()
        let start = reader.index
        if hasSpace, let value = try reader.pseudoAttribute("encoding") {
            encoding = (value, start..<reader.index)
            hasSpace = reader.skipSpaces()
        } else {
            encoding = nil
        }
        if hasSpace, try reader.pseudoAttribute("standalone") != nil { reader.skipSpaces() }
        guard reader.skip("?>") else { throw reader.malformed }
    }
}

extension ByteReader {
    /// Reads `name = "value"`; nil if another name is next.
    fileprivate mutating func pseudoAttribute(_ name: String) throws -> Range<Int>? {
        guard skip(name) else { return nil }
        skipSpaces()
        guard skip("=") else { throw malformed }
        skipSpaces()
        guard let quote = next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { throw malformed }
        index += 1
        let start = index
        while let byte = next, byte != quote {
            // Letters, digits, and ". _ -", as in the names of encodings.
            guard byte.isXMLNamePart, byte < 0x80, byte != UInt8(ascii: ":") else { throw malformed }
            index += 1
        }
        guard next != nil, index > start else { throw malformed }
        defer { index += 1 }
        return start..<index
    }
}
