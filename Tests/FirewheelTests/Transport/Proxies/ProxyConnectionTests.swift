#if os(Linux)
    import Foundation
    import Glibc
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// The connection to a proxy itself: its address, its TLS, and the time that it may take.
    @Suite("Connections to proxies", .timeLimit(.minutes(5)))
    struct ProxyConnectionTests {
        // MARK: Addresses

        @Test(
            "A proxy whose name has addresses of both families is reached at the one where it listens (RFC 8305)", arguments: [false, true])
        func happyEyeballs(isIPv6: Bool) async throws {
            guard !isIPv6 || FrontSocket.hasIPv6 else { return }
            let (server, bench) = (try MockServer(), try TrustBench())
            let (forwarding, connecting) = (try isIPv6 ? MockServer(.ipv6) : MockServer(), try TestProxy(isIPv6: isIPv6))
            let socks = try TestSOCKSProxy(isIPv6: isIPv6)
            defer {
                socks.stop()
                connecting.stop()
                forwarding.shutdown()
                bench.stop()
                server.shutdown()
            }
            server.route("*") { .text($0.target) }
            forwarding.route("*") { .text($0.target) }
            let host = "dual-proxy.test"
            for (proxy, url, text) in [
                (ProxyConfiguration.http(host: host, port: forwarding.port), "http://a.test/x", "http://a.test/x"),
                (.http(host: host, port: connecting.port), bench.url("/x"), "/x"),
                (.socks5(host: host, port: socks.port), server.url("/x"), "/x"),
                (.socks4a(host: host, port: socks.port), bench.url("/x"), "/x"),
            ] {
                var configuration = try bench.configuration()
                configuration.proxy = proxy
                let response = await Session(configuration: configuration).request(url).raw()
                #expect(response.text == text && response.hop?.isProxyConnection == true, "\(proxy): \(response)")
                #expect(response.hop?.addressFamily == (isIPv6 ? .ipv6 : .ipv4), "\(proxy): \(response)")
            }
        }

        // MARK: TLS

        private struct SecureProxy {
            let authority: TestAuthority
            let clients: TestAuthority
            let front: TLSFront

            /// - Parameters:
            ///   - port: The proxy's, without TLS.
            ///   - asks: Whether it demands a certificate of its clients.
            init(to port: Int, asks: Bool = false) throws {
                authority = try TestAuthority(commonName: "Proxies")
                clients = try TestAuthority(commonName: "Clients")
                let options = TLSFront.Options.with { [clients] in $0.clientAuthorities = asks ? [clients.root] : [] }
                front = try TLSFront(to: port, identity: authority.identity(addresses: ["127.0.0.1"]), options: options)
            }

            func identity(_ name: String) throws -> ClientIdentity {
                let made = try clients.identity(commonName: name, usage: "clientAuth")
                return try ClientIdentity(pem: Data((made.keyPEM + made.chainPEM).utf8))
            }

            func session(and bench: TrustBench, _ identities: [String: ClientIdentity] = [:]) throws -> Session {
                var configuration = try bench.configuration()
                configuration.tls.authorities = .only([bench.authority.root.certificate, authority.root.certificate])
                configuration.tls.identities = identities
                configuration.proxy = .https(host: "127.0.0.1", port: front.port)
                return Session(configuration: configuration)
            }
        }

        @Test("A proxy over TLS gets the client certificate for its host, and the server the one for the server's")
        func certificates() async throws {
            let proxy = try TestProxy()
            let secure = try SecureProxy(to: proxy.port, asks: true)
            let bench = try TrustBench(.with { $0.clientAuthorities = [secure.clients.root] })
            defer {
                bench.stop()
                secure.front.stop()
                proxy.stop()
            }
            let (alice, bob) = (try secure.identity("alice"), try secure.identity("bob"))
            let response = await (try secure.session(and: bench, ["127.0.0.1": alice, "localhost": bob])).request(bench.url("/x")).raw()
            #expect(response.text == "/x" && response.hop?.clientCertificateSubject == "CN=bob", "\(response)")
            #expect(secure.front.handshakes.map(\.clientSubject) == ["/CN=alice"])
            #expect(bench.front.handshakes.map(\.clientSubject) == ["/CN=bob"])
            for (identities, culprit) in [
                (["localhost": bob], "the proxy https://127.0.0.1:\(secure.front.port)"), (["127.0.0.1": alice], "localhost"),
            ] {
                let refused = await (try secure.session(and: bench, identities)).request(bench.url("/x")).raw()
                #expect(refused.kind == .transportFailed(.clientCertificateRequired), "\(refused)")
                #expect(refused.words.contains(culprit), "\(refused.words)")
            }
            #expect(bench.server.requestCount == 1)
        }

        @Test("A proxy over TLS gets its client certificate for http URLs, too")
        func certificateForHTTP() async throws {
            let proxy = try MockServer()
            proxy.route("*") { .text($0.target) }
            let secure = try SecureProxy(to: proxy.port, asks: true)
            let bench = try TrustBench()
            defer {
                bench.stop()
                secure.front.stop()
                proxy.shutdown()
            }
            let session = try secure.session(and: bench, ["127.0.0.1": secure.identity("alice")])
            #expect(await session.request("http://a.test/x").raw().text == "http://a.test/x")
            #expect(secure.front.handshakes.map(\.clientSubject) == ["/CN=alice"])
        }

        @Test("TLS sessions with the proxy and with the server are resumed", arguments: [false, true])
        func resumption(isSecure: Bool) async throws {
            let (bench, proxy) = (try TrustBench(), try TestProxy())
            let secure = try SecureProxy(to: proxy.port)
            defer {
                secure.front.stop()
                proxy.stop()
                bench.stop()
            }
            bench.server.route("*") { .text($0.path).closing() }
            let session: Session
            if isSecure {
                session = try secure.session(and: bench)
            } else {
                var configuration = try bench.configuration()
                configuration.proxy = proxy.configuration
                session = Session(configuration: configuration)
            }
            for isResumed in [false, true] {
                let response = await session.request(bench.url("/x")).raw()
                #expect(response.text == "/x" && response.hop?.isTLSSessionResumed == isResumed, "\(response)")
            }
            #expect(bench.front.handshakes.map(\.isResumed) == [false, true])
            #expect(secure.front.handshakes.map(\.isResumed) == (isSecure ? [false, true] : []))
            #expect(proxy.connectionCount == 2)
        }

        // MARK: Time

        /// A proxy that answers each arrival of bytes with the next of these, and then does not answer any more.
        ///
        /// - Parameter given: Has one entry for each answer.
        private static func listener(_ answers: [[UInt8]], given: Journal<Void>) throws -> FrontListener {
            try FrontListener(name: "mock-silent") { arrival in
                var left = answers[...]
                while let bytes = arrival.read(), !bytes.isEmpty {
                    guard let answer = left.popFirst() else { continue }
                    arrival.send(answer)
                    given.add(())
                }
            }
        }

        @Test("The connect timeout covers each step on the way through a proxy, and the error names the step")
        func silence() async throws {
            let established = Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8)
            let credential = URLCredential(user: "ada", password: "p", persistence: .none)
            let reply: [UInt8] = [5, 0, 0, 1, 127, 0, 0, 1, 4, 56]
            for (answers, proxy, words) in [
                ([], { .http(host: "127.0.0.1", port: $0) }, "waiting for the proxy http://127.0.0.1:"),
                ([], { .https(host: "127.0.0.1", port: $0) }, "securing the connection to the proxy https://127.0.0.1:"),
                ([established], { .http(host: "127.0.0.1", port: $0) }, "securing the connection to a.invalid:443"),
                ([], { .socks5(host: "127.0.0.1", port: $0) }, "waiting for the proxy socks5://127.0.0.1:"),
                ([[5, 0]], { .socks5(host: "127.0.0.1", port: $0) }, "waiting for the proxy socks5://127.0.0.1:"),
                ([[5, 2]], { .socks5(host: "127.0.0.1", port: $0, credential: credential) }, "waiting for the proxy socks5://127.0.0.1:"),
                (
                    [[5, 2], [1, 0]], { .socks5(host: "127.0.0.1", port: $0, credential: credential) },
                    "waiting for the proxy socks5://127.0.0.1:"
                ),
                ([[5, 0], reply], { .socks5(host: "127.0.0.1", port: $0) }, "securing the connection to a.invalid:443"),
                ([[0, 90]], { .socks4a(host: "127.0.0.1", port: $0) }, "waiting for the proxy socks4a://127.0.0.1:"),
            ] as [([[UInt8]], (Int) -> ProxyConfiguration, String)] {
                let given = Journal<Void>()
                let listener = try Self.listener(answers, given: given)
                defer { listener.stop() }
                // Long enough for the answers on a busy machine.
                let seconds = answers.isEmpty ? 0.2 : 2
                let session = ProxyBench.session(proxy(listener.port)) { $0.connectTimeout = seconds }
                let response = await session.request("https://a.invalid/").raw()
                #expect(response.kind == .transportFailed(.timedOut), "\(response)")
                #expect(response.words.contains("timed out after \(answers.isEmpty ? "0.2" : "2") s, "), "\(response.words)")
                #expect(response.words.contains(words) && given.count == answers.count, "\(response.words), \(given.count) answers")
            }
        }

        @Test("A proxy whose response never ends does not go on beyond the connect timeout")
        func drip() async throws {
            let drops = Journal<Void>()
            let listener = try FrontListener(name: "mock-drip") { arrival in
                guard let request = arrival.read(), !request.isEmpty else { return }
                arrival.send(Array("HTTP/1.1 200 OK\r\nX: ".utf8))
                var stop = pollfd(fd: arrival.stop, events: Int16(POLLIN), revents: 0)
                while poll(&stop, 1, 20) != 1 {
                    arrival.send([120])
                    drops.add(())
                }
            }
            defer { listener.stop() }
            let session = ProxyBench.session(.http(host: "127.0.0.1", port: listener.port)) { $0.connectTimeout = 1 }
            let response = await session.request("https://a.invalid/").raw()
            #expect(response.kind == .transportFailed(.timedOut) && response.words.contains("timed out after 1 s"), "\(response)")
            #expect(drops.count > 0)
        }

        // MARK: Itself

        @Test("A proxy that is asked to connect to itself is an error", arguments: [false, true])
        func itself(isSOCKS: Bool) async throws {
            let (proxy, socks) = (try TestProxy(), try TestSOCKSProxy())
            defer {
                socks.stop()
                proxy.stop()
            }
            let port = isSOCKS ? socks.port : proxy.port
            let session = ProxyBench.session(isSOCKS ? .socks5(host: "127.0.0.1", port: port) : .http(host: "127.0.0.1", port: port)) {
                $0.connectTimeout = 2
            }
            let response = await session.request("https://127.0.0.1:\(port)/").raw()
            // The proxy takes the TLS handshake for a request: it waits for the rest of it, or closes the connection.
            let kinds: [FirewheelError.Kind] = [
                .transportFailed(.timedOut), .transportFailed(.secureConnectionFailed), .transportFailed(.networkConnectionLost),
            ]
            #expect(response.kind.map(kinds.contains) == true, "\(response)")
            let asked = isSOCKS ? socks.asked.map { "\($0.host):\($0.port)" } : proxy.heads.map { String($0.split(separator: " ")[1]) }
            #expect(asked.first == "127.0.0.1:\(port)", "\(asked)")
        }
    }
#endif
