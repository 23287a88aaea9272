#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// Challenges of proxies (status 407, RFC 9110 section 11.7) to CONNECT.
    @Suite("Challenges of proxies to CONNECT", .timeLimit(.minutes(5)))
    struct ProxyTunnelAuthenticationTests {
        private static let users = ["ada": "p:a ß@s"]
        private static let credential = URLCredential(user: "ada", password: "p:a ß@s", persistence: .none)

        private func session(_ port: Int, _ credential: URLCredential? = credential) -> Session {
            ProxyBench.session(.http(host: "127.0.0.1", port: port, credential: credential))
        }

        /// Answers CONNECT with Digest.
        private func tunnel(_ digest: DigestServer, _ fields: String = "", closes: Bool = false) throws -> TestProxy {
            try TestProxy { head in
                let lines = head.components(separatedBy: "\r\n")
                let target = lines[0].split(separator: " ").dropFirst().first.map(String.init) ?? ""
                let name = "Proxy-Authorization: "
                let field = lines.first { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count)) }
                let given = field?.hasPrefix("Basic ") == true ? nil : field
                let verdict = digest.judge(method: "CONNECT", target: target, authorization: given, body: Data())
                var isStale = false
                switch verdict {
                case .accepted(_, let info):
                    var info = info
                    if let given, let proof = digest.responseAuth(to: given, body: Data()) { info.append(proof) }
                    return .connect("HTTP/1.1 200 OK\r\nProxy-Authentication-Info: \(info.joined(separator: ", "))\r\n\r\n")
                case .malformed(let reason): return .bytes("HTTP/1.1 400 \(reason)\r\nContent-Length: 0\r\n\r\n")
                case .stale, .replayed: isStale = true
                case .refused: break
                }
                let challenges = digest.challenges(stale: isStale).map { "Proxy-Authenticate: \($0)\r\n" }.joined()
                return .bytes("HTTP/1.1 407 No\r\n\(challenges)\(fields)Content-Length: 2\r\n\r\nno", closes: closes)
            }
        }

        @Test(
            "https: Digest answers a 407 of CONNECT, on the same connection or on another one, whatever the proxy says about that",
            arguments: [("", false, 1), ("Connection: close\r\n", true, 2), ("", true, 2)])
        func tunneled(fields: String, closes: Bool, connections: Int) async throws {
            let digest = DigestServer(users: Self.users, .init(sendsResponseAuth: true))
            let (bench, proxy) = (try TrustBench(), try tunnel(digest, fields, closes: closes))
            defer {
                proxy.stop()
                bench.stop()
            }
            var configuration = try bench.configuration()
            configuration.proxy = .http(host: "127.0.0.1", port: proxy.port, credential: Self.credential)
            let session = Session(configuration: configuration)
            let response = await session.request(bench.url("/x")).serializingString().response
            #expect(response.value == "/x", "\(response)")
            #expect(proxy.connectionCount == connections && digest.counts == .init(accepted: 1, refused: 1), "\(digest.counts)")
            let hop = try #require(response.metrics?.transactionMetrics.first)
            let dates = [
                hop.connectStartDate, hop.proxyConnectStartDate, hop.proxyConnectEndDate, hop.secureConnectionStartDate, hop.connectEndDate,
            ]
            #expect(dates.compactMap(\.self).count == 5 && dates.compactMap(\.self) == dates.compactMap(\.self).sorted())
            // Another tunnel: what was accepted is sent ahead.
            session.closeIdleConnections()
            #expect(await session.request(bench.url("/y")).serializingString().response.value == "/y")
            #expect(proxy.connectionCount == connections + 1 && digest.counts == .init(accepted: 2, refused: 1))
            for request in try await bench.server.takeRequests(2) { #expect(request.header("Proxy-Authorization") == nil) }
        }

        @Test("https: a wrong password is an error, after one answer")
        func wrongForTunnels() async throws {
            let proxy = try tunnel(DigestServer(users: ["ada": "other"]))
            defer { proxy.stop() }
            let error = await session(proxy.port).request("https://a.invalid/").serializingString().response.error?.asFirewheelError
            #expect(error?.kind == .proxyConnectFailed(status: 407) && error?.responseData == Data("no".utf8))
            let words = "refused to connect to a.invalid:443 with status 407, and does not accept the credentials: it asks for Digest"
            #expect(error?.description.contains(words) == true, "\(error as Any)")
            #expect(proxy.heads.count == 2 && proxy.connectionCount == 1)
        }

        @Test("https: a wrong proof of the proxy is an error, and the server gets no request")
        func spoiled() async throws {
            let bench = try TrustBench()
            let spoiling = try tunnel(DigestServer(users: Self.users, .init(sendsResponseAuth: true, spoilsResponseAuth: true)))
            let honest = try tunnel(DigestServer(users: Self.users, .init(sendsResponseAuth: true)))
            defer {
                honest.stop()
                spoiling.stop()
                bench.stop()
            }
            var configuration = try bench.configuration()
            for (proxy, requests) in [(spoiling, 0), (honest, 1)] {
                configuration.proxy = .http(host: "127.0.0.1", port: proxy.port, credential: Self.credential)
                let error = await Session(configuration: configuration).request(bench.url("/")).serializingString().response.error
                let words = "did not prove that it knows the password"
                #expect((error?.asFirewheelError?.description.contains(words) == true) == (proxy === spoiling), "\(error as Any)")
                #expect(bench.server.requestCount == requests)
            }
        }

        @Test("https: a challenge's body that is long, endless, cut off or in chunks does not matter")
        func bodiesOfTunnelChallenges() async throws {
            let bench = try TrustBench()
            defer { bench.stop() }
            for (body, closes, connections) in [
                ("Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", false, 1), ("Content-Length: 5\r\n\r\nhel", false, 2),
                ("Content-Length: 200000\r\n\r\n\(String(repeating: "x", count: 200_000))", false, 2), ("\r\nhello", true, 2),
                ("\r\nwithout an end", false, 2), ("Content-Length: 5\r\n\r\nhel", true, 2),
            ] {
                let proxy = try TestProxy { head in
                    head.contains("Proxy-Authorization: Basic ")
                        ? .connect() : .bytes("HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"p\"\r\n" + body, closes: closes)
                }
                defer { proxy.stop() }
                var configuration = try bench.configuration()
                configuration.proxy = proxy.configuration
                // The body is not waited for as long as that.
                configuration.connectTimeout = 4
                let session = Session(configuration: configuration)
                try session.credentials.set(username: "ada", password: "p:a ß@s", for: "http://127.0.0.1:\(proxy.port)")
                let response = await session.request(bench.url("/x")).serializingString().response
                #expect(response.value == "/x", "\(body.prefix(50)): \(response)")
                #expect(proxy.connectionCount == connections && proxy.heads.count == 2, "\(body.prefix(50))")
            }
        }

        @Test(
            "https: many requests at once, of which one opens the tunnel and is challenged, over TLS with the proxy",
            arguments: [false, true])
        func multiplexed(closes: Bool) async throws {
            let digest = DigestServer(users: Self.users)
            let bench = try TrustBench(isMultiplexed: true)
            let proxy = try tunnel(digest, closes ? "Connection: close\r\n" : "", closes: closes)
            let authority = try TestAuthority(commonName: "Proxies")
            let front = try TLSFront(to: proxy.port, identity: authority.identity(addresses: ["127.0.0.1"]))
            defer {
                front.stop()
                proxy.stop()
                bench.stop()
            }
            var configuration = try bench.configuration()
            configuration.tls.authorities = .only([bench.authority.root.certificate, authority.root.certificate])
            configuration.proxy = .https(host: "127.0.0.1", port: front.port, credential: Self.credential)
            let session = Session(configuration: configuration)
            let right = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<20 {
                    group.addTask { await session.request(bench.url("/\(number)")).serializingString().response.value == "/\(number)" }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(right == 20)
            #expect(digest.counts.accepted >= 1 && digest.counts.malformed.isEmpty, "\(digest.counts)")
            for request in try await bench.server.takeRequests(20) { #expect(request.header("Proxy-Authorization") == nil) }
        }

        @Test("https: a proxy that closes at any byte of its response to the second CONNECT")
        func closesAtSecond() async throws {
            let whole = "HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n"
            let challenge = "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"p\"\r\nContent-Length: 0\r\n\r\n"
            for count in stride(from: 0, to: whole.count, by: TestDepth.choose(9, deep: 1)) {
                let proxy = try TestProxy { head in
                    head.contains("Proxy-Authorization: Basic ") ? .bytes(String(whole.prefix(count))) : .bytes(challenge, closes: false)
                }
                defer { proxy.stop() }
                let session = session(proxy.port, nil)
                try session.credentials.set(username: "ada", password: "p:a ß@s", for: "http://127.0.0.1:\(proxy.port)")
                let error = await session.request("https://a.invalid/").serializingString().response.error?.asFirewheelError
                #expect(error?.kind == .transportFailed(.networkConnectionLost), "\(count): \(error as Any)")
                // Without an answer the connection may have been closed before the request, which is then sent once more.
                #expect(proxy.heads.count == (count == 0 ? 3 : 2))
            }
        }

        @Test("https: one tunnel after another, with nonces that are soon stale")
        func many() async throws {
            let digest = DigestServer(users: Self.users, .init(nonceUses: 2))
            let (bench, proxy) = (try TrustBench(), try tunnel(digest))
            defer {
                proxy.stop()
                bench.stop()
            }
            var configuration = try bench.configuration()
            configuration.proxy = .http(host: "127.0.0.1", port: proxy.port, credential: Self.credential)
            let session = Session(configuration: configuration)
            for number in 0..<8 {
                #expect(await session.request(bench.url("/\(number)")).serializingString().response.value == "/\(number)")
                session.closeIdleConnections()
            }
            #expect(digest.counts.accepted == 8 && digest.counts.stale == 3, "\(digest.counts)")
        }
    }
#endif
