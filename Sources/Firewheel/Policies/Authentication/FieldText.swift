import Foundation

/// A value out of a field, as the octets that the server sent: what is hashed and sent back has to be the same ones.
struct FieldText: Sendable, Hashable {
    let octets: [UInt8]

    init(octets: [UInt8]) {
        self.octets = octets
    }

    /// A value as its UTF-8.
    init(_ text: String) {
        octets = Array(text.utf8)
    }

    /// The text: UTF-8 if it is that, else ISO-8859-1.
    var string: String {
        String(validating: octets, as: UTF8.self) ?? String(String.UnicodeScalarView(octets.map { Unicode.Scalar($0) }))
    }

    /// Whether one of the octets is a control character (RFC 5234 appendix B.1, CTL). A tab may stand in a quoted string (RFC 9110 section
    /// 5.6.4).
    var hasControlCharacter: Bool { octets.contains { $0.isControlCharacter && $0 != UInt8(ascii: "\t") } }

    /// A quoted string (RFC 9110 section 5.6.4), in which quotes and backslashes are escaped. Octets that are not UTF-8 go out as the UTF-8
    /// of their text, since fields are sent in it.
    var quoted: String {
        guard octets.contains(where: Self.isEscaped) else { return "\"\(string)\"" }
        let escaped = octets.flatMap { Self.isEscaped($0) ? [UInt8(ascii: "\\"), $0] : [$0] }
        return "\"\(FieldText(octets: escaped).string)\""
    }

    private static func isEscaped(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") }

    /// The octets of a field's value. Those above 127 were read as ISO-8859-1; a value with characters beyond that never was on a wire, and
    /// is UTF-8.
    static func octets(ofField value: String) -> [UInt8] {
        let utf8 = Array(value.utf8)
        if utf8.allSatisfy({ $0 < 0x80 }) { return utf8 }
        var octets: [UInt8] = []
        octets.reserveCapacity(utf8.count)
        for scalar in value.unicodeScalars {
            guard let octet = UInt8(exactly: scalar.value) else { return utf8 }
            octets.append(octet)
        }
        return octets
    }

    /// Whether the value is this keyword, in any case.
    func isKeyword(_ keyword: String) -> Bool {
        octets.count == keyword.utf8.count && zip(octets, keyword.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
    }
}

extension FieldText: CustomStringConvertible {
    var description: String { string }
}

extension UInt8 {
    /// CTL of RFC 5234 appendix B.1.
    var isControlCharacter: Bool { self < 0x20 || self == 0x7F }
}
