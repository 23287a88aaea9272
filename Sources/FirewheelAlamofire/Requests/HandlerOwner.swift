/// How a response handler finds its request. A request retains its handlers, so that they may retain it only if it will end.
enum HandlerOwner: Sendable {
    /// The request has started.
    case started(Request)
    /// The request has not started, and might never do.
    case unstarted(UnstartedRequest)

    /// The request; nil if it was released without having been started.
    var request: Request? {
        switch self {
        case .started(let request): request
        case .unstarted(let unstarted): unstarted.request
        }
    }
}

/// A request that is not retained until it starts.
final class UnstartedRequest: Sendable {
    private struct State: Sendable {
        weak var request: Request?
        var started: Request?
    }

    private let state: Locked<State>

    init(_ request: Request) {
        state = Locked(State(request: request))
    }

    var request: Request? { state.withLock { $0.request } }

    /// Retains the request until its handlers are released.
    func start() {
        state.withLock { $0.started = $0.request }
    }
}
