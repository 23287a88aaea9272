#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// `SessionConfiguration.addressFamily`. The names have the addresses that ``SlowLookup`` gives them: `dual-` both, `fake-` 127.0.0.1,
    /// `six-` ::1.
    @Suite("Address families", .timeLimit(.minutes(5)))
    struct AddressFamilyTests {
        private func response(_ family: AddressFamily, _ url: String, _ proxy: ProxyConfiguration = .none) async -> DataResponse<Data?> {
            await ProxyBench.session(proxy) { $0.addressFamily = family }.request(url).raw()
        }

        @Test("A name with addresses of both families is connected to at one of the chosen family")
        func both() async throws {
            let four = try MockServer()
            defer { four.shutdown() }
            four.route("*") { _ in .text("4") }
            let response = await response(.ipv4, "http://dual-family.test:\(four.port)/")
            #expect(response.text == "4" && response.hop?.addressFamily == .ipv4, "\(response)")
            guard FrontSocket.hasIPv6 else { return }
            let six = try MockServer(.ipv6)
            defer { six.shutdown() }
            six.route("*") { _ in .text("6") }
            let other = await self.response(.ipv6, "http://dual-family.test:\(six.port)/")
            #expect(other.text == "6" && other.hop?.addressFamily == .ipv6 && other.hop?.remoteAddress == "::1", "\(other)")
            let mapped = ProxyBench.session(.none) {
                $0.addressFamily = .ipv6
                $0.hosts = ["a.test": "dual-family.test:\(six.port)"]
            }
            let third = await mapped.request("http://a.test/").raw()
            #expect(third.text == "6" && third.hop?.connectedHost == "dual-family.test:\(six.port)", "\(third)")
        }

        @Test(
            "A name without an address of the family is an error that says so",
            arguments: [
                (AddressFamily.ipv6, "fake-family.test", "cannot find an IPv6 address of host \"fake-family.test\""),
                (.ipv4, "six-family.test", "cannot find an IPv4 address of host \"six-family.test\""),
            ])
        func none(family: AddressFamily, host: String, words: String) async {
            let response = await response(family, "http://\(host):1/")
            #expect(response.kind == .transportFailed(.cannotFindHost) && response.words.contains(words), "\(response.words)")
        }

        @Test(
            "An address of the other family is an error that says so",
            arguments: [
                (AddressFamily.ipv6, "127.0.0.1", "127.0.0.1 is not an IPv6 address"), (.ipv4, "[::1]", "::1 is not an IPv4 address"),
            ])
        func address(family: AddressFamily, host: String, words: String) async {
            let response = await response(family, "http://\(host):1/")
            #expect(response.kind == .transportFailed(.cannotConnectToHost))
            #expect(response.words.contains("\(words), as the session's addressFamily demands"), "\(response.words)")
        }

        @Test("It applies to proxies, and to hosts that replace the URL's")
        func elsewhere() async throws {
            let response = await response(.ipv6, "http://a.test/", .http(host: "127.0.0.1", port: 1))
            #expect(response.kind == .transportFailed(.cannotConnectToHost))
            #expect(response.words.contains("cannot connect to the proxy http://127.0.0.1:1: 127.0.0.1 is not"), "\(response.words)")
            let session = ProxyBench.session(.none) {
                $0.addressFamily = .ipv6
                $0.hosts = ["a.test": "fake-family.test:1"]
            }
            let mapped = await session.request("http://a.test/").raw()
            #expect(mapped.kind == .transportFailed(.cannotFindHost))
            #expect(mapped.words.contains("cannot find an IPv6 address of host \"fake-family.test\""), "\(mapped.words)")
        }

        @Test("An address of the other family is an error through a proxy, too, and a proxy that cannot have the family says so")
        func throughProxies() async throws {
            for proxy in [ProxyConfiguration.http(host: "127.0.0.1", port: 1), .socks5(host: "127.0.0.1", port: 1)] {
                let response = await response(.ipv4, "https://[::1]/", proxy)
                #expect(response.kind == .transportFailed(.cannotConnectToHost))
                #expect(
                    response.words.hasSuffix(": ::1 is not an IPv4 address, as the session's addressFamily demands"), "\(response.words)")
            }
            let rules = ProxyRules(environment: { $0 == "all_proxy" ? "socks4://[::1]:1" : nil })
            let destinations = DestinationRules(.with { $0.addressFamily = .ipv6 })
            let routes = try #require(RouteRules(TLSConfiguration(), proxies: rules, destinations: destinations))
            let client = try ProxyClient(rules, of: "http://a.test/")
            let id = try client.start("http://six-socks.test/") { $0.route = routes.route(to: $0.target.origin) }
            let error = try #require(try await client.result(id).error)
            #expect("\(error)".contains("takes only IPv4 addresses, and the session"), "\(error)")
        }

        @Test("The family of an address")
        func ofAddress() {
            let rows: [(String, AddressFamily?)] = [
                ("127.0.0.1", .ipv4), ("::1", .ipv6), ("fe80::1%25eth0", .ipv6), ("::ffff:1.2.3.4", .ipv4), ("::FFFF:0102:0304", .ipv4),
                ("::ffff", .ipv6), ("/tmp/a:b", nil), ("@x", nil),
                ("", nil), ("a.test", nil), ("1.2.3", nil),
            ]
            for (text, family) in rows { #expect(AddressFamily(of: text) == family, "\(text)") }
        }

        @Test("A SOCKS proxy that gets addresses gets one of the family")
        func socks() async throws {
            let (server, proxy) = (try MockServer(), try TestSOCKSProxy())
            defer {
                proxy.stop()
                server.shutdown()
            }
            server.route("*") { _ in .text("x") }
            let rules = ProxyRules(environment: { $0 == "all_proxy" ? "socks5://127.0.0.1:\(proxy.port)" : nil })
            var configuration = SessionConfiguration()
            configuration.addressFamily = .ipv4
            let destinations = DestinationRules(configuration)
            let routes = try #require(RouteRules(TLSConfiguration(), proxies: rules, destinations: destinations))
            let client = try ProxyClient(rules, of: "http://a.test/")
            let id = try client.start("http://dual-socks.test:\(server.port)/") {
                $0.route = routes.route(to: $0.target.origin)
            }
            #expect(try await client.text(id) == "x")
            #expect(proxy.asked.map(\.host) == ["127.0.0.1"])
        }

        @Test("Answers for one family are not those for another")
        func cached() async throws {
            let resolver = NameResolver()
            func addresses(_ family: AddressFamily) async -> [String]? {
                await withCheckedContinuation { continuation in
                    resolver.resolve(.init(host: "dual-cached.test", family: family)) { continuation.resume(returning: try? $0.get()) }
                }
            }
            #expect(await addresses(.ipv4) == ["127.0.0.1"])
            #expect(await addresses(.ipv6) == ["[::1]"])
            #expect(await addresses(.any) == ["[::1]", "127.0.0.1"])
            #expect(resolver.cached(.init(host: "dual-cached.test", family: .ipv4)) == ["127.0.0.1"])
        }
    }
#endif
