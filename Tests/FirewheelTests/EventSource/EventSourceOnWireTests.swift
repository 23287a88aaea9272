#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Testing

    @testable import Firewheel

    /// Event sources over HTTP/1.1, TLS and HTTP/2.
    @Suite(
        TransportTrait(transports: [.sockets, .secureSockets, .multiplexedSockets]), .needsTLSServer, .needsHTTP2Server,
        .timeLimit(.minutes(5)))
    struct EventSourceOnWireTests {
        /// Streams that end, break off, and are reset.
        @Test(arguments: [true, false])
        func everyEventComesOnce(withHandler: Bool) async throws {
            let bench = try EventBench()
            bench.server.route("/", method: "POST") { request in
                guard request.bodyText == "ask" else { return .text("no", status: 400) }
                let last = request.header("Last-Event-ID").flatMap { Int($0) } ?? 0
                guard last < 12 else { return .status(204) }
                let stream = (last + 1...last + 3).map { "id: \($0)\ndata: \($0)\n\n" }.joined() + "id: lost\ndata: lost"
                switch last {
                case 0: return .events(stream)
                case 3: return .lost(stream)
                case 6: return .events(stream).failing(.resetInBody(after: stream.utf8.count))
                default: return .events(stream).failing(.cutChunk(after: stream.utf8.count))
                }
            }
            let source = bench.source(method: .post, body: Data("ask".utf8))
            #expect(try await collect(source, withHandler) == Array(1...12))
            #expect(bench.server.requestCount == 5 && bench.delays.count == 4)
            #expect(await isClosed(bench))
        }

        @Test(arguments: [true, false])
        func leavingEndsTheConnection(withHandler: Bool) async throws {
            let bench = try EventBench()
            let (connections, gone) = (Locked(0), OneShot<Bool>())
            bench.server.exchange("/") { exchange in
                connections.withLock { $0 += 1 }
                defer { gone.fulfill(true) }
                try exchange.sendHead(headers: [("Content-Type", "text/event-stream")])
                for number in 1... { try exchange.sendChunk(Data("data: \(number)\n\n".utf8)) }
            }
            let source = bench.source()
            if withHandler {
                let closed = OneShot<Bool>()
                source.onEvent(queue: .global()) { if $0.data == "100" { source.close() } }
                source.onClose(queue: .global()) { _ in closed.fulfill(true) }
                _ = await closed.value
            } else {
                for try await event in source where event.data == "100" { break }
            }
            _ = await gone.value
            #expect(await isClosed(bench))
            #expect(connections.withLock { $0 } == 1)
        }

        @Test func thirtySourcesAtOnce() async throws {
            let bench = try EventBench()
            let open = Locked(0)
            bench.server.exchange("/") { exchange in
                guard exchange.request.header("Last-Event-ID") == nil else { return try exchange.send(.status(204)) }
                try exchange.sendHead(headers: [("Content-Type", "text/event-stream")])
                open.withLock { $0 += 1 }
                // None ends before all are open.
                while open.withLock({ $0 < 30 }) { _ = exchange.hasInput(within: 0.01) }
                try exchange.sendChunk(Data("id: 1\ndata: 1\n\n".utf8))
                try exchange.endChunks()
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<30 {
                    group.addTask {
                        let events = try await bench.source().all()
                        #expect(events.map(\.data) == ["1"])
                    }
                }
                try await group.waitForAll()
            }
            #expect(bench.server.requestCount == 60)
            #expect(await isClosed(bench))
        }

        private func collect(_ source: EventSource, _ withHandler: Bool) async throws -> [Int?] {
            guard withHandler else { return try await source.all().map { Int($0.data) } }
            let (numbers, closed) = (Locked<[Int?]>([]), OneShot<Bool>())
            source.onEvent(queue: .global()) { event in numbers.withLock { $0.append(Int(event.data)) } }
                .onClose(queue: .global()) { closed.fulfill($0 == nil) }
            #expect(await closed.value == true)
            return numbers.withLock { $0 }
        }

        private func isClosed(_ bench: EventBench) async -> Bool {
            bench.session.closeIdleConnections()
            return await bench.server.waitForOpenConnections(0)
        }
    }
#endif
