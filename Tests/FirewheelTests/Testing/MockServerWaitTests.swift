import Firewheel
import Foundation
import Testing

@testable import FirewheelTesting

@Suite("MockServer: waiting for requests in async code", .timeLimit(.minutes(5)))
struct MockServerWaitTests {
    let server: MockServer
    let session = Session()

    init() throws {
        server = try MockServer()
        server.route("*") { .text($0.path) }
    }

    private func get(_ path: String) async throws {
        #expect(try await session.request(server.url(path)).serializingString().value == path)
    }

    private func waitForWaiters(_ count: Int) async throws {
        try await waitUntil("\(count) wait") { server.core.state.waiterCount == count }
    }

    // MARK: - Taking

    @Test("takeRequest returns a received request at once, and otherwise the next one when it arrives")
    func take() async throws {
        try await get("/1")
        #expect(try await server.takeRequest(timeout: 0).path == "/1")
        async let second = server.takeRequest()
        try await waitForWaiters(1)
        try await get("/2")
        #expect(try await second.path == "/2")
        #expect(server.requestCount == 2 && server.core.state.waiterCount == 0)
    }

    @Test("Waiting tasks and threads take requests in the order in which they began to wait")
    func order() async throws {
        let taken = Journal<String>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<6 {
                group.addTask { [server] in
                    if number.isMultiple(of: 2) {
                        taken.add("\(number) \(try await server.takeRequest().path)")
                    } else {
                        await onThreads(1) { _ in taken.add("\(number) \((try? server.takeRequest().path) ?? "none")") }
                    }
                }
                try await waitForWaiters(number + 1)
            }
            for number in 0..<6 { try await get("/\(number)") }
            try await group.waitForAll()
        }
        #expect(taken.entries.sorted() == (0..<6).map { "\($0) /\($0)" })
    }

    @Test("takeRequests takes several requests together, in the order of arrival")
    func takeSeveral() async throws {
        async let three = server.takeRequests(3)
        try await waitForWaiters(1)
        for number in 1...4 { try await get("/\(number)") }
        #expect(try await three.map(\.path) == ["/1", "/2", "/3"])
        await #expect(throws: MockServerError.noRequest) { try await server.takeRequests(2, timeout: 0.01) }
        #expect(try await server.takeRequests(1).map(\.path) == ["/4"])
        for count in [0, -1] { #expect(try await server.takeRequests(count).isEmpty) }
    }

    @Test("With many waiting tasks, half of them cancelled, no request is lost or taken twice")
    func cancelStorm() async throws {
        let count = 200
        let takers = (0..<count).map { _ in Task { [server] in try await server.takeRequest(timeout: 60).path } }
        let cancelled = (0..<count / 2).map { number in Task { takers[number * 2].cancel() } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count { group.addTask { try await get("/\(number)") } }
            try await group.waitForAll()
        }
        for task in cancelled { await task.value }
        var paths: [String] = []
        for taker in takers { if let path = try? await taker.value { paths.append(path) } }
        while let path = try? await server.takeRequest(timeout: 0).path { paths.append(path) }
        #expect(paths.count == count && Set(paths).count == count)
    }

    // MARK: - Timeouts and cancellation

    @Test(
        "A wait for requests that times out throws an error that says what was missing", arguments: [0, 0.05, -1, .nan] as [TimeInterval])
    func timeout(seconds: TimeInterval) async throws {
        let start = ContinuousClock.now
        let error = await #expect(throws: MockServerError.self) { try await server.takeRequest(timeout: seconds) }
        #expect(ContinuousClock.now - start >= .seconds(seconds > 0 ? seconds : 0))
        #expect(error == .noRequest && "\(error ?? .noRequest)".hasPrefix("No request arrived at the mock server in time"))
        #expect(await !server.waitForRequests(1, timeout: seconds))
        #expect(await !server.waitForOpenConnections(1, timeout: seconds))
        #expect(server.core.state.waiterCount == 0)
    }

    @Test("A task cancelled while it waits for a request stops at once, and the next task takes the request")
    func cancel() async throws {
        let taker = Task { [server] in try await server.takeRequest(timeout: .infinity) }
        let waiter = Task { [server] in await server.waitForRequests(1, timeout: .infinity) }
        try await waitForWaiters(2)
        taker.cancel()
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await taker.value }
        #expect(await !waiter.value)
        try await get("/next")
        #expect(try await server.takeRequest().path == "/next")
    }

    @Test("A task that is already cancelled takes no request")
    func cancelledBefore() async throws {
        try await get("/kept")
        let task = Task { [server] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await server.takeRequest()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await server.takeRequest().path == "/kept")
    }

    @Test("Shutting down the mock server ends every wait for a request")
    func shutdown() async throws {
        let takers = (0..<5).map { _ in Task { [server] in try await server.takeRequest(timeout: .infinity) } }
        try await waitForWaiters(5)
        server.shutdown()
        for taker in takers { await #expect(throws: MockServerError.noRequest) { try await taker.value } }
        await #expect(throws: MockServerError.noRequest) { try await server.takeRequest(timeout: 60) }
    }

    // MARK: - Threads

    @Test("Tasks waiting for requests do not block other async code, even if there are more of them than threads")
    func starvation() async throws {
        let count = ProcessInfo.processInfo.activeProcessorCount * 8 + 64
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask { [server] in _ = try await server.takeRequest(timeout: 240) }
                group.addTask { [server] in #expect(await server.waitForRequests(count, timeout: 240)) }
            }
            try await waitForWaiters(2 * count)
            // Each of these needs a thread of the same pool to continue.
            for number in 0..<count { try await get("/\(number)") }
            try await group.waitForAll()
        }
    }

    @Test("A shutdown does not wait forever for a route's handler that waits for the thread shutting down")
    func handlerThatWaits() async throws {
        let end = DispatchSemaphore(value: 0)
        server.route("/block") { _ in
            end.wait()
            return .text("late")
        }
        let request = session.request(server.url("/block")).serializingString()
        async let response = request.response
        #expect(try await server.takeRequest().path == "/block")
        server.shutdown()
        #expect(server.leftovers.threads == 1)
        #expect(await response.error != nil)
        end.signal()
        try await waitUntil("the handler's thread ends") { server.leftovers == (0, 0) }
    }
}
