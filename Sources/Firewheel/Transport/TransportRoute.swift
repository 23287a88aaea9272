/// What a connection is made with, besides the origin of the request. Requests share a connection only if their routes are equal.
///
/// A session makes it of its ``SessionConfiguration/tls``. A transport that cannot honor a part that is not nil has to refuse the request.
/// The proxy and the identity have no values yet, and no transport supports them.
public struct TransportRoute: Sendable, Hashable {
    /// The proxy that connections lead through.
    public struct Proxy: Sendable, Hashable {}

    /// What the certificates of servers are verified against. It can only be made and read by the library.
    public struct Trust: Sendable, Hashable {
        /// nil for the system's authorities, without revocation lists.
        let rules: VerificationRules?
        /// Whether the client is asked about each server's certificates (``TransportQuestion/trust(_:)``).
        let asks: Bool

        init(rules: VerificationRules? = nil, asks: Bool = true) {
            self.rules = rules
            self.asks = asks
        }
    }

    /// The certificate that the client presents.
    public struct Identity: Sendable, Hashable {}

    /// nil for a connection straight to the origin.
    public var proxy: Proxy?
    /// nil for the system's authorities.
    public var trust: Trust?
    /// nil for none.
    public var identity: Identity?
    /// The least version of TLS that is spoken with a server.
    var minimumTLSVersion = TLSVersion.v1_2
    /// The greatest version of TLS that is spoken with a server; nil for the greatest that the system knows.
    var maximumTLSVersion: TLSVersion?

    /// Straight to the origin, verified by the system's authorities, without a client certificate.
    public static let direct = TransportRoute()

    private init() {}

    /// The route of a session's requests.
    init(_ configuration: TLSConfiguration) {
        let hasRules = configuration.authorities != .system || !configuration.revocationLists.isEmpty
        trust = hasRules ? Trust(rules: VerificationRules(configuration), asks: false) : nil
        minimumTLSVersion = configuration.minimumVersion
        maximumTLSVersion = configuration.maximumVersion
    }

    /// This route with the parts of another where it has none.
    fileprivate func completed(by other: TransportRoute) -> TransportRoute {
        var route = self
        route.proxy = route.proxy ?? other.proxy
        route.trust = route.trust ?? other.trust
        route.identity = route.identity ?? other.identity
        route.minimumTLSVersion = max(route.minimumTLSVersion, other.minimumTLSVersion)
        route.maximumTLSVersion = [route.maximumTLSVersion, other.maximumTLSVersion].compactMap { $0 }.min()
        return route
    }
}

extension TransportRequest {
    /// The request with the parts of a transport's own route where it has none.
    func completed(by route: TransportRoute?) -> TransportRequest {
        guard let route else { return self }
        var request = self
        request.route = self.route.completed(by: route)
        return request
    }
}
