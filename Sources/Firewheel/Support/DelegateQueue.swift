import Dispatch
import Foundation

/// A serial queue that can also run work on the calling thread: if it is idle, no other thread needs to be woken, and work still runs in
/// order.
final class DelegateQueue: Sendable {
    typealias Work = @Sendable () -> Void

    private struct State: Sendable {
        var waiting: [Work] = []
        /// Whether work is running or scheduled.
        var isTaken = false
    }

    private let state = Locked(State())
    /// The underlying queue. It is the caller's own queue, not a serial queue targeting it: that would run all its pending work in one go
    /// and delay the caller's other work.
    private let queue: DispatchQueue
    /// Whether the underlying queue is the caller's: then work runs nowhere else.
    private let hasTarget: Bool
    // Written only by the thread that runs work. Any other thread reads a value that differs from its own, which is all it needs to know.
    private nonisolated(unsafe) var runner: pthread_t?
    /// Creates a queue. With a target, work runs on that queue, which may be concurrent or the main queue; it is still serialized.
    init(label: String, target: DispatchQueue? = nil) {
        queue = target ?? DispatchQueue(label: label)
        hasTarget = target != nil
    }

    /// Schedules work on a thread of the underlying queue.
    func async(_ work: @escaping Work) {
        let asksForTurn = state.withLock { state in
            state.waiting.append(work)
            defer { state.isTaken = true }
            return !state.isTaken
        }
        if asksForTurn { queue.async { self.takeTurn() } }
    }

    /// Runs work on the current thread if the queue is idle and has no target, without waiting.
    ///
    /// - Parameter work: Must not run the caller's code or block, because the current thread may be one that must not. Returns false if it
    ///   did nothing.
    /// - Returns: Whether the work was done.
    func runIfIdle(_ work: () -> Bool) -> Bool {
        guard !hasTarget else { return false }
        let isMine = state.withLock { state in
            defer { state.isTaken = true }
            return !state.isTaken
        }
        guard isMine else { return false }
        runner = pthread_self()
        let isDone = work()
        endTurn()
        return isDone
    }

    /// Traps unless called on this queue. No input can cause this, only a mistake in the library.
    func assertIsCurrent() {
        precondition(runner == pthread_self(), "not on the delegate queue")
    }

    private func takeTurn() {
        runner = pthread_self()
        let works = state.withLock { state in
            let works = state.waiting
            state.waiting = []
            return works
        }
        for work in works { work() }
        endTurn()
    }

    private func endTurn() {
        runner = nil
        let hasMore = state.withLock { state in
            state.isTaken = !state.waiting.isEmpty
            return state.isTaken
        }
        // Scheduled again for each piece of work, so that other work on a caller's queue gets its turn.
        if hasMore { queue.async { self.takeTurn() } }
    }
}
