/// A value that is set once and can be awaited. Each waiter is resumed exactly once, however the two race.
package final class OneShot<Value: Sendable>: Sendable {
    private let gate = Gate()
    // Written once, while the gate opens, and read only after that.
    private nonisolated(unsafe) var stored: Value?

    package init() {}

    /// Sets the value. Only the first call has an effect.
    package func fulfill(_ value: Value) {
        gate.open { stored = value }
    }

    package var value: Value {
        get async {
            await gate.wait()
            // The gate opens only after it is set.
            return stored!
        }
    }
}

extension OneShot: CustomReflectable {
    /// Without the value, which may be set while a debugger or `dump` looks.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A one-shot latch. Not generic, because generic code would look up type metadata for every request, which is slow.
private struct Gate: Sendable {
    private struct State: Sendable {
        var isOpen = false
        // Unsafe continuations save an allocation. Each is resumed exactly once: by the code that removes it from the list, or at once if
        // it was never added.
        var waiting: [UnsafeContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    /// - Parameter first: Run by the one call that opens the gate, before any waiter is resumed.
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
