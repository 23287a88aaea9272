/// A value that comes once, and those who wait for it. However the two race, each who waits is resumed exactly once.
final class OneShot<Value: Sendable>: Sendable {
    private enum State: Sendable {
        case waiting([CheckedContinuation<Value, Never>])
        case done(Value)
    }

    private let state = Locked(State.waiting([]))

    /// Gives the value. Only the first call has an effect.
    func fulfill(_ value: Value) {
        let waiting = state.withLock { state -> [CheckedContinuation<Value, Never>] in
            guard case .waiting(let continuations) = state else { return [] }
            state = .done(value)
            return continuations
        }
        for continuation in waiting { continuation.resume(returning: value) }
    }

    var value: Value {
        get async {
            if case .done(let value) = state.withLock({ $0 }) { return value }
            return await withCheckedContinuation { continuation in
                let value = state.withLock { state -> Value? in
                    switch state {
                    case .done(let value):
                        return value
                    case .waiting(let continuations):
                        state = .waiting(continuations + [continuation])
                        return nil
                    }
                }
                if let value { continuation.resume(returning: value) }
            }
        }
    }
}
