#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Glibc
    import Testing

    @testable import Firewheel

    /// Idle timeouts count bytes, not lines, chunks or pieces.
    @Suite("Slow peers on sockets", .timeLimit(.minutes(5)))
    struct SlowPeerTests {
        private static let idleTimeout = 5.0

        /// Where single bytes come, `~` stands for many of them.
        private static let messages: [(text: String, body: String)] = [
            ("HTTP/1.1 200 ~\r\nContent-Length: 2\r\n\r\nok", "ok"),
            ("HTTP/1.1 200 OK\r\nX-Slow: ~\r\nContent-Length: 2\r\n\r\nok", "ok"),
            ("HTTP/1.1 103 Early\r\nX-Slow: ~\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "ok"),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;~\r\nok\r\n0\r\n\r\n", "ok"),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Slow: ~\r\n\r\n", "ok"),
            ("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n~", String(repeating: "x", count: slowBytes)),
        ]
        private static let slowBytes = 60

        @Test("A response of which a byte comes now and then is not idle, whatever its parts")
        func trickle() async throws { try await atOnce(Self.messages, trickle) }

        @Sendable private func trickle(text: String, body: String) async throws {
            let server = try HandServer()
            let response = try await server.response(.with { $0.timeoutIntervalForRequest = Self.idleTimeout }) { connection in
                let parts = text.split(separator: "~", omittingEmptySubsequences: false)
                server.write(String(parts[0]), to: connection)
                // Together more than the idle timeout.
                for _ in 0..<Self.slowBytes {
                    usleep(100_000)
                    server.write("x", to: connection)
                }
                if !parts[1].isEmpty { server.write(String(parts[1]), to: connection) }
                server.end(connection)
            }
            #expect(response.text == body, "\(response)")
        }

        @Test("A response that stops for the idle timeout has timed out, wherever it does")
        func stall() async throws { try await atOnce(Self.messages.map(\.text), stall) }

        @Sendable private func stall(text: String) async throws {
            let server = try HandServer()
            let response = try await server.response(.with { $0.timeoutIntervalForRequest = 1.5 }) { connection in
                server.write(String(text.prefix { $0 != "~" }) + "x", to: connection)
                // A reset on a busy machine, where the bytes come after the time.
                #expect(server.isGone(connection))
            }
            #expect(response.kind == .transportFailed(.timedOut), "\(response)")
        }

        @Test("An upload that the server reads slowly is not idle while the system still has bytes to send")
        func slowReader() async throws {
            // A small window, so that the bytes stay at this end.
            let server = try HandServer(receiveBuffer: 65_536)
            let body = pattern(2_000_000)
            let response = try await server.response(.with { $0.timeoutIntervalForRequest = Self.idleTimeout }, upload: body) {
                connection in
                var rest = body.count
                while rest > 0 {
                    usleep(120_000)
                    rest -= try server.readSome(min(rest, 40_000), from: connection)
                }
                server.answer("done", on: connection)
            }
            #expect(response.text == "done", "\(response)")
        }

        @Test("An upload that the server does not read is cancelled at once")
        func cancelledUpload() async throws {
            let server = try HandServer()
            let session = Session.onTest()
            let request = try session.sending(pattern(30_000_000), to: server.url).resume()
            await onThreads(1) { _ in
                do {
                    let connection = try server.acceptConnection()
                    request.cancel()
                    #expect(server.isGone(connection))
                } catch {
                    Issue.record(error)
                }
            }
            #expect(await request.raw().kind == .explicitlyCancelled)
        }
    }
#endif
