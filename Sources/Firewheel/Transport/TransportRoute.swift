/// What a connection is made with, besides the origin of the request. Requests share a connection only if their routes are equal.
///
/// The parts have no values yet. With ``trust`` set, `SocketTransport` asks the client about each server's certificates; no transport
/// supports the others.
public struct TransportRoute: Sendable, Hashable {
    /// The proxy that connections lead through.
    public struct Proxy: Sendable, Hashable {}

    /// What the certificates of servers are verified against.
    public struct Trust: Sendable, Hashable {}

    /// The certificate that the client presents.
    public struct Identity: Sendable, Hashable {}

    /// A version of TLS, as numbered in handshakes (RFC 8446 section 4.2.1).
    enum TLSVersion: Int32, Sendable, Hashable {
        case tls12 = 0x0303
        case tls13 = 0x0304

        var name: String { self == .tls12 ? "TLS 1.2" : "TLS 1.3" }
    }

    /// nil for a connection straight to the origin.
    public var proxy: Proxy?
    /// nil for the system's authorities.
    public var trust: Trust?
    /// nil for none.
    public var identity: Identity?
    /// The least version of TLS that is spoken with a server.
    var minimumTLSVersion = TLSVersion.tls12

    /// Straight to the origin, verified by the system's authorities, without a client certificate.
    public static let direct = TransportRoute()

    private init() {}
}
