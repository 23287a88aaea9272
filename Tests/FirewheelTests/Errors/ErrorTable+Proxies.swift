#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    extension ErrorTable {
        /// Failures of proxies, and of other ways to a server, on `SocketTransport`.
        static let proxied: [Failure] = [
            Failure("The proxy cannot be reached") {
                let closed = try BoundSocket(listening: false)
                defer { withExtendedLifetime(closed) {} }
                return await error(.http(host: "127.0.0.1", port: closed.port))
            },
            Failure("The proxy's name is not found") { await error(.http(host: "-nowhere.invalid", port: 3128)) },
            proxied("The proxy refuses to connect", .bytes("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")),
            proxied("The proxy closes the connection without a response", .bytes("")),
            proxied("The proxy does not speak HTTP", .bytes("SSH-2.0-OpenSSH\r\n")),
            proxied("The proxy sends more than the head of a success", .connect("HTTP/1.1 200 OK\r\n\r\nhello")),
            proxied("The proxy does not answer in time", .bytes("", closes: false), connectTimeout: 0.3),
            Failure("A SOCKS proxy cannot reach the server") {
                let (proxy, closed) = (try TestSOCKSProxy(), try BoundSocket(listening: false))
                defer {
                    proxy.stop()
                    withExtendedLifetime(closed) {}
                }
                return await error(.socks5(host: "127.0.0.1", port: proxy.port), port: closed.port)
            },
            Failure("A SOCKS proxy wants credentials") {
                let proxy = try TestSOCKSProxy(users: ["ada": "p"])
                defer { proxy.stop() }
                return await error(.socks5(host: "127.0.0.1", port: proxy.port))
            },
            Failure("The certificate of a proxy over TLS is of an unknown authority") {
                let proxy = try TestProxy()
                let front = try TLSFront(to: proxy.port, identity: TestAuthority().identity(addresses: ["127.0.0.1"]))
                defer {
                    front.stop()
                    proxy.stop()
                }
                return await error(.https(host: "127.0.0.1", port: front.port))
            },
            Failure("The proxy of the session is not valid") { await error(.http(host: "proxy.example.com", port: 0)) },
            Failure("An entry of the proxy's bypass is not valid") {
                await error(.http(host: "127.0.0.1", port: 1, bypass: ["10.0.0.0/99"]))
            },
            Failure("The closure that chooses the proxy does not return in time") {
                await error(
                    .custom { _ in
                        try? await Task.sleep(for: .seconds(60))
                        return .none
                    }, connectTimeout: 0.3)
            },
            Failure("The Unix socket of the session is not there") { await error(.none) { $0.unixSocketPath = "/nowhere/firewheel.sock" } },
            Failure("The path of the Unix socket is too long") {
                await error(.none) { $0.unixSocketPath = "/" + String(repeating: "x", count: 200) }
            },
            Failure("The entries of hosts form a loop") {
                await error(.none) { $0.hosts = ["127.0.0.1": "a.test", "a.test": "127.0.0.1"] }
            },
        ]

        private static func proxied(_ name: String, _ answer: TestProxy.Answer, connectTimeout: TimeInterval? = nil) -> Failure {
            Failure(name) {
                let server = try MockServer()
                let proxy = try TestProxy { _ in answer }
                defer {
                    proxy.stop()
                    server.shutdown()
                }
                return await error(proxy.configuration, port: server.port, connectTimeout: connectTimeout)
            }
        }

        private static func error(
            _ proxy: ProxyConfiguration, port: Int = 443, connectTimeout: TimeInterval? = nil,
            change: (inout SessionConfiguration) -> Void = { _ in }
        ) async -> (any Error)? {
            let session = ProxyBench.session(proxy) {
                $0.connectTimeout = connectTimeout
                change(&$0)
            }
            return await session.request("https://127.0.0.1:\(port)/").raw().error
        }
    }
#endif
