#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Testing

    @testable import Firewheel

    /// Responses that are malformed or unusual, byte for byte.
    @Suite("Bad input on sockets", .timeLimit(.minutes(5)))
    struct BadInputTests {
        @Test(
            "A chunk size that is not one to sixteen hexadecimal digits of an Int64 is an error (RFC 9112 section 7.1)",
            arguments: ["0x2", "+2", "-2", "2.", "2 2", "", " 2", "g", "10000000000000000", "FFFFFFFFFFFFFFFF", "8000000000000000"])
        func chunkSizes(size: String) async throws {
            let server = try HandServer()
            let response = try await server.response { connection in
                server.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\nok\r\n0\r\n\r\n", to: connection)
            }
            #expect(response.kind == .transportFailed(.cannotParseResponse), "\(response)")
            #expect(response.data == nil)
        }

        @Test(
            "A folded Transfer-Encoding is joined, and its connection is used again (RFC 9112 section 5.2)",
            arguments: [
                "Transfer-Encoding:\r\n chunked", "Transfer-Encoding: identity,\r\n\tchunked", "Transfer-Encoding:\r\n \r\n  chunked",
            ])
        func foldedCoding(field: String) async throws {
            let server = try HandServer()
            let session = Session.onTest()
            let texts = Journal<String?>()
            let client = Task {
                for _ in 0..<2 { texts.add(await session.request(server.url).raw().text) }
            }
            await server.serve { connection in
                server.write("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n5\r\nhello\r\n0\r\n\r\n", to: connection)
                _ = try server.readPath(connection)
                server.answer("again", on: connection)
            }
            await client.value
            #expect(texts.entries == ["hello", "again"])
        }

        @Test("A status line of 1 MB is an error that names the limit")
        func statusLine() async throws {
            let server = try HandServer()
            let response = try await server.response { connection in
                server.write("HTTP/1.1 200 " + String(repeating: "a", count: 2_000_000), to: connection)
            }
            #expect(response.kind == .transportFailed(.cannotParseResponse))
            #expect(response.error.map { "\($0)" }?.contains("larger than") == true, "\(response)")
        }

        @Test("Of 100,000 interim responses only those within the limit of heads are taken", arguments: [false, true])
        func interim(isReported: Bool) async throws {
            let server = try HandServer()
            let recorder = InterimRecorder()
            let transport = TestTransport.current.make()
            let id = TransportTaskID(request: 1)
            var request = TransportRequest(id: id, method: .get, target: try #require(TargetURI(server.url)))
            request.reportsInterim = isReported
            transport.start(request, receiver: recorder)
            await server.serve { connection in
                let thousand = String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", count: 1_000)
                for _ in 0..<100 { server.write(thousand, to: connection) }
            }
            let result = try #require(try await recorder.results.wait(for: 1).first)
            guard case .failed(.cannotParseResponse, let text) = result.error else {
                Issue.record("\(String(describing: result.error))")
                return
            }
            #expect(text.contains("larger than"), "\(text)")
            #expect(isReported ? (1_000..<50_000).contains(recorder.interim.count) : recorder.interim.count == 0)
        }

        private final class InterimRecorder: TransportReceiver {
            let interim = Journal<Int>()
            let results = Journal<TransportResult>()

            func receive(_ events: [TransportEvent]) {
                for event in events {
                    switch event.kind {
                    case .interim(let head): interim.add(head.statusCode)
                    case .finished(let result): results.add(result)
                    default: break
                    }
                }
            }
        }

        @Test("Trailer fields come with the end, without those for framing and routing (RFC 9110 section 6.5.1)")
        func trailers() async throws {
            let server = try HandServer()
            let recorder = InterimRecorder()
            let transport = TestTransport.current.make()
            let request = TransportRequest(
                id: TransportTaskID(request: 1), method: .get, target: try #require(TargetURI(server.url)))
            transport.start(request, receiver: recorder)
            await server.serve { connection in
                server.write(
                    """
                    HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\
                    X-Sum: 1\r\nContent-Length: 99\r\nTransfer-Encoding: gzip\r\nTrailer: X\r\nHost: evil.test\r\nConnection: close\r\n\
                    Content-Encoding: gzip\r\nSet-Cookie: a=b\r\nAuthorization: x\r\nX-Sum: 2\r\n\r\n
                    """, to: connection)
            }
            let result = try #require(try await recorder.results.wait(for: 1).first)
            #expect(result.error == nil && result.body == Data("ok".utf8))
            #expect(result.trailers.map { "\($0.name): \($0.value)" } == ["X-Sum: 1", "X-Sum: 2"])
        }
    }
#endif
