/// What programs ask the `URLSessionTask` of a request for: its requests, its response and its state. It stands for one attempt.
///
/// It is no task of a `URLSession`: resuming, suspending and cancelling it does the same to its request, and its other members have the
/// values of a task that does nothing.
final class RequestTask: URLSessionDataTask, @unchecked Sendable {
    // Sound because its stored properties are constants of Sendable types. Weak, because the request retains its tasks.
    private weak let owner: Request?
    private let base: Firewheel.Request
    private let attempt: Int

    init(of owner: Request, attempt: Int) {
        self.owner = owner
        base = owner.base
        self.attempt = attempt
        super.init()
    }

    /// Whether no further attempt has followed this one.
    private var isLast: Bool { base.taskCount == attempt + 1 }

    override var taskIdentifier: Int { Int(truncatingIfNeeded: base.id) }

    override var originalRequest: URLRequest? {
        let requests = base.requests
        return requests.indices.contains(attempt) ? requests[attempt] : requests.last
    }

    // What the request knows is read first: if a retry begins meanwhile, the attempt's own record takes precedence.

    override var currentRequest: URLRequest? {
        let latest = base.currentRequest
        if let retried = base.retriedAttempt(attempt) { return retried.request }
        return latest ?? originalRequest
    }

    override var response: URLResponse? {
        let latest = base.response
        if let retried = base.retriedAttempt(attempt) { return retried.response }
        return latest
    }

    override var error: (any Error)? {
        let latest = base.error
        if let retried = base.retriedAttempt(attempt) { return retried.error }
        return latest
    }

    override var state: URLSessionTask.State {
        guard isLast else { return .completed }
        return switch base.state {
        case .initialized, .suspended: .suspended
        case .resumed: base.isSettled ? .completed : .running
        case .cancelled: base.isSettled ? .completed : .canceling
        case .finished: .completed
        }
    }

    override func resume() { owner?.resume() }
    override func suspend() { owner?.suspend() }
    override func cancel() { owner?.cancel() }
}
