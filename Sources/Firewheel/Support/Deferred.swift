/// A value that is built on first access and then kept.
final class Deferred<Value: Sendable>: Sendable {
    private enum State: Sendable {
        case pending(@Sendable () -> Value)
        case made(Value)
    }

    private let state: Locked<State>

    /// - Parameter make: Called at most once, and under a lock: it must only build a value from others.
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
