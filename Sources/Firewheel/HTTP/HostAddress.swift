import Foundation

/// IP addresses in URLs, each in one canonical spelling, so that all spellings of an address have the same origin.
enum HostAddress {
    /// Whether the last label is a number: such a host is an IPv4 address or invalid (WHATWG URL, "ends in a number").
    static func looksLikeIPv4(_ host: String) -> Bool {
        let labels = host.utf8.split(separator: UInt8(ascii: "."))
        guard let last = labels.last, let first = last.first, first.isASCIIDigit else { return false }
        return last.allSatisfy(\.isASCIIDigit) || number(Substring(last)) != nil
    }

    /// Whether these bytes are an IPv4 address in canonical form: four decimal numbers up to 255 without leading zeros.
    static func isDottedQuad(_ bytes: some Collection<UInt8>) -> Bool {
        var parts = 1
        var value = 0
        var digits = 0
        for byte in bytes {
            if byte == UInt8(ascii: ".") {
                guard digits > 0 else { return false }
                parts += 1
                value = 0
                digits = 0
            } else {
                guard byte.isASCIIDigit, digits == 0 || value > 0 else { return false }
                value = value * 10 + Int(byte - UInt8(ascii: "0"))
                digits += 1
                guard value <= 255 else { return false }
            }
        }
        return parts == 4 && digits > 0
    }

    /// The dotted-decimal form of an IPv4 address of one to four parts, each decimal, octal (`0177`) or hexadecimal (`0x7f`). The last part
    /// fills the remaining bytes, as in `inet_aton` and libcurl. nil if it is invalid.
    static func ipv4(_ host: String) -> String? {
        var labels = host.split(separator: ".", omittingEmptySubsequences: false)
        if labels.last == "" { labels.removeLast() }
        guard (1...4).contains(labels.count) else { return nil }
        var address: UInt64 = 0
        for (index, label) in labels.enumerated() {
            guard let value = number(label) else { return nil }
            let isLast = index == labels.count - 1
            let bytes = isLast ? 4 - index : 1
            guard value < 1 << (8 * UInt64(bytes)) else { return nil }
            address = address << (8 * UInt64(bytes)) | value
        }
        return (0..<4).map { String(address >> (24 - 8 * UInt64($0)) & 0xFF) }.joined(separator: ".")
    }

    /// The canonical text (RFC 5952) of an IPv6 address, with its zone (RFC 6874) if any. nil if it is invalid.
    static func ipv6(_ text: String) -> String? {
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        var zone = ""
        if parts.count == 2 {
            guard parts[1].hasPrefix("25"), parts[1].count > 2 else { return nil }
            guard parts[1].utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "-._~".utf8.contains($0) }) else { return nil }
            zone = "%" + parts[1]
        }
        var address = in6_addr()
        guard inet_pton(AF_INET6, String(parts[0]), &address) == 1 else { return nil }
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(AF_INET6, &address, &buffer, socklen_t(buffer.count)) != nil else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) + zone
    }

    private static func number(_ label: Substring) -> UInt64? {
        guard !label.isEmpty, label.utf8.count <= 24 else { return nil }
        if label.hasPrefix("0x") { return label.count == 2 ? 0 : hexadecimal(label.dropFirst(2)) }
        guard label.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        return label.hasPrefix("0") && label.count > 1 ? UInt64(label.dropFirst(), radix: 8) : UInt64(label)
    }

    /// Digits only, because `UInt64(_:radix:)` also accepts a sign.
    private static func hexadecimal(_ digits: Substring) -> UInt64? {
        digits.utf8.allSatisfy(\.isHexDigit) ? UInt64(digits, radix: 16) : nil
    }
}
