import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Requests do not need their session to go on, and handlers are called once whatever happens to it.
@Suite("Releasing and invalidating a session", .timeLimit(.minutes(5)))
struct SessionReleaseTests {
    private let url = "http://stub.test/"
    private let queue = DispatchQueue(label: "test.handlers")

    private func id(_ request: Request) -> TransportTaskID { TransportTaskID(request: request.id, attempt: 0, hop: 0) }

    @Test("Releasing a session ends its unstarted requests with handlers; all others go on or can still start")
    func released() async throws {
        let transport = ManualTransport()
        var session: Session? = Session(transport: transport)
        let journal = Journal<String>()
        let running = note("running", try #require(session).request(url), journal)
        let suspended = note("suspended", try #require(session).request(url), journal)
        let idle = try #require(session).request(url)
        let held = try #require(session).request(url).suspend()
        note("held", held, journal)
        try await waitUntil("both starts") { transport.requests.count == 2 }
        suspended.suspend()
        session = nil
        #expect(try await journal.wait(for: 1) == ["held sessionInvalidated"])
        #expect(running.isResumed && suspended.isSuspended && held.isFinished && idle.isInitialized)
        transport.deliver((id(running), .end(body: "x")))
        #expect(try await journal.wait(for: 2).last == "running success")
        note("idle", idle, journal)
        try await waitUntil("the start") { transport.requests.count == 3 }
        transport.deliver((id(idle), .end(body: "x")))
        #expect(try await journal.wait(for: 3).last == "idle success")
        suspended.resume()
        transport.deliver((id(suspended), .end(body: "x")))
        #expect(try await journal.wait(for: 4).last == "suspended success")
        // Handlers attached later still.
        note("running again", running, journal)
        #expect(try await journal.wait(for: 5).last == "running again success")
        await queue.drain()
        #expect(journal.count == 5)
    }

    @Test("A session that is not kept lives as long as the request made from it")
    func temporary() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        for _ in 0..<50 { server.enqueue(.text("x")) }
        for _ in 0..<50 { #expect(try await Session().get(server.url("/")).serializingString().value == "x") }
        #expect(await server.waitForOpenConnections(0))
    }

    @Test("Invalidating a session ends its requests, and later ones do not start")
    func invalidated() async throws {
        let transport = ManualTransport()
        let session = Session(transport: transport)
        let journal = Journal<String>()
        let running = note("running", session.request(url), journal)
        let suspended = note("suspended", session.request(url), journal)
        let held = note("held", session.request(url).suspend(), journal)
        try await waitUntil("both starts") { transport.requests.count == 2 }
        suspended.suspend()
        session.invalidate()
        let told = try await Set(journal.wait(for: 3))
        #expect(told == ["running sessionInvalidated", "suspended sessionInvalidated", "held sessionInvalidated"])
        note("later", session.request(url), journal)
        #expect(try await journal.wait(for: 4).last == "later sessionInvalidated")
        #expect(transport.calls(of: running).last == .cancel(id(running)))
        #expect(transport.calls(of: suspended).last == .cancel(id(suspended)))
        #expect(held.isFinished && transport.requests.count == 2)
        await queue.drain()
        #expect(journal.count == 4)
    }

    @Test("Invalidating without cancelling lets started requests finish, and nothing else starts")
    func drained() async throws {
        let transport = ManualTransport()
        let session = Session(transport: transport)
        let journal = Journal<String>()
        let running = note("running", session.request(url), journal)
        let idle = session.request(url)
        try await waitUntil("the start") { transport.requests.count == 1 }
        session.invalidate(cancelling: false)
        note("idle", idle, journal)
        #expect(try await journal.wait(for: 1) == ["idle sessionInvalidated"])
        transport.deliver((id(running), .end(body: "x")))
        #expect(try await journal.wait(for: 2).last == "running success")
        #expect(transport.requests.count == 1)
    }

    @discardableResult
    private func note(_ name: String, _ request: DataRequest, _ journal: Journal<String>) -> DataRequest {
        request.responseData(queue: queue) { response in
            journal.add("\(name) \(kind(response.error).map { "\($0)" } ?? "success")")
        }
    }

    @Test("Releasing a session does not change cancelled and finished requests")
    func over() async throws {
        let transport = ManualTransport()
        var session: Session? = Session(transport: transport, startRequestsImmediately: false)
        let journal = Journal<String>()
        let cancelled = note("cancelled", try #require(session).request(url), journal)
        let finished = note("finished", try #require(session).request(url), journal)
        finished.resume()
        transport.deliver((TransportTaskID(request: finished.id), .end(body: "x")))
        _ = try await journal.wait(for: 1)
        cancelled.cancel()
        session = nil
        #expect(try await journal.wait(for: 2) == ["finished success", "cancelled explicitlyCancelled"])
        note("late", finished, journal)
        #expect(try await journal.wait(for: 3).last == "late success")
    }

    @Test("A cancel just before the session is released reaches the transport")
    func cancelBeforeRelease() async throws {
        let transport = ManualTransport()
        let delegateQueue = DispatchQueue(label: "test.delegate")
        var session: Session? = Session(transport: transport, delegateQueue: delegateQueue)
        let journal = Journal<String>()
        let request = note("cancelled", try #require(session).request(url), journal)
        try await waitUntil("the start") { transport.requests.count == 1 }
        // The cancel takes effect only after the session has been released.
        delegateQueue.suspend()
        request.cancel()
        session = nil
        delegateQueue.resume()
        #expect(try await journal.wait(for: 1) == ["cancelled explicitlyCancelled"])
        #expect(transport.calls(of: request).last == .cancel(TransportTaskID(request: request.id)))
    }

    @Test("The transport is released with the session and its last unfinished request")
    func transportReleased() async throws {
        final class Weak: @unchecked Sendable { weak var transport: ManualTransport? }
        let reference = Weak()
        let journal = Journal<String>()
        let requests: [DataRequest]
        do {
            let transport = ManualTransport()
            reference.transport = transport
            let session = Session(transport: transport)
            requests = ["over", "last"].map { note($0, session.request(url), journal) }
            try await waitUntil("the starts") { transport.requests.count == 2 }
            transport.deliver((id(requests[0]), .end(body: "x")))
        }
        #expect(try await journal.wait(for: 1) == ["over success"])
        #expect(reference.transport != nil)
        reference.transport?.deliver((id(requests[1]), .end(body: "x")))
        #expect(try await journal.wait(for: 2).last == "last success")
        try await waitUntil("the transport's release") { reference.transport == nil }
        #expect(requests.allSatisfy { $0.isFinished })
    }

    @Test("A session released while eight threads start requests calls each handler once")
    func releasedMeanwhile() async throws {
        for _ in 0..<200 {
            let journal = Journal<FirewheelError.Kind?>()
            let stub = StubTransport { _ in [.response(ResponseHead(statusCode: 200)), .finish(body: Data("x".utf8))] }
            let box = SessionBox(Session(transport: stub))
            await onThreads(9) { thread in
                if thread == 8 { return box.release() }
                for index in 0..<5 {
                    guard let request = box.request(url, isSlow: index.isMultiple(of: 2)) else { return }
                    request.responseData(queue: queue) { journal.add(kind($0.error)) }
                    if index == 4 { request.cancel() }
                }
            }
            let made = box.made
            let kinds = try await journal.wait(for: made)
            await queue.drain()
            #expect(journal.count == made)
            #expect(kinds.allSatisfy { $0 == nil || $0 == .explicitlyCancelled })
        }
    }

    /// A session that one thread releases while others use it.
    private final class SessionBox: Sendable {
        private let lock = NSLock()
        private nonisolated(unsafe) var session: Session?
        private nonisolated(unsafe) var count = 0

        init(_ session: Session) { self.session = session }

        var made: Int { lock.withLock { count } }

        func request(_ url: String, isSlow: Bool) -> DataRequest? {
            lock.withLock {
                guard let session else { return nil }
                count += 1
                return session.request(url, requestModifier: isSlow ? { @Sendable _ in } : nil)
            }
        }

        func release() { lock.withLock { session = nil } }
    }

    @Test("withAllRequests gives the started and unfinished requests, and cancelAllRequests cancels them")
    func allRequests() async throws {
        let bench = EngineBench()
        let journal = Journal<String>()
        func all() async -> Set<Request> {
            await withCheckedContinuation { continuation in bench.session.withAllRequests { continuation.resume(returning: $0) } }
        }
        let running = (0..<3).map { note("\($0)", bench.session.request("\(url)\($0)"), journal) }
        let idle = bench.session.request(url)
        let over = note("over", bench.session.request(url), journal)
        bench.transport.deliver((bench.id(over), .end(body: "x")))
        _ = try await journal.wait(for: 1)
        #expect(await all() == Set(running))
        await withCheckedContinuation { continuation in
            bench.session.cancelAllRequests(completingOnQueue: bench.handlers) { continuation.resume() }
        }
        #expect(running.allSatisfy { $0.isCancelled } && idle.isInitialized)
        let kinds = try await journal.wait(for: 4).dropFirst().sorted()
        #expect(kinds == ["0 explicitlyCancelled", "1 explicitlyCancelled", "2 explicitlyCancelled"])
        #expect(await all().isEmpty)
        #expect(over.isFinished)
    }
}
