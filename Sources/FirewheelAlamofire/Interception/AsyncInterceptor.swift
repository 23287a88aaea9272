/// Uses Firewheel's own interceptors, whose methods are async, where Alamofire's completion form is expected.
///
/// ```swift
/// let session = Session(interceptor: AsyncInterceptor(Firewheel.RetryPolicy(limit: 5)))
/// AF.request(url, interceptor: AsyncInterceptor(Firewheel.Adapter { request, context in
///     request.headers.update(.authorization(bearerToken: try await tokens.current()))
/// }))
/// ```
/// They are given what they are given in a `Firewheel.Session`: their `RequestContext`, Firewheel's errors, and a task that is cancelled
/// with the request. In particular `Firewheel.RetryPolicy` honors `Retry-After` and a budget, which ``RetryPolicy`` does not.
///
/// That holds for the interceptors of sessions and requests and for the members of an ``Interceptor``. If an interceptor of yours calls
/// this one's methods in the completion form, their task is not cancelled with the request, and the error is an ``AFError`` if Firewheel's
/// is not known.
public struct AsyncInterceptor: RequestInterceptor {
    let adapter: (any Firewheel.RequestAdapter)?
    let retrier: (any Firewheel.RequestRetrier)?

    /// Creates an interceptor from one of Firewheel's.
    public init(_ interceptor: any Firewheel.RequestInterceptor) {
        (adapter, retrier) = (interceptor, interceptor)
    }

    /// Creates an interceptor from an adapter of Firewheel's. It retries nothing.
    public init(_ adapter: any Firewheel.RequestAdapter) {
        (self.adapter, retrier) = (adapter, nil)
    }

    /// Creates an interceptor from a retrier of Firewheel's. It adapts nothing.
    public init(_ retrier: any Firewheel.RequestRetrier) {
        (adapter, self.retrier) = (nil, retrier)
    }

    public func adapt(
        _ urlRequest: URLRequest, for session: Session, completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        adapt(urlRequest, in: RequestContext(of: urlRequest, in: session), completion)
    }

    public func adapt(
        _ urlRequest: URLRequest, using state: RequestAdapterState,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        adapt(urlRequest, in: state.context ?? RequestContext(of: urlRequest, in: state.session), completion)
    }

    public func retry(
        _ request: Request, for session: Session, dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void
    ) {
        let context = RequestContext(of: request, in: session)
        Task { completion(await retry(context, dueTo: error.asAFError?.firewheelError ?? error)) }
    }

    private func adapt(
        _ urlRequest: URLRequest, in context: RequestContext, _ completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        Task {
            do {
                completion(.success(try await adapt(urlRequest, for: context)))
            } catch {
                completion(.failure(error))
            }
        }
    }
}

extension AsyncInterceptor: AsyncAdapter, AsyncRetrier {
    func adapt(_ urlRequest: URLRequest, for context: RequestContext) async throws -> URLRequest {
        try await adapter?.adapt(urlRequest, for: context) ?? urlRequest
    }

    func retry(_ context: RequestContext, dueTo error: any Error) async -> RetryResult {
        await retrier?.retry(context, dueTo: error) ?? .doNotRetry
    }
}

extension RequestContext {
    /// What is known when an adapter is called without a state of the engine's.
    fileprivate init(of urlRequest: URLRequest, in session: Session) {
        let configuration = session.base.configuration
        self.init(id: 0, request: urlRequest, baseURL: configuration.baseURL, headers: configuration.headers)
    }

    /// What is known when a retrier is called in the completion form.
    init(of request: Request, in session: Session) {
        let (base, configuration) = (request.base, session.base.configuration)
        self.init(
            id: base.id, retryCount: base.retryCount, request: base.request, response: base.response, metrics: base.metrics,
            baseURL: configuration.baseURL, headers: configuration.headers)
    }
}
