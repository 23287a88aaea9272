/// A task-local marker of a running refresh, so that requests made by it do not wait for it.
final class RefreshScope: Sendable {
    private struct State: Sendable {
        var isOver = false
        var timer: Task<Void, Never>?
    }

    /// The refreshes that the current code is part of: several if one interceptor's refresh needs another's.
    @TaskLocal private static var enclosing: [RefreshScope] = []

    private let owner: ObjectIdentifier
    private let state = Locked(State())

    /// - Parameter owner: The interceptor, which outlives its refresh.
    init(owner: AnyObject) {
        self.owner = ObjectIdentifier(owner)
    }

    /// Whether the current code is part of a running refresh of this interceptor. Tasks that outlive the refresh are not.
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

    /// Cancels a timer when the refresh ends.
    func keep(_ timer: Task<Void, Never>) {
        let isOver = state.withLock { state in
            if !state.isOver { state.timer = timer }
            return state.isOver
        }
        if isOver { timer.cancel() }
    }
}
