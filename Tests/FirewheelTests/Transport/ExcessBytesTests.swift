#if os(Linux)
    import Firewheel
    import FirewheelTesting
    import Foundation
    import Testing

    /// Bytes after the end of a message are not the next response, even if they look like one (RFC 9112 section 11.1, "response
    /// splitting").
    @Suite("Excess bytes after a response", .eachTransport, .timeLimit(.minutes(5)))
    struct ExcessBytesTests {
        private static let evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
        private static let good = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\ngood"
        /// A response as large as a read buffer often is, so that the excess bytes are not seen with it.
        private static let large = "HTTP/1.1 200 OK\r\nContent-Length: 16342\r\n\r\n" + String(repeating: "x", count: 16_342)

        /// Status, body, method and the bytes of the response.
        private static let responses: [(status: Int, body: String, method: HTTPMethod, text: String)] = [
            (204, "", .get, "HTTP/1.1 204 No Content\r\n\r\n"),
            (204, "", .get, "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello"),
            (204, "", .get, "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
            (304, "", .get, "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nhello"),
            (200, "", .head, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
            (200, "hello", .get, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
            (200, "hello", .get, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
            (200, String(repeating: "x", count: 16_342), .get, large),
        ]

        @Test(
            "Excess bytes after a response are not read as the next response, whether they come with it or later",
            arguments: 0..<responses.count,
            [false, true])
        func ignored(number: Int, later: Bool) async throws {
            let (status, body, method, text) = Self.responses[number]
            let first = later ? [text, Self.evil] : [text + Self.evil]
            // The server closes only once the response was read.
            let hasResponse = DispatchSemaphore(value: 0)
            let server = try RawServer([first, [Self.good]], ending: .stay, waitingFor: hasResponse)
            let session = Session.onTest(configuration: .with { $0.timeoutIntervalForRequest = 30 })
            let response = await session.request(server.url, method: method).raw()
            hasResponse.signal()
            #expect(response.kind == nil && response.statusCode == status)
            #expect(response.text == body)
            if later {
                // Once the next request is sent, excess bytes cannot be told from its response. Before that the loop sees them and closes.
                try await waitUntil("the end of the connection") { server.ended.count == 1 }
            }
            let next = await session.request(server.url).raw()
            #expect(next.text == "good", "\(String(describing: next.error))")
        }

        @Test("Excess bytes after a response are not read as the response of a queued request", arguments: 0..<responses.count)
        func queued(number: Int) async throws {
            let (status, _, method, text) = Self.responses[number]
            #expect(Self.large.utf8.count == 16_384)
            let server = try RawServer([[text + Self.evil], [Self.good]], ending: .stay)
            let session = Session.onTest(
                configuration: .with {
                    $0.timeoutIntervalForRequest = 30
                    $0.maximumConnectionsPerHost = 1
                })
            // Both are queued before the first is answered.
            let requests = [session.request(server.url, method: method).resume(), session.request(server.url).resume()]
            #expect(await requests[0].raw().statusCode == status)
            let next = await requests[1].raw()
            #expect(next.text == "good", "\(String(describing: next.error))")
        }

        /// A session with a request suspended once the server has received it, and another server whose responses show that the transport
        /// has processed earlier events.
        private final class Suspended: Sendable {
            let session = Session.onTest()
            let response = Journal<DataResponse<Data?>>()
            let request: DataRequest
            let connection: Int32
            private let server: HandServer
            private let other: MockServer

            init() async throws {
                let (server, other) = (try HandServer(), try MockServer())
                other.route("*") { _ in .text("other") }
                (self.server, self.other) = (server, other)
                request = session.request(server.url).response(queue: .global()) { [response] in response.add($0) }
                let accepted = Journal<Int32?>()
                await onThreads(1) { _ in accepted.add(try? server.accept().connection) }
                connection = try #require(accepted.entries[0])
                request.suspend()
                await answerOthers()
            }

            deinit { other.shutdown() }

            private func answerOthers() async {
                for _ in 0..<3 { #expect(await session.request(other.url()).raw().text == "other") }
            }

            /// Writes on its connection and lets the transport read.
            func write(_ text: String) async {
                await onThreads(1) { [server, connection] _ in server.write(text, to: connection) }
                await answerOthers()
            }

            /// The response to a next request, which is "good" on a connection of its own.
            func next() async -> String? {
                async let next = session.request(server.url).raw()
                await onThreads(1) { [server] _ in
                    guard let second = try? server.accept().connection else { return }
                    server.write(ExcessBytesTests.good, to: second)
                }
                return await next.text
            }

            /// Waits until the client has closed its connection.
            func isEnded() async -> Bool {
                let isEnded = Journal<Bool>()
                await onThreads(1) { [server, connection] _ in isEnded.add(server.isGone(connection)) }
                return isEnded.entries == [true]
            }
        }

        @Test("Excess bytes after a response held by a suspended request are not read as the next response")
        func besideHeld() async throws {
            let held = try await Suspended()
            await held.write("HTTP/1.1 204 No Content\r\n\r\n")
            await held.write(Self.evil)
            #expect(await held.next() == "good")
            #expect(held.response.count == 0)
            held.request.resume()
            #expect(try await held.response.wait(for: 1).map(\.statusCode) == [204])
        }

        @Test("Excess bytes after a response that was suspended halfway are not read as the next response")
        func behindHeld() async throws {
            let held = try await Suspended()
            let half = String(repeating: "x", count: 4_000)
            await held.write("HTTP/1.1 200 OK\r\nContent-Length: 8000\r\n\r\n" + half)
            await held.write(half)
            held.request.resume()
            #expect(try await held.response.wait(for: 1).map(\.data?.count) == [8_000])
            await held.write(Self.evil)
            #expect(await held.isEnded())
            #expect(await held.next() == "good")
        }
    }
#endif
