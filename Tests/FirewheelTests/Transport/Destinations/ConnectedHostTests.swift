#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// `SessionConfiguration.hosts` on the wire, as curl's `--connect-to`.
    @Suite("Connecting to other hosts than the URL's", .timeLimit(.minutes(5)))
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
                #expect("\(hop)".contains("host replaced by 127.0.0.1:\(server.port)"))
                #expect(response.metrics?.waterfall().contains("host replaced by 127.0.0.1:\(server.port)") == true)
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
            #expect(other.words.contains("(connected to localhost:\(bench.front.port))"), "\(other.words)")
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
            let session = session(["a.test": "127.0.0.1:\(closed.port)", "b.test": "-nope.invalid"])
            let refused = await session.request("https://a.test/").raw()
            #expect(refused.kind == .transportFailed(.cannotConnectToHost))
            #expect(
                refused.words.contains(
                    "cannot connect to 127.0.0.1:\(closed.port) (set for a.test:443 in the session's hosts): connection refused"),
                "\(refused.words)")
            let unknown = await session.request("https://b.test/").raw()
            #expect(unknown.kind == .transportFailed(.cannotFindHost))
            #expect(
                unknown.words.contains("-nope.invalid:443 (set for b.test:443 in the session's hosts): cannot find host \"-nope.invalid\""),
                "\(unknown.words)")
            let far = await self.session(["c.test": "255.255.255.255:81"]).request("http://c.test/").raw()
            // The system has no route there. Whether it has one elsewhere decides about the code.
            #expect([.transportFailed(.cannotConnectToHost), .transportFailed(.notConnectedToInternet)].contains(far.kind))
            #expect(far.words.contains("cannot connect to 255.255.255.255:81 (set for c.test:80 in the session's hosts): "), "\(far.words)")
            #expect(far.words.ranges(of: "cannot connect").count == 1, "\(far.words)")
            let proxy = try TestProxy { _ in .bytes("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n") }
            defer { proxy.stop() }
            let other = self.session(["d.test": "e.test:81"]) { $0.proxy = proxy.configuration }
            let denied = await other.request("http://d.test/").raw()
            #expect(denied.kind == .proxyConnectFailed(status: 403))
            #expect(
                denied.words.contains("to connect to e.test:81 (set for d.test:80 in the session's hosts) with status 403"),
                "\(denied.words)")
            withExtendedLifetime(closed) {}
        }

        @Test("An https proxy connects to the other host, and its TLS is not taken for the server's")
        func throughSecureProxy() async throws {
            // What it decrypts is passed on to the proxy.
            let (server, proxy) = (try MockServer(), try TestProxy())
            let authority = try TestAuthority()
            let front = try TLSFront(to: proxy.port, identity: authority.identity(names: ["localhost"]))
            defer {
                front.stop()
                proxy.stop()
                server.shutdown()
            }
            server.route("*") { _ in .text("x") }
            let session = session(["a.test": "127.0.0.1:\(server.port)"]) {
                $0.proxy = .https(host: "localhost", port: front.port)
                $0.tls.authorities = .only([authority.root.certificate])
            }
            let response = await session.request("http://a.test/").raw()
            #expect(response.text == "x" && proxy.heads.first?.hasPrefix("CONNECT 127.0.0.1:\(server.port) ") == true, "\(response)")
            let hop = try #require(response.hop)
            #expect(hop.isProxyConnection == true && hop.negotiatedTLSProtocolVersion == nil && hop.negotiatedTLSCipherSuite == nil)
            #expect(hop.peerCertificateChain.isEmpty && hop.isTLSSessionResumed == nil && hop.proxyConnectEndDate != nil)
        }

        @Test("https through a proxy: the name and the certificate are those of the URL's host, and no credentials reach the server")
        func secureThroughProxy() async throws {
            let bench = try TrustBench { try $0.identity(names: ["api.example.test"], intermediates: 1) }
            let proxy = try TestProxy { head in
                head.contains("Proxy-Authorization: Basic YWRhOnA=")
                    ? .connect()
                    : .bytes("HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n", closes: false)
            }
            defer {
                proxy.stop()
                bench.stop()
            }
            var configuration = try bench.configuration()
            configuration.hosts = ["api.example.test": "nowhere.invalid:\(bench.front.port)"]
            configuration.proxy = .http(
                host: "127.0.0.1", port: proxy.port, credential: URLCredential(user: "ada", password: "p", persistence: .none))
            let response = await Session(configuration: configuration).request("https://api.example.test/x").raw()
            #expect(response.text == "/x", "\(response)")
            #expect(proxy.heads.allSatisfy { $0.hasPrefix("CONNECT nowhere.invalid:\(bench.front.port) ") })
            #expect(bench.front.handshakes.map(\.serverName) == ["api.example.test"])
            let request = try await bench.server.takeRequest()
            #expect(request.header("Proxy-Authorization") == nil && request.header("Host") == "api.example.test")
        }

        @Test("A redirect to a host with an entry of its own follows that, and sessions with other entries do not share connections")
        func several() async throws {
            let servers = [try MockServer(), try MockServer()]
            defer { for server in servers { server.shutdown() } }
            servers[0].route("/a") { _ in .status(302).header("Location", "http://b.test/b") }
            for (number, server) in servers.enumerated() { server.route("/b") { .text("\(number) \($0.header("Host") ?? "")") } }
            let transport = SocketTransport()
            func session(_ numbers: [Int]) -> Session {
                let hosts = ["a.test": "127.0.0.1:\(servers[numbers[0]].port)", "b.test": "127.0.0.1:\(servers[numbers[1]].port)"]
                return Session(configuration: .with { $0.hosts = hosts }, transport: transport)
            }
            let response = await session([0, 1]).request("http://a.test/a").raw()
            #expect(response.text == "1 b.test", "\(response)")
            #expect(await session([0, 0]).request("http://b.test/b").raw().text == "0 b.test")
            #expect(await session([0, 1]).request("http://b.test/b").raw().text == "1 b.test")
        }

        @Test("A password in an entry is not printed")
        func secrets() async {
            let configuration = SessionConfiguration.with { $0.hosts = ["a.test": "https://ada:secret@b.test"] }
            let response = await session(configuration.hosts).request("http://a.test/").raw()
            #expect(response.kind == .transportFailed(.resourceUnavailable) && response.words.contains("@b.test"), "\(response.words)")
            for text in [response.words, "\(configuration)"] { #expect(!text.contains("secret"), "\(text)") }
        }

        @Test("A request whose entries form a loop fails, and the others do not")
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
