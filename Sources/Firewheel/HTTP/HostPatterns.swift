import Foundation

/// Values by the hosts that they are for.
///
/// A pattern is a host, `*.example.com` for the hosts one label below it, or `**.example.com` for those any number of labels below it and
/// itself, as OkHttp's `CertificatePinner` has them. Hosts are compared without regard to case, by their IDNA names (RFC 5890) and without
/// the dot at the end. The pattern with the most labels in common counts, and one for a single label before one for any number.
struct HostPatterns<Value: Sendable>: Sendable {
    private var hosts: [String: Value] = [:]
    private var childrenOf: [String: Value] = [:]
    private var descendantsOf: [String: Value] = [:]
    /// That of `*`, every host.
    private var every: Value?
    /// What is wrong with the first pattern that is not valid; nil if all are. Its value counts for no host.
    private(set) var problem: String?

    /// - Parameter hasEvery: Whether `*` stands for every host.
    init(_ values: [String: Value], hasEvery: Bool) {
        // In a fixed order, for the sake of the problem.
        for (pattern, value) in values.sorted(by: { $0.key < $1.key }) {
            if hasEvery, pattern == "*" {
                every = value
            } else if let problem = add(value, for: pattern) {
                self.problem = self.problem ?? "\(Redaction.host(pattern).debugDescription) \(problem)"
            }
        }
    }

    private init(hosts: [String: Value], childrenOf: [String: Value], descendantsOf: [String: Value], every: Value?) {
        (self.hosts, self.childrenOf, self.descendantsOf, self.every) = (hosts, childrenOf, descendantsOf, every)
    }

    /// The same hosts with other values. The problem is not kept.
    func mapValues<Other>(_ transform: (Value) -> Other) -> HostPatterns<Other> {
        HostPatterns<Other>(
            hosts: hosts.mapValues(transform), childrenOf: childrenOf.mapValues(transform),
            descendantsOf: descendantsOf.mapValues(transform), every: every.map(transform))
    }

    var isEmpty: Bool { hosts.isEmpty && childrenOf.isEmpty && descendantsOf.isEmpty && every == nil }

    /// - Returns: What is wrong with the pattern; nil if it is valid.
    private mutating func add(_ value: Value, for pattern: String) -> String? {
        let isDeep = pattern.hasPrefix("**.")
        let isWild = isDeep || pattern.hasPrefix("*.")
        guard let host = Self.name(pattern.dropFirst(isDeep ? 3 : isWild ? 2 : 0)) else { return "is not a host or the pattern of one" }
        if isWild, HostAddress.looksLikeIPv4(host) || host.contains(":") { return "is a pattern, which an address cannot have" }
        let before = isDeep ? descendantsOf[host] : isWild ? childrenOf[host] : hosts[host]
        if before != nil { return "stands for the same hosts as another pattern" }
        if isDeep { descendantsOf[host] = value } else if isWild { childrenOf[host] = value } else { hosts[host] = value }
        return nil
    }

    /// A host as URLs have it, without the dot at the end; nil if it is none.
    private static func name(_ text: Substring) -> String? {
        // An IPv6 address may have its brackets or not.
        let isBare = text.contains(":") && !text.hasPrefix("[")
        let host = isBare ? "[\(text)]" : String(text)
        guard !host.contains(where: { "/?#@\\%*".contains($0) }) else { return nil }
        let encoded = host.utf8.allSatisfy { $0 < 0x80 } ? host : URL(string: "https://\(host)/")?.host
        guard let encoded, let origin = TargetURI("https://\(encoded)/")?.origin, origin.port == 443 else { return nil }
        let name = origin.hostWithoutDot
        return name.isEmpty || name.hasPrefix(".") || origin.host.contains("..") ? nil : name
    }

    /// The value for a host as ``TargetURI/Origin`` has it; nil for none.
    func value(for origin: TargetURI.Origin) -> Value? {
        value(forName: origin.isAddress ? Self.withoutZone(origin.host) : origin.hostWithoutDot)
    }

    /// The name of a host as people write it, by which it is looked up, without its zone; nil if it is none.
    static func name(ofHost host: String) -> String? { name(host.contains(":") ? Substring(withoutZone(host)) : host[...]) }

    /// An IPv6 address without its zone (RFC 6874), which says how to reach it from this machine.
    private static func withoutZone(_ host: String) -> String {
        guard let start = host.firstIndex(of: "%") else { return host }
        return host[..<start] + (host.hasPrefix("[") ? "]" : "")
    }

    func value(forName host: String) -> Value? {
        if let value = hosts[host] { return value }
        if !childrenOf.isEmpty || !descendantsOf.isEmpty, !HostAddress.looksLikeIPv4(host), !host.contains(":") {
            var rest = host[...]
            var depth = 0
            while !rest.isEmpty {
                let name = String(rest)
                if depth == 1, let value = childrenOf[name] { return value }
                if let value = descendantsOf[name] { return value }
                guard let dot = rest.firstIndex(of: ".") else { break }
                rest = rest[rest.index(after: dot)...]
                depth += 1
            }
        }
        return every
    }
}
