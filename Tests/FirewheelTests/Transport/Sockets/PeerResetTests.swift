#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Testing

    @testable import Firewheel

    /// A peer that resets the connection at each state of an exchange.
    @Suite("Resets on sockets", .timeLimit(.minutes(5)))
    struct PeerResetTests {
        /// What the server has sent when it resets.
        private static let beginnings = [
            "", "HTTP", "HTTP/1.1 200 O", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nX-A: b\r\n\r", "HTTP/1.1 103 Early Hints\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
            // The body goes on to the end of the connection, which a reset is not.
            "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\nhello",
            chunked, chunked + "5", chunked + "5\r\n", chunked + "5;a=b", chunked + "5\r\nhel", chunked + "5\r\nhello",
            chunked + "5\r\nhello\r\n", chunked + "5\r\nhello\r\n0", chunked + "5\r\nhello\r\n0\r\n",
            chunked + "5\r\nhello\r\n0\r\nX-A: b\r\n",
        ]
        private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

        @Test("A reset before the end of the response is networkConnectionLost, and the request is not repeated", arguments: beginnings)
        func inResponse(beginning: String) async throws {
            let server = try HandServer()
            let response = try await server.response { connection in
                if !beginning.isEmpty { server.write(beginning, to: connection) }
                server.reset(connection)
            }
            #expect(response.kind == .transportFailed(.networkConnectionLost), "\(response)")
            // Of a body without an end of its own it is not certain that something is missing.
            let words = beginning.contains("OK\r\n\r\n") && !beginning.contains("-") ? "the connection was cut" : "connection reset"
            #expect(response.error.map { "\($0)" }?.contains(words) == true, "\(response)")
        }

        @Test("A reset behind the response does not touch it, nor the next request")
        func behindResponse() async throws {
            let server = try HandServer()
            let session = Session.onTest()
            let texts = Journal<String?>()
            let client = Task {
                for _ in 0..<5 { texts.add(await session.request(server.url).raw().text) }
            }
            await onThreads(1) { _ in
                do {
                    for number in 0..<5 {
                        let connection = try server.accept().connection
                        server.answer("\(number)", on: connection)
                        server.reset(connection)
                    }
                } catch {
                    Issue.record(error)
                }
            }
            await client.value
            #expect(texts.entries == ["0", "1", "2", "3", "4"])
        }

        @Test("A reset during an upload is an error, unless the whole response has come before it")
        func inUpload() async throws {
            for (answer, text) in [
                ("", nil), ("HTTP/1.1 413 Too Large\r\nContent-Length: 5\r\n\r\nlarge", "large"),
                ("HTTP/1.1 413 Too Large\r\nContent-Length: 5\r\n\r\nlar", nil), ("HTTP/1.1 200 OK\r\n\r\npart", nil),
                ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart\r\n", nil),
            ] as [(String, String?)] {
                let server = try HandServer()
                let response = try await server.response(upload: pattern(30_000_000)) { connection in
                    if !answer.isEmpty { server.write(answer, to: connection) }
                    server.reset(connection)
                }
                #expect(response.text == text, "\(answer): \(response)")
                if text == nil { #expect(response.kind == .transportFailed(.networkConnectionLost), "\(answer): \(response)") }
            }
        }

        @Test("A kept connection that is reset before the response is replaced for a GET")
        func kept() async throws {
            let server = try HandServer()
            let session = Session.onTest()
            let texts = Journal<String?>()
            let client = Task {
                for _ in 0..<2 { texts.add(await session.request(server.url).raw().text) }
            }
            await onThreads(1) { _ in
                do {
                    let first = try server.accept().connection
                    server.answer("first", on: first)
                    _ = try server.readPath(first)
                    server.reset(first)
                    server.answer("second", on: try server.accept().connection)
                } catch {
                    Issue.record(error)
                }
            }
            await client.value
            #expect(texts.entries == ["first", "second"])
        }
    }
#endif
