/// What a connection is made with, besides the origin of the request. Requests share a connection only if their routes are equal.
///
/// A session makes it of its ``SessionConfiguration/tls``. A transport has to refuse a request if it cannot honor a part of its route: the
/// versions of TLS, or a part that is not nil.
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
    public internal(set) var minimumTLSVersion = TLSVersion.v1_2
    /// The greatest version of TLS that is spoken with a server; nil for the greatest that the system knows.
    public internal(set) var maximumTLSVersion: TLSVersion?

    /// Straight to the origin, verified by the system's authorities, without a client certificate.
    public static let direct = TransportRoute()

    private init() {}
}
