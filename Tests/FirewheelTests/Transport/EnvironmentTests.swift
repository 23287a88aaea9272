#if os(Linux)
    import Firewheel
    import FirewheelTesting
    import Foundation
    import Glibc
    import Testing

    /// The system's name resolution and proxies against what the URL says.
    @Suite("Host names and proxies of the system", .eachTransport, .timeLimit(.minutes(5)))
    struct EnvironmentTests {
        @Test("A host name with letters beyond ASCII is looked up and sent in ASCII form (RFC 5891 section 4)")
        func internationalHost() async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            server.route("*") { _ in .text("body") }
            // Names that begin with "fake-" resolve to this machine.
            let response = await once { $0.request("http://fake-idn.B\u{FC}cher.test:\(server.port)/x") }.response
            #expect(response.text == "body", "\(response)")
            #expect(try await server.takeRequest().header("Host") == "fake-idn.xn--bcher-kva.test:\(server.port)")
        }

        @Test("The proxies of the environment are used, as they are when the session is made")
        func proxies() async {
            await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                transport.adopt()
                ProcessFacts.giveUp(after: 150)
                for name in ["no_proxy", "NO_PROXY", "all_proxy", "ALL_PROXY", "https_proxy", "HTTPS_PROXY"] { unsetenv(name) }
                let (server, proxy) = (try MockServer(), try MockServer())
                defer {
                    server.shutdown()
                    proxy.shutdown()
                }
                server.route("*") { .text("\($0.target) by the server") }
                proxy.route("*") { .text("\($0.target) by the proxy") }
                // A client of a CGI program could set it.
                setenv("HTTP_PROXY", "http://127.0.0.1:\(proxy.port)", 1)
                let direct = await once { $0.request(server.url("/x")) }.response
                #expect(direct.text == "/x by the server", "\(direct)")
                setenv("http_proxy", "http://127.0.0.1:\(proxy.port)", 1)
                let proxied = await once { $0.request(server.url("/x")) }.response
                #expect(proxied.text == "\(server.url("/x")) by the proxy", "\(proxied)")
                setenv("no_proxy", "127.0.0.1", 1)
                let excepted = await once { $0.request(server.url("/x")) }.response
                #expect(excepted.text == "/x by the server", "\(excepted)")
                unsetenv("no_proxy")
                setenv("http_proxy", "gopher://ada:secret@127.0.0.1", 1)
                let refused = await once { $0.request(server.url("/x")) }.response.error?.asFirewheelError
                #expect(refused?.description.contains("the environment variable http_proxy is not the URL of a proxy") == true)
                #expect(refused?.description.contains("secret") == false)
                #expect(server.requestCount == 2)
            }
        }

        @Test("A session without a proxy does not heed the environment, where the transport can do so")
        func none() async {
            await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                transport.adopt()
                ProcessFacts.giveUp(after: 150)
                let closed = try BoundSocket(listening: false)
                setenv("http_proxy", "http://127.0.0.1:\(closed.port)", 1)
                unsetenv("no_proxy")
                unsetenv("NO_PROXY")
                let server = try MockServer()
                defer { server.shutdown() }
                server.route("*") { _ in .text("body") }
                var configuration = SessionConfiguration()
                configuration.proxy = .none
                let response = await once(configuration) { $0.request(server.url("/x")) }.response
                let isRefused = response.error?.asFirewheelError?.description.contains("cannot use a proxy of the session's own") == true
                #expect(response.text == "body" || "\(transport)" == "urlSession" && isRefused, "\(response)")
                withExtendedLifetime(closed) {}
            }
        }
    }
#endif
