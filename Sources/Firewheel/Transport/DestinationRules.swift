/// Where the connections of a session lead, if its configuration says so.
struct DestinationRules: Sendable {
    private let hosts: HostMap
    private let family: AddressFamily
    /// The destination of all requests; nil if it depends on the URL.
    private let every: TransportRoute.Destination?

    /// nil if every connection leads to the host of the URL, by any address.
    init?(_ configuration: SessionConfiguration) {
        family = configuration.addressFamily
        hosts = HostMap(configuration.hosts)
        if let path = configuration.unixSocketPath {
            every = Self.destination(path, configuration)
        } else if let problem = hosts.problem {
            every = .unusable("the session's hosts cannot be used: \(problem)")
        } else {
            guard !hosts.isEmpty || family != .any else { return nil }
            every = nil
        }
    }

    private static func destination(_ path: String, _ configuration: SessionConfiguration) -> TransportRoute.Destination {
        let others = [
            configuration.hosts.isEmpty ? nil : "hosts", configuration.addressFamily == .any ? nil : "addressFamily",
            configuration.proxy.isExplicit ? "proxy" : nil,
        ].compactMap(\.self)
        guard others.isEmpty else {
            return .unusable("the session has a unixSocketPath, with which its \(others.joined(separator: " and its ")) cannot be used")
        }
        do throws(UnixSocket.Problem) { return .unixSocket(try UnixSocket(path)) } catch {
            return .unusable("the session's unixSocketPath \(path.onOneLine.cut(to: 200).debugDescription) \(error.words)")
        }
    }

    /// nil for the host of the URL, by any address.
    func destination(of origin: TargetURI.Origin) -> TransportRoute.Destination? {
        if let every { return every }
        do throws(HostMap.Loop) {
            let host = try hosts.destination(of: origin)
            return host == nil && family == .any ? nil : .host(host, family)
        } catch {
            return .unusable("the session's hosts \(error.words)")
        }
    }
}

extension ProxyConfiguration {
    /// Whether it names proxies, or a closure that does.
    fileprivate var isExplicit: Bool {
        switch self {
        case .system, .none: false
        case .http, .https, .socks5, .socks4a, .custom: true
        }
    }
}
