import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// What event sources do when a connection ends: the cases of "reconnection" in LaunchDarkly's sse-contract-tests, those of
/// web-platform-tests' `eventsource` that need a second connection, and bad servers.
///
/// Not restated is "caller can trigger a restart" of sse-contract-tests: event sources have no such call. Closing one and creating another
/// with its `lastEventID` is the same.
@Suite(.eachTransport, .timeLimit(.minutes(5)))
struct EventSourceReconnectionTests {
    private func lastEventIDs(_ bench: EventBench, _ count: Int) async throws -> [String?] {
        try await bench.server.takeRequests(count).map { $0.header("Last-Event-ID") }
    }

    /// WPT format-field-id and -id-2: the ID is kept over connections that bring none.
    @Test(arguments: [true, false])
    func theIDOfTheLastEventIsSent(isLost: Bool) async throws {
        let bench = try EventBench()
        bench.respond(
            isLost ? .lost("id: …\ndata: hello\n\n") : .events("id: …\ndata: hello\n\n"), .events("data: 2\n\n"), .events("data: 3\n\n"))
        let source = bench.source(reconnection: .standard)
        #expect(try await source.all() == ["hello", "2", "3"].map { ServerSentEvent(id: "…", data: $0) })
        #expect(try await lastEventIDs(bench, 4) == [nil, "…", "…", "…"])
        #expect(source.lastEventID == "…" && bench.delays == [3, 3, 3])
    }

    @Test func anIDOverriddenByAnEmptyOneIsNotSent() async throws {
        let bench = try EventBench()
        bench.respond(.events("id: abc\ndata: Hello\n\nid: \ndata: World\n\n"))
        #expect(
            try await bench.source(lastEventID: "before").all() == [
                ServerSentEvent(id: "abc", data: "Hello"), ServerSentEvent(data: "World"),
            ])
        #expect(try await lastEventIDs(bench, 2) == ["before", nil])
    }

    /// WPT format-data-before-final-empty-line.
    @Test(arguments: [true, false])
    func anIncompleteEventIsDroppedWithItsID(isLost: Bool) async throws {
        let bench = try EventBench()
        let stream = "retry:1000\ndata:test1\n\nid:test\ndata:test2"
        bench.respond(isLost ? .lost(stream) : .events(stream), .events("data: next\n\n"))
        #expect(try await bench.source().all() == [ServerSentEvent(data: "test1", retry: .seconds(1)), ServerSentEvent(data: "next")])
        #expect(try await lastEventIDs(bench, 3) == [nil, nil, nil])
        #expect(bench.delays == [1, 1])
    }

    /// WPT format-field-retry, -bogus and -empty; the time is kept over connections.
    @Test(arguments: [
        ("retry:03000\ndata:x\n\n", 3), ("retry:2000\nretry:1000x\ndata:x\n\n", 2), ("retry\ndata:x\n\n", 10), ("retry:0\ndata:x\n\n", 0.5),
        ("retry:99999999999999999999\ndata:x\n\n", 86_400), ("data:x\n\nretry:4000\n", 4),
    ])
    func theServerSetsTheDelay(stream: String, delay: Double) async throws {
        let bench = try EventBench()
        bench.respond(.events(stream), .events("data:y\n\n"))
        #expect(try await bench.source(reconnection: .resilient(delay: 10)).all().map(\.data) == ["x", "y"])
        #expect(bench.delays == [delay, delay])
    }

    @Test func aServerThatClosesAfterEachByteIsAskedMoreAndMoreRarely() async throws {
        let bench = try EventBench()
        bench.respond(.lost("d"), .events("a"), .lost("t"), .events(""), .lost("a"), .events(":"), .events("data: x\n\n"))
        #expect(try await bench.source(reconnection: .resilient(limit: 0)).all().map(\.data) == ["x"])
        #expect(bench.delays == [3, 6, 12, 24, 30, 30, 3])
    }

    /// A feed may be quiet for long: a connection that lasts a minute is as good as one with events.
    @Test func aLongConnectionIsNoFailure() async throws {
        let bench = try EventBench()
        bench.respond(.events(""), .events(""), .events(""))
        let readings = Locked<UInt64>(0)
        let source = bench.source(now: {
            readings.withLock { count in
                count += 1
                return MonotonicInstant(nanoseconds: count * 60_000_000_000)
            }
        })
        #expect(try await source.all() == [])
        #expect(bench.delays == [3, 3, 3])
    }

    @Test func networkErrorsAreTriedAgain() async throws {
        let bench = try EventBench()
        bench.server.enqueue(.failure(.closeBeforeHead), .failure(.closeBeforeHead), .events("data: x\n\n"), .status(204))
        // The transport itself tries a new connection instead of a reused one, which the first is not.
        let source = bench.source(method: .post, reconnection: .standard)
        #expect(try await source.all().map(\.data) == ["x"])
        #expect(bench.delays == [3, 6, 3])
    }

    @Test func withoutAServerTheLimitEndsTheSource() async throws {
        let bench = try EventBench()
        bench.server.shutdown()
        let error = await #expect(throws: FirewheelError.self) { try await bench.source(reconnection: .resilient(limit: 2)).all() }
        #expect(error?.urlErrorCode == .cannotConnectToHost)
        #expect(bench.delays == [3, 6])
    }

    @Test func neverMeansOneResponse() async throws {
        let bench = try EventBench()
        bench.respond(.events("data: 1\n\ndata: [DONE]\n\n"))
        #expect(try await bench.source(method: .post, body: Data("{}".utf8), reconnection: .never).all().map(\.data) == ["1", "[DONE]"])
        bench.server.enqueue(.lost("data: 2\n\n"))
        // The queue still has its 204 at the front.
        #expect(try await bench.source(reconnection: .never).all() == [])
        let source = bench.source(reconnection: .never)
        var events: [String] = []
        let error = await #expect(throws: FirewheelError.self) { for try await event in source { events.append(event.data) } }
        #expect(error?.urlErrorCode == .networkConnectionLost && events == ["2"] && bench.delays == [])
    }

    @Test func anEventAboveTheLimitIsFinal() async throws {
        let bench = try EventBench()
        let (_, gone) = try endless(bench, "data: 0123456789\n")
        let source = bench.source(maximumEventSize: 1_000)
        let error = await #expect(throws: FirewheelError.self) { try await source.all() }
        #expect(error?.kind == .responseStreamFailed(.eventTooLarge(limit: 1_000)))
        #expect(error?.response?.statusCode == 200 && source.state == .closed && bench.delays == [])
        await gone.value
    }

    /// A line without an end, of which no more than the limit is kept.
    @Test func aLineWithoutAnEndIsFinal() async throws {
        let bench = try EventBench()
        let (_, gone) = try endless(bench, String(repeating: "x", count: 100_000))
        let error = await #expect(throws: FirewheelError.self) { try await bench.source(maximumEventSize: 1_000_000).all() }
        #expect(error?.kind == .responseStreamFailed(.eventTooLarge(limit: 1_000_000)))
        await gone.value
    }

    // MARK: Timeouts

    @Test func aSilentConnectionIsLostAfterTheIdleTimeout() async throws {
        let bench = try EventBench()
        bench.server.exchange("/") { exchange in
            if exchange.request.header("Last-Event-ID") != nil { return try exchange.send(.status(204)) }
            try exchange.sendHead(headers: [("Content-Type", "text/event-stream")])
            try exchange.sendChunk(Data("id: 1\ndata: Hello\n\n".utf8))
            exchange.waitForDisconnection()
        }
        #expect(try await bench.source(idleTimeout: 4).all() == [ServerSentEvent(id: "1", data: "Hello")])
        #expect(bench.delays == [3] && bench.server.requestCount == 2)
    }

    @Test func withoutAnIdleTimeoutTheResponseHasTheSessions() async throws {
        var configuration = SessionConfiguration.default
        configuration.timeoutIntervalForRequest = 4
        let bench = try EventBench(configuration)
        bench.server.exchange("/silent") { $0.waitForDisconnection() }
        let error = await #expect(throws: FirewheelError.self) {
            try await bench.source("/silent", reconnection: .resilient(limit: 0)).all()
        }
        #expect(error?.isTimeout == true)
        // But a stream may be quiet for longer.
        bench.server.exchange("/quiet") { exchange in
            try exchange.sendHead(headers: [("Content-Type", "text/event-stream")])
            #expect(!exchange.hasInput(within: 5))
            try exchange.sendChunk(Data("data: late\n\n".utf8))
            try exchange.endChunks()
        }
        #expect(try await bench.source("/quiet", reconnection: .never).all().map(\.data) == ["late"])
    }

    #if os(Linux)
        /// The timeout until the response is one of silence: a body may take longer to send.
        @Test func aBodyThatTakesLongToSendIsNoSilence() async throws {
            var configuration = SessionConfiguration.default
            configuration.timeoutIntervalForRequest = 5
            let (bench, server) = (try EventBench(configuration), try HandServer(receiveBuffer: 65_536))
            let body = Data(count: 12_000_000)
            let source = bench.session.eventSource(server.url, method: .post, body: body, reconnection: .never)
            async let events = source.all()
            await onThreads(1) { _ in
                do {
                    let connection = try server.acceptConnection()
                    var rest = body.count
                    while rest > 0 {
                        rest -= try server.readSome(min(rest, 65_536), from: connection)
                        usleep(30_000)
                    }
                    server.write(
                        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: x\n\n", to: connection)
                    server.end(connection)
                } catch {
                    Issue.record(error)
                }
            }
            #expect(try await events.map(\.data) == ["x"])
        }
    #endif

    // MARK: Ends

    /// Sends a text again and again until the client disconnects, which the task waits for.
    private func endless(_ bench: EventBench, _ text: String) throws -> (sent: Locked<Int>, gone: Task<Void, Never>) {
        let (sent, gone) = (Locked(0), OneShot<Bool>())
        let piece = Data(text.utf8)
        bench.server.exchange("/") { exchange in
            defer { gone.fulfill(true) }
            try exchange.sendHead(headers: [("Content-Type", "text/event-stream")])
            while true {
                try exchange.sendChunk(piece)
                sent.withLock { $0 += piece.count }
            }
        }
        return (sent, Task { _ = await gone.value })
    }

    @Test func leavingTheLoopEndsTheConnection() async throws {
        let bench = try EventBench()
        let (_, gone) = try endless(bench, "data: x\n\n")
        let source = bench.source()
        for try await event in source {
            #expect(event.data == "x" && source.state == .open)
            break
        }
        await gone.value
        #expect(source.state == .closed)
        #expect(await bench.server.waitForOpenConnections(0))
    }

    @Test func cancellingTheTaskEndsTheConnection() async throws {
        let bench = try EventBench()
        let (_, gone) = try endless(bench, ": x\n")
        let source = bench.source()
        let task = Task { try await source.all() }
        #expect(await source.isOpen())
        task.cancel()
        let error = await #expect(throws: FirewheelError.self) { try await task.value }
        #expect(error?.isExplicitlyCancelled == true && source.state == .closed)
        await gone.value
        #expect(try await source.all() == [])
    }

    /// The loop whose task is cancelled gets the error, and no later one does.
    @Test func cancellingAtAnyMoment() async throws {
        let bench = try EventBench()
        bench.server.exchange("/") { exchange in
            try exchange.sendHead(headers: [("Content-Type", "text/event-stream")])
            while true { try exchange.sendChunk(Data(": x\n".utf8)) }
        }
        for round in 0..<TestDepth.choose(300, deep: 1_000) {
            let source = bench.source()
            let task = Task { try await source.all() }
            for _ in 0..<round { await Task.yield() }
            task.cancel()
            let error = await #expect(throws: FirewheelError.self, "\(round)") { try await task.value }
            #expect(error?.isExplicitlyCancelled == true)
            #expect(try await source.all() == [])
        }
    }

    /// WPT eventsource-request-cancellation: also while it connects.
    @Test(arguments: [true, false])
    func closingEndsTheConnection(sendsHead: Bool) async throws {
        let bench = try EventBench()
        let (begun, gone) = (OneShot<Bool>(), OneShot<Bool>())
        bench.server.exchange("/") { exchange in
            if sendsHead { try exchange.sendHead(headers: [("Content-Type", "text/event-stream")]) }
            begun.fulfill(true)
            exchange.waitForDisconnection()
            gone.fulfill(true)
        }
        let source = bench.source()
        #expect(source.state == .connecting)
        async let events = source.all()
        _ = await begun.value
        if sendsHead { #expect(await source.isOpen()) }
        source.close()
        #expect(source.state == .closed)
        #expect(try await events == [])
        _ = await gone.value
    }

    enum Leaving: CaseIterable {
        case close, closeWithHandler, cancelOfTheTask
    }

    @Test(arguments: Leaving.allCases)
    func leavingEndsTheDelay(how: Leaving) async throws {
        let bench = try EventBench()
        bench.server.enqueue(.events("data: x\n\n"))
        let (waits, closed) = (OneShot<Bool>(), OneShot<Bool>())
        let source = bench.source(sleep: {
            waits.fulfill(true)
            try await Task.sleep(for: .seconds(1_000))
        })
        source.onClose(queue: .global()) { closed.fulfill($0 == nil) }
        let task = how == .closeWithHandler ? nil : Task { try await source.all() }
        if task == nil { source.onEvent(queue: .global()) { event in #expect(event.data == "x") } }
        _ = await waits.value
        #expect(source.state == .connecting)
        if how == .cancelOfTheTask { task?.cancel() } else { source.close() }
        #expect(await closed.value == (how != .cancelOfTheTask))
        if how == .close { #expect(try await task?.value.map(\.data) == ["x"]) }
        if how == .cancelOfTheTask { await #expect(throws: FirewheelError.self) { try await task?.value } }
        #expect(bench.server.requestCount == 1)
    }

    /// Between two connections there is no request, through which the session could end the source.
    @Test(arguments: ["cancelAllRequests", "invalidate", "invalidate, not cancelling"])
    func theSessionEndsTheDelay(how: String) async throws {
        let bench = try EventBench()
        bench.server.enqueue(.events("data: x\n\n"))
        let waits = OneShot<Bool>()
        let source = bench.source(sleep: {
            waits.fulfill(true)
            try await Task.sleep(for: .seconds(1_000))
        })
        let task = Task { try await source.all() }
        _ = await waits.value
        if how == "cancelAllRequests" {
            bench.session.cancelAllRequests()
        } else {
            bench.session.invalidate(cancelling: how == "invalidate")
        }
        let error = await #expect(throws: FirewheelError.self) { try await task.value }
        #expect(error?.kind == (how == "cancelAllRequests" ? .explicitlyCancelled : .sessionInvalidated))
        #expect(bench.server.requestCount == 1)
    }

    @Test func theEndOfTheSessionIsFinal() async throws {
        let bench = try EventBench()
        let (_, gone) = try endless(bench, ": x\n")
        let source = bench.source()
        let task = Task { try await source.all() }
        #expect(await source.isOpen())
        bench.session.invalidate()
        let error = await #expect(throws: FirewheelError.self) { try await task.value }
        #expect(error?.kind == .sessionInvalidated)
        await gone.value
    }

    /// Two loops share the events, and the end.
    @Test func twoLoopsShareTheEvents() async throws {
        let bench = try EventBench()
        bench.respond(.events((0..<200).map { "data: \($0)\n\n" }.joined()))
        let source = bench.source()
        async let first = source.all()
        async let second = source.all()
        let events = try await (first + second).compactMap { Int($0.data) }
        #expect(events.sorted() == Array(0..<200))
    }
}

extension EventSource {
    /// Waits until the server has accepted the connection.
    func isOpen() async -> Bool {
        for _ in 0..<6_000 where state == .connecting { try? await Task.sleep(for: .milliseconds(5)) }
        return state == .open
    }
}
