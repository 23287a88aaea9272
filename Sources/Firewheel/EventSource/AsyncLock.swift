/// A lock that may be held across suspensions. Those who wait for it get it in their order, and block no thread.
final class AsyncLock: Sendable {
    private struct State {
        var isTaken = false
        var waiting = Fifo<CheckedContinuation<Void, Never>>()
    }

    private let state = Locked(State())

    func take(_ actor: isolated (any Actor)?) async {
        await withCheckedContinuation(isolation: actor) { continuation in
            let isFree = state.withLock { state in
                if state.isTaken { state.waiting.append(continuation) }
                defer { state.isTaken = true }
                return !state.isTaken
            }
            if isFree { continuation.resume() }
        }
    }

    /// Passes the lock to the first who waits.
    func giveBack() {
        let next = state.withLock { state in
            let next = state.waiting.popFirst()
            state.isTaken = next != nil
            return next
        }
        next?.resume()
    }

    func takeIfFree() -> Bool {
        state.withLock { state in
            defer { state.isTaken = true }
            return !state.isTaken
        }
    }
}
