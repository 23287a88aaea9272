import Foundation

/// A serial queue for work that may block. It holds a thread only while there is something to do, and never one that others need.
final class WorkerQueue: Sendable {
    typealias Work = @Sendable () -> Void

    private struct State: Sendable {
        var waiting = Fifo<Work>()
        /// Whether something runs, or a turn has been asked for.
        var isTaken = false
    }

    private let pool: WorkerPool
    private let state = Locked(State())
    // Written only by the thread whose turn it is. Another one that reads it is one that has no turn, which is what it is to find out.
    private nonisolated(unsafe) var runner: pthread_t?

    init(pool: WorkerPool = .shared) {
        self.pool = pool
    }

    /// Runs work after all that was put here before, one piece at a time.
    func async(_ work: @escaping Work) {
        let asksForTurn = state.withLock { state in
            state.waiting.append(work)
            defer { state.isTaken = true }
            return !state.isTaken
        }
        if asksForTurn { pool.run { self.takeTurn() } }
    }

    /// Ends the program unless called on this queue. No data can reach this: only a mistake in the library's own code.
    func assertIsCurrent() {
        precondition(runner == pthread_self(), "not on the worker queue")
    }

    private func takeTurn() {
        runner = pthread_self()
        while let work = next() { work() }
    }

    /// The next piece of work; nil ends the turn.
    private func next() -> Work? {
        state.withLock { state in
            if let work = state.waiting.popFirst() { return work }
            runner = nil
            state.isTaken = false
            return nil
        }
    }
}
