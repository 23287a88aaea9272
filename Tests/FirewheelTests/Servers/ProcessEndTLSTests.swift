#if os(Linux)
    import Firewheel
    import Foundation
    import Glibc
    import Testing

    /// `ProcessEndTests` with TLS: OpenSSL frees its state in `exit`, while other threads still run.
    @Suite("Process exit with TLS", .needs(.tls), .serialized, .timeLimit(.minutes(5)))
    struct ProcessEndTLSTests {
        @Test("exit() during TLS requests ends the process with its exit code", arguments: 0..<20)
        func exits(round: Int) async {
            await #expect(processExitsWith: .exitCode(7)) {
                ProcessFacts.giveUp(after: 200)
                var generator = SeededGenerator(state: UInt64(getpid()))
                var sessions: [Session] = []
                for server in [TestServer.tls, .tlsHTTP1, .tls] {
                    let session = try server.session()
                    sessions.append(session)
                    for path in ["/big", "/slow/lines", "/echo-method", "/big"] {
                        for _ in 0..<6 { session.request(try server.url(path)).responseData(queue: .global()) { _ in } }
                        session.request(try server.url(path)).responseData(queue: .global()) { _ in }.suspend()
                    }
                }
                usleep(UInt32.random(in: 0..<200_000, using: &generator))
                withExtendedLifetime(sessions) { exit(7) }
            }
        }

        @Test("A TLS server that goes away during an upload does not end the process by SIGPIPE")
        func brokenPipe() async {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 200)
                signal(SIGPIPE, SIG_DFL)
                let session = try TestServer.tlsHTTP1.session()
                let body = pattern(20_000_000)
                for _ in 0..<20 {
                    let response = try await session.sending(body, to: TestServer.tlsHTTP1.url("/close")).raw()
                    #expect(response.kind == .transportFailed(.networkConnectionLost), "\(response)")
                }
            }
        }
    }
#endif
