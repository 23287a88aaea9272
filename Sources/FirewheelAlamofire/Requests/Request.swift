/// What a session's method was given about a request, whatever its kind.
struct RequestSettings {
    let session: Session
    let interceptor: (any RequestInterceptor)?
    let shouldAutomaticallyResume: Bool?
}

/// The base class of all requests: it holds a request of the engine and adds what Alamofire has beyond that.
public class Request: @unchecked Sendable {
    // Sound because every stored property, including in subclasses, is a constant of a Sendable type, or weak and set once. The compiler
    // cannot infer this because the class is not final.

    /// The state of a request.
    public typealias State = Firewheel.Request.State
    /// A closure that is called with the progress of a request.
    public typealias ProgressHandler = @Sendable (_ progress: Progress) -> Void
    /// What to do with a response after its head was received.
    public typealias ResponseDisposition = Firewheel.Request.ResponseDisposition
    /// The result of a validation.
    public typealias ValidationResult = Result<Void, any Error & Sendable>

    struct MutableState: Sendable {
        var id: UUID?
        var interceptor: (any RequestInterceptor)?
        var hasBridge = false
        var tasks: [RequestTask] = []
        var monitoring: Monitoring
        /// Whether the request is retained until it ends.
        var isKept = false
        /// Retained by the response handlers that were attached before that.
        var unstarted: UnstartedRequest?
    }

    let base: Firewheel.Request
    weak let session: Session?
    /// The session's root queue, on which responses are handed to the queues of their handlers.
    public let underlyingQueue: DispatchQueue
    /// The queue on which responses are serialized, if the session was created with one.
    public let serializationQueue: DispatchQueue
    /// Whether the first response handler starts the request; nil: as the session says.
    public let shouldAutomaticallyResume: Bool?
    private let startsImmediately: Bool
    let mutableState: Locked<MutableState>

    init(_ base: Firewheel.Request, settings: RequestSettings) {
        let session = settings.session
        self.base = base
        self.session = session
        underlyingQueue = session.rootQueue
        serializationQueue = session.serializationQueue
        shouldAutomaticallyResume = settings.shouldAutomaticallyResume
        startsImmediately = settings.shouldAutomaticallyResume ?? session.startRequestsImmediately
        mutableState = Locked(MutableState(interceptor: settings.interceptor, monitoring: Monitoring(session.eventMonitor)))
        if let starts = settings.shouldAutomaticallyResume { base.startImmediately(starts) }
        if settings.interceptor != nil || session.interceptor != nil { addBridge() }
        if let handler = session.redirectHandler { base.redirect(using: handler.engineHandler(of: self)) }
        if let handler = session.cachedResponseHandler { base.cacheResponse(using: handler.engineHandler(of: self)) }
        observe()
    }

    // MARK: Life cycle

    /// A value that identifies the request.
    public var id: UUID {
        mutableState.withLock { state in
            let id = state.id ?? UUID()
            state.id = id
            return id
        }
    }

    /// The state of the request.
    public var state: State { base.state }
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

    /// Starts the request, or continues it after ``suspend()``. Has no effect once it has been cancelled or finished.
    @discardableResult
    public func resume() -> Self {
        keep()
        base.resume()
        return self
    }

    /// Suspends the request: nothing is sent or received until ``resume()``.
    @discardableResult
    public func suspend() -> Self {
        base.suspend()
        return self
    }

    /// Ends the request with `AFError.explicitlyCancelled`.
    @discardableResult
    public func cancel() -> Self {
        keep()
        base.cancel()
        return self
    }

    /// Retains the request until it ends. To be called when it starts, or ends without having been started.
    func keep() {
        base.keep(self)
        mutableState.withLock { state in
            state.isKept = true
            return state.unstarted.take()
        }?.start()
    }

    /// To be called before a response handler is attached, which may start the request.
    ///
    /// - Returns: What the handler finds the request by.
    @discardableResult
    func willAttach() -> HandlerOwner {
        if startsImmediately { keep() }
        return mutableState.withLock { state in
            if state.isKept { return .started(self) }
            let unstarted = state.unstarted ?? UnstartedRequest(self)
            state.unstarted = unstarted
            return .unstarted(unstarted)
        }
    }

    /// To be called when a response handler was attached, which as in Alamofire resumes a suspended request. Not before, because the body
    /// of a stream would begin without the handler.
    func didAttach() {
        if startsImmediately, base.state == .suspended { resume() }
    }

    /// Builds and adapts the request ahead of its start.
    func prepare() {
        keep()
        base.prepare()
    }

    // MARK: Results

    /// The requests of all attempts.
    public var requests: [URLRequest] { base.requests }
    /// The request of the first attempt.
    public var firstRequest: URLRequest? { requests.first }
    /// The request of the last attempt.
    public var lastRequest: URLRequest? { base.request }
    /// The request of the last attempt.
    public var request: URLRequest? { base.request }
    /// The last request of each attempt: after redirects.
    public var performedRequests: [URLRequest] { tasks.compactMap(\.currentRequest) }
    /// The final response, once its head has been received.
    public var response: HTTPURLResponse? { base.response }

    /// A task for each attempt that sent something, for programs that ask it for its requests, its response or its state.
    public var tasks: [URLSessionTask] {
        let count = base.taskCount
        return mutableState.withLock { state in
            while state.tasks.count < count { state.tasks.append(RequestTask(of: self, attempt: state.tasks.count)) }
            return state.tasks
        }
    }

    /// The task of the first attempt.
    public var firstTask: URLSessionTask? { tasks.first }
    /// The task of the last attempt.
    public var lastTask: URLSessionTask? { tasks.last }
    /// The task of the last attempt.
    public var task: URLSessionTask? { lastTask }

    /// The metrics of all finished attempts.
    public var allMetrics: [TaskMetrics] { base.allMetrics }
    /// The metrics of the first attempt.
    public var firstMetrics: TaskMetrics? { allMetrics.first }
    /// The metrics of the last attempt.
    public var lastMetrics: TaskMetrics? { base.metrics }
    /// The metrics of the last attempt.
    public var metrics: TaskMetrics? { base.metrics }
    /// The number of retries so far.
    public var retryCount: Int { base.retryCount }
    /// The error of the last attempt. Monitors and interceptors see it while the attempt may be retried; it is nil again once a retry has
    /// begun. Serializers' errors are in their responses.
    public var error: AFError? { (base.error ?? base.attemptError).map { AFError(ofPipeline: $0) } }

    // MARK: Progress

    /// How much of the request's body was sent.
    public var uploadProgress: Progress { base.uploadProgress }
    /// How much of the response's body was received.
    public var downloadProgress: Progress { base.downloadProgress }

    // MARK: Interception

    /// The request's own interceptor, which is called after the session's.
    public var interceptor: (any RequestInterceptor)? { mutableState.withLock { $0.interceptor } }

    func addInterceptor(_ combine: ((any RequestInterceptor)?) -> any RequestInterceptor) {
        mutableState.withLock { $0.interceptor = combine($0.interceptor) }
        addBridge()
    }

    private func addBridge() {
        let isNew = mutableState.withLock { state in
            defer { state.hasBridge = true }
            return !state.hasBridge
        }
        if isNew { base.interceptor(InterceptorBridge(self)) }
    }
}

extension Request: Hashable {
    /// Whether both are the same request.
    public static func == (left: Request, right: Request) -> Bool { left === right }

    /// Hashes the identity of the request.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Request: CustomStringConvertible {
    /// The method, the URL without credentials, and the status, if known.
    public var description: String {
        guard let request = base.currentRequest ?? base.request else { return "not sent" }
        let status = response.map { " (\($0.statusCode))" } ?? ""
        return "\(Redaction.line(of: request))\(status)"
    }
}

extension Request: CustomReflectable {
    /// What `dump` and debuggers show: the state, but none of the input, which contains credentials.
    public var customMirror: Mirror { Mirror(self, children: ["state": state], displayStyle: .class) }
}
