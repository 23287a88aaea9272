/// The hosts to connect to in place of others: `SessionConfiguration.hosts`.
struct HostMap: Sendable {
    private struct Key: Hashable {
        let host: String
        /// nil for every port.
        let port: Int?
    }

    /// The entries that form a loop, in words that follow the name of the map.
    struct Loop: Error {
        let words: String
    }

    private var targets: [Key: HostAndPort] = [:]
    /// What is wrong with the first entry that is not valid, to be put behind the name of the map; nil if all are.
    private(set) var problem: String?

    init(_ hosts: [String: String]) {
        // In a fixed order, for the sake of the problem.
        for (key, value) in hosts.sorted(by: { $0.key < $1.key }) {
            if let problem = add(key, value) { self.problem = self.problem ?? problem }
        }
    }

    var isEmpty: Bool { targets.isEmpty && problem == nil }

    /// - Returns: What is wrong with the entry; nil if it is valid.
    private mutating func add(_ key: String, _ value: String) -> String? {
        func quoted(_ text: String) -> String { Redaction.host(text).debugDescription }
        guard let from = HostAndPort(key) else { return "\(quoted(key)) is not a host, with or without a port" }
        guard let to = HostAndPort(value) else { return "\(quoted(value)), for \(quoted(key)), is not a host, with or without a port" }
        let former = targets.updateValue(to, forKey: Key(host: from.name, port: from.port))
        return former == nil ? nil : "\(quoted(key)) stands for the same host as another entry"
    }

    private func target(of origin: TargetURI.Origin) -> HostAndPort? {
        let host = origin.hostWithoutDot
        return targets[Key(host: host, port: origin.port)] ?? targets[Key(host: host, port: nil)]
    }

    /// The host to connect to in place of another; nil if it is the same. The result of one entry is looked up in turn.
    func destination(of origin: TargetURI.Origin) throws(Loop) -> TargetURI.Origin? {
        guard !targets.isEmpty, target(of: origin) != nil else { return nil }
        var (current, seen): (TargetURI.Origin, Set<TargetURI.Origin>) = (origin, [origin])
        while let target = target(of: current) {
            let next = TargetURI.Origin(
                isSecure: origin.isSecure, host: target.host, port: target.port ?? current.port, isAddress: target.isAddress)
            if next == current { break }
            guard seen.insert(next).inserted else {
                throw Loop(
                    words: "lead from \(next.bracketedHost):\(next.port) back to it, by way of \(current.bracketedHost):\(current.port)")
            }
            current = next
        }
        return current == origin ? nil : current
    }
}
