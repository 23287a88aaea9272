import Foundation

/// A host as people write it, perhaps with a port: `example.com`, `example.com:8443`, `10.0.0.1`, `::1`, `[::1]:8443`.
struct HostAndPort {
    /// As ``TargetURI/Origin`` has it.
    let host: String
    /// ``host`` without the dot at the end of a name.
    let name: String
    let isAddress: Bool
    /// nil if there is none.
    let port: Int?

    /// nil if it is not one.
    init?(_ text: String) {
        var (host, port): (Substring, Int?) = (text[...], nil)
        let bracket = text.lastIndex(of: "]")
        let colons = text.indices.filter { text[$0] == ":" }
        // A bare IPv6 address has several colons, and no port.
        if let colon = colons.last, bracket.map({ $0 < colon }) ?? (colons.count == 1) {
            let digits = text[text.index(after: colon)...]
            guard let number = Self.port(digits) else { return nil }
            (host, port) = (text[..<colon], number)
        }
        guard !host.contains("*"), let origin = TargetURI.Origin(isSecure: false, host: String(host), port: port ?? 80) else { return nil }
        name = origin.hostWithoutDot
        guard !name.isEmpty, origin.isAddress || !name.contains("..") && !name.hasSuffix(".") else { return nil }
        (self.host, isAddress, self.port) = (origin.host, origin.isAddress, port)
    }

    private static func port(_ digits: Substring) -> Int? {
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy(\.isASCIIDigit), let port = Int(digits) else { return nil }
        return (1...65_535).contains(port) ? port : nil
    }
}

extension TargetURI.Origin {
    /// A name without the dot at its end.
    var hostWithoutDot: String { !isAddress && host.hasSuffix(".") ? String(host.dropLast()) : host }

    /// - Parameters:
    ///   - host: As people write it: a name, in letters beyond ASCII too, or an address; one of IPv6 with or without brackets, and perhaps
    ///     with a zone.
    ///   - port: From 1 to 65535.
    /// - Returns: nil if there is no such host.
    init?(isSecure: Bool, host: String, port: Int) {
        guard !host.contains(where: { "/?#@\\".contains($0) || $0.isWhitespace }) else { return nil }
        let isBare = host.contains(":") && !host.hasPrefix("[")
        let written = Percent.escapingZone("https://\(isBare ? "[\(host)]" : host):\(port)/")
        let isASCII = host.utf8.allSatisfy { $0 < 0x80 }
        // Foundation decodes percent-encoding, which may hide delimiters.
        guard isASCII || !host.contains("%") else { return nil }
        let encoded = isASCII ? written : URL(string: "https://\(host)/")?.host.map { "https://\($0):\(port)/" }
        guard let found = encoded.flatMap({ TargetURI($0) })?.origin else { return nil }
        self.init(isSecure: isSecure, host: found.host, port: found.port, isAddress: found.isAddress)
    }
}
