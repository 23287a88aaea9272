#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel

    /// Squid, tinyproxy and Dante (`Tests/Servers/proxies.sh`), with nginx behind them.
    @Suite("Squid, tinyproxy and Dante", .needs(.squid), .timeLimit(.minutes(5)))
    struct RealProxyTests {
        /// A proxy, and what it takes from the client.
        struct Case: Sendable, CustomTestStringConvertible {
            let server: TestServer
            var password: String?
            /// For SOCKS, the version.
            var socks: Int?

            var testDescription: String { server.rawValue + (socks.map { " with SOCKS \($0)" } ?? "") }

            /// The configuration that uses it.
            func proxy(_ password: String?? = nil) throws -> ProxyConfiguration {
                let url = try #require(URL(string: server.url("/")))
                let (host, port) = try (#require(url.host), #require(url.port))
                let credential = (password ?? self.password).map { URLCredential(user: "ada", password: $0, persistence: .none) }
                if socks == 4 { return .socks4a(host: host, port: port) }
                if socks == 5 { return .socks5(host: host, port: port, credential: credential) }
                return url.scheme == "https"
                    ? .https(host: host, port: port, credential: credential) : .http(host: host, port: port, credential: credential)
            }
        }

        private static let password = "p:a ß@s"
        static let all = [
            Case(server: .squid), Case(server: .squidBasic, password: password),
            Case(server: .squidDigest, password: password), Case(server: .squidTLS),
            Case(server: .squidTLSBasic, password: password), Case(server: .tinyproxy),
            Case(server: .tinyproxyBasic, password: "plain-password"),
        ]
        static let guarded = all.filter { $0.password != nil }
        static let socks = [
            Case(server: .dante, socks: 5), Case(server: .dantePassword, password: password, socks: 5),
        ]

        private func session(_ proxy: ProxyConfiguration) throws -> Session {
            var configuration = SessionConfiguration()
            configuration.timeoutIntervalForRequest = 30
            configuration.proxy = proxy
            let authority = try TestServer.place("FIREWHEEL_TEST_CA")
            configuration.tls.authorities = .only(try Certificate.all(inPEMFile: authority))
            return Session(configuration: configuration)
        }

        @Test("Requests reach http and https servers, with bodies in both directions, over HTTP/1.1 and HTTP/2", arguments: all + socks)
        func reaches(proxy: Case) async throws {
            let session = try session(proxy.proxy())
            for server in TestServer.everyProtocol {
                for _ in 0..<2 {
                    let response = await session.request(try server.url("/file")).raw()
                    #expect(response.data == fileContent, "\(server): \(response)")
                    let hop = try #require(response.hop)
                    #expect(hop.isProxyConnection == true)
                    #expect(hop.networkProtocolName == (server == .tls ? "h2" : "http/1.1"))
                    #expect((response.response?.value(forHTTPHeaderField: "Via") != nil) == (server == .plain && proxy.socks == nil))
                }
                let lines = await session.request(try server.url("/lines")).raw()
                #expect(lines.data == linesContent, "\(server): \(lines.error as Any)")
                let body = Data(repeating: 7, count: 1 << 20)
                let echoed = await session.upload(body, to: try server.url("/echo-body")).raw()
                #expect(echoed.text?.hasPrefix("POST 1048576 ") == true, "\(server): \(echoed)")
            }
        }

        @Test("A proxy that wants credentials gets none or wrong ones: a 407 for http, an error for https", arguments: guarded)
        func refuses(proxy: Case) async throws {
            for password in [nil, "wrong"] as [String?] {
                let session = try session(proxy.proxy(.some(password)))
                // tinyproxy answers wrong ones with 401.
                let status = password != nil && proxy.server == .tinyproxyBasic ? 401 : 407
                let plain = await session.request(try TestServer.plain.url("/file")).raw()
                #expect(plain.response?.statusCode == status, "\(plain)")
                let error = await session.request(try TestServer.tls.url("/file")).raw().error?.asFirewheelError
                #expect(error?.kind == .proxyConnectFailed(status: status), "\(error as Any)")
                #expect(error?.responseData?.isEmpty == false && error?.response?.statusCode == status)
            }
        }

        @Test("Credentials of the session answer Basic and Digest; more requests than Squid takes with one nonce", arguments: guarded)
        func sessionsCredentials(proxy: Case) async throws {
            let session = try session(proxy.proxy(.some(nil)))
            let count = proxy.server == .squidDigest ? 120 : 3
            try session.credentials.set(username: "ada", password: #require(proxy.password), for: proxy.server.url("/"))
            for number in 0..<count {
                let server = TestServer.everyProtocol[number % 3]
                let response = await session.request(try server.url("/file")).raw()
                #expect(response.data == fileContent, "\(number), \(server): \(response)")
                // A tunnel of its own for each request.
                if number.isMultiple(of: 7) { session.closeIdleConnections() }
            }
        }

        @Test(
            "A server that the proxy cannot reach is the proxy's refusal, with its page",
            arguments: [TestServer.squid, .squidTLS, .tinyproxy])
        func unreachable(server: TestServer) async throws {
            let closed = try BoundSocket(listening: false)
            let session = try session(Case(server: server).proxy())
            let error = await session.request("https://127.0.0.1:\(closed.port)/").raw().error?.asFirewheelError
            #expect(error?.kind == .proxyConnectFailed(status: server == .tinyproxy ? 500 : 503), "\(error as Any)")
            #expect(error?.responseData.map { String(decoding: $0, as: UTF8.self).contains("<html") || $0.count > 100 } == true)
            withExtendedLifetime(closed) {}
        }

        @Test("Dante takes addresses over SOCKS 4, and tells what is wrong: credentials, a closed port, an unknown name")
        func dante() async throws {
            let closed = try BoundSocket(listening: false)
            let address = try await session(Case(server: .dante, socks: 4).proxy()).request(TestServer.plain.url("/file")).raw()
            #expect(address.data == fileContent, "\(address)")
            for (proxy, url, code, words) in [
                (
                    try Case(server: .dantePassword, socks: 5).proxy(), try TestServer.plain.url("/file"), .userAuthenticationRequired,
                    "it wants credentials"
                ),
                (
                    try Case(server: .dantePassword, password: "wrong", socks: 5).proxy(), try TestServer.plain.url("/file"),
                    .userAuthenticationRequired, "it does not accept the credentials"
                ),
                (
                    try Case(server: .dante, socks: 5).proxy(), "https://127.0.0.1:\(closed.port)/", .cannotConnectToHost,
                    "connection refused (SOCKS reply 5)"
                ),
                (
                    try Case(server: .dante, socks: 5).proxy(), "http://nowhere.invalid/", .cannotConnectToHost,
                    "host unreachable (SOCKS reply 4)"
                ),
                (
                    try Case(server: .dante, socks: 4).proxy(), "http://127.0.0.1:\(closed.port)/", .cannotConnectToHost,
                    "request rejected or failed (SOCKS reply 91)"
                ),
            ] as [(ProxyConfiguration, String, URLError.Code, String)] {
                let error = await (try session(proxy)).request(url).raw().error?.asFirewheelError
                #expect(error?.kind == .transportFailed(code) && error?.description.contains(words) == true, "\(error as Any)")
            }
            withExtendedLifetime(closed) {}
        }

        @Test("Fifty requests at once, to three servers", arguments: all + socks)
        func many(proxy: Case) async throws {
            let session = try session(proxy.proxy())
            let wrong = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<51 {
                    let url = try TestServer.everyProtocol[number % 3].url("/file")
                    group.addTask { await session.request(url).raw().data == fileContent }
                }
                return try await group.reduce(0) { $0 + ($1 ? 0 : 1) }
            }
            #expect(wrong == 0)
        }
    }
#endif
