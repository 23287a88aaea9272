/// What a connection is made with, besides the origin of the request. Requests share a connection only if their routes are equal.
///
/// A session makes it from ``SessionConfiguration/tls``, ``SessionConfiguration/proxy``, ``SessionConfiguration/unixSocketPath``,
/// ``SessionConfiguration/hosts`` and ``SessionConfiguration/addressFamily`` of its configuration, and from its ``ServerTrustManager``. A
/// transport has to refuse a request if it cannot honor a part of its route: the versions of TLS, or a part that is not nil.
public struct TransportRoute: Sendable, Hashable {
    /// The proxy that connections lead through, or that they lead through none. It can only be made and read by the library.
    public struct Proxy: Sendable, Hashable {
        private enum Choice: Hashable {
            case straight
            case server(ProxyServer)
            case unusable(String)
        }

        private let choice: Choice
        /// What answers the proxy's challenges; nil if nothing does.
        private(set) var authenticator: ProxyAuthenticator?

        /// None, whatever the system's settings say.
        static let straight = Proxy(choice: .straight)

        static func server(_ server: ProxyServer) -> Proxy { Proxy(choice: .server(server)) }

        /// - Parameter problem: Why the proxy that was chosen cannot be used.
        static func unusable(_ problem: String) -> Proxy { Proxy(choice: .unusable(problem)) }

        /// The same proxy with an authenticator, if it is an HTTP proxy.
        func answered(by authenticator: ProxyAuthenticator) -> Proxy {
            server?.kind.isHTTP == true ? Proxy(choice: choice, authenticator: authenticator) : self
        }

        /// nil for none.
        var server: ProxyServer? { if case .server(let server) = choice { server } else { nil } }
        /// nil if it can be used.
        var problem: String? { if case .unusable(let problem) = choice { problem } else { nil } }
        /// Whether every client of this process that reads the environment uses it.
        var isOfEnvironment: Bool { server?.variable != nil }
    }

    /// Where connections to the server lead, if not to the host of the URL by any of its addresses. It can only be made and read by the
    /// library.
    public struct Destination: Sendable, Hashable {
        private enum Place: Hashable {
            /// nil for that of the URL.
            case host(TargetURI.Origin?)
            case unixSocket(UnixSocket)
            case unusable(String)
        }

        private let place: Place
        /// The family of the addresses that are connected to, a proxy's included.
        let family: AddressFamily

        /// - Parameter host: nil for that of the URL.
        static func host(_ host: TargetURI.Origin?, _ family: AddressFamily) -> Destination {
            Destination(place: .host(host), family: family)
        }

        static func unixSocket(_ socket: UnixSocket) -> Destination { Destination(place: .unixSocket(socket), family: .any) }

        /// - Parameter problem: Why the session's configuration leads nowhere.
        static func unusable(_ problem: String) -> Destination { Destination(place: .unusable(problem), family: .any) }

        /// The host and port in place of the URL's; nil for none.
        var host: TargetURI.Origin? { if case .host(let host) = place { host } else { nil } }
        /// nil for none.
        var unixSocket: UnixSocket? { if case .unixSocket(let socket) = place { socket } else { nil } }
        /// nil if it can be used.
        var problem: String? { if case .unusable(let problem) = place { problem } else { nil } }
    }

    /// What the certificates of servers are verified against. It can only be made and read by the library.
    public struct Trust: Sendable, Hashable {
        /// nil for the system's authorities, without revocation lists.
        let rules: VerificationRules?
        /// Whose verdict about each server the client is asked for (``TransportQuestion/trust(_:)``); nil if the transport judges alone. A
        /// verdict never serves another.
        let judge: TrustToken?

        init(rules: VerificationRules? = nil, judge: TrustToken?) {
            self.rules = rules
            self.judge = judge
        }
    }

    /// The certificate that the client presents to a server that asks for one. It can only be made and read by the library.
    public struct Identity: Sendable, Hashable {
        let identity: ClientIdentity

        init(_ identity: ClientIdentity) { self.identity = identity }

        // By the object, so that comparing routes does not compare certificates.
        public static func == (one: Identity, other: Identity) -> Bool { one.identity.key === other.identity.key }

        public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(identity.key)) }
    }

    private struct Values: Hashable {
        var proxy: Proxy?
        var destination: Destination?
        var trust: Trust?
        var identity: Identity?
        var proxyIdentity: Identity?
        var minimumTLSVersion = TLSVersion.v1_2
        var maximumTLSVersion: TLSVersion?
    }

    /// The values of a route, never changed. Apart, because a route is copied and compared with every request, and nearly all are direct.
    private final class Parts: Sendable, Hashable {
        let values: Values

        init(_ values: Values) { self.values = values }

        static func == (one: Parts, other: Parts) -> Bool { one === other || one.values == other.values }

        func hash(into hasher: inout Hasher) { hasher.combine(values) }
    }

    /// nil if all values are the defaults.
    private var parts: Parts?

    private var values: Values {
        get { parts?.values ?? Values() }
        set { parts = newValue == Values() ? nil : Parts(newValue) }
    }

    /// nil for a connection straight to the origin, or what the system's settings say if the transport follows them.
    public var proxy: Proxy? {
        get { values.proxy }
        set { values.proxy = newValue }
    }
    /// nil for the host of the URL, by any of its addresses.
    public var destination: Destination? {
        get { values.destination }
        set { values.destination = newValue }
    }
    /// What is presented to the proxy itself if it asks for a certificate; nil for none.
    var proxyIdentity: Identity? {
        get { values.proxyIdentity }
        set { values.proxyIdentity = newValue }
    }
    /// nil for the system's authorities.
    public var trust: Trust? {
        get { values.trust }
        set { values.trust = newValue }
    }
    /// nil for none.
    public var identity: Identity? {
        get { values.identity }
        set { values.identity = newValue }
    }
    /// The least version of TLS that is spoken with a server.
    public internal(set) var minimumTLSVersion: TLSVersion {
        get { values.minimumTLSVersion }
        set { values.minimumTLSVersion = newValue }
    }
    /// The greatest version of TLS that is spoken with a server; nil for the greatest that the system knows.
    public internal(set) var maximumTLSVersion: TLSVersion? {
        get { values.maximumTLSVersion }
        set { values.maximumTLSVersion = newValue }
    }

    /// Whether it is ``direct``.
    var isDirect: Bool { parts == nil }

    /// Straight to the origin, verified by the system's authorities, without a client certificate.
    public static let direct = TransportRoute()

    private init() {}
}
