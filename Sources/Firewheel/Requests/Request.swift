import Foundation

/// A request on its way from `resume()` to its response handlers: the base of ``DataRequest`` and ``DownloadRequest``.
///
/// Safe to use from any thread. A request starts when its first response handler is attached, unless the session was made with
/// `startRequestsImmediately: false`; then `resume()` starts it. Every handler is called exactly once, in the order of attaching, whatever
/// happens to the request.
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

    let source: RequestSource
    let driver: any RequestDriver
    private let startsImmediately: Bool
    let mutable: Locked<Mutable>

    private static let lastID = Locked<UInt64>(0)

    init(source: RequestSource, driver: any RequestDriver, startsImmediately: Bool) {
        id = Self.lastID.withLock { last in
            last += 1
            return last
        }
        self.source = source
        self.driver = driver
        self.startsImmediately = startsImmediately
        var state = Mutable()
        let session = driver.sessionFacts
        if !session.listeners.isEmpty { state.observation = Observation(id: id, session: session) }
        mutable = Locked(state)
    }

    // MARK: Life

    /// Where the request is in its life.
    public var state: State {
        switch mutable.withLock({ $0.life.phase }) {
        case .initialized: .initialized
        case .resumed: .resumed
        case .suspended: .suspended
        case .cancelled: .cancelled
        case .finished: .finished
        }
    }

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
        move(.resume) { state in
            if state.start == nil { state.start = .now() }
            return state.life.resume()
        }
    }

    /// Holds the request: no byte is sent or received until `resume()`, so that the server feels it. Its idle timeout does not run meanwhile,
    /// the timeout for the whole resource does. Without effect once it has been cancelled or finished.
    @discardableResult
    public func suspend() -> Self {
        move(.suspend) { $0.life.suspend() }
    }

    /// Ends the request with `explicitlyCancelled`, wherever it is. Responses that have been serialized by then, and a file that has been put in
    /// its place, are delivered as they are.
    @discardableResult
    public func cancel() -> Self {
        move(.cancel) { $0.life.cancel() }
    }

    private func move(_ event: RequestEvent, _ move: (inout Mutable) -> RequestLife.Action) -> Self {
        let action = change { state in
            let before = state.life.phase
            let action = move(&state)
            if state.life.phase != before { state.observation?.record(event) }
            return action
        }
        switch action {
        case .nothing: break
        case .start: driver.start(self)
        case .reconcile: driver.reconcile(self)
        }
        return self
    }

    // MARK: What happened

    /// The request as first sent, once it has been built.
    public var request: URLRequest? { requests.first }

    /// Every request that was made for this one. Redirects are in `metrics`.
    public var requests: [URLRequest] {
        if let exchange { return exchange.request.map { [$0] } ?? [] }
        let prepared = mutable.withLock { $0.hops.first?.request ?? $0.current?.request }
        return prepared?.makeURLRequest().map { [$0] } ?? []
    }

    /// The final response, once its head has been received.
    public var response: HTTPURLResponse? {
        if let exchange { return exchange.response }
        return mutable.withLock { $0.finalHop }?.makeHTTPURLResponse()
    }

    /// What went wrong, once the exchange is over.
    public var error: (any Error)? {
        mutable.withLock { $0.currentError }
    }

    /// The metrics of the task, once it is over.
    public var metrics: TaskMetrics? { exchange?.metrics }

    /// The metrics of every task that was made for this request.
    public var allMetrics: [TaskMetrics] { metrics.map { [$0] } ?? [] }

    /// When the request started, got its response and was complete. Zero before its start.
    public var timeline: Timeline {
        mutable.withLock { state in
            if let exchange = state.exchange { return exchange.times.timeline(serialized: nil) }
            return state.start.map { ExchangeTimes(start: $0).timeline(serialized: nil) } ?? Timeline()
        }
    }

    var exchange: Exchange? { mutable.withLock { $0.exchange } }

    // MARK: Handlers and validators

    /// Attaches a response handler, and starts the request if that is how the session wants it.
    @discardableResult
    func attach(_ handler: ResponseHandler) -> Self {
        let action = mutable.withLock { state -> HandlerAction in
            state.handlers.append(handler)
            if state.exchange != nil { return .deliver }
            guard !state.life.isStarted else { return .nothing }
            return startsImmediately && state.life.phase == .initialized ? .resume : .watch
        }
        switch action {
        case .nothing: break
        case .resume: resume()
        case .watch: driver.watchUnstarted(self)
        case .deliver: driver.deliverResponses(of: self)
        }
        return self
    }

    private enum HandlerAction { case nothing, resume, watch, deliver }

    /// - Parameter isOwn: Whether it runs no code but the library's.
    func addValidator(isOwn: Bool = false, _ check: @escaping @Sendable (Exchange) -> (any Error)?) -> Self {
        mutable.withLock { $0.validators.append(Validator(isOwn: isOwn, check: check)) }
        return self
    }

    // MARK: What a kind of request does its own way

    /// How it wants the body from the transport.
    var delivery: TransportRequest.Delivery { .whole }

    /// Takes a piece of the body. On the delegate queue.
    func receive(_ chunk: Data, of task: TransportTaskID) {}

    /// Makes what is known of the exchange into one value, when all of the body has been kept. On the delegate queue, as the call of `done`.
    func collect(_ result: TransportResult?, error: (any Error)?, on queue: DelegateQueue, done: @escaping @Sendable (Exchange) -> Void) {
        done(makeExchange(data: result?.body, error: error))
    }

    /// Puts the body where it belongs, after validation. On the delegate queue, as the call of `done`.
    func place(_ exchange: Exchange, on queue: DelegateQueue, done: @escaping @Sendable (Exchange) -> Void) {
        done(exchange)
    }

    /// At most so much of a body as an error may carry.
    func bodyForError(_ exchange: Exchange) -> Data? {
        exchange.data
    }

    func makeExchange(data: Data? = nil, temporaryURL: URL? = nil, error: (any Error)?) -> Exchange {
        mutable.withLock { state in
            var times = ExchangeTimes(start: state.start ?? .now())
            times.initialResponse = state.headReceived
            times.completed = state.completed
            return Exchange(hops: state.hops, data: data, temporaryURL: temporaryURL, error: error, times: times)
        }
    }
}

extension Request: Hashable {
    public static func == (left: Request, right: Request) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Request: CustomStringConvertible {
    /// The method, the URL without credentials, and the status once there is one.
    public var description: String {
        guard let request else { return "Request \(id), not built" }
        let status = exchange?.statusCode.map { " (\($0))" } ?? ""
        return "\(request.httpMethod ?? "GET") \(request.url.map { Redaction.url($0.absoluteString) } ?? "")\(status)"
    }
}
