/// Calls the interceptors of a request and its session in the completion form when the engine asks for adapting and retrying.
///
/// While it waits for one it retains neither the request nor the session: a session that is released ends its requests, whatever they wait
/// for.
struct InterceptorBridge: Firewheel.RequestInterceptor {
    /// Weak, because the request retains the engine's, which retains this.
    private weak let request: Request?

    init(_ request: Request) {
        self.request = request
    }

    func adapt(_ urlRequest: URLRequest, for context: RequestContext) async throws -> URLRequest {
        // Alamofire checks the body before adapters and after. The first error is the engine's.
        guard (try? urlRequest.validate()) != nil else { return urlRequest }
        request?.willAdapt(urlRequest)
        var adapted = urlRequest
        for adapter in interceptors.adapters {
            try Task.checkCancellation()
            if let adapter = adapter as? any AsyncAdapter {
                adapted = try await adapter.adapt(adapted, for: context)
                continue
            }
            let uncalled = UncalledCompletionError(type: type(of: adapter), method: "adapt")
            let result = await Completion<Result<URLRequest, any Error>>.of(
                or: .failure(CancellationError()), ifReleased: .failure(uncalled)
            ) { call(adapter, adapted, context, completion: $0) }
            adapted = try result.get()
        }
        try adapted.validate()
        request?.didAdapt(urlRequest, to: adapted)
        return adapted
    }

    func retry(_ context: RequestContext, dueTo error: any Error) async -> RetryResult {
        let reported = AFError(ofPipeline: error)
        for retrier in interceptors.retriers {
            if Task.isCancelled { break }
            let result: RetryResult
            if let retrier = retrier as? any AsyncRetrier {
                result = await retrier.retry(context, dueTo: error)
            } else {
                let uncalled = UncalledCompletionError(type: type(of: retrier), method: "retry")
                result = await Completion.of(or: .doNotRetry, ifReleased: .doNotRetryWithError(uncalled)) {
                    call(retrier, reported, completion: $0)
                }
            }
            if case .doNotRetry = result { continue }
            return result
        }
        return .doNotRetry
    }

    private func call(
        _ adapter: any RequestAdapter, _ urlRequest: URLRequest, _ context: RequestContext,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        guard let request, let session = request.session else { return completion(.failure(AFError.sessionDeinitialized)) }
        let state = RequestAdapterState(requestID: request.id, session: session, context: context)
        session.requestQueue.async { adapter.adapt(urlRequest, using: state, completion: completion) }
    }

    private func call(_ retrier: any RequestRetrier, _ error: AFError, completion: @escaping @Sendable (RetryResult) -> Void) {
        guard let request, let session = request.session else { return completion(.doNotRetry) }
        session.rootQueue.async { retrier.retry(request, for: session, dueTo: error, completion: completion) }
    }

    /// The session's before the request's.
    private var interceptors: (adapters: [any RequestAdapter], retriers: [any RequestRetrier]) {
        let interceptors = [request?.session?.interceptor, request?.interceptor].compactMap(\.self)
        return ((interceptors as [any RequestAdapter]).parts, (interceptors as [any RequestRetrier]).parts)
    }
}

extension InterceptorBridge: AdapterGroup {
    /// The engine's adapters, which can also change a body that is not in memory.
    var adapters: [any Firewheel.RequestAdapter] { interceptors.adapters.compactMap { ($0 as? AsyncInterceptor)?.adapter } }
}
