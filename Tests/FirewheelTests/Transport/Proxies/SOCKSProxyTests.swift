#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// Requests through SOCKS proxies (RFC 1928).
    @Suite("Through a SOCKS proxy", .timeLimit(.minutes(5)))
    struct SOCKSProxyTests {
        private typealias Asked = TestSOCKSProxy.Asked

        private func session(_ bench: TrustBench, _ proxy: ProxyConfiguration) throws -> Session {
            var configuration = try bench.configuration()
            configuration.proxy = proxy
            return Session(configuration: configuration)
        }

        @Test("http: the server gets the request as without a proxy, and the proxy its name", arguments: [false, true])
        func plain(isSlow: Bool) async throws {
            let (server, proxy) = (try MockServer(), try TestSOCKSProxy(isSlow: isSlow))
            defer {
                proxy.stop()
                server.shutdown()
            }
            server.route("*") { .text("\($0.method) \($0.target) \($0.bodyText)") }
            let session = ProxyBench.session(.socks5(host: "127.0.0.1", port: proxy.port))
            // Nobody here knows the name: it is the proxy's business.
            let url = "http://nowhere.invalid:\(server.port)/a?b"
            for number in 0..<2 {
                let response = await session.upload(Data("body".utf8), to: url, headers: ["Proxy-Authorization": "Bearer secret"])
                    .serializingString().response
                #expect(response.value == "POST /a?b body", "\(response)")
                let hop = try #require(response.metrics?.transactionMetrics.first)
                #expect(hop.isProxyConnection == true && hop.remotePort == proxy.port && hop.isReusedConnection == (number > 0))
                #expect((hop.proxyConnectStartDate != nil && hop.proxyConnectEndDate != nil) == (number == 0))
                let request = try await server.takeRequest()
                #expect(request.header("Host") == "nowhere.invalid:\(server.port)" && request.header("Proxy-Authorization") == nil)
            }
            #expect(proxy.asked == [Asked(version: 5, host: "nowhere.invalid", port: server.port)])
        }

        @Test("https: TLS is spoken with the server, and large bodies pass in both directions", arguments: [false, true])
        func secure(isMultiplexed: Bool) async throws {
            let (bench, proxy) = (try TrustBench(isMultiplexed: isMultiplexed), try TestSOCKSProxy())
            defer {
                proxy.stop()
                bench.stop()
            }
            bench.server.route("*") { .data($0.body) }
            let session = try session(bench, .socks5(host: "127.0.0.1", port: proxy.port))
            let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
            let response = await session.upload(body, to: bench.url()).serializingData().response
            #expect(response.value == body, "\(response)")
            let hop = try #require(response.metrics?.transactionMetrics.first)
            #expect(hop.networkProtocolName == (isMultiplexed ? "h2" : "http/1.1") && hop.peerCertificateChain.isEmpty == false)
            #expect(response.metrics?.waterfall().contains("  proxy   |") == true)
            #expect(proxy.asked == [Asked(version: 5, host: "localhost", port: bench.front.port)])
        }

        @Test(
            "User name and password are sent if the proxy asks for them, with any characters; none or wrong ones are an error"
        )
        func credentials() async throws {
            let (server, proxy) = (try MockServer(), try TestSOCKSProxy(users: ["a:dä": "p:a ß@s"]))
            defer {
                proxy.stop()
                server.shutdown()
            }
            server.route("*") { _ in .text("welcome") }
            for (user, password, words) in [
                ("a:dä", "p:a ß@s", nil), ("a:dä", "wrong", "it does not accept the credentials"), (nil, "", "it wants credentials"),
            ] as [(String?, String, String?)] {
                let credential = user.map { URLCredential(user: $0, password: password, persistence: .none) }
                let session = ProxyBench.session(.socks5(host: "127.0.0.1", port: proxy.port, credential: credential))
                let response = await session.request("http://nowhere.invalid:\(server.port)/").serializingString().response
                #expect((response.value == "welcome") == (words == nil), "\(response)")
                guard let words else { continue }
                let error = response.error?.asFirewheelError
                #expect(error?.kind == .transportFailed(.userAuthenticationRequired) && error?.description.contains(words) == true)
                #expect(error?.description.contains("the proxy socks5://127.0.0.1:\(proxy.port) did not connect") == true)
            }
            #expect(proxy.asked.map(\.user) == ["a:dä"] && server.requestCount == 1)
            // A proxy that does not ask gets none.
            let open = try TestSOCKSProxy()
            defer { open.stop() }
            let credential = URLCredential(user: "ada", password: "secret", persistence: .none)
            let session = ProxyBench.session(.socks5(host: "127.0.0.1", port: open.port, credential: credential))
            #expect(await session.request("http://nowhere.invalid:\(server.port)/").serializingString().response.value == "welcome")
            #expect(open.asked.map(\.user) == [nil])
        }

        @Test("SOCKS 4a: names and IPv4 addresses; an IPv6 address is an error")
        func four() async throws {
            let (server, proxy) = (try MockServer(), try TestSOCKSProxy())
            defer {
                proxy.stop()
                server.shutdown()
            }
            server.route("*") { _ in .text("welcome") }
            let session = ProxyBench.session(.socks4a(host: "127.0.0.1", port: proxy.port))
            for host in ["nowhere.invalid", "10.1.2.3"] {
                #expect(await session.request("http://\(host):\(server.port)/").serializingString().response.value == "welcome")
                #expect(proxy.asked.last == Asked(version: 4, host: host, port: server.port))
            }
            let error = await session.request("http://[::1]:\(server.port)/").serializingString().response.error?.asFirewheelError
            #expect(error?.kind == .transportFailed(.cannotConnectToHost))
            #expect(error?.description.contains("SOCKS 4 has no IPv6 addresses") == true, "\(error as Any)")
        }

        @Test(
            "A variable decides who looks names up: the proxy with socks5h and socks4a, this machine with socks5, socks4 and socks",
            arguments: [
                ("socks5h", 5, "fake-socks5h.test"), ("socks4a", 4, "fake-socks4a.test"), ("socks5", 5, "127.0.0.1"),
                ("socks4", 4, "127.0.0.1"),
                ("socks", 4, "127.0.0.1"),
            ])
        func lookups(scheme: String, version: Int, host: String) async throws {
            let (server, proxy) = (try MockServer(), try TestSOCKSProxy())
            defer {
                proxy.stop()
                server.shutdown()
            }
            server.route("*") { .text($0.header("Host") ?? "") }
            let rules = ProxyRules(environment: { $0 == "ALL_PROXY" ? "\(scheme)://ada@127.0.0.1:\(proxy.port)" : nil })
            // Names that begin with "fake-" resolve to this machine.
            let name = "fake-\(scheme).test:\(server.port)"
            let url = "http://\(name)/"
            let client = try ProxyClient(rules, of: url)
            let first = try await client.result(client.start(url))
            #expect(first.body == Data(name.utf8), "\(first.error as Any)")
            #expect((first.metrics.domainLookupStart != nil) == (host == "127.0.0.1"))
            _ = try await client.result(client.start(url))
            #expect(proxy.asked == [Asked(version: version, host: host, port: server.port, user: version == 4 ? "ada" : nil)])
            guard host == "127.0.0.1" else { return }
            // An address needs no lookup.
            let direct = "http://127.0.0.1:\(server.port)/"
            let byAddress = try ProxyClient(rules, of: direct)
            #expect(try await byAddress.text(byAddress.start(direct)) == "127.0.0.1:\(server.port)")
            let unknown = try await client.result(client.start("http://-nowhere.invalid/"))
            guard case .failed(let code, let words)? = unknown.error else { return #expect(unknown.error != nil) }
            #expect(code == .cannotFindHost && !words.contains("proxy") && words.contains("-nowhere.invalid"), "\(words)")
            #expect(proxy.connectionCount == 2)
        }

        @Test("A reply that refuses, lies or breaks off is an error that names both")
        func refusals() async throws {
            for (reply, code, words) in [
                ([5, 2, 0, 1, 0, 0, 0, 0, 0, 0], .cannotConnectToHost, "not allowed by its rules (SOCKS reply 2)"),
                ([5, 5], .cannotConnectToHost, "connection refused (SOCKS reply 5)"),
                ([5, 0, 0, 3, 255, 1, 2], .networkConnectionLost, "it closed the connection in the middle of its reply"),
                ([5, 0, 0, 9, 0, 0, 0, 0, 0, 0], .cannotParseResponse, "its reply has an address of an unknown type (9)"),
                ([], .networkConnectionLost, "it closed the connection in the middle of its reply"),
                ([5, 0, 0, 1, 0, 0, 0, 0, 0, 0, 22, 3, 1], .badServerResponse, "it sent more than its reply"),
            ] as [([UInt8], URLError.Code, String)] {
                let proxy = try TestSOCKSProxy(reply: reply)
                defer { proxy.stop() }
                let session = ProxyBench.session(.socks5(host: "127.0.0.1", port: proxy.port))
                let error = await session.request("https://a.invalid/").serializingString().response.error?.asFirewheelError
                #expect(error?.kind == .transportFailed(code), "\(error as Any)")
                let whole = "the proxy socks5://127.0.0.1:\(proxy.port) did not connect to a.invalid:443: \(words)"
                #expect(error?.description.contains(whole) == true, "\(error as Any)")
            }
        }

        @Test("A closed port is the proxy's refusal; a proxy that cannot be reached, and one that never answers, is named")
        func unreachable() async throws {
            let (closed, proxy) = (try BoundSocket(listening: false), try TestSOCKSProxy())
            let silent = try BoundSocket(listening: true)
            defer { proxy.stop() }
            let refused = await ProxyBench.session(.socks5(host: "127.0.0.1", port: proxy.port)).request("http://127.0.0.1:\(closed.port)/")
                .serializingString().response.error?.asFirewheelError
            #expect(refused?.kind == .transportFailed(.cannotConnectToHost))
            #expect(refused?.description.contains("connection refused (SOCKS reply 5)") == true, "\(refused as Any)")
            let gone = await ProxyBench.session(.socks5(host: "127.0.0.1", port: closed.port)).request("http://a.invalid/")
                .serializingString().response.error?.asFirewheelError
            let words = "cannot connect to the proxy socks5://127.0.0.1:\(closed.port): connection refused"
            #expect(gone?.description.contains(words) == true, "\(gone as Any)")
            let late = await ProxyBench.session(.socks5(host: "127.0.0.1", port: silent.port)) { $0.connectTimeout = 0.2 }
                .request("http://a.invalid/").serializingString().response.error?.asFirewheelError
            #expect(late?.isTimeout == true)
            #expect(
                late?.description.contains("waiting for the proxy socks5://127.0.0.1:\(silent.port) to connect to a.invalid:80") == true)
            withExtendedLifetime((closed, silent)) {}
        }

        @Test(
            "A name without an IPv4 address is an error with SOCKS 4, each time at once; SOCKS 5 gets its IPv6 address"
        )
        func families() async throws {
            let proxy = try TestSOCKSProxy()
            defer { proxy.stop() }
            func rules(_ scheme: String) -> ProxyRules {
                ProxyRules(environment: { $0 == "all_proxy" ? "\(scheme)://127.0.0.1:\(proxy.port)" : nil })
            }
            let url = "http://six-socks.test:1/"
            let four = try ProxyClient(rules("socks4"), of: url)
            // More than the connections to a host, and most with a name that is known by now.
            for _ in 0..<20 {
                guard case .failed(let code, let words)? = try await four.result(four.start(url)).error else {
                    Issue.record("no error")
                    continue
                }
                #expect(code == .cannotConnectToHost && words.contains("has no IPv4 address, which the proxy socks4://"), "\(words)")
            }
            let five = try ProxyClient(rules("socks5"), of: url)
            _ = try await five.result(five.start(url))
            #expect(proxy.asked.map(\.host) == ["[0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1]"])
        }

        @Test("A proxy that answers before it is asked is an error")
        func early() async throws {
            let server = try MockServer()
            let proxy = try TestSOCKSProxy(isEarly: true)
            defer {
                proxy.stop()
                server.shutdown()
            }
            let response = await ProxyBench.session(.socks5(host: "127.0.0.1", port: proxy.port)).request(server.url("/"))
                .serializingString().response
            #expect(response.error?.asFirewheelError?.description.contains("it answered before it was asked") == true, "\(response)")
        }

        @Test("Exceptions, redirects out of the proxy, and credentials that cannot be sent")
        func configurations() async throws {
            let (server, proxy) = (try MockServer(), try TestSOCKSProxy())
            defer {
                proxy.stop()
                server.shutdown()
            }
            server.route("*") { $0.path == "/go" ? .redirect(to: "http://127.0.0.1:\(server.port)/end") : .text($0.path) }
            let session = ProxyBench.session(.socks5(host: "127.0.0.1", port: proxy.port, bypass: ["127.0.0.0/8"]))
            let response = await session.request("http://nowhere.invalid:\(server.port)/go").serializingString().response
            #expect(
                response.value == "/end" && response.metrics?.transactionMetrics.map(\.isProxyConnection) == [true, false], "\(response)")
            let long = URLCredential(user: String(repeating: "u", count: 256), password: "secret", persistence: .none)
            for (configuration, words) in [
                (ProxyConfiguration.socks5(host: "a", port: 1, credential: long), "is not as long as SOCKS 5 can send it"),
                (.socks4a(host: "a", port: 0), "the port 0 is not"), (.socks5(host: "a b", port: 1), "\"a b\" is not the name"),
            ] {
                let error = await ProxyBench.session(configuration).request("http://nowhere.invalid/").serializingString().response.error
                #expect(error?.asFirewheelError?.kind == .transportFailed(.resourceUnavailable))
                #expect(error?.asFirewheelError?.description.contains(words) == true, "\(error as Any)")
                #expect(error?.asFirewheelError?.description.contains("secret") == false)
            }
            let shown = ProxyConfiguration.socks5(host: "a", port: 1, credential: long).description
            #expect(shown == "socks5://<redacted>@a:1" && ProxyConfiguration.socks4a(host: "a", port: 1).description == "socks4a://a:1")
        }

        @Test("HTTP/2 with prior knowledge goes through a SOCKS proxy")
        func priorKnowledge() async throws {
            let (server, proxy) = (try FramesServer(), try TestSOCKSProxy())
            defer { proxy.stop() }
            DispatchQueue.global().async {
                guard let peer = try? server.accept(settings: []), let stream = try? peer.request() else { return }
                peer.answer(stream, "over HTTP/2")
            }
            let session = ProxyBench.session(.socks5(host: "127.0.0.1", port: proxy.port)) { $0.httpVersions = .http2PriorKnowledge }
            let response = await session.request(server.url).serializingString().response
            #expect(response.value == "over HTTP/2", "\(response)")
        }
    }
#endif
