import Foundation
import Testing

@testable import Firewheel

@Suite("The end of a response that waits for a handler", .timeLimit(.minutes(5)))
struct HeldEndTests {
    /// An end whose handler is at a door.
    private final class Bench: Sendable {
        let door = Door()
        let answers = Locked<[CacheExchangeState.FollowUp]>([])
        let ends = Locked<[TransportResult]>([])
        let whileStoring = Locked<(@Sendable () -> Void)?>(nil)
        let end: HeldEnd

        init(runsSteps: Bool = true, isPaused: Bool = false) throws {
            let request = CacheRequest(method: .get, target: try #require(TargetURI("http://cache.test/a")), headers: [:])
            let head = ResponseHead(statusCode: 200)
            let response = ProposedResponse(
                head: head, body: Data("one".utf8),
                stored: StoredResponse(head, of: request, varyingBy: [], requestTime: 0, responseTime: 0, clientLifetime: nil),
                request: request, requestTime: 0, responseTime: 0, clientLifetime: nil, isInMemory: true)
            let inquiry = CachedResponseInquiry(door.handler, RequestContext(id: 1)) { step in if runsSteps { Task { await step() } } }
            let result = TransportResult(head: head, body: Data("one".utf8), metrics: TransportMetrics(start: .now(), end: .now()))
            let (answers, ends, whileStoring) = (answers, ends, whileStoring)
            end = HeldEnd(
                TransportEvent(id: TransportTaskID(request: 1), kind: .finished(result)),
                until: StoringQuestion(response: response, inquiry: inquiry, invalidationNumber: 0), isPaused: isPaused,
                onAnswer: { follow in
                    whileStoring.withLock { $0.take() }?()
                    answers.withLock { $0.append(follow) }
                },
                onEnd: { event in if case .finished(let result) = event.kind { ends.withLock { $0.append(result) } } })
        }

        func start() async throws {
            end.start()
            try await waitUntil("it is asked") { self.door.isReached }
        }

        var changes: [CacheExchangeState.Change] { answers.withLock { $0.flatMap(\.changes) } }

        var isUntouched: Bool { answers.withLock { $0.isEmpty } && results.isEmpty }
        var results: [TransportResult] { ends.withLock { $0 } }

        var isStored: Bool {
            guard changes.count == 1, case .store = changes[0] else { return false }
            return true
        }
    }

    private static let late = TransportError.failed(.timedOut, "late")

    @Test("it comes after the answer was carried out")
    func answered() async throws {
        let bench = try Bench()
        try await bench.start()
        #expect(bench.isUntouched)
        bench.door.open()
        try await waitUntil("it ends") { bench.results.count == 1 }
        #expect(bench.isStored && bench.results.first?.body == Data("one".utf8))
        bench.end.fail(Self.late)
        bench.end.resume()
        #expect(bench.results.count == 1)
    }

    @Test("it waits for a resumption, which does not come before what is to be done")
    func paused() async throws {
        let bench = try Bench(isPaused: true)
        bench.whileStoring.withLock { [end = bench.end, ends = bench.ends] in
            $0 = {
                end.resume()
                #expect(ends.withLock { $0.isEmpty })
                end.pause()
            }
        }
        try await bench.start()
        bench.door.open()
        try await waitUntil("it is stored") { bench.isStored }
        #expect(bench.results.isEmpty)
        bench.end.pause()
        bench.end.resume()
        try await waitUntil("it ends") { bench.results.count == 1 }
    }

    @Test("a failure while the handler is asked ends it without its body, and the answer does not count")
    func failed() async throws {
        let bench = try Bench()
        try await bench.start()
        bench.end.fail(Self.late, refusing: "late")
        bench.door.open()
        try await waitUntil("it ends") { bench.results.count == 1 }
        let result = try #require(bench.results.first)
        #expect(result.error == Self.late && result.body == nil && result.head?.statusCode == 200)
        #expect(!bench.isStored && bench.changes.count == 2)
        bench.end.fail(Self.late)
        #expect(bench.results.count == 1)
    }

    @Test("a failure while it waits for a resumption leaves what was stored")
    func failedWhilePaused() async throws {
        let bench = try Bench(isPaused: true)
        try await bench.start()
        bench.door.open()
        try await waitUntil("it is stored") { bench.isStored }
        bench.end.fail(Self.late, refusing: "late")
        try await waitUntil("it ends") { bench.results.count == 1 }
        #expect(bench.results.map(\.error) == [Self.late] && bench.isStored)
    }

    @Test("once it is cancelled nothing follows, and a handler that was not asked yet is not asked")
    func cancelled() async throws {
        let bench = try Bench()
        try await bench.start()
        bench.end.cancel()
        bench.door.open()
        bench.end.fail(Self.late)
        #expect(bench.isUntouched)
        let early = try Bench()
        early.end.cancel()
        early.end.start()
        let unasked = try Bench(runsSteps: false)
        unasked.end.start()
        unasked.end.fail(Self.late)
        try await waitUntil("it ends") { unasked.results.count == 1 }
        #expect(unasked.changes.isEmpty && !unasked.door.isReached && !early.door.isReached)
    }
}
