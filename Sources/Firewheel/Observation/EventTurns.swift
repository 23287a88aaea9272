import Dispatch

/// Puts the work of one listener on its queue: in order and one at a time, also if the queue is concurrent.
///
/// Each piece is put on the queue by itself, so that listeners on one serial queue have theirs in the order in which they came for all of
/// them.
final class EventTurns: Sendable {
    typealias Work = @Sendable () -> Void

    private struct State: Sendable {
        var waiting = Fifo<Work>()
        var isRunning = false
        /// Turns that came while one was being taken, as they do on a concurrent queue.
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

    /// Whether a turn was missed meanwhile; else this one is over.
    private func goesOn() -> Bool {
        state.withLock { state in
            state.isRunning = state.missed > 0
            if state.isRunning { state.missed -= 1 }
            return state.isRunning
        }
    }
}
