#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel
    @testable import FirewheelTesting

    /// http requests, which a proxy gets and sends on (RFC 9112 section 3.2.2).
    @Suite("http through a proxy", .timeLimit(.minutes(5)))
    struct ForwardProxyTests {
        /// A server that stands for a proxy.
        private func proxy() throws -> (MockServer, ProxyConfiguration) {
            let server = try MockServer()
            server.route("*") { .text("\($0.target) by the proxy") }
            return (server, .http(host: "127.0.0.1", port: server.port))
        }

        @Test("The proxy gets the whole URL, the server's name in Host, and no Proxy-Connection")
        func absoluteForm() async throws {
            let (server, proxy) = try proxy()
            defer { server.shutdown() }
            let session = ProxyBench.session(proxy)
            // Nobody here knows the name: it is the proxy's business.
            let response = await session.request("http://nowhere.invalid:8080/a?b=c#d", headers: ["X-Own": "1"]).serializingString()
                .response
            #expect(response.value == "http://nowhere.invalid:8080/a?b=c by the proxy", "\(response)")
            let request = try await server.takeRequest()
            #expect(request.header("Host") == "nowhere.invalid:8080" && request.header("X-Own") == "1")
            #expect(request.header("Proxy-Connection") == nil && request.header("Proxy-Authorization") == nil)
            let hop = try #require(response.metrics?.transactionMetrics.first)
            #expect(hop.isProxyConnection == true && hop.remotePort == server.port)
            #expect(hop.proxyConnectStartDate == nil && hop.proxyConnectEndDate == nil && hop.domainLookupStartDate == nil)
        }

        @Test("IPv6 hosts have brackets, and no zone")
        func addresses() async throws {
            let (server, proxy) = try proxy()
            defer { server.shutdown() }
            let session = ProxyBench.session(proxy)
            for (url, target, host) in [
                ("http://[2001:db8::1]/a", "http://[2001:db8::1]/a", "[2001:db8::1]"),
                ("http://[2001:db8::1]:81/", "http://[2001:db8::1]:81/", "[2001:db8::1]:81"),
                ("http://[fe80::1%25lo]/", "http://[fe80::1]/", "[fe80::1]"),
            ] {
                #expect(await session.request(url).serializingString().response.value == "\(target) by the proxy")
                #expect(try await server.takeRequest().header("Host") == host)
            }
        }

        @Test("Requests to different servers share the proxy's connections, and those with another proxy do not")
        func sharing() async throws {
            let (server, proxy) = try proxy()
            let (other, otherProxy) = try self.proxy()
            defer {
                server.shutdown()
                other.shutdown()
            }
            let transport = SocketTransport()
            let session = { (proxy: ProxyConfiguration) in
                var configuration = SessionConfiguration()
                configuration.proxy = proxy
                return Session(configuration: configuration, transport: transport)
            }
            let (one, two) = (session(proxy), session(otherProxy))
            for name in ["a", "b", "c"] {
                let response = await one.request("http://\(name).invalid/").serializingString().response
                #expect(response.metrics?.transactionMetrics.first?.isReusedConnection == (name != "a"), "\(response)")
                #expect(await two.request("http://\(name).invalid/").serializingString().response.error == nil)
            }
            #expect(server.connectionCount == 1 && other.connectionCount == 1)
            let credential = URLCredential(user: "ada", password: "p", persistence: .none)
            let three = session(.http(host: "127.0.0.1", port: server.port, credential: credential))
            #expect(await three.request("http://a.invalid/").serializingString().response.error == nil)
            #expect(server.connectionCount == 2)
        }

        @Test("A server is not reached through a connection to a proxy that is the same server, nor the other way round")
        func proxyIsTheServer() async throws {
            let (server, proxy) = try proxy()
            defer { server.shutdown() }
            let transport = SocketTransport()
            var configuration = SessionConfiguration()
            configuration.proxy = proxy
            let url = "http://127.0.0.1:\(server.port)/x"
            let proxied = await Session(configuration: configuration, transport: transport).request(url).serializingString().response
            #expect(proxied.value == "\(url) by the proxy")
            configuration.proxy = .none
            let direct = await Session(configuration: configuration, transport: transport).request(url).serializingString().response
            #expect(direct.value == "/x by the proxy" && direct.metrics?.transactionMetrics.first?.isProxyConnection == false)
            #expect(server.connectionCount == 2)
        }

        @Test(
            "Credentials are sent as Basic with every request, also with colons and letters beyond ASCII, and not to servers"
        )
        func credentials() async throws {
            let (server, _) = try proxy()
            let origin = try MockServer()
            defer {
                server.shutdown()
                origin.shutdown()
            }
            origin.route("*") { _ in .text("direct") }
            let credential = URLCredential(user: "ädä", password: "p:a ß@s", persistence: .none)
            let session = ProxyBench.session(.http(host: "127.0.0.1", port: server.port, credential: credential, bypass: ["127.0.0.1"]))
            for _ in 0..<2 {
                _ = await session.request("http://a.invalid/").serializingString().response
                let sent = try await server.takeRequest().header("Proxy-Authorization")
                #expect(sent == "Basic " + Data("ädä:p:a ß@s".utf8).base64EncodedString())
            }
            #expect(await session.request("http://127.0.0.1:\(origin.port)/").serializingString().response.value == "direct")
            #expect(try await origin.takeRequest().header("Proxy-Authorization") == nil)
        }

        @Test("Proxy-Authorization of the caller's own goes to the proxy, and to no server; Proxy-Connection goes to nobody")
        func fieldsOfProxies() async throws {
            let (server, proxy) = try proxy()
            let bench = try TrustBench()
            let tunnel = try TestProxy()
            defer {
                tunnel.stop()
                bench.stop()
                server.shutdown()
            }
            let fields: HTTPHeaders = ["Proxy-Authorization": "Bearer secret", "Proxy-Connection": "keep-alive", "X-Own": "1"]
            _ = await ProxyBench.session(proxy).request("http://a.invalid/", headers: fields).serializingString().response
            let proxied = try await server.takeRequest()
            #expect(proxied.headerValues("Proxy-Authorization") == ["Bearer secret"] && proxied.header("Proxy-Connection") == nil)
            _ = await ProxyBench.session(.none).request(server.url("/"), headers: fields).serializingString().response
            let direct = try await server.takeRequest()
            #expect(
                direct.header("Proxy-Authorization") == nil && direct.header("Proxy-Connection") == nil && direct.header("X-Own") == "1")
            let session = ProxyBench.session(tunnel.configuration) {
                $0.tls.authorities = .only([bench.authority.root.certificate])
            }
            #expect(await session.request(bench.url("/x"), headers: fields).serializingString().response.value == "/x")
            let tunneled = try await bench.server.takeRequest()
            #expect(tunneled.header("Proxy-Authorization") == nil && tunneled.header("X-Own") == "1")
            #expect(tunnel.heads.first?.contains("\r\nProxy-Authorization: Bearer secret\r\n") == true)
        }

        @Test("A 407 without credentials is the response")
        func unauthorized() async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("*") { _ in .text("who are you?", status: 407, headers: [("Proxy-Authenticate", "Basic realm=\"proxy\"")]) }
            let session = ProxyBench.session(.http(host: "127.0.0.1", port: server.port))
            let response = await session.request("http://a.invalid/").serializingString().response
            #expect(response.response?.statusCode == 407 && response.value == "who are you?", "\(response)")
        }

        @Test("A body, a redirect to a server without a proxy, and a request without one in between")
        func bodiesAndRedirects() async throws {
            let (server, _) = try proxy()
            let origin = try MockServer()
            defer {
                server.shutdown()
                origin.shutdown()
            }
            origin.route("*") { .text("\($0.method) \($0.target) \($0.bodyText)") }
            server.route("http://a.invalid/*") { _ in .redirect(to: "http://127.0.0.1:\(origin.port)/b", status: 307) }
            let session = ProxyBench.session(.http(host: "127.0.0.1", port: server.port, bypass: ["127.0.0.0/8"]))
            let response = await session.upload(Data("body".utf8), to: "http://a.invalid/a").serializingString().response
            #expect(response.value == "POST /b body", "\(response)")
            #expect(try await server.takeRequest().bodyText == "body")
            #expect(response.metrics?.transactionMetrics.map(\.isProxyConnection) == [true, false])
        }

        @Test("Whether the proxy or its name cannot be reached, the error says that it is the proxy")
        func unreachable() async throws {
            let closed = try BoundSocket(listening: false)
            let session = ProxyBench.session(.http(host: "127.0.0.1", port: closed.port))
            for url in ["http://a.invalid/", "https://a.invalid/"] {
                let error = await session.request(url).serializingString().response.error?.asFirewheelError
                #expect(error?.kind == .transportFailed(.cannotConnectToHost))
                #expect(
                    error?.description.contains("cannot connect to the proxy http://127.0.0.1:\(closed.port): connection refused") == true,
                    "\(error as Any)")
            }
            let unknown = await ProxyBench.session(.http(host: "-nowhere.invalid", port: 1)).request("http://127.0.0.1/")
                .serializingString().response.error?.asFirewheelError
            #expect(unknown?.kind == .transportFailed(.cannotFindHost))
            #expect(
                unknown?.description.contains("to the proxy http://-nowhere.invalid:1: cannot find host \"-nowhere.invalid\"") == true)
            withExtendedLifetime(closed) {}
        }

        @Test(
            "A failure of a request that the proxy has got says that it was connected to",
            arguments: [
                ("", URLError.Code.networkConnectionLost, "closed the connection without a response"),
                ("SSH-2.0-OpenSSH\r\n", .cannotParseResponse, "is not HTTP"),
                ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", .networkConnectionLost, "the body ended 6 bytes early"),
                ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", .timedOut, "no byte for 0.3 s"),
            ])
        func failures(answer: String, code: URLError.Code, words: String) async throws {
            let isSilent = code == .timedOut
            let server = try RawServer([[answer]], ending: isSilent ? .stay : .close)
            let session = ProxyBench.session(.http(host: "127.0.0.1", port: server.port)) {
                $0.connectTimeout = 20
                if isSilent { $0.timeoutIntervalForRequest = 0.3 }
            }
            let response = await session.request("http://a.test/").raw()
            #expect(response.kind == .transportFailed(code), "\(response)")
            #expect(response.words.contains(words), "\(response.words)")
            #expect(response.words.hasSuffix(" (connected to the proxy http://127.0.0.1:\(server.port))"), "\(response.words)")
        }

        @Test("A proxy over TLS: it is verified by the session's tls, and gets the request as any other")
        func secureProxy() async throws {
            let (server, _) = try proxy()
            let authority = try TestAuthority()
            let front = try TLSFront(to: server.port, identity: authority.identity(addresses: ["127.0.0.1"]))
            defer {
                front.stop()
                server.shutdown()
            }
            let session = ProxyBench.session(.https(host: "127.0.0.1", port: front.port)) {
                $0.tls.authorities = .only([authority.root.certificate])
            }
            let response = await session.request("http://a.invalid/x").serializingString().response
            #expect(response.value == "http://a.invalid/x by the proxy", "\(response)")
            let hop = try #require(response.metrics?.transactionMetrics.first)
            #expect(hop.isProxyConnection == true && hop.proxyConnectStartDate != nil && hop.proxyConnectEndDate != nil)
            #expect(hop.negotiatedTLSProtocolVersion == nil && hop.peerCertificateChain.isEmpty)
            let untrusting = ProxyBench.session(.https(host: "127.0.0.1", port: front.port)) {
                $0.tls.authorities = .only([])
            }
            let refused = await untrusting.request("http://a.invalid/x").serializingString().response.error?.asFirewheelError
            #expect(refused?.description.contains("tls.authorities is empty") == true, "\(refused as Any)")
            let other = try TestAuthority()
            let stranger = ProxyBench.session(.https(host: "127.0.0.1", port: front.port)) {
                $0.tls.authorities = .only([other.root.certificate])
            }
            let unknown = await stranger.request("http://a.invalid/x").serializingString().response.error?.asFirewheelError
            #expect(unknown?.isServerTrustEvaluationError == true)
            #expect(
                unknown?.description.contains("cannot connect to the proxy https://127.0.0.1:\(front.port): ") == true, "\(unknown as Any)")
            #expect(server.requestCount == 1)
        }

        @Test("What is not valid in the session's proxy makes requests fail, and nothing is sent around it")
        func invalid() async throws {
            let origin = try MockServer()
            defer { origin.shutdown() }
            for (proxy, words) in [
                (ProxyConfiguration.http(host: "", port: 1), "there is no host"), (.http(host: "a", port: 0), "the port 0 is not"),
                (.https(host: "a b", port: 1), "\"a b\" is not the name"),
                (.http(host: "http://ada:secret@a", port: 1), "its host is not the name"),
                (.http(host: "a", port: 1, bypass: ["10.0.0.0/99"]), "the entry \"10.0.0.0/99\" of the proxy's bypass"),
                (.http(host: "a", port: 1, credential: URLCredential(user: "a:b", password: "", persistence: .none)), "has a colon"),
            ] {
                let error = await ProxyBench.session(proxy).request(origin.url("/")).serializingString().response.error?.asFirewheelError
                #expect(error?.kind == .transportFailed(.resourceUnavailable))
                #expect(error?.description.contains(words) == true, "\(error as Any)")
            }
            #expect(origin.connectionCount == 0)
        }

        @Test("The description of a configuration shows no credential")
        func secrets() {
            let credential = URLCredential(user: "ada", password: "secret", persistence: .none)
            var configuration = SessionConfiguration()
            configuration.proxy = .http(host: "proxy.example.com", port: 3128, credential: credential, bypass: ["a.test"])
            var dumped = "\(configuration)"
            dump(configuration, to: &dumped)
            configuration.proxy = .http(host: "http://ada:secret@proxy.example.com", port: 3128)
            dumped += "\(configuration)"
            configuration.proxy = .http(host: "proxy.example.com", port: 3128, bypass: ["ada:secret@a.test"])
            dumped += "\(configuration)"
            #expect(dumped.contains("http://<redacted>@proxy.example.com:3128 except a.test"))
            #expect(!dumped.contains("secret") && !dumped.contains("ada"), "\(dumped)")
        }
    }
#endif
