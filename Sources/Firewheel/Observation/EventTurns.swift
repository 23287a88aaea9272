import Dispatch

/// Runs the work of one observer on its queue, in order and one at a time, even if the queue is concurrent.
///
/// Each piece of work is dispatched separately, so that the work of several observers on one serial queue keeps its order.
final class EventTurns: Sendable {
    typealias Work = @Sendable () -> Void

    private struct State: Sendable {
        var waiting = Fifo<Work>()
        var isRunning = false
        /// The number of turns that were skipped because another one was running, as happens on a concurrent queue.
        var missed = 0
    }

    private let queue: DispatchQueue
    private let state = Locked(State())

    init(queue: DispatchQueue) {
        self.queue = queue
    }

    func async(_ work: @escaping Work) {
        state.withLock { $0.waiting.append(work) }
        queue.async { self.takeTurn() }
    }

    private func takeTurn() {
        let isMine = state.withLock { state in
            if state.isRunning { state.missed += 1 }
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard isMine else { return }
        repeat { state.withLock { $0.waiting.popFirst() }?() } while goesOn()
    }

    /// Whether a turn was skipped in the meantime; otherwise this one ends.
    private func goesOn() -> Bool {
        state.withLock { state in
            state.isRunning = state.missed > 0
            if state.isRunning { state.missed -= 1 }
            return state.isRunning
        }
    }
}
