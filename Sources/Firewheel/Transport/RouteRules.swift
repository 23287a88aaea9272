/// The routes of a session's requests, or of a transport's, as its configuration has them.
final class RouteRules: Sendable {
    /// To hosts for which there is no identity.
    private let route: TransportRoute
    /// Those of hosts, and of proxies.
    private let identities: HostPatterns<TransportRoute.Identity>
    private let proxies: ProxyRules?
    private let destinations: DestinationRules?
    private let authenticator: ProxyAuthenticator
    /// The routes that were made last, by all that distinguishes them: most requests have one of very few.
    private let made = Locked<[Parts: TransportRoute]>([:])

    private struct Parts: Hashable {
        let identity: TransportRoute.Identity?
        let proxy: TransportRoute.Proxy?
        let destination: TransportRoute.Destination?
    }

    /// nil if all routes are direct.
    ///
    /// - Parameters:
    ///   - proxies: Default: nil, for none.
    ///   - choosesProxies: Whether the proxy of each request is chosen apart: ``route(to:through:)``. Default: false.
    ///   - destinations: Default: nil, for the hosts of the URLs.
    ///   - credentials: The session's, for proxies too. Default: none.
    init?(
        _ configuration: TLSConfiguration, proxies: ProxyRules? = nil, choosesProxies: Bool = false,
        destinations: DestinationRules? = nil, credentials: CredentialStore = CredentialStore(), manager: ServerTrustManager? = nil
    ) {
        let isOwn = configuration != TLSConfiguration()
        let hasProxies = choosesProxies || proxies?.isDirect == false
        guard isOwn || hasProxies || destinations != nil || manager != nil else { return nil }
        let patterns = HostPatterns(configuration.identities, hasEvery: true)
        identities = patterns.mapValues { TransportRoute.Identity($0) }
        let problem = patterns.problem.map { "tls.identities: \($0)" } ?? configuration.problem
        var route = TransportRoute.direct
        // Also if servers are verified as usual: it says whose rules these are.
        let rules = isOwn ? VerificationRules(configuration, problem: problem) : nil
        if isOwn || manager != nil { route.trust = TransportRoute.Trust(rules: rules, judge: manager?.makeToken()) }
        route.minimumTLSVersion = configuration.minimumVersion
        route.maximumTLSVersion = configuration.maximumVersion
        self.route = route
        self.proxies = proxies
        self.destinations = destinations
        authenticator = ProxyAuthenticator(credentials)
    }

    func route(to origin: TargetURI.Origin) -> TransportRoute { route(to: origin, through: proxies?.proxy(for: origin)) }

    /// - Parameter proxy: nil to say nothing about it.
    func route(to origin: TargetURI.Origin, through proxy: TransportRoute.Proxy?) -> TransportRoute {
        // A certificate is shown over TLS only.
        let identity = origin.isSecure && !identities.isEmpty ? identities.value(for: origin) : nil
        let destination = destinations?.destination(of: origin)
        guard identity != nil || proxy != nil || destination != nil else { return route }
        let parts = Parts(identity: identity, proxy: proxy, destination: destination)
        return made.withLock { made in
            if let known = made[parts] { return known }
            var new = route
            new.identity = identity
            new.destination = destination
            // A session's route keeps the session's authenticator when a transport completes it.
            new.proxy = proxy?.authenticator == nil ? proxy?.answered(by: authenticator) : proxy
            if let server = proxy?.server, server.origin.isSecure { new.proxyIdentity = identities.value(for: server.origin) }
            // A closure may choose any number of proxies, and there may be any number of destinations.
            if made.count >= Self.mostRoutes { made.removeAll() }
            made[parts] = new
            return new
        }
    }

    private static let mostRoutes = 64

    /// Completes a route that has no rules with those of a transport.
    ///
    /// - Throws: An error if it has others: neither could be chosen without weakening the other.
    fileprivate func complete(_ route: TransportRoute, to origin: TargetURI.Origin) throws(TransportError) -> TransportRoute {
        if let rules = route.trust?.rules {
            if rules.configuration == self.route.trust?.rules?.configuration { return route }
            let words = "the session's tls is not that of its transport: set it in one of them, or the same in both"
            throw .failed(.resourceUnavailable, words)
        }
        var completed = self.route(to: origin, through: route.proxy)
        if let destination = route.destination { completed.destination = destination }
        if let asking = route.trust {
            completed.trust = TransportRoute.Trust(rules: completed.trust?.rules, judge: asking.judge)
        }
        return completed
    }
}

extension TransportRequest {
    /// The request, completed with a transport's own rules if its route has none.
    func completed(by rules: RouteRules?) throws(TransportError) -> TransportRequest {
        guard let rules else { return self }
        var request = self
        request.route = try rules.complete(route, to: target.origin)
        return request
    }
}
