#if os(Linux)
    /// A transfer's way through its proxy.
    // An object, because most transfers have none.
    final class ProxyPassage {
        let proxy: ProxyServer
        /// Whether the proxy gets the request and sends it on (RFC 9112 section 3.2.2). Otherwise it only connects to the server.
        let isForwarded: Bool
        var tunnel: ProxyTunnel?
        /// What answers the proxy's challenge; nil before one.
        var proof: ProxyAuthenticator.Proof?
        /// The answer in the `Proxy-Authorization` field that was last written; nil if there was none, or if the field is the caller's.
        var answer: ChallengeAnswer?
        /// Whether the body of a challenge is being discarded. The answer is sent when it ends.
        var isAnswering = false
        /// The address that the proxy is to connect to, once the server's name is looked up for a proxy that needs it.
        var address: String?

        /// nil without a proxy.
        ///
        /// - Parameter opensTunnel: Whether the proxy only connects, because a WebSocket needs that (RFC 6455 section 4.1).
        init?(of route: TransportRoute, to origin: TargetURI.Origin, opensTunnel: Bool, on pool: ConnectionPool) {
            guard let proxy = route.proxy?.server else { return nil }
            self.proxy = proxy
            // What is sent to be forwarded says only the URL's host.
            let mayBeForwarded = !origin.isSecure && !opensTunnel && route.destination?.host == nil
            isForwarded = proxy.kind.isHTTP && mayBeForwarded && pool.limits.versions != .http2PriorKnowledge
        }
    }
#endif
