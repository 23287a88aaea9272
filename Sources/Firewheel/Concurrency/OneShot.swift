/// A value that comes once, and those who wait for it. However the two race, each who waits is resumed exactly once.
final class OneShot<Value: Sendable>: Sendable {
    private let gate = Gate()
    // Written once, while the gate opens, and read only after it has.
    private nonisolated(unsafe) var stored: Value?

    /// Gives the value. Only the first call has an effect.
    func fulfill(_ value: Value) {
        gate.open { stored = value }
    }

    var value: Value {
        get async {
            await gate.wait()
            // The gate opens with it.
            return stored!
        }
    }
}

/// What opens once, and those who wait for that. Not generic, since looking up the types of generic code would cost each request thousands
/// of instructions.
private struct Gate: Sendable {
    private struct State: Sendable {
        var isOpen = false
        // Unsafe ones cost an object less. Each is resumed exactly once: by who takes it out of the list, or at once if it was not put
        // there.
        var waiting: [UnsafeContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    /// - Parameter first: Done by the one call that opens the gate, before anybody gets through.
    func open(first: () -> Void) {
        let waiting = state.withLock { state -> [UnsafeContinuation<Void, Never>] in
            guard !state.isOpen else { return [] }
            first()
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func wait() async {
        if state.withLock({ $0.isOpen }) { return }
        await withUnsafeContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}
