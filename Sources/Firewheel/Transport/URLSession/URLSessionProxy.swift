#if canImport(Security)
    import Foundation

    // Not yet built or run: based on Apple's documentation only.

    extension URLSessionConfiguration {
        /// Has connections lead through the proxy of a route, or through none. Without either the system's settings count.
        func setProxy(of route: TransportRoute) {
            guard let proxy = route.proxy else { return }
            guard let server = proxy.server else {
                connectionProxyDictionary = [:]
                return
            }
            guard server.kind.isHTTP else {
                var keys: [AnyHashable: Any] = [
                    "SOCKSEnable": 1, "SOCKSProxy": server.origin.host, "SOCKSPort": server.origin.port,
                ]
                if let user = server.user {
                    keys[kCFStreamPropertySOCKSUser as String] = user
                    keys[kCFStreamPropertySOCKSPassword as String] = server.password
                }
                connectionProxyDictionary = keys
                return
            }
            // The names of the keys for https are constants on macOS only.
            connectionProxyDictionary = [
                "HTTPEnable": 1, "HTTPProxy": server.origin.host, "HTTPPort": server.origin.port,
                "HTTPSEnable": 1, "HTTPSProxy": server.origin.host, "HTTPSPort": server.origin.port,
            ]
        }
    }

    extension TransportRoute {
        /// The credential with which to answer a Basic or Digest challenge of the proxy, once; nil for none.
        func proxyCredential(for challenge: URLAuthenticationChallenge) -> URLCredential? {
            let space = challenge.protectionSpace
            let isKnown = [NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodHTTPDigest].contains(space.authenticationMethod)
            guard space.isProxy(), isKnown, challenge.previousFailureCount == 0, let server = proxy?.server,
                let found = proxy?.authenticator?.credential(for: server, realm: FieldText(space.realm ?? ""))
            else { return nil }
            return URLCredential(user: found.user, password: found.password, persistence: .none)
        }
    }
#endif
