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

        @Test("The proxies of the environment are not used")
        func proxies() async {
            await #expect(processExitsWith: .success) { [transport = TestTransport.current as TestTransport] in
                transport.adopt()
                ProcessFacts.giveUp(after: 150)
                let closed = try BoundSocket(listening: false)
                for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
                    setenv(name, "http://127.0.0.1:\(closed.port)", 1)
                }
                unsetenv("no_proxy")
                unsetenv("NO_PROXY")
                let server = try MockServer()
                defer { server.shutdown() }
                server.route("*") { _ in .text("body") }
                let response = await once { $0.request(server.url("/x")) }.response
                #expect(response.text == "body", "\(response)")
                #expect(try await server.takeRequest().target == "/x")
                withExtendedLifetime(closed) {}
            }
        }
    }
#endif
