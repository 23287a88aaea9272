/// The routes of a session's requests, or of a transport's, as its configuration has them.
struct RouteRules: Sendable {
    private let configuration: TLSConfiguration
    let route: TransportRoute

    /// nil if all routes are direct.
    init?(_ configuration: TLSConfiguration) {
        guard configuration != TLSConfiguration() else { return nil }
        self.configuration = configuration
        var route = TransportRoute.direct
        let verifiesAsUsual = configuration.authorities == .system && configuration.revocationLists.isEmpty
        if !verifiesAsUsual || configuration.problem != nil {
            route.trust = TransportRoute.Trust(rules: VerificationRules(configuration), asks: false)
        }
        route.minimumTLSVersion = configuration.minimumVersion
        route.maximumTLSVersion = configuration.maximumVersion
        self.route = route
    }

    /// Completes a route that has no rules with those of a transport.
    ///
    /// - Throws: An error if it has others: neither could be chosen without weakening the other.
    fileprivate func complete(_ route: TransportRoute) throws(TransportError) -> TransportRoute {
        let hasVersions = route.minimumTLSVersion != .v1_2 || route.maximumTLSVersion != nil
        var completed = self.route
        completed.proxy = route.proxy
        completed.identity = route.identity
        guard route.trust?.rules == nil, !hasVersions else {
            let isSame =
                route.minimumTLSVersion == configuration.minimumVersion && route.maximumTLSVersion == configuration.maximumVersion
                && (route.trust?.rules.map { $0.agrees(with: configuration) } ?? (self.route.trust == nil))
            if isSame { return route }
            let words = "the session's tls is not that of its transport: set it in one of them, or the same in both"
            throw .failed(.resourceUnavailable, words)
        }
        if let asking = route.trust {
            completed.trust = TransportRoute.Trust(rules: completed.trust?.rules, asks: asking.asks)
        }
        return completed
    }
}

extension TransportRequest {
    /// The request, completed with a transport's own rules if its route has none.
    func completed(by rules: RouteRules?) throws(TransportError) -> TransportRequest {
        guard let rules else { return self }
        var request = self
        request.route = try rules.complete(route)
        return request
    }
}
