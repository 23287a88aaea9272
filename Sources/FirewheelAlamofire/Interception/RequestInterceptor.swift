/// What a ``RequestAdapter`` knows about the request that it adapts.
public struct RequestAdapterState: Sendable {
    /// The `Request.id` of the request.
    public let requestID: UUID
    /// The session of the request.
    public let session: Session
    /// What the engine tells its own adapters; nil if a program has made the state.
    let context: RequestContext?

    /// Creates a state, for tests of adapters.
    public init(requestID: UUID, session: Session) {
        self.init(requestID: requestID, session: session, context: nil)
    }

    init(requestID: UUID, session: Session, context: RequestContext?) {
        self.requestID = requestID
        self.session = session
        self.context = context
    }
}

/// Changes requests before they are sent, in Alamofire's completion form.
public protocol RequestAdapter: Sendable {
    /// Changes a request and passes it, or an error, to the completion handler.
    ///
    /// Called once for each attempt, on the session's `requestQueue`. The first call of the completion handler counts. If it is released
    /// without having been called, the request fails. If it is kept and never called, the request waits until it is cancelled or its
    /// resource timeout is exceeded.
    func adapt(_ urlRequest: URLRequest, for session: Session, completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void)

    /// Changes a request, with more about it than ``adapt(_:for:completion:)``, which the default calls.
    func adapt(
        _ urlRequest: URLRequest, using state: RequestAdapterState,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void)
}

extension RequestAdapter {
    @preconcurrency
    public func adapt(
        _ urlRequest: URLRequest, using state: RequestAdapterState,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        adapt(urlRequest, for: state.session, completion: completion)
    }
}

/// Decides whether a failed request is retried, in Alamofire's completion form.
public protocol RequestRetrier: Sendable {
    /// Passes the decision about a failure to the completion handler.
    ///
    /// Called once for each failure, on the session's `rootQueue`. The first call of the completion handler counts. If it is released
    /// without having been called, the request fails. If it is kept and never called, the request waits until it is cancelled or its
    /// resource timeout is exceeded.
    ///
    /// - Parameters:
    ///   - request: The request that has failed.
    ///   - session: Its session.
    ///   - error: The failure: an ``AFError``.
    ///   - completion: Takes the decision.
    func retry(_ request: Request, for session: Session, dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void)
}

/// A ``RequestAdapter`` and a ``RequestRetrier`` in one. Both methods have a default that does nothing.
public protocol RequestInterceptor: RequestAdapter, RequestRetrier {}

extension RequestInterceptor {
    @preconcurrency
    public func adapt(
        _ urlRequest: URLRequest, for session: Session, completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        completion(.success(urlRequest))
    }

    @preconcurrency
    public func retry(
        _ request: Request, for session: Session, dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void
    ) {
        completion(.doNotRetry)
    }
}
