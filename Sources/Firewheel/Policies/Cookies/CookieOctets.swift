/// Names and values of cookies as the bytes that they are: they have no encoding (RFC 6265bis section 5.6), and go back to the server as they came.
enum CookieOctets {
    /// The bytes of a field value that was received: heads are read as ISO-8859-1. A value with characters beyond that was read as UTF-8 by whoever read it.
    static func received(_ value: String) -> [UInt8] {
        if value.utf8.allSatisfy({ $0 < 0x80 }) { return Array(value.utf8) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(value.utf8.count)
        for scalar in value.unicodeScalars {
            guard scalar.value <= 0xFF else { return Array(value.utf8) }
            bytes.append(UInt8(scalar.value))
        }
        return bytes
    }

    /// Bytes as text: UTF-8 if they are that, else ISO-8859-1.
    static func text(_ bytes: [UInt8]) -> String { utf8(bytes) ?? latin1(bytes) }

    /// The text whose UTF-8 are these bytes; nil if there is none.
    static func utf8(_ bytes: [UInt8]) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        // What is not UTF-8 has become U+FFFD.
        return text.utf8.elementsEqual(bytes) ? text : nil
    }

    /// One character for each byte.
    static func latin1(_ bytes: [UInt8]) -> String { String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })) }

    /// The control characters, a tab excepted, with which a cookie is refused (RFC 6265bis section 5.6).
    static func isControl(_ byte: UInt8) -> Bool { (byte < 0x20 && byte != 0x09) || byte == 0x7F }

    /// Without spaces and tabs at both ends, the only white space there is in a cookie.
    static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let first = bytes.firstIndex(where: { !$0.startsFold }), let last = bytes.lastIndex(where: { !$0.startsFold }) else {
            return []
        }
        return bytes[first...last]
    }

    /// Whether bytes spell a name, or begin with one, without regard to the case of ASCII letters.
    ///
    /// - Parameter name: In lower case.
    static func spell(_ bytes: some Collection<UInt8>, _ name: StaticString) -> Bool {
        bytes.count == name.utf8CodeUnitCount && begin(bytes, with: name)
    }

    static func begin(_ bytes: some Collection<UInt8>, with name: StaticString) -> Bool {
        let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        return bytes.count >= name.count && zip(bytes, name).allSatisfy { $0.asciiLowercased == $1 }
    }
}
