import Foundation

/// A serial queue for work that may block. It holds a thread only while it has work, and never one that others need.
final class WorkerQueue: Sendable {
    typealias Work = @Sendable () -> Void

    private struct State: Sendable {
        var waiting = Fifo<Work>()
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
        let asksForTurn = state.withLock { state in
            state.waiting.append(work)
            defer { state.isTaken = true }
            return !state.isTaken
        }
        if asksForTurn { pool.run { self.takeTurn() } }
    }

    /// Traps unless called on this queue. No input can cause this, only a mistake in the library.
    func assertIsCurrent() {
        precondition(runner == pthread_self(), "not on the worker queue")
    }

    private func takeTurn() {
        runner = pthread_self()
        while let work = next() { work() }
    }

    /// The next piece of work; nil if there is none.
    private func next() -> Work? {
        state.withLock { state in
            if let work = state.waiting.popFirst() { return work }
            runner = nil
            state.isTaken = false
            return nil
        }
    }
}
