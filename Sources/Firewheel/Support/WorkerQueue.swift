import Foundation

/// A serial queue for work that may block. It holds a thread only while it has work, and never one that others need.
final class WorkerQueue: Sendable {
    typealias Work = @Sendable () -> Void

    /// Work that may end with more of it, which is not the queue's any more.
    private typealias Turn = @Sendable () -> Work?

    private struct State: Sendable {
        var waiting = Fifo<Turn>()
        /// Whether work is running or scheduled.
        var isTaken = false
    }

    private let pool: WorkerPool
    private let state = Locked(State())
    // Written only by the thread that runs work. Any other thread reads a value that differs from its own, which is all it needs to know.
    private nonisolated(unsafe) var runner: pthread_t?

    init(pool: WorkerPool = .shared) {
        self.pool = pool
    }

    /// Runs work after all earlier work, one piece at a time.
    func async(_ work: @escaping Work) {
        add {
            work()
            return nil
        }
    }

    /// Runs work after all earlier work, and then the rest beside all later work, on the same thread if there is none.
    func async<Value>(_ work: @escaping @Sendable () -> Value, then rest: @escaping @Sendable (Value) -> Void) where Value: Sendable {
        add {
            let value = work()
            return { rest(value) }
        }
    }

    private func add(_ turn: @escaping Turn) {
        let asksForTurn = state.withLock { state in
            state.waiting.append(turn)
            defer { state.isTaken = true }
            return !state.isTaken
        }
        if asksForTurn { pool.run { self.takeTurn() } }
    }

    /// Whether all work that was added has ended, but for the rest of it.
    var isIdle: Bool { state.withLock { !$0.isTaken } }

    /// Traps unless called on this queue. No input can cause this, only a mistake in the library.
    func assertIsCurrent() {
        precondition(runner == pthread_self(), "not on the worker queue")
    }

    private func takeTurn() {
        runner = pthread_self()
        while let turn = next() {
            guard let rest = turn() else { continue }
            if isLast() { return rest() }
            pool.run(rest)
        }
    }

    /// The next piece of work; nil if there is none.
    private func next() -> Turn? {
        state.withLock { state in
            if let turn = state.waiting.popFirst() { return turn }
            end(&state)
            return nil
        }
    }

    /// Whether no other work waits. Then the thread is not the queue's any more.
    private func isLast() -> Bool {
        state.withLock { state in
            guard state.waiting.isEmpty else { return false }
            end(&state)
            return true
        }
    }

    private func end(_ state: inout State) {
        runner = nil
        state.isTaken = false
    }
}
