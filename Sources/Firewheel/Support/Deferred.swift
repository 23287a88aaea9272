/// A value that is made when it is first asked for, then kept.
final class Deferred<Value: Sendable>: Sendable {
    private enum State: Sendable {
        case pending(@Sendable () -> Value)
        case made(Value)
    }

    private let state: Locked<State>

    /// - Parameter make: Called once at most, and under a lock: it may only build a value from others.
    init(_ make: @escaping @Sendable () -> Value) {
        state = Locked(.pending(make))
    }

    var value: Value {
        state.withLock { state in
            switch state {
            case .made(let value):
                return value
            case .pending(let make):
                let value = make()
                state = .made(value)
                return value
            }
        }
    }
}
