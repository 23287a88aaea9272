import Foundation

/// Character encodings by their names in `Content-Type`, and decoding of text.
package enum Charset {
    /// The encoding of the `charset` parameter of a Content-Type (RFC 9110 section 8.3.2), if it is one of ``encodings``.
    package static func encoding(ofContentType contentType: String) -> String.Encoding? {
        parameter(ofContentType: contentType).flatMap(named)
    }

    /// The encoding of a name, if it is one of ``encodings``.
    package static func named(_ name: String) -> String.Encoding? {
        // A label may have spaces around it (WHATWG Encoding section 4.2).
        encodings[name[...].trimmingOptionalWhitespace().lowercased()]
    }

    /// Encodings in which ASCII characters have more than one byte.
    package static let wide: Set<String.Encoding> = [
        .utf16, .utf16BigEndian, .utf16LittleEndian, .utf32, .utf32BigEndian, .utf32LittleEndian,
    ]

    /// The value of the first `charset` parameter, in lower case.
    static func parameter(ofContentType contentType: String) -> String? {
        guard let part = contentType.splitOutsideQuotes(at: ";").dropFirst().first(where: isCharset) else { return nil }
        let value = part.drop { $0 != "=" }.dropFirst()
        return unquoted(value.trimmingOptionalWhitespace()).lowercased()
    }

    /// Whether the text between two semicolons is a `charset` parameter.
    static func isCharset(_ part: Substring) -> Bool {
        part.contains("=") && part.prefix { $0 != "=" }.trimmingOptionalWhitespace().lowercased() == "charset"
    }

    /// The content of a quoted string, with escapes removed (RFC 9110 section 5.6.4).
    private static func unquoted(_ value: Substring) -> String {
        guard value.first == "\"" else { return String(value) }
        var text = ""
        var isEscaped = false
        for character in value.dropFirst() {
            if !isEscaped, character == "\"" { break }
            isEscaped = !isEscaped && character == "\\"
            if !isEscaped { text.append(character) }
        }
        return text
    }

    // MARK: Text

    /// The text of a body, and the encoding in which it is or, if it is nil, would have to be.
    static func text(of data: Data, contentType: String?) -> (text: String?, encoding: String.Encoding) {
        let candidates = candidates(for: data, contentType: contentType)
        for candidate in candidates {
            if let text = decode(data, as: candidate) { return (text, candidate) }
        }
        return (nil, candidates.last ?? .utf8)
    }

    /// The encodings that a body may have: it has the first one in which its bytes are valid.
    ///
    /// It is that of the `charset` parameter, for JSON only if the bytes are not valid UTF-8. Without one that is known it is that of the
    /// byte order mark, otherwise UTF-8, otherwise ISO-8859-1.
    static func candidates(for data: Data, contentType: String?) -> [String.Encoding] {
        guard let label = contentType.flatMap(encoding) else { return byteOrderMark(of: data).map { [$0] } ?? [.utf8, .isoLatin1] }
        return contentType.flatMap { MediaType($0) }?.isJSON == true ? candidatesOfJSON(for: data, label: label) : [label]
    }

    /// The encodings that a JSON text may have whose `charset` has no effect (RFC 8259 section 11).
    static func candidatesOfJSON(for data: Data, label: String.Encoding) -> [String.Encoding] {
        // These may be valid UTF-8, too. But no JSON in UTF-8 has an escape character or a zero, and the first characters are ASCII.
        let isOfLabel =
            label == .iso2022JP && data.contains(0x1B) || wide.contains(label) && data.prefix(4).contains(0) || label == .utf8
        return isOfLabel ? [label] : [.utf8, label]
    }

    /// The text in an encoding, without its byte order mark; nil if the bytes are invalid in it. If the platform does not support the
    /// encoding, the text is nil unless it is ASCII.
    package static func decode(_ data: Data, as encoding: String.Encoding) -> String? {
        let mark = byteOrderMark(of: data)
        switch encoding {
        case .utf8:
            return utf8(mark == .utf8 ? data.dropFirst(3) : data)
        case .utf16, .utf16BigEndian, .utf16LittleEndian:
            // Without a mark it is big-endian (RFC 2781 section 4.3). Foundation would silently drop an incomplete unit at the end.
            guard data.count.isMultiple(of: 2) else { return nil }
            let isMarked = mark == .utf16BigEndian || mark == .utf16LittleEndian
            let order = encoding == .utf16 ? (isMarked ? mark ?? .utf16BigEndian : .utf16BigEndian) : encoding
            return utf16(isMarked && mark == order ? data.dropFirst(2) : data, isBigEndian: order == .utf16BigEndian)
        case .utf32, .utf32BigEndian, .utf32LittleEndian:
            guard data.count.isMultiple(of: 4) else { return nil }
            return utf32(data, isBigEndian: encoding == .utf32 ? !data.starts(with: [0xFF, 0xFE, 0, 0]) : encoding == .utf32BigEndian)
        default:
            if let text = String(data: data, encoding: encoding) { return text }
            #if os(Linux)
                if encoding == .japaneseEUC, let text = EUCJP.decode(data) { return text }
            #endif
            return extendsASCII.contains(encoding) && data.allSatisfy { $0 < 0x80 } ? String(data: data, encoding: .ascii) : nil
        }
    }

    /// The encoding indicated by a byte order mark (WHATWG Encoding section 6).
    package static func byteOrderMark(of data: Data) -> String.Encoding? {
        if data.starts(with: [0xEF, 0xBB, 0xBF]) { return .utf8 }
        if data.starts(with: [0xFE, 0xFF]) { return .utf16BigEndian }
        return data.starts(with: [0xFF, 0xFE]) ? .utf16LittleEndian : nil
    }

    /// The text of UTF-8 bytes, including a byte order mark, which Foundation drops; nil if the bytes are invalid.
    static func utf8(_ bytes: some Collection<UInt8>) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        // Invalid UTF-8 has been replaced.
        return text.utf8.elementsEqual(bytes) ? text : nil
    }

    private static func utf16(_ data: Data, isBigEndian: Bool) -> String? {
        let bytes = Array(data)
        let units = stride(from: 0, to: bytes.count, by: 2).map { index -> UInt16 in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
        let text = String(decoding: units, as: UTF16.self)
        // An unpaired surrogate has been replaced.
        return text.utf16.elementsEqual(units) ? text : nil
    }

    private static func utf32(_ data: Data, isBigEndian: Bool) -> String? {
        let bytes = Array(data)
        var text = String.UnicodeScalarView()
        for index in stride(from: 0, to: bytes.count, by: 4) {
            let unit =
                isBigEndian
                ? bytes[index..<(index + 4)].reduce(0) { $0 << 8 | UInt32($1) }
                : bytes[index..<(index + 4)].reversed().reduce(0) { $0 << 8 | UInt32($1) }
            guard let scalar = Unicode.Scalar(unit) else { return nil }
            if index > 0 || unit != 0xFEFF { text.append(scalar) }
        }
        return String(text)
    }
}
