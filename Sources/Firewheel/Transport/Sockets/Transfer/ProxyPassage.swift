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
        /// The address that the proxy is to connect to, once the server's name is looked up for a proxy that needs it.
        var address: String?

        init(_ proxy: ProxyServer, isForwarded: Bool) {
            (self.proxy, self.isForwarded) = (proxy, isForwarded)
        }
    }
#endif
