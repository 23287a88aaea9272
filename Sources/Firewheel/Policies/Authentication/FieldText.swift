import Foundation

/// A field value as the octets sent by the server, because exactly these must be hashed and returned.
struct FieldText: Sendable, Hashable {
    let octets: [UInt8]

    init(octets: [UInt8]) {
        self.octets = octets
    }

    /// The UTF-8 octets of a text.
    init(_ text: String) {
        octets = Array(text.utf8)
    }

    /// The text: UTF-8 if valid, otherwise ISO-8859-1.
    var string: String {
        String(validating: octets, as: UTF8.self) ?? String(String.UnicodeScalarView(octets.map { Unicode.Scalar($0) }))
    }

    /// Whether it contains a control character (CTL, RFC 5234 appendix B.1) other than a tab, which a quoted string allows (RFC 9110
    /// section 5.6.4).
    var hasControlCharacter: Bool { octets.contains { $0.isControlCharacter && $0 != UInt8(ascii: "\t") } }

    /// As a quoted string (RFC 9110 section 5.6.4). Octets that are not valid UTF-8 are sent as the UTF-8 of their text, because fields are
    /// sent in UTF-8.
    var quoted: String {
        guard octets.contains(where: Self.isEscaped) else { return "\"\(string)\"" }
        let escaped = octets.flatMap { Self.isEscaped($0) ? [UInt8(ascii: "\\"), $0] : [$0] }
        return "\"\(FieldText(octets: escaped).string)\""
    }

    private static func isEscaped(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") }

    /// The octets of a received field value, which was decoded as ISO-8859-1. A value with other characters was not received, and is
    /// converted to UTF-8.
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

    /// Whether the value is this keyword, case-insensitively.
    func isKeyword(_ keyword: String) -> Bool {
        octets.count == keyword.utf8.count && zip(octets, keyword.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
    }
}

extension FieldText: CustomStringConvertible {
    var description: String { string }
}

extension UInt8 {
    /// Whether it is a control character (CTL, RFC 5234 appendix B.1).
    var isControlCharacter: Bool { self < 0x20 || self == 0x7F }
}
