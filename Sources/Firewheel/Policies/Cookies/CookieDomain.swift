/// Hosts and domains of cookies (RFC 6265bis sections 5.1.2 and 5.1.3).
enum CookieDomain {
    /// In lower case, without a leading dot or brackets, like ``TargetURI/Origin/host``.
    static func canonical(_ text: String) -> String {
        var bytes = Array(text.utf8)[...]
        if bytes.first == UInt8(ascii: ".") { bytes = bytes.dropFirst() }
        if bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") { bytes = bytes.dropFirst().dropLast() }
        return String(decoding: bytes.map(\.asciiLowercased), as: UTF8.self)
    }

    /// Whether it is a valid host in canonical form.
    static func isHost(_ domain: String) -> Bool {
        TargetURI("http://\(domain.utf8.contains(UInt8(ascii: ":")) ? "[\(domain)]" : domain)/")?.origin.host == domain
    }

    /// Whether a canonical domain is an IP address.
    static func isAddress(_ domain: String) -> Bool {
        domain.utf8.contains(UInt8(ascii: ":")) || HostAddress.isDottedQuad(domain.utf8)
    }

    /// Whether a host is equal to a domain or a subdomain of it. Both must be canonical, and the host not an address.
    static func matches(_ host: String, _ domain: String) -> Bool {
        let (host, domain) = (host.utf8, domain.utf8)
        guard host.count > domain.count else { return host.elementsEqual(domain) }
        let dot = host.index(host.endIndex, offsetBy: -domain.count - 1)
        return host[dot] == UInt8(ascii: ".") && host[host.index(after: dot)...].elementsEqual(domain)
    }

    /// A host and its parent domains, longest first. An address has no parents.
    static func ancestors(of host: String, isAddress: Bool) -> [String] {
        var domains = [host]
        guard !isAddress else { return domains }
        var rest = host[...]
        while let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest[rest.utf8.index(after: dot)...]
            if !rest.isEmpty { domains.append(String(rest)) }
        }
        return domains
    }
}
