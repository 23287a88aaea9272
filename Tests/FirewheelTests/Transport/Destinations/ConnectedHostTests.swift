#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// `SessionConfiguration.hosts` on the wire, as curl's `--connect-to`.
    @Suite("Hosts that are connected to in place of others", .timeLimit(.minutes(5)))
    struct ConnectedHostTests {
        private func session(_ hosts: [String: String], _ change: (inout SessionConfiguration) -> Void = { _ in }) -> Session {
            ProxyBench.session(.none) {
                $0.hosts = hosts
                change(&$0)
            }
        }

        @Test("http: Host and cookies are those of the URL's host, and the metrics say where it went")
        func plain() async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("/*") { .text($0.header("Cookie") ?? "none").header("Set-Cookie", "a=b") }
            let session = session(["api.example.test:80": "127.0.0.1:\(server.port)"])
            for number in 0..<2 {
                let response = await session.request("http://api.example.test/x").serializingString().response
                #expect(response.value == (number == 0 ? "none" : "a=b"), "\(response)")
                #expect(try await server.takeRequest().header("Host") == "api.example.test")
                let hop = try #require(response.metrics?.transactionMetrics.first)
                #expect(hop.connectedHost == "127.0.0.1:\(server.port)" && hop.isReusedConnection == (number > 0))
                #expect(hop.remoteAddress == "127.0.0.1" && hop.remotePort == server.port && hop.addressFamily == .ipv4)
                #expect("\(hop)".contains("connected to 127.0.0.1:\(server.port)"))
                #expect(response.metrics?.waterfall().contains("connected to 127.0.0.1:\(server.port)") == true)
            }
            // A host of its own: neither the cookie nor the connection is shared.
            let other = await session.request("http://127.0.0.1:\(server.port)/y").serializingString().response
            #expect(other.value == "none" && other.metrics?.transactionMetrics.first?.connectedHost == nil, "\(other)")
            #expect(other.metrics?.transactionMetrics.first?.isReusedConnection == false)
        }

        @Test("https: the name that is asked for and the certificate are those of the URL's host", arguments: [false, true])
        func secure(isMultiplexed: Bool) async throws {
            let bench = try TrustBench(isMultiplexed: isMultiplexed) { try $0.identity(names: ["api.example.test"], intermediates: 1) }
            defer { bench.stop() }
            var configuration = try bench.configuration()
            configuration.hosts = ["api.example.test:443": "localhost:\(bench.front.port)", "other.test": "localhost:\(bench.front.port)"]
            let session = Session(configuration: configuration)
            let response = await session.request("https://api.example.test/x").raw()
            #expect(response.text == "/x", "\(response)")
            #expect(response.hop?.networkProtocolName == (isMultiplexed ? "h2" : "http/1.1"))
            #expect(response.hop?.connectedHost == "localhost:\(bench.front.port)" && response.hop?.peerCertificateChain.isEmpty == false)
            #expect(try await bench.server.takeRequest().header("Host") == "api.example.test")
            let other = await session.request("https://other.test/x").raw()
            #expect(other.kind == .transportFailed(.serverCertificateUntrusted) && other.words.contains("other.test"), "\(other)")
            #expect(bench.front.handshakes.map(\.serverName) == ["api.example.test", "other.test"])
        }

        @Test("A redirect is followed to the URL's host, and a port that is not named stays")
        func redirects() async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("/a") { _ in .status(302).header("Location", "/b") }
            server.route("/b") { .text($0.header("Host") ?? "") }
            let response = await session(["a.test": "127.0.0.1"]).request("http://a.test:\(server.port)/a").serializingString().response
            #expect(response.value == "a.test:\(server.port)" && response.response?.url?.host == "a.test", "\(response)")
        }

        @Test("An HTTP proxy is asked to connect to the other host, also for http")
        func throughProxy() async throws {
            let (server, proxy) = (try MockServer(), try TestProxy())
            defer {
                proxy.stop()
                server.shutdown()
            }
            server.route("*") { .text("\($0.target) \($0.header("Host") ?? "")") }
            let session = session(["a.test": "nowhere.invalid:\(server.port)"]) { $0.proxy = .http(host: "127.0.0.1", port: proxy.port) }
            let response = await session.request("http://a.test/x").serializingString().response
            #expect(response.value == "/x a.test", "\(response)")
            let hop = try #require(response.metrics?.transactionMetrics.first)
            #expect(hop.isProxyConnection == true && hop.remotePort == proxy.port && hop.connectedHost == "nowhere.invalid:\(server.port)")
            #expect(proxy.heads.first?.hasPrefix("CONNECT nowhere.invalid:\(server.port) HTTP/1.1\r\n") == true && proxy.heads.count == 1)
        }

        @Test("A SOCKS proxy is asked to connect to the other host", arguments: [true, false])
        func throughSOCKS(looksUp: Bool) async throws {
            let (server, proxy) = (try MockServer(), try TestSOCKSProxy())
            defer {
                proxy.stop()
                server.shutdown()
            }
            server.route("*") { .text($0.header("Host") ?? "") }
            let url = looksUp ? "socks5h" : "socks5"
            let rules = ProxyRules(environment: { $0 == "all_proxy" ? "\(url)://127.0.0.1:\(proxy.port)" : nil })
            let hosts = DestinationRules(.with { $0.hosts = ["a.test": "fake-hosts.test:\(server.port)"] })
            let routes = try #require(RouteRules(TLSConfiguration(), proxies: rules, destinations: hosts))
            let client = try ProxyClient(rules, of: "http://a.test/")
            let id = try client.start("http://a.test/") { $0.route = routes.route(to: $0.target.origin) }
            #expect(try await client.text(id) == "a.test")
            #expect(proxy.asked.map(\.host) == [looksUp ? "fake-hosts.test" : "127.0.0.1"])
            #expect(proxy.asked.map(\.port) == [server.port])
        }

        @Test("A failure names the host that is connected to, and the URL's")
        func failures() async throws {
            let closed = try BoundSocket(listening: false)
            let session = session(["a.test": "127.0.0.1:\(closed.port)", "b.test": "nope.invalid"])
            let refused = await session.request("https://a.test/").raw()
            #expect(refused.kind == .transportFailed(.cannotConnectToHost))
            #expect(
                refused.words.contains(
                    "cannot connect to 127.0.0.1:\(closed.port), which the session's hosts have for a.test:443: connection refused"),
                "\(refused.words)")
            let unknown = await session.request("https://b.test/").raw()
            #expect(unknown.kind == .transportFailed(.cannotFindHost))
            #expect(
                unknown.words.contains("which the session's hosts have for b.test:443: cannot find host \"nope.invalid\""),
                "\(unknown.words)")
            withExtendedLifetime(closed) {}
        }

        @Test("Entries that lead in a circle are an error of the requests that they count for")
        func circle() async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("*") { _ in .text("x") }
            let session = session(["a.test": "b.test", "b.test": "a.test"])
            let response = await session.request("http://a.test/").raw()
            #expect(response.kind == .transportFailed(.resourceUnavailable))
            #expect(
                response.words.contains("the session's hosts lead from a.test:80 back to it, by way of b.test:80"), "\(response.words)")
            #expect(await session.request(server.url()).raw().text == "x")
        }

        @Test("An entry that is not valid is an error of every request")
        func invalid() async {
            let response = await session(["a.test": "b.test:99999"]).request("http://c.test/").raw()
            #expect(response.kind == .transportFailed(.resourceUnavailable))
            let words = #"the session's hosts cannot be used: "b.test:99999", for "a.test", is not a host, with or without a port"#
            #expect(response.words.contains(words), "\(response.words)")
        }
    }
#endif
