import Firewheel

/// A request as its own handler gets it.
///
/// A handler must not retain its request from the beginning: a request that is released without having started would keep itself alive. It
/// is retained from its serialization on, which the session's reference to a running request outlives.
final class HandlerRequest: Sendable {
    private struct State: Sendable {
        weak var request: DataRequest?
        var retained: DataRequest?
    }

    private let state: Locked<State>

    init(_ request: DataRequest) {
        state = Locked(State(request: request))
    }

    func retain() { state.withLock { $0.retained = $0.request } }

    /// nil only for a request that was cancelled or invalidated, and released, without having started.
    var value: DataRequest? { state.withLock { $0.request } }
}
