#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// The credentials of proxies, as ``SecretsTests`` has other secrets.
    @Suite("Credentials of proxies are never printed or sent to servers", .timeLimit(.minutes(5)))
    struct ProxySecretsTests {
        /// The values of a field in the heads of requests.
        private func values(_ field: String, in heads: [String]) -> Set<String> {
            let name = "\(field): "
            return Set(
                heads.flatMap { $0.components(separatedBy: "\r\n") }.filter { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count)) })
        }

        /// Answers CONNECT as the path of this suite's servers is answered.
        private static func connect(_ head: String, _ digest: DigestServer?) -> TestProxy.Answer {
            let lines = head.components(separatedBy: "\r\n")
            let target = lines[0].split(separator: " ").dropFirst().first.map(String.init) ?? ""
            let field = lines.first { $0.hasPrefix("Proxy-Authorization: ") }.map { String($0.dropFirst(21)) }
            guard let digest else {
                return field == nil
                    ? .bytes(
                        "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"\(Secret.realm)\"\r\nContent-Length: 0\r\n\r\n", closes: false
                    )
                    : .connect()
            }
            let given = field?.hasPrefix("Basic ") == true ? nil : field
            guard case .accepted = digest.judge(method: "CONNECT", target: target, authorization: given, body: Data()) else {
                let challenges = digest.challenges(stale: false).map { "Proxy-Authenticate: \($0)\r\n" }.joined()
                return .bytes("HTTP/1.1 407 No\r\n\(challenges)Content-Length: 0\r\n\r\n", closes: false)
            }
            return .connect()
        }

        @Test("No credential of a proxy is printed, nor sent to a server or in a redirect, right or wrong", arguments: [false, true])
        func credentials(isDigest: Bool) async throws {
            try await SecretsBench.run(sent: []) { bench in
                let users = [Secret.user: Secret.password]
                let digest = isDigest ? DigestServer(users: users, .init(realm: Secret.realm, sendsResponseAuth: true)) : nil
                let (secure, forward, tunnel) = (try TrustBench(), try MockServer(), try TestProxy { Self.connect($0, digest) })
                defer {
                    tunnel.stop()
                    forward.shutdown()
                    secure.stop()
                }
                let away = bench.away("/there")
                let awayPort = try #require(URL(string: away)?.port)
                secure.server.route("*") { .redirect(to: $0.path == "/go" ? away : "/there") }
                forward.route("*") { request in
                    let response = MockResponse.redirect(to: request.target.hasSuffix("/go") ? away : request.target + "/go")
                    if let digest { return digest.answer(request, isProxy: true) { _ in response } }
                    let isGiven = request.header("Proxy-Authorization") != nil
                    return isGiven
                        ? response : .text("no", status: 407, headers: [("Proxy-Authenticate", "Basic realm=\"\(Secret.realm)\"")])
                }
                var proxied: Set<String> = []
                for password in [Secret.password, Secret.wrongPassword] {
                    let credential = URLCredential(user: Secret.user, password: password, persistence: .none)
                    for (port, url) in [(forward.port, "http://nowhere.invalid/x"), (tunnel.port, secure.url("/go"))] {
                        for isOwn in [false, true] {
                            var configuration = try secure.configuration()
                            // The other origin, but not the secure server, which has the same name.
                            let bypass = ["localhost:\(awayPort)"]
                            configuration.proxy = .http(host: "127.0.0.1", port: port, credential: isOwn ? credential : nil, bypass: bypass)
                            let session = bench.session(configuration)
                            if !isOwn {
                                let proxy = "http://127.0.0.1:\(port)"
                                try session.credentials.set(username: Secret.user, password: password, for: proxy)
                            }
                            for _ in 0..<2 {
                                await bench.end(session.request(url))
                                await bench.end(session.request(url).validate())
                                session.closeIdleConnections()
                            }
                            await bench.end(session.download(url))
                            bench.add(session)
                            // A credential that cannot be sent.
                            let odd = "\(Secret.key)\r\n"
                            try session.credentials.set(username: "a:\(Secret.key)", password: odd, for: "http://127.0.0.1:\(port)")
                            await bench.end(session.request(url))
                        }
                    }
                }
                proxied.formUnion(values("Proxy-Authorization", in: tunnel.heads))
                let forwarded = try await forward.takeRequests(forward.requestCount)
                proxied.formUnion(forwarded.flatMap { $0.headerValues("Proxy-Authorization") })
                #expect(proxied.count >= (isDigest ? 8 : 2))
                #expect(bench.awayCount > 0 && secure.server.requestCount > 0)
                for request in try await secure.server.takeRequests(secure.server.requestCount) {
                    let text = String(decoding: request.head + request.body, as: UTF8.self)
                    #expect(Secret.found(in: text, others: proxied).isEmpty && !text.contains("Proxy-Auth"), "\(text)")
                }
                let all = bench.printed.all.keys.joined(separator: "\n")
                #expect(Secret.found(in: all, others: proxied).isEmpty)
            }
        }

        @Test(
            "Nor through a proxy over TLS, a SOCKS proxy or one that a closure returns, over HTTP/2 or in a redirect to https",
            arguments: [false, true])
        func otherWays(isMultiplexed: Bool) async throws {
            try await SecretsBench.run(sent: []) { bench in
                let server = try TrustBench(isMultiplexed: isMultiplexed)
                let target = server.url("/there")
                let tunnel = try TestProxy { head in
                    guard head.hasPrefix("CONNECT ") else {
                        return .bytes("HTTP/1.1 302 Found\r\nLocation: \(target)\r\nContent-Length: 0\r\n\r\n", closes: false)
                    }
                    return Self.connect(head, nil)
                }
                let authority = try TestAuthority(commonName: "Proxies")
                let front = try TLSFront(to: tunnel.port, identity: authority.identity(addresses: ["127.0.0.1"]))
                let socks = try TestSOCKSProxy(users: [Secret.user: Secret.password])
                defer {
                    socks.stop()
                    front.stop()
                    tunnel.stop()
                    server.stop()
                }
                server.server.route("*") { $0.path == "/go" ? .redirect(to: "/there") : .text("there") }
                for password in [Secret.password, Secret.wrongPassword] {
                    let credential = URLCredential(user: Secret.user, password: password, persistence: .none)
                    let plain = ProxyConfiguration.http(host: "127.0.0.1", port: tunnel.port, credential: credential)
                    for proxy in [
                        plain, .https(host: "127.0.0.1", port: front.port, credential: credential),
                        .socks5(host: "127.0.0.1", port: socks.port, credential: credential), .custom { _ in plain },
                    ] {
                        var configuration = try server.configuration()
                        configuration.tls.authorities = .only([server.authority.root.certificate, authority.root.certificate])
                        configuration.proxy = proxy
                        let session = bench.session(configuration)
                        await bench.end(session.request(server.url("/go")))
                        await bench.end(session.download(server.url("/go")))
                        if case .socks5 = proxy {} else { await bench.end(session.request("http://nowhere.invalid/x")) }
                        bench.add(session)
                    }
                }
                #expect(socks.asked.contains { $0.password == Secret.password })
                let proxied = values("Proxy-Authorization", in: tunnel.heads)
                #expect(proxied.count == 2)
                let requests = try await server.server.takeRequests(server.server.requestCount)
                #expect(requests.contains { $0.path == "/there" })
                for request in requests {
                    let text = String(decoding: request.head + request.body, as: UTF8.self)
                    #expect(Secret.found(in: text, others: proxied).isEmpty && !text.lowercased().contains("proxy-auth"), "\(text)")
                }
                #expect(Secret.found(in: bench.printed.all.keys.joined(separator: "\n"), others: proxied).isEmpty)
            }
        }

        @Test("No credential that is written where only a host may be is printed")
        func misplaced() async throws {
            let printed = Printed()
            let written = "\(Secret.user):\(Secret.key)@a.test"
            let identity = try ClientFixtures.identity()
            for change in [
                { $0.proxy = .http(host: "127.0.0.1", port: 1, bypass: [written]) }, { $0.proxy = .socks4a(host: written, port: 1) },
                { $0.proxy = .https(host: "127.0.0.1", port: 1, bypass: ["https://\(written)/"]) },
                { $0.proxy = .http(host: "127.0.0.1", port: 1, bypass: ["\(Secret.key),\(Secret.key) a:\(Secret.key)@a.test"]) },
                { $0.tls.identities = [written: identity] }, { $0.tls.identities = ["https://\(written)": identity] },
                { $0.hosts = [written: "a.test"] },
            ] as [(inout SessionConfiguration) -> Void] {
                var configuration = SessionConfiguration()
                change(&configuration)
                printed.add("a configuration", configuration)
                let response = await Session(configuration: configuration).request("https://b.test/").raw()
                #expect(response.kind == .transportFailed(.resourceUnavailable), "\(response)")
                if let error = response.error { printed.add("an error", error: error) }
            }
            let manager = ServerTrustManager(evaluators: [written: DisabledTrustEvaluator()])
            #expect(manager.problem?.contains("<redacted>@a.test") == true)
            printed.add("a problem", manager.problem ?? "")
            printed.add("a warning", manager.warning ?? "")
            for (text, name) in printed.all { #expect(Secret.found(in: text).isEmpty, "\(name): \(text)") }
        }

        @Test("No credential of a variable that is not a proxy's URL is printed")
        func variables() throws {
            let printed = Printed()
            let origin = try #require(TargetURI("http://a.test/")).origin
            for value in [
                "http://\(Secret.user):\(Secret.encodedPassword)@proxy.test:99999", "ftp://\(Secret.user):\(Secret.encodedPassword)@a",
                "http://\(Secret.user):\(Secret.word)%zz@a", "http://a b:\(Secret.key)@c d", "\(Secret.password)://a",
                "http://x:\(Secret.key)", "http://\(Secret.user):12/\(Secret.key)@proxy.test:3128",
                "http://\(Secret.key)#\(Secret.key)@proxy.test:3128",
                "http://\(Secret.user):\(Secret.encodedPassword)@proxy.test:3128",
            ] {
                let rules = ProxyRules(environment: { $0 == "all_proxy" ? value : nil })
                let proxy = try #require(rules.proxy(for: origin))
                printed.add("rules", rules)
                printed.add("a proxy", proxy)
                if let server = proxy.server { printed.add("a server", server.description) }
                printed.add("a problem", proxy.problem ?? "")
            }
            for (text, name) in printed.all { #expect(Secret.found(in: text).isEmpty, "\(name): \(text)") }
        }
    }
#endif
