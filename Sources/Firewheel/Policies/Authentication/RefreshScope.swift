/// A refresh as its own code sees it, in a task-local value: requests that it makes, however deep inside, must not wait for it.
final class RefreshScope: Sendable {
    private struct State: Sendable {
        var isOver = false
        var timer: Task<Void, Never>?
    }

    /// The refreshes in which the present code runs: several where one interceptor's refresh needs another's.
    @TaskLocal private static var enclosing: [RefreshScope] = []

    private let owner: ObjectIdentifier
    private let state = Locked(State())

    /// - Parameter owner: The interceptor, which lives as long as its refresh.
    init(owner: AnyObject) {
        self.owner = ObjectIdentifier(owner)
    }

    /// Whether the present code is part of a refresh of this interceptor. Tasks that a refresh left behind are not, once it is over.
    static func isInside(refreshOf owner: AnyObject) -> Bool {
        let owner = ObjectIdentifier(owner)
        return enclosing.contains { $0.owner == owner && !$0.state.withLock(\.isOver) }
    }

    func run<Result: Sendable>(_ refresh: @Sendable () async -> Result) async -> Result {
        let result = await Self.$enclosing.withValue(Self.enclosing + [self], operation: refresh)
        let timer = state.withLock { state in
            state.isOver = true
            return state.timer.take()
        }
        timer?.cancel()
        return result
    }

    /// Cancels a timer with the end of the refresh.
    func keep(_ timer: Task<Void, Never>) {
        let isOver = state.withLock { state in
            if !state.isOver { state.timer = timer }
            return state.isOver
        }
        if isOver { timer.cancel() }
    }
}
