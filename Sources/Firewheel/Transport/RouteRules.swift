/// The routes of a session's requests, or of a transport's, as its configuration has them.
final class RouteRules: Sendable {
    /// To hosts for which there is no identity.
    private let route: TransportRoute
    /// To the others. Made once, so that routes to the same host are one object.
    private let routes: HostPatterns<TransportRoute>

    /// nil if all routes are direct.
    init?(_ configuration: TLSConfiguration, manager: ServerTrustManager? = nil) {
        let isOwn = configuration != TLSConfiguration()
        guard isOwn || manager != nil else { return nil }
        let identities = HostPatterns(configuration.identities, hasEvery: true)
        let problem = identities.problem.map { "tls.identities: \($0)" } ?? configuration.problem
        var route = TransportRoute.direct
        // Also if servers are verified as usual: it says whose rules these are.
        let rules = isOwn ? VerificationRules(configuration, problem: problem) : nil
        route.trust = TransportRoute.Trust(rules: rules, judge: manager?.makeToken())
        route.minimumTLSVersion = configuration.minimumVersion
        route.maximumTLSVersion = configuration.maximumVersion
        self.route = route
        routes = identities.mapValues { identity in
            var route = route
            route.identity = TransportRoute.Identity(identity)
            return route
        }
    }

    func route(to origin: TargetURI.Origin) -> TransportRoute {
        routes.isEmpty ? route : routes.value(for: origin) ?? route
    }

    /// Completes a route that has no rules with those of a transport.
    ///
    /// - Throws: An error if it has others: neither could be chosen without weakening the other.
    fileprivate func complete(_ route: TransportRoute, to origin: TargetURI.Origin) throws(TransportError) -> TransportRoute {
        if let rules = route.trust?.rules {
            if rules.configuration == self.route.trust?.rules?.configuration { return route }
            let words = "the session's tls is not that of its transport: set it in one of them, or the same in both"
            throw .failed(.resourceUnavailable, words)
        }
        var completed = self.route(to: origin)
        completed.proxy = route.proxy
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
