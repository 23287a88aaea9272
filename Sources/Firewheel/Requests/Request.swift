import Foundation

/// A request on its way from `resume()` to its response handlers: the base of ``DataRequest`` and ``DownloadRequest``.
///
/// Safe to use from any thread. A request starts when its first response handler is attached, unless the session was made with
/// `startRequestsImmediately: false`; then `resume()` starts it. Every handler is called exactly once, in the order of attaching, whatever
/// happens to the request. It needs no session to go on: releasing the session ends only requests that have a handler and were never
/// started.
public class Request: @unchecked Sendable {
    // Sound because every stored property, in subclasses too, is a constant of a Sendable type. The compiler cannot infer it only because
    // the class is not final.

    /// Where a request is in its life.
    public enum State: Sendable, Hashable {
        /// Made, and not started.
        case initialized
        /// Started.
        case resumed
        /// Held: nothing is sent or received.
        case suspended
        /// Ended by `cancel()`.
        case cancelled
        /// Ended, with every response serialized.
        case finished
    }

    /// A number that no other request of this process has.
    public let id: UInt64

    let call: any RequestCall

    init(call: any RequestCall) {
        id = call.id
        self.call = call
    }

    // MARK: Life

    /// Where the request is in its life.
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

    /// Starts the request, or goes on after `suspend()` where it was held. Without effect once it has been cancelled or finished.
    @discardableResult
    public func resume() -> Self {
        call.resume(self)
        return self
    }

    /// Holds the request: no byte is sent or received until `resume()`, so that the server feels it, and what an adapter or a retrier
    /// decides takes effect then. Its idle timeout does not run meanwhile, the timeout for the whole resource does. Without effect once it
    /// has been cancelled or finished.
    @discardableResult
    public func suspend() -> Self {
        call.suspend()
        return self
    }

    /// Ends the request with `explicitlyCancelled`, wherever it is, without waiting for closures of yours that are running: only a
    /// serializer at work is waited for. Responses that have been serialized by then, and a file that has been put in its place, are
    /// delivered as they are.
    @discardableResult
    public func cancel() -> Self {
        call.cancel()
        return self
    }

    // MARK: What happened

    /// The request as first sent, once it has been built. After a retry that of the last attempt.
    public var request: URLRequest? { requests.last }

    /// Every request that was made for this one, one for each attempt. Redirects are in `metrics`.
    public var requests: [URLRequest] {
        let snapshot = call.snapshot
        guard let outcome = snapshot.outcome else { return snapshot.requests.compactMap { $0.makeURLRequest() } }
        return snapshot.earlier.compactMap(\.request) + (outcome.request.map { [$0] } ?? [])
    }

    /// The final response, once its head has been received. After a retry that of the last attempt.
    public var response: HTTPURLResponse? {
        let snapshot = call.snapshot
        if let outcome = snapshot.outcome { return outcome.response }
        return snapshot.finalHead.flatMap { $0.head.makeHTTPURLResponse(from: $0.target) }
    }

    /// What went wrong, once the request is over and will not be retried. Errors of serializers are in their responses.
    public var error: (any Error)? { call.snapshot.error }

    /// How often the request has been retried so far.
    public var retryCount: Int { call.snapshot.retryCount }

    /// The metrics of the last attempt, once it is over.
    public var metrics: TaskMetrics? { call.snapshot.outcome?.metrics }

    /// The metrics of every attempt that is over, in their order.
    public var allMetrics: [TaskMetrics] {
        let snapshot = call.snapshot
        return (snapshot.earlier + (snapshot.outcome.map { [$0] } ?? [])).compactMap(\.metrics)
    }

    /// When the request started, got its response and was complete. Zero before its start.
    public var timeline: Timeline {
        let snapshot = call.snapshot
        if let outcome = snapshot.outcome { return outcome.times.timeline(serialized: nil) }
        return snapshot.start.map { AttemptTimes(start: $0).timeline(serialized: nil) } ?? Timeline()
    }

    /// What the last attempt came to, while it is judged and afterwards.
    var outcome: Outcome? { call.snapshot.outcome }

    // MARK: What is attached

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

    /// Adds validators to the request's own. The first of these, be they none, replace the session's.
    func addValidators(_ validators: [Validator]) -> Self {
        configure {
            $0.validators = $0.validatesAsSession ? validators : $0.validators + validators
            $0.validatesAsSession = false
        }
    }
}

extension Request: Hashable {
    public static func == (left: Request, right: Request) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
