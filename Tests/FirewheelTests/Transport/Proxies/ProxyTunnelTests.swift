#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// https requests, for which a proxy connects to the server (CONNECT, RFC 9110 section 9.3.6).
    @Suite("https through a proxy", .timeLimit(.minutes(5)))
    struct ProxyTunnelTests {
        private func session(_ bench: TrustBench, _ proxy: ProxyConfiguration, _ change: (inout SessionConfiguration) -> Void = { _ in })
            throws -> Session
        {
            var configuration = try bench.configuration()
            configuration.proxy = proxy
            change(&configuration)
            return Session(configuration: configuration)
        }

        private func error(_ answer: TestProxy.Answer, timeout: TimeInterval = 20) async throws -> FirewheelError? {
            let proxy = try TestProxy { _ in answer }
            defer { proxy.stop() }
            let session = ProxyBench.session(proxy.configuration) { $0.connectTimeout = timeout }
            return await session.request("https://a.invalid/").serializingString().response.error?.asFirewheelError
        }

        @Test("The proxy connects, and TLS is spoken with the server", arguments: [false, true])
        func connects(isMultiplexed: Bool) async throws {
            let (bench, proxy) = (try TrustBench(isMultiplexed: isMultiplexed), try TestProxy())
            defer {
                proxy.stop()
                bench.stop()
            }
            let session = try session(bench, proxy.configuration)
            for number in 0..<3 {
                let response = await session.request(bench.url("/\(number)"), headers: ["User-Agent": "Test"]).serializingString().response
                #expect(response.value == "/\(number)", "\(response)")
                let hop = try #require(response.metrics?.transactionMetrics.first)
                #expect(hop.isProxyConnection == true && hop.remotePort == proxy.port)
                #expect(hop.networkProtocolName == (isMultiplexed ? "h2" : "http/1.1") && hop.negotiatedTLSProtocolVersion != nil)
                #expect(hop.isReusedConnection == (number > 0) && hop.peerCertificateChain.isEmpty == false)
                #expect((hop.proxyConnectStartDate != nil) == (number == 0) && (hop.proxyConnectEndDate != nil) == (number == 0))
                if number == 0 {
                    let dates = [
                        hop.connectStartDate, hop.proxyConnectStartDate, hop.proxyConnectEndDate, hop.secureConnectionStartDate,
                        hop.connectEndDate,
                    ]
                    #expect(dates.compactMap(\.self).count == 5 && dates.compactMap(\.self) == dates.compactMap(\.self).sorted())
                    let drawing = response.metrics?.waterfall() ?? ""
                    #expect(drawing.contains("  proxy   |") && drawing.contains("proxy 127.0.0.1:\(proxy.port)"), "\(drawing)")
                }
            }
            #expect(
                proxy.heads == [
                    "CONNECT localhost:\(bench.front.port) HTTP/1.1\r\nHost: localhost:\(bench.front.port)\r\nUser-Agent: Test\r\n\r\n"
                ])
        }

        @Test("The port is always named, and an IPv6 address has brackets")
        func targets() async throws {
            let proxy = try TestProxy { _ in .bytes("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n") }
            defer { proxy.stop() }
            let session = ProxyBench.session(proxy.configuration) { $0.headers = [:] }
            for (url, target) in [
                ("https://a.invalid/", "a.invalid:443"), ("https://[2001:db8::1]/", "[2001:db8::1]:443"),
                ("https://a.invalid:80/", "a.invalid:80"),
            ] {
                _ = await session.request(url).serializingString().response
                #expect(proxy.heads.last == "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\r\n")
            }
        }

        @Test("TLS within TLS, with a large body in both directions", arguments: [false, true])
        func secureProxy(isMultiplexed: Bool) async throws {
            let (bench, proxy) = (try TrustBench(isMultiplexed: isMultiplexed), try TestProxy())
            let authority = try TestAuthority(commonName: "Proxies")
            let front = try TLSFront(to: proxy.port, identity: authority.identity(addresses: ["127.0.0.1"]))
            defer {
                front.stop()
                proxy.stop()
                bench.stop()
            }
            bench.server.route("*") { .data($0.body) }
            let session = try session(bench, .https(host: "127.0.0.1", port: front.port)) {
                $0.tls.authorities = .only([bench.authority.root.certificate, authority.root.certificate])
            }
            var generator = SeededGenerator(state: 7)
            for size in [0, 1, 16_384, 3 << 20] {
                let body = Data((0..<size).map { _ in UInt8.random(in: 0...255, using: &generator) })
                let response = await session.upload(body, to: bench.url()).serializingData(emptyResponseCodes: [200]).response
                #expect(response.value == body, "\(size): \(response)")
                #expect(response.metrics?.transactionMetrics.first?.peerCertificateChain.first == bench.identity.leaf.certificate)
            }
            #expect(proxy.heads.count == 1 && front.handshakes.count == 1)
        }

        @Test(
            "What is wrong with the server's TLS is told as without a proxy over TLS",
            arguments: [
                "\u{16}\u{3}\u{3}\u{0}\u{4}\u{2}\u{0}\u{0}\u{0}", "\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}\u{28}", "HTTP/1.1 400 Bad\r\n\r\n", "",
            ])
        func brokenServers(answer: String) async throws {
            let proxy = try TestProxy()
            let authority = try TestAuthority(commonName: "Proxies")
            let front = try TLSFront(to: proxy.port, identity: authority.identity(addresses: ["127.0.0.1"]))
            defer {
                front.stop()
                proxy.stop()
            }
            var words: [String] = []
            for configuration in [ProxyConfiguration.none, .https(host: "127.0.0.1", port: front.port)] {
                let server = try RawServer([[answer]], ending: .close)
                let session = ProxyBench.session(configuration) { $0.tls.authorities = .only([authority.root.certificate]) }
                let error = await session.request("https://127.0.0.1:\(server.port)/").serializingString().response.error?.asFirewheelError
                #expect(error?.kind == .transportFailed(.secureConnectionFailed))
                words.append((error?.description ?? "").replacing("\(server.port)", with: "PORT"))
            }
            #expect(words[0] == words[1])
        }

        @Test("A proxy's certificate counts for the proxy, and the server's for the server")
        func trust() async throws {
            let (bench, proxy) = (try TrustBench(), try TestProxy())
            let authority = try TestAuthority(commonName: "Proxies")
            let front = try TLSFront(to: proxy.port, identity: authority.identity(addresses: ["127.0.0.1"]))
            defer {
                front.stop()
                proxy.stop()
                bench.stop()
            }
            for (known, culprit) in [(bench.authority, "the proxy https://127.0.0.1:\(front.port)"), (authority, "localhost")] {
                let session = try session(bench, .https(host: "127.0.0.1", port: front.port)) {
                    $0.tls.authorities = .only([known.root.certificate])
                }
                let error = await session.request(bench.url()).serializingString().response.error?.asFirewheelError
                #expect(error?.isServerTrustEvaluationError == true && error?.description.contains(culprit) == true, "\(error as Any)")
            }
            #expect(bench.server.requestCount == 0)
        }

        @Test("Evaluators are asked about the proxy, and then about the server")
        func evaluators() async throws {
            let (bench, proxy) = (try TrustBench(), try TestProxy())
            let authority = try TestAuthority(commonName: "Proxies")
            let front = try TLSFront(to: proxy.port, identity: authority.identity(addresses: ["127.0.0.1"]))
            defer {
                front.stop()
                proxy.stop()
                bench.stop()
            }
            let hosts = Journal<String>()
            var configuration = try bench.configuration()
            configuration.tls.authorities = .only([bench.authority.root.certificate, authority.root.certificate])
            configuration.proxy = .https(host: "127.0.0.1", port: front.port)
            let evaluator = OwnEvaluator { hosts.add($0.host) }
            let manager = ServerTrustManager(evaluators: ["localhost": evaluator, "127.0.0.1": evaluator])
            let session = Session(configuration: configuration, serverTrustManager: manager)
            #expect(await session.request(bench.url("/x")).serializingString().response.value == "/x")
            #expect(hosts.entries == ["127.0.0.1", "localhost"])
        }

        @Test("A proxy that an evaluator refuses, or that has none, is named")
        func refusedProxy() async throws {
            let (bench, proxy) = (try TrustBench(), try TestProxy())
            let authority = try TestAuthority(commonName: "Proxies")
            let front = try TLSFront(to: proxy.port, identity: authority.identity(addresses: ["127.0.0.1"]))
            defer {
                front.stop()
                proxy.stop()
                bench.stop()
            }
            let pins = try PublicKeysTrustEvaluator(pins: [bench.identity.leaf.certificate.publicKeyPin], performDefaultValidation: false)
            let own = OwnEvaluator(requiresDefaultValidation: false) { _ in throw URLError(.badServerResponse) }
            for (manager, words) in [
                (ServerTrustManager(allHostsMustBeEvaluated: false, evaluators: [:]), "is from an unknown authority"),
                (ServerTrustManager(evaluators: ["localhost": own]), "127.0.0.1 has no evaluator"),
                (ServerTrustManager(evaluators: ["127.0.0.1": own]), "the evaluator of 127.0.0.1 refused the server"),
                (ServerTrustManager(evaluators: ["127.0.0.1": pins]), "none of the keys of 127.0.0.1 is pinned"),
            ] as [(ServerTrustManager, String)] {
                var configuration = try bench.configuration()
                configuration.proxy = .https(host: "127.0.0.1", port: front.port)
                for url in [bench.url(), "http://127.0.0.1/"] {
                    let response = await Session(configuration: configuration, serverTrustManager: manager).request(url).raw()
                    #expect(response.error?.asFirewheelError?.isServerTrustEvaluationError == true, "\(response)")
                    let proxy = "cannot connect to the proxy https://127.0.0.1:\(front.port): "
                    #expect(response.words.contains(proxy) && response.words.contains(words), "\(response.words)")
                }
            }
            #expect(proxy.heads.isEmpty)
        }

        @Test("A refusal keeps status, fields and body, and names the proxy")
        func refused() async throws {
            let proxy = try TestProxy { _ in
                .bytes("HTTP/1.1 403 Forbidden\r\nX-Squid-Error: ERR_ACCESS_DENIED 0\r\nContent-Length: 6\r\n\r\ndenied")
            }
            defer { proxy.stop() }
            let response = await ProxyBench.session(proxy.configuration).request("https://a.invalid/").serializingString().response
            let error = try #require(response.error?.asFirewheelError)
            #expect(error.kind == .proxyConnectFailed(status: 403) && response.response == nil)
            #expect(
                error.response?.statusCode == 403 && error.response?.value(forHTTPHeaderField: "X-Squid-Error") == "ERR_ACCESS_DENIED 0")
            #expect(error.responseData == Data("denied".utf8) && error.response?.url?.port == proxy.port)
            let words = "the proxy http://127.0.0.1:\(proxy.port) refused to connect to a.invalid:443 with status 403"
            #expect(error.description.contains(words), "\(error)")
        }

        @Test("A refusal's body is kept up to 64 KiB, in any framing, and whole or not")
        func bodies() async throws {
            let long = String(repeating: "x", count: 200_000)
            for (bytes, body) in [
                ("Content-Length: 200000\r\n\r\n\(long)", String(long.prefix(65_536))), ("\r\n\(long)", String(long.prefix(65_536))),
                ("\r\nto the end", "to the end"), ("Content-Length: 100\r\n\r\ncut", "cut"),
                ("Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "abc"),
                ("Transfer-Encoding: chunked\r\n\r\n3\r\nabcgarbage", "abc"),
                ("X: \(long.prefix(65_536))\r\nContent-Length: 3\r\n\r\nabc", "abc"),
            ] {
                let error = try await error(.bytes("HTTP/1.1 503 No\r\n" + bytes))
                #expect(error?.kind == .proxyConnectFailed(status: 503))
                #expect(error?.responseData.map { String(decoding: $0, as: UTF8.self) } == body)
            }
        }

        @Test("The status of a refusal whose body does not come is not lost to the timeout")
        func slowBody() async throws {
            let error = try await error(.bytes("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 9\r\n\r\n123", closes: false), timeout: 1)
            #expect(error?.kind == .proxyConnectFailed(status: 502) && error?.responseData == Data("123".utf8), "\(error as Any)")
        }

        @Test("A retry policy takes a refusal's status for that of a server: 503 is retried, 403 is not", arguments: [(503, 2), (403, 1)])
        func retried(status: Int, attempts: Int) async throws {
            let bench = try TrustBench()
            let asked = Journal<Void>()
            let proxy = try TestProxy { _ in
                asked.add(())
                return asked.count == 1 ? .bytes("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n") : .connect()
            }
            defer {
                proxy.stop()
                bench.stop()
            }
            let request = try session(bench, proxy.configuration).request(bench.url("/x"), interceptor: .retryPolicy(backoff: .constant(0)))
            let response = await request.serializingString().response
            #expect(proxy.heads.count == attempts)
            #expect(attempts == 1 ? response.error?.asFirewheelError?.kind == .proxyConnectFailed(status: 403) : response.value == "/x")
        }

        @Test("A 407 is an error")
        func unauthorized() async throws {
            let error = try await error(
                .bytes("HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"p\"\r\nContent-Length: 0\r\n\r\n"))
            #expect(error?.kind == .proxyConnectFailed(status: 407))
        }

        @Test("Credentials go to the proxy, and not to the server")
        func credentials() async throws {
            let (bench, proxy) = (try TrustBench(), try TestProxy())
            defer {
                proxy.stop()
                bench.stop()
            }
            let credential = URLCredential(user: "ada", password: "p:a ß@s", persistence: .none)
            let session = try session(bench, .http(host: "127.0.0.1", port: proxy.port, credential: credential))
            #expect(await session.request(bench.url("/x")).serializingString().response.value == "/x")
            let sent = try #require(proxy.heads.first).components(separatedBy: "\r\n").first { $0.hasPrefix("Proxy-Authorization: ") }
            #expect(sent == "Proxy-Authorization: Basic " + Data("ada:p:a ß@s".utf8).base64EncodedString())
            #expect(try await bench.server.takeRequest().header("Proxy-Authorization") == nil)
        }

        @Test("A success counts whatever its fields say, and behind interim responses; bytes behind it are an error")
        func successes() async throws {
            let bench = try TrustBench()
            defer { bench.stop() }
            for (answer, isGood) in [
                ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", true),
                ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", true), ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", true),
                ("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", true), ("HTTP/1.0 200 OK\r\n\r\n", true),
                ("HTTP/1.1 204 No\r\n\r\n", true),
                ("HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 65_536))\r\n\r\n", true),
                ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", false),
            ] {
                let proxy = try TestProxy { _ in .connect(answer) }
                defer { proxy.stop() }
                let response = await (try session(bench, proxy.configuration)).request(bench.url("/x")).serializingString().response
                #expect((response.value == "/x") == isGood, "\(answer.prefix(60)): \(response)")
                guard !isGood else { continue }
                #expect(
                    response.error?.asFirewheelError?.description.contains("it sent more than the head of its response to CONNECT") == true)
            }
        }

        @Test("A proxy that closes at any byte of its response, or sends nonsense, is an error that names it")
        func closes() async throws {
            let whole = "HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n"
            for count in stride(from: 0, to: whole.count, by: TestDepth.choose(5, deep: 1)) {
                let error = try await error(.bytes(String(whole.prefix(count))))
                #expect(error?.kind == .transportFailed(.networkConnectionLost), "\(count): \(error as Any)")
                let words = count == 0 ? "it closed the connection" : "it closed the connection in the middle of its response"
                #expect(error?.description.contains("did not connect to a.invalid:443: \(words)") == true, "\(count): \(error as Any)")
            }
            for nonsense in [
                "SSH-2.0-OpenSSH_9.2\r\n", "\u{15}\u{3}\u{1}\u{0}\u{2}\u{2}\u{28}", "HTTP/1.1 101 Switching Protocols\r\n\r\n",
                "HTTP/1.1 2\r\n\r\n", "HTTP/1.1 200 OK\r\nA : b\r\n\r\n",
            ] {
                let error = try await error(.bytes(nonsense))
                #expect(error?.kind == .transportFailed(.cannotParseResponse), "\(error as Any)")
                #expect(error?.description.contains("the proxy http://127.0.0.1:") == true)
                #expect(error?.description.contains("the server") == false, "\(error as Any)")
            }
        }

        @Test("A proxy that never answers is left after the connect timeout; a cancelled request leaves it at once")
        func silent() async throws {
            let error = try await error(.bytes("", closes: false), timeout: 0.2)
            #expect(error?.isTimeout == true)
            #expect(error?.description.contains("waiting for the proxy http://127.0.0.1:") == true, "\(error as Any)")
            let proxy = try TestProxy { _ in .bytes("HTTP/1.1 200", closes: false) }
            defer { proxy.stop() }
            let request = ProxyBench.session(proxy.configuration).request("https://a.invalid/")
            let task = request.serializingString()
            async let response = task.response
            try await waitUntil("CONNECT") { proxy.heads.count == 1 }
            #expect(proxy.openCount == 1)
            request.cancel()
            #expect(await response.error?.asFirewheelError?.isExplicitlyCancelled == true)
            try await waitUntil("the end of the connection") { proxy.openCount == 0 }
        }

        @Test("HTTP/2 with prior knowledge goes through the proxy to an http server, which may speak first", arguments: [false, true])
        func priorKnowledge(isEarly: Bool) async throws {
            let server = try FramesServer()
            // The server's SETTINGS, which it may send first, and a PING come with the proxy's response.
            let frames = FramesPeer.frame(.settings, stream: 0) + FramesPeer.frame(.ping, stream: 0, [UInt8](repeating: 0, count: 8))
            let text = "HTTP/1.1 200 OK\r\n\r\n" + String(decoding: frames, as: UTF8.self)
            let proxy = try TestProxy { _ in .connect(isEarly ? text : "HTTP/1.1 200 OK\r\n\r\n") }
            defer { proxy.stop() }
            DispatchQueue.global().async {
                guard let peer = try? server.accept(settings: isEarly ? nil : []), let stream = try? peer.request() else { return }
                peer.answer(stream, "over HTTP/2")
            }
            let session = ProxyBench.session(proxy.configuration) { $0.httpVersions = .http2PriorKnowledge }
            let response = await session.request(server.url).serializingString().response
            #expect(response.value == "over HTTP/2", "\(response)")
            #expect(response.metrics?.transactionMetrics.first?.networkProtocolName == "h2")
            #expect(proxy.heads.first?.hasPrefix("CONNECT 127.0.0.1:") == true)
        }
    }
#endif
