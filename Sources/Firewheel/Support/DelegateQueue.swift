import Dispatch
import Foundation

/// A serial queue whose turn may also be taken by a thread that is there anyway: with nothing running and nothing waiting, work need not
/// wake another thread to be done one at a time and in order.
final class DelegateQueue: Sendable {
    typealias Work = @Sendable () -> Void

    private struct State: Sendable {
        var waiting: [Work] = []
        /// Whether something runs, or a turn has been asked for.
        var isTaken = false
    }

    private let state = Locked(State())
    /// Where turns are taken. A caller's queue itself: what keeps being put on a serial queue in front of it would be done at once, and
    /// nothing else that the caller has there.
    private let queue: DispatchQueue
    /// Whether a queue of the caller's is behind it: then work runs nowhere else.
    private let hasTarget: Bool
    // Written only by the thread whose turn it is. Another one that reads it is one that has no turn, which is what it is to find out.
    private nonisolated(unsafe) var runner: pthread_t?
    /// A new queue. With a target its work runs on that queue, which may be concurrent or the main queue: what is put on this one still
    /// runs one at a time.
    init(label: String, target: DispatchQueue? = nil) {
        queue = target ?? DispatchQueue(label: label)
        hasTarget = target != nil
    }

    /// Runs work in its turn, on a thread of the queue's own.
    func async(_ work: @escaping Work) {
        let asksForTurn = state.withLock { state in
            state.waiting.append(work)
            defer { state.isTaken = true }
            return !state.isTaken
        }
        if asksForTurn { queue.async { self.takeTurn() } }
    }

    /// Runs work on this thread, if the queue is idle and its own, without waiting.
    ///
    /// - Parameter work: Runs no caller's code and does not block: who calls this may be a thread that must not. False if it has done
    ///   nothing.
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

    /// Ends the program unless called on this queue. No data can reach this: only a mistake in the library's own code.
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
        // Asked for anew each time, so that others on a caller's queue have their turns too.
        if hasMore { queue.async { self.takeTurn() } }
    }
}
