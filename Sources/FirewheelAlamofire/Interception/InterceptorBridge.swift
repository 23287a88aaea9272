/// Calls the interceptors of a request and its session in the completion form when the engine asks for adapting and retrying.
struct InterceptorBridge: Firewheel.RequestInterceptor {
    /// Weak, because the request retains the engine's, which retains this.
    private weak let request: Request?

    init(_ request: Request) {
        self.request = request
    }

    func adapt(_ urlRequest: URLRequest, for context: RequestContext) async throws -> URLRequest {
        guard let request, let session = request.session else { throw AFError.sessionDeinitialized }
        let state = RequestAdapterState(requestID: request.id, session: session)
        request.willAdapt(urlRequest)
        var adapted = urlRequest
        for adapter in [session.interceptor, request.interceptor].compactMap(\.self) {
            let current = adapted
            let result = await Completion<Result<URLRequest, any Error>>.of(or: .failure(CancellationError())) { completion in
                session.requestQueue.async { adapter.adapt(current, using: state, completion: completion) }
            }
            adapted = try result.get()
        }
        request.didAdapt(urlRequest, to: adapted)
        return adapted
    }

    func retry(_ context: RequestContext, dueTo error: any Error) async -> RetryResult {
        guard let request, let session = request.session else { return .doNotRetry }
        let error = AFError(ofPipeline: error)
        for retrier in [session.interceptor, request.interceptor].compactMap(\.self) {
            let result = await Completion<RetryResult>.of(or: .doNotRetry) { completion in
                session.rootQueue.async { retrier.retry(request, for: session, dueTo: error, completion: completion) }
            }
            if case .doNotRetry = result { continue }
            return result
        }
        return .doNotRetry
    }
}
