import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// A request that starts while its session is released runs or ends with `sessionInvalidated`, and calls its handlers once.
@Suite("Starting requests while the session is released", .timeLimit(.minutes(10)))
struct StartRaceTests {
    /// How a request starts.
    private enum Start: CaseIterable, Sendable {
        /// The first handler starts it, and a second thread attaches another one.
        case handlers
        /// `resume()` starts it, after the handlers were attached.
        case resume
        /// `resume()` starts it, while another thread attaches the handlers.
        case both
    }

    private enum End: CaseIterable, Sendable { case release, invalidate, drain }

    private struct Told: Sendable {
        let handler: Int
        let kind: FirewheelError.Kind?
        let hasValue: Bool
    }

    /// A session that its last owner releases on another thread.
    private final class Owner: Sendable {
        private let session: Locked<Session?>

        init(_ session: Session) { self.session = Locked(session) }

        func end(_ end: End) {
            // Released outside of the lock, as a caller would.
            let last = session.withLock { $0.take() }
            switch end {
            case .release: break
            case .invalidate: last?.invalidate()
            case .drain: last?.invalidate(cancelling: false)
            }
        }
    }

    /// Which requests were started before the session's end began, and which after it was over.
    private final class Progress: Sendable {
        private enum Phase { case before, ending, over }

        private struct State {
            var phase = Phase.before
            var starts = 0
            var early: Set<Int> = []
            var late: Set<Int> = []
            var notLate: Set<Int> = []
        }

        private let state = Locked(State())
        private let isDue = DispatchSemaphore(value: 0)
        private let count: Int

        /// - Parameter count: The number of requests started before the session ends.
        init(count: Int) { self.count = count }

        var early: Set<Int> { state.withLock { $0.early } }
        var late: Set<Int> { state.withLock { $0.late.subtracting($0.notLate) } }

        func start(_ number: Int, _ work: () -> Void) {
            let isEnd = state.withLock { state in
                if state.phase == .over { state.late.insert(number) } else { state.notLate.insert(number) }
                defer { state.starts += 1 }
                return state.starts == count
            }
            // The session ends on another thread, while this one goes on.
            if isEnd { isDue.signal() }
            work()
            state.withLock { state in
                if state.phase == .before { state.early.insert(number) }
            }
        }

        func end(_ work: () -> Void) {
            isDue.wait()
            state.withLock { $0.phase = .ending }
            work()
            state.withLock { $0.phase = .over }
        }
    }

    /// Weak references to what a round leaves.
    private final class Remains: Sendable {
        private struct Weak: Sendable {
            weak var transport: StubTransport?
            weak var engine: Engine?
        }

        private let weak: Locked<Weak>

        init(_ transport: StubTransport, _ engine: Engine) { weak = Locked(Weak(transport: transport, engine: engine)) }

        var isGone: Bool { weak.withLock { $0.transport == nil && $0.engine == nil } }
    }

    private static let requests = 30

    @Test(
        "A request started while its session is released calls each handler once, with a response or sessionInvalidated",
        arguments: Start.allCases, End.allCases)
    private func race(start: Start, end: End) async throws {
        var generator = SeededGenerator(state: 13)
        for _ in 0..<60 {
            let told = Journal<Told>()
            let remains = try await round(start, end, told, Progress(count: .random(in: 0..<Self.requests * 2, using: &generator)))
            #expect(told.count == Self.requests * 2)
            #expect(Set(told.entries.map(\.handler)).count == Self.requests * 2)
            for entry in told.entries {
                #expect(entry.kind == nil ? entry.hasValue : entry.kind == .sessionInvalidated && !entry.hasValue)
            }
            try await waitUntil("the release of engine and transport") { remains.isGone }
        }
    }

    private func round(_ start: Start, _ end: End, _ told: Journal<Told>, _ progress: Progress) async throws -> Remains {
        let queue = DispatchQueue(label: "test.handlers")
        let (owner, requests, engine, remains) = make(start)
        @Sendable func attach(_ handler: Int, to number: Int) {
            let id = number * 2 + handler
            requests[number].responseData(queue: queue) { told.add(Told(handler: id, kind: kind($0.error), hasValue: $0.value != nil)) }
        }
        if start == .resume {
            for number in requests.indices { for handler in 0..<2 { attach(handler, to: number) } }
        }
        await onThreads(5) { thread in
            if thread == 4 { return progress.end { owner.end(end) } }
            for number in requests.indices {
                switch (start, thread) {
                case (.handlers, 0...1): progress.start(number) { attach(thread, to: number) }
                case (.both, 0...1): attach(thread, to: number)
                case (.resume, 0...1), (.both, _): progress.start(number) { requests[number].resume() }
                case (.handlers, _), (.resume, _): break
                }
            }
        }
        _ = try await told.wait(for: Self.requests * 2)
        await queue.drain()
        try await waitUntil("an empty registry") { engine.registry.all.isEmpty }
        #expect(requests.allSatisfy { $0.isFinished })
        let ended = Set(told.entries.filter { $0.kind != nil }.map { $0.handler / 2 })
        // Started requests do not need the session, and only invalidating ends them.
        if end != .invalidate { #expect(ended.isDisjoint(with: progress.early)) }
        if end == .release, start == .handlers { #expect(ended.isEmpty) }
        // After invalidation nothing starts.
        if end != .release { #expect(ended.isSuperset(of: progress.late)) }
        return remains
    }

    /// The caller's owner is the only one of the session.
    private func make(_ start: Start) -> (Owner, [DataRequest], Engine, Remains) {
        let transport = StubTransport { _ in [.response(ResponseHead(statusCode: 200)), .finish(body: Data("x".utf8))] }
        let session = Session(transport: transport, startRequestsImmediately: start == .handlers)
        // Some requests run the caller's code, and so take other paths than plain ones.
        let requests = (0..<Self.requests).map { number in
            session.request("http://stub.test/", requestModifier: number.isMultiple(of: 3) ? { @Sendable _ in } : nil)
        }
        return (Owner(session), requests, session.engine, Remains(transport, session.engine))
    }
}
