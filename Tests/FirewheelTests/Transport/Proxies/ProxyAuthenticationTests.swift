#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// Challenges of proxies (status 407, RFC 9110 section 11.7) to http requests: Digest (RFC 7616) and Basic.
    /// ``ProxyTunnelAuthenticationTests`` has those to CONNECT.
    @Suite("Challenges of proxies", .timeLimit(.minutes(5)))
    struct ProxyAuthenticationTests {
        private static let users = ["ada": "p:a ß@s"]
        private static let credential = URLCredential(user: "ada", password: "p:a ß@s", persistence: .none)
        private static let basic = "Basic " + Data("ada:p:a ß@s".utf8).base64EncodedString()

        /// A server that stands for a proxy with Digest.
        private func proxy(_ digest: DigestServer) throws -> MockServer {
            let server = try MockServer()
            server.route("*") { digest.answer($0, isProxy: true) { .text("\($0.method) \($0.target) \($0.bodyText)") } }
            return server
        }

        private func session(_ port: Int, _ credential: URLCredential? = credential) -> Session {
            ProxyBench.session(.http(host: "127.0.0.1", port: port, credential: credential))
        }

        // MARK: http

        @Test(
            "http: Digest answers a 407 once, and is then sent ahead",
            arguments: ["MD5", "MD5-sess", "SHA-256", "SHA-256-sess"], ["auth", "auth-int", nil])
        func forwarded(algorithm: String, qop: String?) async throws {
            if qop == nil, algorithm.hasSuffix("-sess") { return }
            let digest = DigestServer(users: Self.users, .init(algorithms: [algorithm], qop: qop))
            let server = try proxy(digest)
            defer { server.shutdown() }
            let session = session(server.port)
            for number in 0..<3 {
                let url = "http://nowhere.invalid/a?b=\(number)"
                let response = await session.upload(Data("body".utf8), to: url, method: .put).validate().serializingString().response
                #expect(response.value == "PUT \(url) body", "\(response)")
            }
            #expect(digest.counts == .init(accepted: 3, refused: 1), "\(digest.counts)")
            let requests = try await server.takeRequests(4)
            #expect(requests.map { $0.headerValues("Proxy-Authorization").count } == [1, 1, 1, 1])
            #expect(requests[0].header("Proxy-Authorization") == Self.basic && requests.allSatisfy { $0.header("Authorization") == nil })
            #expect(server.connectionCount == 1)
        }

        @Test("Credentials of the session answer a challenge of the proxy, by its realm, and are not sent before one")
        func sessionsCredentials() async throws {
            let digest = DigestServer(users: Self.users)
            let server = try proxy(digest)
            defer { server.shutdown() }
            let session = session(server.port, nil)
            let realm = DigestServer.Options().realm
            try session.credentials.set(username: "ada", password: "wrong", for: "http://127.0.0.1:\(server.port)", realm: "another realm")
            let refused = await session.request("http://nowhere.invalid/").serializingString().response
            #expect(refused.response?.statusCode == 407 && server.requestCount == 1)
            try session.credentials.set(username: "ada", password: "p:a ß@s", for: "http://127.0.0.1:\(server.port)", realm: realm)
            for _ in 0..<2 { #expect(await session.request("http://nowhere.invalid/").serializingString().response.error == nil) }
            let requests = try await server.takeRequests(4)
            #expect(requests.map { $0.header("Proxy-Authorization")?.hasPrefix("Digest ") } == [nil, nil, true, true])
            // What is removed is not sent any more.
            session.credentials.removeAll()
            _ = await session.request("http://nowhere.invalid/").serializingString().response
            #expect(try await server.takeRequest().header("Proxy-Authorization") == nil)
        }

        @Test("Credentials of the session answer Basic, and are then sent ahead")
        func basic() async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("*") { request in
                guard request.header("Proxy-Authorization") == Self.basic else {
                    return .text("who are you?", status: 407, headers: [("Proxy-Authenticate", "Negotiate, Basic realm=\"p\"")])
                }
                return .text("welcome")
            }
            let session = session(server.port, nil)
            try session.credentials.set(username: "ada", password: "p:a ß@s", for: "http://127.0.0.1:\(server.port)/any")
            for name in ["a", "b"] {
                #expect(await session.request("http://\(name).invalid/").serializingString().response.value == "welcome")
            }
            #expect(try await server.takeRequests(3).map { $0.header("Proxy-Authorization") } == [nil, Self.basic, Self.basic])
        }

        @Test("A wrong password gets the 407, after one answer", arguments: [true, false])
        func wrong(isDigest: Bool) async throws {
            let digest = DigestServer(users: ["ada": "other"])
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("*") { request in
                if isDigest { return digest.answer(request, isProxy: true) { _ in .text("never") } }
                return .text("no", status: 407, headers: [("Proxy-Authenticate", "Basic realm=\"p\"")])
            }
            let response = await session(server.port).request("http://nowhere.invalid/").serializingString().response
            #expect(response.response?.statusCode == 407 && server.requestCount == (isDigest ? 2 : 1), "\(response)")
        }

        @Test("A stale nonce is answered again, of one request after the other and of many at once")
        func stale() async throws {
            let digest = DigestServer(users: Self.users, .init(nonceUses: 3))
            let server = try proxy(digest)
            defer { server.shutdown() }
            let session = session(server.port)
            for _ in 0..<10 {
                #expect(await session.request("http://nowhere.invalid/").serializingString().response.response?.statusCode == 200)
            }
            #expect(digest.counts.stale == 3)
            #expect(await statuses(of: session) == Array(repeating: 200, count: 20) && digest.counts.stale > 3)
            #expect(digest.counts.replayed == 0 && digest.counts.malformed.isEmpty)
        }

        @Test("Requests at once have counts of their own, also if the proxy gives all of them the same nonce")
        func sharedNonce() async throws {
            let digest = DigestServer(users: Self.users, .init(sharesNonce: true))
            let server = try proxy(digest)
            defer { server.shutdown() }
            #expect(await statuses(of: session(server.port)) == Array(repeating: 200, count: 20))
            #expect(digest.counts.accepted == 20 && digest.counts.replayed == 0 && digest.counts.stale == 0, "\(digest.counts)")
        }

        private func statuses(of session: Session) async -> [Int?] {
            await withTaskGroup(of: Int?.self) { group in
                for _ in 0..<20 {
                    group.addTask { await session.request("http://nowhere.invalid/").serializingString().response.response?.statusCode }
                }
                return await group.reduce(into: [Int?]()) { $0.append($1) }
            }
        }

        @Test("A proxy that calls every nonce stale gets three requests", arguments: ["http", "https"])
        func foreverStale(scheme: String) async throws {
            let challenge = "HTTP/1.1 407 No\r\nProxy-Authenticate: Digest realm=\"p\", nonce=\"n\", qop=\"auth\", stale=true\r\n"
            let proxy = try TestProxy { _ in .bytes(challenge + "Content-Length: 0\r\n\r\n", closes: false) }
            defer { proxy.stop() }
            let response = await session(proxy.port).request("\(scheme)://nowhere.invalid/").serializingString().response
            let error = response.error?.asFirewheelError
            #expect(response.response?.statusCode == 407 || error?.kind == .proxyConnectFailed(status: 407), "\(response)")
            #expect(proxy.heads.count == 3 && proxy.connectionCount == 1)
            let counts = proxy.heads.dropFirst().map { $0.contains("nc=00000001") ? 1 : $0.contains("nc=00000002") ? 2 : 0 }
            #expect(counts.sorted() == [1, 1] || counts.sorted() == [1, 2])
        }

        @Test("Digest is not followed by Basic: a server behind the proxy could ask for it")
        func downgrade() async throws {
            let digest = DigestServer(users: Self.users)
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("*") { request in
                digest.answer(request, isProxy: true) { _ in
                    guard request.target.hasSuffix("/evil") else { return .text("good") }
                    return .text("evil", status: 407, headers: [("Proxy-Authenticate", "Basic realm=\"\(DigestServer.Options().realm)\"")])
                }
            }
            let session = session(server.port, nil)
            try session.credentials.set(username: "ada", password: "p:a ß@s", for: "http://127.0.0.1:\(server.port)")
            for (path, body) in [("/good", "good"), ("/evil", "evil"), ("/good", "good"), ("/evil", "evil")] {
                #expect(await session.request("http://nowhere.invalid\(path)").serializingString().response.value == body)
            }
            let fields = try await server.takeRequests(server.requestCount).compactMap { $0.header("Proxy-Authorization") }
            #expect(fields.count >= 4 && fields.allSatisfy { $0.hasPrefix("Digest ") })
        }

        @Test("A proxy that has asked for Digest gets no Basic any more, whatever it asks for later", arguments: [false, true])
        func laterDowngrade(isSessions: Bool) async throws {
            let digest = DigestServer(users: Self.users)
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("*") { request in
                if digest.counts.accepted == 0 { return digest.answer(request, isProxy: true) { _ in .text("good") } }
                return .text("no", status: 407, headers: [("Proxy-Authenticate", "Basic realm=\"\(DigestServer.Options().realm)\"")])
            }
            let session = session(server.port, isSessions ? nil : Self.credential)
            try session.credentials.set(username: "ada", password: "p:a ß@s", for: "http://127.0.0.1:\(server.port)")
            #expect(await session.request("http://nowhere.invalid/").serializingString().response.value == "good")
            let first = server.requestCount
            for _ in 0..<3 {
                #expect(await session.request("http://nowhere.invalid/").serializingString().response.response?.statusCode == 407)
            }
            let later = try await server.takeRequests(server.requestCount).dropFirst(first)
            #expect(later.count == 3 && later.allSatisfy { $0.header("Proxy-Authorization")?.hasPrefix("Basic ") != true })
        }

        @Test("What a proxy has accepted is forgotten when the session's credentials change")
        func changes() async throws {
            let digest = DigestServer(users: Self.users)
            let server = try proxy(digest)
            defer { server.shutdown() }
            let (session, url) = (session(server.port, nil), "http://127.0.0.1:\(server.port)")
            for password in ["p:a ß@s", "wrong", "p:a ß@s"] {
                try session.credentials.set(username: "ada", password: password, for: url)
                let response = await session.request("http://nowhere.invalid/").serializingString().response
                #expect(response.response?.statusCode == (password == "wrong" ? 407 : 200))
            }
            try session.credentials.remove(for: url)
            try session.credentials.set(username: "ada", password: "p:a ß@s", for: url)
            #expect(await session.request("http://nowhere.invalid/").serializingString().response.response?.statusCode == 200)
            let fields = try await server.takeRequests(8).map { $0.header("Proxy-Authorization") != nil }
            #expect(fields == [false, true, false, true, false, true, false, true])
        }

        @Test("A POST is answered although the proxy closes the connection without saying so")
        func closesSilently() async throws {
            let challenge = "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"p\"\r\nContent-Length: 0\r\n\r\n"
            let proxy = try TestProxy { head in
                head.contains("Proxy-Authorization: Basic ") ? .bytes("HTTP/1.1 204 OK\r\n\r\n") : .bytes(challenge)
            }
            defer { proxy.stop() }
            let session = session(proxy.port, nil)
            try session.credentials.set(username: "ada", password: "p:a ß@s", for: "http://127.0.0.1:\(proxy.port)")
            let response = await session.request("http://nowhere.invalid/", method: .post).raw()
            #expect(response.response?.statusCode == 204, "\(response)")
            #expect(proxy.heads.count == 2 && proxy.connectionCount == 2)
        }

        @Test(
            "A large body is sent again, after a 407 that comes instead of a 100 too, and its progress begins anew",
            arguments: [false, true])
        func largeBodies(expects: Bool) async throws {
            let digest = DigestServer(users: Self.users)
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("*") { digest.answer($0, isProxy: true) { .text("\($0.body.count)") } }
            let session = session(server.port)
            let body = Data(repeating: 7, count: 3 << 20)
            let sent = Journal<Int64>()
            let request = session.upload(
                body, to: "http://nowhere.invalid/", method: .put, headers: expects ? ["Expect": "100-continue"] : nil)
            request.uploadProgress(queue: .global()) { sent.add($0.completedUnitCount) }
            let response = await request.serializingString().response
            #expect(response.value == "\(body.count)", "\(response)")
            #expect(sent.entries.last == Int64(body.count))
            #expect(digest.counts.accepted == 1 && server.requestCount == 2)
        }

        @Test("A challenge that covers a body of more than 64 KiB is not answered, but delivered")
        func coveredBodies() async throws {
            let digest = DigestServer(users: Self.users, .init(qop: "auth-int"))
            let server = try proxy(digest)
            defer { server.shutdown() }
            for (size, status) in [(65_536, 200), (65_537, 407)] {
                let body = Data(repeating: 7, count: size)
                let response = await session(server.port).upload(body, to: "http://nowhere.invalid/").serializingString().response
                #expect(response.response?.statusCode == status, "\(size): \(response)")
            }
        }

        @Test("What it took to reach the proxy before a challenge is part of the metrics")
        func metrics() async throws {
            let server = try proxy(DigestServer(users: Self.users))
            defer { server.shutdown() }
            let response = await session(server.port).request("http://nowhere.invalid/").serializingString().response
            let hop = try #require(response.metrics?.transactionMetrics.first)
            let dates = [hop.fetchStartDate, hop.connectStartDate, hop.connectEndDate, hop.requestStartDate, hop.responseStartDate]
            #expect(dates.compactMap(\.self).count == 5 && dates.compactMap(\.self) == dates.compactMap(\.self).sorted(), "\(dates)")
            #expect(hop.remotePort == server.port && response.metrics?.transactionMetrics.count == 1)
        }

        @Test(
            "A request that is paused or cancelled during a challenge is not sent again",
            arguments: [("http", false), ("http", true), ("https", true)])
        func paused(scheme: String, isCancelled: Bool) async throws {
            let gate = DispatchSemaphore(value: 0)
            let challenge = "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"p\"\r\nContent-Length: 2\r\n\r\n"
            let proxy = try TestProxy { head in
                if head.contains("Proxy-Authorization: Basic ") || head.contains("other") {
                    return .bytes("HTTP/1.1 400 No\r\nContent-Length: 0\r\n\r\n", closes: false)
                }
                gate.wait()
                return .bytes(challenge + "no", closes: false)
            }
            defer { proxy.stop() }
            let credentials = CredentialStore()
            try credentials.set(username: "ada", password: "p:a ß@s", for: "http://127.0.0.1:\(proxy.port)")
            let (url, other) = ("\(scheme)://nowhere.invalid/", "\(scheme)://other.invalid/")
            let client = try ProxyClient(ProxyRules(proxy.configuration, system: .system), of: url, credentials: credentials)
            let request = try client.start(url)
            try await waitUntil("the first request") { proxy.heads.count == 1 }
            if isCancelled { client.transport.cancel(request) } else { client.transport.pause(request) }
            // Commands take effect in their order.
            _ = try await client.result(client.start(other))
            gate.signal()
            _ = try await client.result(client.start(other))
            #expect(proxy.heads.count == 3 && client.end(of: request) == nil)
            guard !isCancelled else { return }
            client.transport.resume(request)
            #expect(try await client.result(request).head?.statusCode == 400)
            #expect(proxy.heads.count == 4 && proxy.heads.last?.contains("Proxy-Authorization: Basic ") == true)
        }

        @Test("The proxy's nextnonce is used, and a wrong proof of the proxy is an error")
        func information() async throws {
            let renewing = DigestServer(users: Self.users, .init(nonceUses: 1, sendsNextNonce: true, sendsResponseAuth: true))
            let server = try proxy(renewing)
            defer { server.shutdown() }
            let session = session(server.port)
            for _ in 0..<5 { #expect(await session.request("http://nowhere.invalid/").serializingString().response.error == nil) }
            #expect(renewing.counts == .init(accepted: 5, refused: 1))
            let spoiling = try proxy(DigestServer(users: Self.users, .init(sendsResponseAuth: true, spoilsResponseAuth: true)))
            defer { spoiling.shutdown() }
            let error = await self.session(spoiling.port).request("http://nowhere.invalid/").serializingString().response.error
            #expect(error?.asFirewheelError?.description.contains("did not prove that it knows the password") == true, "\(error as Any)")
        }

        @Test("A body that can be read once is not sent again: the error says so")
        func streams() async throws {
            let server = try proxy(DigestServer(users: Self.users))
            defer { server.shutdown() }
            let session = session(server.port)
            let stream = InputStream(data: Data("body".utf8))
            let first = await session.upload(stream, to: "http://nowhere.invalid/").serializingString().response
            #expect(first.error?.asFirewheelError?.kind == .uploadBodyFailed(.notRepeatable), "\(first)")
            #expect(first.error?.asFirewheelError?.description.contains("the proxy asks for credentials") == true)
            // With what the proxy has accepted it is sent at once.
            #expect(await session.request("http://nowhere.invalid/").serializingString().response.error == nil)
            let later = InputStream(data: Data("body".utf8))
            let second = await session.upload(later, to: "http://nowhere.invalid/").serializingString().response
            #expect(second.value == "POST http://nowhere.invalid/ body", "\(second)")
        }

        @Test("A challenge's body that is long, endless, cut off or in chunks does not matter")
        func bodiesOfChallenges() async throws {
            let challenge = "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"p\"\r\n"
            let welcome = "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nwelcome"
            for (body, connections) in [
                ("Content-Length: 5\r\n\r\nhello", 1), ("Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", 1),
                ("Content-Length: 200000\r\n\r\n\(String(repeating: "x", count: 200_000))", 2), ("Content-Length: 5\r\n\r\nhel", 2),
                ("Connection: close\r\n\r\nhello", 2), ("\r\nwithout an end", 2), ("Transfer-Encoding: chunked\r\n\r\n5\r\nhelloxyz", 2),
            ] {
                let proxy = try TestProxy { head in
                    head.contains("Proxy-Authorization: Basic ")
                        ? .bytes(welcome) : .bytes(challenge + body, closes: body.contains("Connection: close"))
                }
                defer { proxy.stop() }
                let session = session(proxy.port, nil)
                try session.credentials.set(username: "ada", password: "p:a ß@s", for: "http://127.0.0.1:\(proxy.port)")
                let response = await session.request("http://nowhere.invalid/").serializingString().response
                #expect(response.value == "welcome", "\(body.prefix(50)): \(response)")
                #expect(proxy.connectionCount == connections, "\(body.prefix(50))")
                #expect(proxy.heads.count == 2)
            }
        }

        @Test("A field of the caller's own is the answer: it is not replaced")
        func ownField() async throws {
            let server = try proxy(DigestServer(users: Self.users))
            defer { server.shutdown() }
            let response = await session(server.port).request(
                "http://nowhere.invalid/", headers: ["Proxy-Authorization": "Basic b3duOm93bg=="]
            )
            .serializingString().response
            #expect(response.response?.statusCode == 407 && server.requestCount == 1)
        }

        @Test("A 407 of a server, without a proxy or behind a tunnel, is not answered", arguments: [false, true])
        func servers(isTunneled: Bool) async throws {
            let (bench, proxy) = (try TrustBench(), try TestProxy())
            defer {
                proxy.stop()
                bench.stop()
            }
            bench.server.route("*") { _ in .text("no", status: 407, headers: [("Proxy-Authenticate", "Basic realm=\"p\"")]) }
            var configuration = try bench.configuration()
            configuration.proxy = isTunneled ? .http(host: "127.0.0.1", port: proxy.port, credential: Self.credential) : .none
            let session = Session(configuration: configuration)
            try session.credentials.set(username: "ada", password: "p:a ß@s", for: "http://127.0.0.1:\(proxy.port)")
            try session.credentials.set(username: "ada", password: "p:a ß@s", for: bench.url())
            let response = await session.request(bench.url("/x")).serializingString().response
            #expect(response.response?.statusCode == 407 && bench.server.requestCount == 1, "\(response)")
            let request = try await bench.server.takeRequest()
            #expect(request.header("Proxy-Authorization") == nil && request.header("Authorization") == nil)
        }

        @Test("A proxy that a closure chooses keeps what it has accepted")
        func chosen() async throws {
            let digest = DigestServer(users: Self.users)
            let server = try proxy(digest)
            defer { server.shutdown() }
            let port = server.port
            let session = ProxyBench.session(.custom { _ in .http(host: "127.0.0.1", port: port, credential: Self.credential) })
            for _ in 0..<3 { #expect(await session.request("http://nowhere.invalid/").serializingString().response.error == nil) }
            #expect(digest.counts == .init(accepted: 3, refused: 1))
        }

        // MARK: Schemes

        @Test(
            "The schemes that a proxy wants are named, whether they are supported or not",
            arguments: [
                (["NTLM", "Negotiate"], "it asks for NTLM or Negotiate, neither of which is supported"),
                (["Basic realm=\"p\""], "it asks for Basic"),
                (["Digest realm=\"p\", nonce=\"n\", qop=\"auth\", Basic realm=\"p\""], "it asks for Digest or Basic"),
                (["Digest realm=\"p\"", "NTLM"], "it asks for Digest or NTLM, in a form that is not supported"),
                (
                    (0..<20).map { "Foo\($0)" },
                    "it asks for Foo0 or Foo1 or Foo2 or Foo3 or Foo4 or Foo5 or Foo6 or Foo7 or others, none of"
                ),
                (["Negotiate", "Negotiate YII="], "it asks for Negotiate, which is not supported"),
            ])
        func schemes(fields: [String], words: String) async throws {
            let challenges = fields.map { ("Proxy-Authenticate", $0) }
            let lines = challenges.map { "\($0): \($1)\r\n" }.joined()
            let proxy = try TestProxy { _ in .bytes("HTTP/1.1 407 No\r\n\(lines)Content-Length: 0\r\n\r\n") }
            let server = try MockServer()
            defer {
                proxy.stop()
                server.shutdown()
            }
            server.route("*") { _ in MockResponse(status: 407, headers: challenges) }
            let tunneled = await session(proxy.port, nil).request("https://a.invalid/").serializingString().response.error
            #expect(tunneled?.asFirewheelError?.description.contains("with status 407: \(words)") == true, "\(tunneled as Any)")
            let forwarded = await session(server.port, nil).request("http://a.invalid/").validate().serializingString().response.error
            #expect(forwarded?.asFirewheelError?.kind == .responseValidationFailed(.unacceptableStatusCode(407)))
            let said = "status 407 is not in 200..<300: \(words)"
            #expect(forwarded?.asFirewheelError?.description.contains(said) == true, "\(forwarded as Any)")
        }

        @Test("A credential that cannot be sent is an error, and nothing is sent with it")
        func unsendable() async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("*") { _ in MockResponse(status: 407, headers: [("Proxy-Authenticate", "Basic realm=\"p\"")]) }
            let session = session(server.port, nil)
            try session.credentials.set(username: "a:secret", password: "secret", for: "http://127.0.0.1:\(server.port)")
            let error = await session.request("http://a.invalid/").serializingString().response.error?.asFirewheelError
            #expect(error?.kind == .transportFailed(.resourceUnavailable))
            #expect(error?.description.contains("the challenge of the proxy http://127.0.0.1:\(server.port) cannot be answered") == true)
            #expect(error?.description.contains("secret") == false && server.requestCount == 1, "\(error as Any)")
        }
    }
#endif
