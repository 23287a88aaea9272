/// Field values as bytes (RFC 9110 section 5.5), for values that must be returned to a server unchanged.
enum FieldOctets {
    /// The bytes of a received value, which was decoded as ISO-8859-1. A value with characters beyond that was decoded as UTF-8.
    static func received(_ value: String) -> [UInt8] {
        if value.utf8.allSatisfy({ $0 < 0x80 }) { return Array(value.utf8) }
        var octets: [UInt8] = []
        octets.reserveCapacity(value.utf8.count)
        for scalar in value.unicodeScalars {
            guard scalar.value <= 0xFF else { return Array(value.utf8) }
            octets.append(UInt8(scalar.value))
        }
        return octets
    }

    /// Bytes as text: UTF-8 if valid, otherwise ISO-8859-1.
    static func text(_ octets: [UInt8]) -> String { utf8(octets) ?? latin1(octets) }

    /// The text of UTF-8 bytes; nil if they are invalid.
    static func utf8(_ octets: [UInt8]) -> String? {
        let text = String(decoding: octets, as: UTF8.self)
        // Invalid UTF-8 has become U+FFFD.
        return text.utf8.elementsEqual(octets) ? text : nil
    }

    /// The text with one character per byte.
    static func latin1(_ octets: [UInt8]) -> String { String(String.UnicodeScalarView(octets.map { Unicode.Scalar($0) })) }
}
