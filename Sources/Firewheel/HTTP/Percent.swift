/// Percent-encoding (RFC 3986 section 2.1).
enum Percent {
    /// A field value decoded as ISO-8859-1, with each byte above 127 percent-encoded.
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

    /// The text with everything but the unreserved characters (RFC 3986 section 2.3) percent-encoded as UTF-8.
    static func encodingAllButUnreserved(_ text: String) -> String {
        guard !text.utf8.allSatisfy(\.isUnreserved) else { return text }
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count * 3)
        for byte in text.utf8 {
            if byte.isUnreserved { output.append(byte) } else { output += escaped(byte).utf8 }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Percent-encodes invalid characters of a URL or relative reference, without encoding anything twice. The authority is left alone,
    /// because encoding does not make a host valid.
    static func encodingInvalidCharacters(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + 16)
        let authority = authorityRange(in: bytes)
        for (index, byte) in bytes.enumerated() {
            if authority.contains(index) || (TargetURI.isURLByte(byte) && isComplete(byte, at: index, of: bytes)) {
                output.append(byte)
            } else {
                output += escaped(byte).utf8
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// The text with the percent sign of an IPv6 address's zone escaped (RFC 6874 section 2). People often write a plain one.
    static func escapingZone(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let authority = bytes[authorityRange(in: bytes)]
        guard let host = authority.firstIndex(of: UInt8(ascii: "[")), let sign = authority[host...].firstIndex(of: UInt8(ascii: "%")),
            let end = authority[host...].firstIndex(of: UInt8(ascii: "]")), sign < end, !bytes[(sign + 1)...].starts(with: "25".utf8)
        else { return text }
        return String(decoding: bytes[...sign] + "25".utf8 + bytes[(sign + 1)...], as: UTF8.self)
    }

    /// Percent-encodes the characters that a query cannot contain (RFC 3986 section 3.4), without encoding anything twice.
    static func encodingForQuery(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + 16)
        for (index, byte) in bytes.enumerated() {
            if TargetURI.isURLByte(byte), byte != UInt8(ascii: "#"), isComplete(byte, at: index, of: bytes) {
                output.append(byte)
            } else {
                output += escaped(byte).utf8
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Whether a byte is not a percent sign, or is one that two hexadecimal digits follow.
    private static func isComplete(_ byte: UInt8, at index: Int, of bytes: [UInt8]) -> Bool {
        byte != UInt8(ascii: "%") || bytes[(index + 1)...].prefix(2).filter(\.isHexDigit).count == 2
    }

    /// Whether the authority of a URL or relative reference has only valid characters (RFC 3986 section 3.2) and letters of international
    /// names. Parsers disagree where any other authority ends: for `http://a.com\@b.com/` browsers connect to a.com, most others to b.com.
    static func hasPlainAuthority(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        let authority = bytes[authorityRange(in: bytes)]
        let isPlain = authority.allSatisfy {
            TargetURI.isURLByte($0) || $0 > 0x7F || $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]")
        }
        return isPlain && authority.filter { $0 == UInt8(ascii: "@") }.count <= 1
    }

    /// The authority: between `//` and the next `/`, `?` or `#` (RFC 3986 section 3.2), if the text begins with a scheme or `//`.
    private static func authorityRange(in bytes: [UInt8]) -> Range<Int> {
        func isEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") }
        let start = bytes.firstIndex(where: isEnd) ?? bytes.count
        guard bytes[start...].starts(with: "//".utf8), start == 0 || bytes[start - 1] == UInt8(ascii: ":") else { return 0..<0 }
        return (start + 2)..<(bytes[(start + 2)...].firstIndex(where: isEnd) ?? bytes.count)
    }

    /// The bytes of percent-encoded text; nil if a percent sign is not followed by two hexadecimal digits.
    static func decodingOctets(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var octets: [UInt8] = []
        var bytes = text.makeIterator()
        while let byte = bytes.next() {
            guard byte == UInt8(ascii: "%") else {
                octets.append(byte)
                continue
            }
            guard let high = bytes.next()?.hexDigitValue, let low = bytes.next()?.hexDigitValue else { return nil }
            octets.append(high << 4 | low)
        }
        return octets
    }

    static func escaped(_ byte: UInt8) -> String {
        (byte < 0x10 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }
}

extension UInt8 {
    /// The value of a hexadecimal digit; nil for other bytes.
    var hexDigitValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Whether the byte is an unreserved character of URIs (RFC 3986 section 2.3).
    fileprivate var isUnreserved: Bool {
        isASCIILetter || isASCIIDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: ".") || self == UInt8(ascii: "_")
            || self == UInt8(ascii: "~")
    }
}
