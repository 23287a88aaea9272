#if os(Linux)
    import Firewheel
    import FirewheelTesting
    import Foundation
    import Testing

    /// Bytes after the end of a message are not the answer to the next request, even if they look like one (RFC 9112 section 11.1, "response splitting").
    @Suite("Bytes behind a response", .timeLimit(.minutes(5)))
    struct ExcessBytesTests {
        private static let evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
        private static let good = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\ngood"
        /// A response of 16 KiB, as much as libcurl reads at once, so that it does not see what comes behind.
        private static let large = "HTTP/1.1 200 OK\r\nContent-Length: 16342\r\n\r\n" + String(repeating: "x", count: 16_342)

        /// Status, body, method and the response with its end.
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
            "They come with the response, or a moment later, and the next request is answered by its own", arguments: 0..<responses.count,
            [false, true])
        func ignored(number: Int, later: Bool) async throws {
            let (status, body, method, text) = Self.responses[number]
            let first = later ? [text, Self.evil] : [text + Self.evil]
            let server = try RawServer([first, [Self.good]], ending: .stay)
            let session = Session(configuration: .with { $0.timeoutIntervalForRequest = 5 })
            let response = await session.request(server.url, method: method).raw()
            #expect(response.kind == nil && response.statusCode == status)
            #expect(response.text == body)
            if later {
                // What arrives when the next request is on its way nobody can tell from its answer: the loop sees it before, and closes.
                try await waitUntil("the end of the connection") { server.ended.count == 1 }
            }
            let next = await session.request(server.url).raw()
            #expect(next.text == "good", "\(String(describing: next.error))")
        }

        @Test("Nor are they the answer to a request that waits for the connection", arguments: 0..<responses.count)
        func queued(number: Int) async throws {
            let (status, _, method, text) = Self.responses[number]
            #expect(Self.large.utf8.count == 16_384)
            let server = try RawServer([[text + Self.evil], [Self.good]], ending: .stay)
            let session = Session(
                configuration: .with {
                    $0.timeoutIntervalForRequest = 5
                    $0.maximumConnectionsPerHost = 1
                })
            // Both are in the queue before the first is answered.
            let requests = [session.request(server.url, method: method).resume(), session.request(server.url).resume()]
            #expect(await requests[0].raw().statusCode == status)
            let next = await requests[1].raw()
            #expect(next.text == "good", "\(String(describing: next.error))")
        }

        @Test("Nor of one that starts while the request before it is suspended and its response held")
        func besideHeld() async throws {
            let other = try MockServer()
            defer { other.shutdown() }
            other.route("*") { _ in .text("other") }
            let server = try HandServer()
            let session = Session()
            let held = Journal<Int?>()
            let request = session.request(server.url).response(queue: .global()) { held.add($0.statusCode) }
            let journal = Journal<Int32?>()
            await onThreads(1) { _ in journal.add(try? server.accept().connection) }
            let connection = try #require(journal.entries[0])
            request.suspend()
            // The transport has been told when another request has been answered, and has taken in the response when others have.
            #expect(await session.request(other.url()).raw().text == "other")
            await onThreads(1) { _ in server.write("HTTP/1.1 204 No Content\r\n\r\n", to: connection) }
            for _ in 0..<3 { #expect(await session.request(other.url()).raw().text == "other") }
            await onThreads(1) { _ in server.write(Self.evil, to: connection) }
            for _ in 0..<3 { #expect(await session.request(other.url()).raw().text == "other") }

            async let next = session.request(server.url).raw()
            await onThreads(1) { _ in
                guard let second = try? server.accept().connection else { return }
                server.write(Self.good, to: second)
            }
            #expect(await next.text == "good")
            #expect(held.count == 0)
            request.resume()
            #expect(try await held.wait(for: 1) == [204])
        }

        @Test("Nor on a connection whose response was held up in the middle")
        func behindHeld() async throws {
            let other = try MockServer()
            defer { other.shutdown() }
            other.route("*") { _ in .text("other") }
            let server = try HandServer()
            let session = Session()
            let held = Journal<Int?>()
            let request = session.request(server.url).response(queue: .global()) { held.add($0.data?.count) }
            let journal = Journal<Int32?>()
            await onThreads(1) { _ in journal.add(try? server.accept().connection) }
            let connection = try #require(journal.entries[0])
            request.suspend()
            for part in [
                "HTTP/1.1 200 OK\r\nContent-Length: 8000\r\n\r\n" + String(repeating: "x", count: 4_000),
                String(repeating: "x", count: 4_000),
            ] {
                // The transport has been told, and has taken in what came before, when others have been answered.
                for _ in 0..<3 { #expect(await session.request(other.url()).raw().text == "other") }
                await onThreads(1) { _ in server.write(part, to: connection) }
            }
            for _ in 0..<3 { #expect(await session.request(other.url()).raw().text == "other") }
            request.resume()
            #expect(try await held.wait(for: 1) == [8_000])

            let isEnded = Journal<Bool>()
            await onThreads(1) { _ in
                server.write(Self.evil, to: connection)
                isEnded.add(server.isEnded(connection))
            }
            #expect(isEnded.entries == [true])
            async let next = session.request(server.url).raw()
            await onThreads(1) { _ in
                guard let second = try? server.accept().connection else { return }
                server.write(Self.good, to: second)
            }
            #expect(await next.text == "good")
        }
    }
#endif
