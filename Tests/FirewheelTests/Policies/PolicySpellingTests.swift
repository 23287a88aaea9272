import Firewheel
import Testing

/// How a user writes interceptors and redirect handlers, with the public interface only.
@Suite("Spelling of interceptors and redirect handlers")
struct PolicySpellingTests {
    /// Replacements for the parameters of sessions and requests.
    private func interceptor(_ interceptor: (any RequestInterceptor)? = nil) -> any RequestInterceptor { interceptor ?? Interceptor() }
    private func handler(_ handler: (any RedirectHandler)? = nil) -> any RedirectHandler { handler ?? .follow }

    private actor Tokens: RequestInterceptor {
        private var count = 0

        func adapt(_ urlRequest: URLRequest, for context: RequestContext) async throws -> URLRequest {
            count += 1
            var request = urlRequest
            request.headers.update(.authorization(bearerToken: "token \(count)"))
            return request
        }
    }

    @MainActor private final class Model: RequestRetrier {
        var failures = 0
        func retry(_ request: RequestContext, dueTo error: any Error) async -> RetryResult {
            failures += 1
            return failures < 2 ? .retry : .doNotRetry
        }
    }

    private struct Nothing: RequestInterceptor {}
    private struct Refusal: Error {}

    private func adapt(_ adapter: any RequestAdapter) async throws -> URLRequest {
        try await adapter.adapt(try URLRequest(url: "http://stub.test/", method: .get), for: RequestContext(id: 1))
    }

    @Test("Built-in interceptors can be written with a leading dot")
    func leadingDots() {
        _ = interceptor(.retryPolicy)
        _ = interceptor(.retryPolicy(limit: 3, backoff: .exponential(cap: 5), statusCodes: [503]))
        _ = interceptor(.retryPolicy(methods: RetryPolicy.defaultMethods.union([.post]), budget: RetryBudget()))
        _ = interceptor(.connectionLostRetryPolicy)
        _ = interceptor(.connectionLostRetryPolicy(limit: 1, backoff: .constant(0)))
        _ = interceptor(.deflateCompressor)
        _ = interceptor(.deflateCompressor(duplicateHeaderBehavior: .skip) { $0.count > 1_000 })
        _ = interceptor(.deflateCompressor(duplicateHeaderBehavior: .replace, coding: .gzip, shouldCompressBodyData: { _ in true }))
        _ = interceptor(
            .interceptor(
                adapters: [.adapter { request, _ in request.timeoutInterval = 5 }, Tokens(), .deflateCompressor],
                retriers: [.retrier { _, _ in .retry }, .retryPolicy], interceptors: [.retryPolicy, .connectionLostRetryPolicy]))
    }

    @Test("Adapter and retrier closures may await or throw, or do neither")
    func closures() async throws {
        _ = interceptor(.adapter { request, _ in request.httpMethod = "PUT" })
        _ = interceptor(.adapter { request, context in request.headers.add(name: "X-Retry", value: "\(context.retryCount)") })
        _ = interceptor(.adapter { _, _ in throw Refusal() })
        _ = interceptor(.adapter { _, _ in try await Task.sleep(for: .zero) })
        _ = interceptor(.retrier { _, _ in .doNotRetry })
        _ = interceptor(.retrier { context, error in context.retryCount < 1 && error is Refusal ? .retryWithDelay(0.5) : .doNotRetry })
        _ = interceptor(
            .retrier { _, error in
                await Task.yield()
                return .doNotRetryWithError(error)
            })
        let changed = try await adapt(Adapter { request, _ in request.httpMethod = "PUT" })
        #expect(changed.method == .put)
        await #expect(throws: Refusal.self) { try await adapt(Adapter { _, _ in throw Refusal() }) }
    }

    @Test("Actors and main-actor classes can be interceptors, and need not implement both methods")
    func isolated() async throws {
        let tokens = Tokens()
        #expect(try await adapt(tokens).value(forHTTPHeaderField: "Authorization") == "Bearer token 1")
        #expect(
            try await adapt(interceptor(.interceptor(adapters: [tokens]))).value(forHTTPHeaderField: "Authorization") == "Bearer token 2")
        guard case .doNotRetry = await tokens.retry(RequestContext(id: 1), dueTo: Refusal()) else {
            Issue.record("another answer")
            return
        }
        let model = Model()
        let retrier = interceptor(.interceptor(retriers: [model]))
        guard case .retry = await retrier.retry(RequestContext(id: 1), dueTo: Refusal()) else {
            Issue.record("another answer")
            return
        }
        #expect(await model.failures == 1)
        #expect(try await adapt(Nothing()).url?.host() == "stub.test")
    }

    @Test("Redirectors can be written with a leading dot, and their closures may await or throw")
    func redirectors() async throws {
        _ = handler(.follow)
        _ = handler(.doNotFollow)
        _ = handler(.modify { _, request, _ in request.url?.host() == "stub.test" ? request : nil })
        _ = handler(.modify { _, _, _ in nil })
        _ = handler(
            .modify { _, request, response in
                await Task.yield()
                guard response.statusCode != 308 else { throw Refusal() }
                var request = request
                request.headers.update(name: "X-Redirected", value: "1")
                return request
            })
        let request = try URLRequest(url: "http://stub.test/", method: .get)
        let url = try #require(request.url)
        let response = try #require(HTTPURLResponse(url: url, statusCode: 308, httpVersion: nil, headerFields: nil))
        let context = RequestContext(id: 1)
        #expect(try await handler(.follow).redirect(context, to: request, for: response) == request)
        #expect(try await handler(.doNotFollow).redirect(context, to: request, for: response) == nil)
        await #expect(throws: Refusal.self) {
            try await handler(.modify { _, _, _ in throw Refusal() }).redirect(context, to: request, for: response)
        }
    }
}
