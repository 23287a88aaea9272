/// Values of fields as bytes (RFC 9110 section 5.5), for what has to go back to a server as it came.
enum FieldOctets {
    /// The bytes of a value that was received: heads are read as ISO-8859-1. A value with characters beyond that was read as UTF-8 by
    /// whoever read it.
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

    /// Bytes as text: UTF-8 if they are that, else ISO-8859-1.
    static func text(_ octets: [UInt8]) -> String { utf8(octets) ?? latin1(octets) }

    /// The text whose UTF-8 are these bytes; nil if there is none.
    static func utf8(_ octets: [UInt8]) -> String? {
        let text = String(decoding: octets, as: UTF8.self)
        // What is not UTF-8 has become U+FFFD.
        return text.utf8.elementsEqual(octets) ? text : nil
    }

    /// One character for each byte.
    static func latin1(_ octets: [UInt8]) -> String { String(String.UnicodeScalarView(octets.map { Unicode.Scalar($0) })) }
}
