/// Percent-encoding (RFC 3986 section 2.1).
enum Percent {
    /// A field value that was read as ISO-8859-1, as ASCII again: each byte above 127 percent-encoded as the byte that the server sent.
    static func encodingObsText(_ value: String) -> String {
        guard value.utf8.contains(where: { $0 > 0x7F }) else { return value }
        var text = ""
        for scalar in value.unicodeScalars {
            if scalar.value > 0x7F, scalar.value <= 0xFF {
                text += escaped(UInt8(scalar.value))
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    static func escaped(_ byte: UInt8) -> String {
        let digits = Array("0123456789ABCDEF".unicodeScalars)
        var text = "%"
        text.unicodeScalars.append(digits[Int(byte >> 4)])
        text.unicodeScalars.append(digits[Int(byte & 0xF)])
        return text
    }
}
