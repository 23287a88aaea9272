#if os(Linux)
    import FirewheelTesting
    import Foundation
    import Testing

    @testable import Firewheel

    /// Streams of hours, in seconds.
    @Suite(.timeLimit(.minutes(5)))
    struct ServerSentEventLoadTests {
        /// Many events leave nothing behind, and each arrives.
        @Test func manyEvents() async throws {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 240)
                let count = TestDepth.choose(300_000, deep: 5_000_000)
                let server = try MockServer(recordsRequests: false)
                let piece = Data((0..<1_000).map { "id: \($0)\nevent: tick\ndata: {\"number\": \($0)}\n\n" }.joined().utf8)
                server.exchange("/") { exchange in
                    try exchange.sendHead(headers: [("Content-Type", "text/event-stream")])
                    for _ in 0..<count / 1_000 { try exchange.sendChunk(piece) }
                    try exchange.endChunks()
                }
                var (received, early) = (0, 0)
                let source = Session().eventSource(server.url(), reconnection: .never)
                for try await event in source {
                    // Comparing each text would take longer than the rest.
                    let number = received % 1_000
                    if received.isMultiple(of: 997) { #expect(event.id == "\(number)" && event.data == "{\"number\": \(number)}") }
                    received += 1
                    if received == count / 10 { early = try #require(ProcessFacts.memory) }
                }
                #expect(received == count && source.lastEventID == "999")
                #expect(try #require(ProcessFacts.memory) - early < 8_000_000)
            }
        }

        @Test("Thousands of reconnections leave nothing behind")
        func manyConnections() async throws {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 240)
                let count = TestDepth.choose(5_000, deep: 50_000)
                let (server, number) = (try MockServer(recordsRequests: false), Locked(0))
                server.route("/") { request in
                    let next = number.withLock { number in
                        number += 1
                        return number
                    }
                    #expect(request.header("Last-Event-ID") == (next == 1 ? nil : "\(next - 1)"))
                    return .events("id: \(next)\ndata: x\n\n")
                }
                let clock = EventClock(now: { .now() }, sleep: { _ in }, random: { 0 })
                let source = Session().eventSource(server.url(), clock: clock)
                var (received, early) = (0, 0)
                for try await _ in source {
                    received += 1
                    if received == count / 5 { early = try #require(ProcessFacts.memory) }
                    if received == count { break }
                }
                #expect(source.lastEventID == "\(count)")
                #expect(try #require(ProcessFacts.memory) - early < 8_000_000)
            }
        }

        @Test("An event above the default limit ends the source in bounded memory, with lines and without")
        func hugeEvent() async throws {
            await #expect(processExitsWith: .success) {
                ProcessFacts.giveUp(after: 240)
                let (server, before) = (try MockServer(), try #require(ProcessFacts.peakMemory))
                let text = String(repeating: "x", count: 65_536)
                for (path, piece) in [("/lines", "data: \(text)\n"), ("/line", text)] {
                    server.exchange(path) { exchange in
                        try exchange.sendHead(headers: [("Content-Type", "text/event-stream")])
                        try exchange.sendChunk(Data("data: ".utf8))
                        while true { try exchange.sendChunk(Data(piece.utf8)) }
                    }
                    let error = await #expect(throws: FirewheelError.self) { try await Session().eventSource(server.url(path)).all() }
                    #expect(error?.kind == .responseStreamFailed(.eventTooLarge(limit: 16 << 20)))
                }
                #expect(try #require(ProcessFacts.peakMemory) - before < 100_000_000)
            }
        }

        /// The server is slowed to the pace of a handler.
        @Test func aHandlerThatDoesNotReturnStopsTheServer() async throws {
            let server = try MockServer()
            let (sent, piece) = (Locked(0), Data(String(repeating: "data: x\n\n", count: 7_000).utf8))
            server.exchange("/") { exchange in
                try exchange.sendHead(headers: [("Content-Type", "text/event-stream")])
                while true {
                    try exchange.sendChunk(piece)
                    sent.withLock { $0 += piece.count }
                }
            }
            let (goesOn, closed) = (DispatchSemaphore(value: 0), OneShot<Bool>())
            let source = Session().eventSource(server.url())
            source.onEvent(queue: DispatchQueue(label: "slow")) { _ in goesOn.wait() }.onClose(queue: .global()) { _ in closed.fulfill(true)
            }
            var (last, unchanged) = (-1, 0)
            while unchanged < 10 {
                let now = sent.withLock { $0 }
                unchanged = now == last && now > 0 ? unchanged + 1 : 0
                last = now
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(last < 32 << 20)
            source.close()
            goesOn.signal()
            _ = await closed.value
        }
    }
#endif
