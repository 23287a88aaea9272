import Foundation

/// The base class of ``DataRequest`` and ``DownloadRequest``: a request from `resume()` to its response handlers.
///
/// Safe to use from any thread. A request starts when its first response handler is attached, unless the session was created with
/// `startRequestsImmediately: false`; then `resume()` starts it. Every handler is called exactly once, in the order of attaching, whatever
/// happens to the request. A request does not need its session to continue: releasing the session ends only unstarted requests that have a
/// handler.
public class Request: @unchecked Sendable {
    // Sound because every stored property, including in subclasses, is a constant of a Sendable type. The compiler cannot infer this
    // because the class is not final.

    /// The state of a request.
    public enum State: Sendable, Hashable {
        /// Created, but not started.
        case initialized
        /// Started.
        case resumed
        /// Suspended: nothing is sent or received.
        case suspended
        /// Ended by `cancel()`.
        case cancelled
        /// Ended, with every response serialized.
        case finished
    }

    /// A number that is unique within the process.
    public let id: UInt64

    let call: any RequestCall

    init(call: any RequestCall) {
        id = call.id
        self.call = call
    }

    // MARK: Life cycle

    /// The state of the request.
    public var state: State { call.state }

    /// Whether `state` is `.initialized`.
    public var isInitialized: Bool { state == .initialized }
    /// Whether `state` is `.resumed`.
    public var isResumed: Bool { state == .resumed }
    /// Whether `state` is `.suspended`.
    public var isSuspended: Bool { state == .suspended }
    /// Whether `state` is `.cancelled`.
    public var isCancelled: Bool { state == .cancelled }
    /// Whether `state` is `.finished`.
    public var isFinished: Bool { state == .finished }

    /// Starts the request, or continues it after `suspend()`. Has no effect once it has been cancelled or finished.
    @discardableResult
    public func resume() -> Self {
        call.resume(self)
        return self
    }

    /// Suspends the request: no byte is sent or received until `resume()`, with back-pressure on the server, and decisions of adapters and
    /// retriers take effect then. The idle timeout is suspended as well, the resource timeout is not. Has no effect once the request has
    /// been cancelled or finished.
    @discardableResult
    public func suspend() -> Self {
        call.suspend()
        return self
    }

    /// Ends the request with `explicitlyCancelled` at any stage. Running closures of the caller are not waited for, except a serializer.
    /// Responses that have been serialized, and a file that is complete, are delivered as they are.
    @discardableResult
    public func cancel() -> Self {
        call.cancel(producesResumeData: false)
        return self
    }

    // MARK: Results

    /// The request as first sent, once it has been built. After a retry, that of the last attempt. If an adapter refused it, it
    /// is the request that the adapter was given.
    public var request: URLRequest? { requests.last }

    /// The requests of all attempts that sent one, and that of the last attempt. Redirects are in `metrics`.
    public var requests: [URLRequest] {
        let snapshot = call.snapshot
        guard let outcome = snapshot.outcome else { return snapshot.requests.compactMap { $0.makeURLRequest() } }
        return snapshot.earlier.compactMap(\.request) + (outcome.request.map { [$0] } ?? [])
    }

    /// The final response, once its head has been received. After a retry, that of the last attempt.
    public var response: HTTPURLResponse? {
        let snapshot = call.snapshot
        if let outcome = snapshot.outcome { return outcome.response }
        return snapshot.finalHead.flatMap { $0.head.makeHTTPURLResponse(from: $0.target) }
    }

    /// The error, once the request has ended and will not be retried. Serializers' errors are in their responses.
    public var error: (any Error)? { call.snapshot.error }

    /// The number of retries so far.
    public var retryCount: Int { call.snapshot.retryCount }

    /// The metrics of the last attempt, once it has ended.
    public var metrics: TaskMetrics? { call.snapshot.outcome?.metrics }

    /// The metrics of all finished attempts, in order.
    public var allMetrics: [TaskMetrics] {
        let snapshot = call.snapshot
        return (snapshot.earlier + (snapshot.outcome.map { [$0] } ?? [])).compactMap(\.metrics)
    }

    /// When the request started, received its response and completed. Zero before its start.
    public var timeline: Timeline {
        let snapshot = call.snapshot
        if let outcome = snapshot.outcome { return outcome.times.timeline(serialized: nil) }
        return snapshot.start.map { AttemptTimes(start: $0).timeline(serialized: nil) } ?? Timeline()
    }

    /// The outcome of the last attempt, while it is validated and afterwards.
    var outcome: Outcome? { call.snapshot.outcome }

    // MARK: Attachments

    func attach(_ handler: ResponseHandler) -> Self {
        call.attach(handler, of: self)
        return self
    }

    func configure(_ change: (inout RequestOptions) -> Void) -> Self {
        call.configure(change)
        return self
    }

    func addValidator(_ owner: CodeOwner = .caller, _ check: @escaping @Sendable (Outcome) -> (any Error)?) -> Self {
        addValidators([Validator(owner: owner, check: check)])
    }

    /// Adds validators to the request's own. The first call, even without validators, removes the session's.
    func addValidators(_ validators: [Validator]) -> Self {
        configure {
            $0.validators = $0.validatesAsSession ? validators : $0.validators + validators
            $0.validatesAsSession = false
        }
    }
}

extension Request: Hashable {
    /// Whether both are the same request. A request equals only itself.
    public static func == (left: Request, right: Request) -> Bool { left === right }

    /// Hashes the ``id``.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
