import FirewheelClassic
import FirewheelTesting
import Testing

/// `adapter`, `retrier` and `startRequestsImmediately`, which can be set after a session was created.
@Suite("Settings of a session with Alamofire 4's spelling", .timeLimit(.minutes(5)))
struct SessionSettingsTests {
    private struct Refusal: Error {}

    private struct Adding: RequestAdapter {
        let value: String?

        func adapt(_ urlRequest: URLRequest) throws -> URLRequest {
            guard let value else { throw Refusal() }
            var request = urlRequest
            request.headers.add(name: "X-Added", value: value)
            return request
        }
    }

    /// Answers with a closure.
    private struct Asked: RequestRetrier {
        let answer: @Sendable (SessionManager, Request, any Error, @escaping RequestRetryCompletion) -> Void

        func should(
            _ manager: SessionManager, retry request: Request, with error: any Error, completion: @escaping RequestRetryCompletion
        ) {
            answer(manager, request, error, completion)
        }
    }

    @Test("An adapter applies to requests that are created after it was set, in each attempt as it is then")
    func adapter() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/*") { request in MockResponse(status: request.header("x-added") == "2" ? 200 : 503) }
        let manager = SessionManager()
        #expect(manager.adapter == nil && manager.retrier == nil && manager.startRequestsImmediately && !manager.postsTaskNotifications)
        let before = manager.request(server.url("/before"))
        manager.adapter = Adding(value: "1")
        #expect((manager.adapter as? Adding)?.value == "1")
        manager.retrier = Asked { manager, _, _, completion in
            manager.adapter = Adding(value: "2")
            completion(true, 0)
        }
        _ = await before.serializingData(emptyResponseCodes: [503]).response
        let after = manager.request(server.url("/after")).validate()
        #expect(await after.serializingData(emptyResponseCodes: [200]).response.error == nil)
        #expect(after.retryCount == 1)
        #expect(try await server.takeRequest().header("x-added") == nil)
        #expect(try await server.takeRequest().header("x-added") == "1")
        #expect(try await server.takeRequest().header("x-added") == "2")
    }

    @Test("An adapter's error fails the request before anything is sent")
    func failingAdapter() async throws {
        let manager = SessionManager()
        manager.adapter = Adding(value: nil)
        let error = await manager.request("http://127.0.0.1:9/").serializingData().response.error as? FirewheelError
        #expect(error?.kind == .requestAdaptationFailed && error?.underlyingError is Refusal)
    }

    @Test("A retrier gets the session, the request and the error, and only its first answer counts")
    func retrier() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(MockResponse(status: 500), .text("hello"))
        let manager = SessionManager()
        let request = manager.request(server.url()).validate()
        manager.retrier = Asked { _, _, _, completion in completion(false, 0) }
        let retried = manager.request(server.url()).validate()
        manager.retrier = Asked { [weak retried] asker, request, error, completion in
            let isRight = asker === manager && request === retried && (error as? AFError)?.responseCode == 500 && request.retryCount == 0
            completion(isRight, 0)
            completion(false, 0)
        }
        #expect(await retried.serializingString().result.value == "hello")
        #expect(request.isInitialized)
    }

    @Test("A retrier may retry without an end, and counts with the request's retryCount")
    func endless() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/*") { _ in MockResponse(status: 500) }
        let manager = SessionManager()
        manager.retrier = Asked { _, request, _, completion in completion(request.retryCount < 100, 0) }
        let request = manager.request(server.url()).validate()
        #expect((await request.serializingData().response.error as? AFError)?.responseCode == 500)
        #expect(request.retryCount == 100 && server.requestCount == 101)
    }

    @Test("The adapter and the retrier come after the interceptors of the session and the call, before those added to the request")
    func order() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/*") { _ in MockResponse(status: 500) }
        let (names, asked) = AsyncStream<String>.makeStream()
        func interceptor(_ name: String) -> Interceptor {
            Interceptor(
                adapters: [Adapter { request, _ in request.headers["X-Order"] = (request.headers["X-Order"] ?? "") + name }],
                retriers: [
                    Retrier { _, _ in
                        asked.yield(name)
                        return .doNotRetry
                    }
                ])
        }
        struct Appending: RequestAdapter {
            func adapt(_ urlRequest: URLRequest) throws -> URLRequest {
                var request = urlRequest
                request.headers["X-Order"] = (request.headers["X-Order"] ?? "") + "m"
                return request
            }
        }
        let manager = SessionManager(interceptor: interceptor("s"))
        manager.adapter = Appending()
        manager.retrier = Asked { _, _, _, completion in
            asked.yield("m")
            completion(false, 0)
        }
        let request = manager.request(server.url(), interceptor: interceptor("c")).interceptor(interceptor("r")).validate()
        _ = await request.serializingData().response
        asked.finish()
        #expect(await names.reduce("", +) == "scmr")
        #expect(try await server.takeRequest().header("x-order") == "scmr")
    }

    @Test("A retrier that releases its completion, or answers no, leaves the error")
    func refusals() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/*") { _ in MockResponse(status: 500) }
        let manager = SessionManager()
        manager.retrier = Asked { _, _, _, _ in }
        let released = await manager.request(server.url()).validate().serializingData().response
        #expect((released.error as? AFError)?.responseCode == 500)
        manager.retrier = Asked { _, _, _, completion in completion(false, 0) }
        let refused = await manager.request(server.url()).validate().serializingData().response
        #expect((refused.error as? AFError)?.responseCode == 500)
        #expect(server.requestCount == 2)
    }

    @Test("A request is cancelled while its retrier keeps the completion, whose late answer has no effect")
    func cancellation() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/*") { _ in MockResponse(status: 500) }
        let manager = SessionManager()
        let (asked, asking) = AsyncStream<RequestRetryCompletion>.makeStream()
        manager.retrier = Asked { _, _, _, completion in asking.yield(completion) }
        let request = manager.request(server.url()).validate()
        async let response = request.serializingData().response
        var questions = asked.makeAsyncIterator()
        let completion = await questions.next()
        request.cancel()
        #expect((await response.error as? AFError)?.isExplicitlyCancelled == true)
        completion?(true, 0)
        #expect(server.requestCount == 1)
    }

    @Test("startRequestsImmediately can be changed, and applies to requests that are created afterwards")
    func start() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/*") { _ in .text("hello") }
        let manager = SessionManager(configuration: .default, startRequestsImmediately: false)
        #expect(!manager.startRequestsImmediately)
        let held = manager.request(server.url()).response(queue: .global()) { _ in }
        manager.startRequestsImmediately = true
        #expect(manager.startRequestsImmediately && held.isInitialized)
        #expect(await manager.request(server.url()).serializingString().result.value == "hello")
        manager.startRequestsImmediately = false
        #expect(manager.request(server.url()).response(queue: .global()) { _ in }.isInitialized)
        #expect(server.requestCount == 1)
    }

    @Test("The settings do not keep the session, and an adapter is released with it")
    func lifetime() {
        final class Token: RequestAdapter {
            func adapt(_ urlRequest: URLRequest) throws -> URLRequest { urlRequest }
        }
        weak var session: SessionManager?
        weak var token: Token?
        do {
            let manager = SessionManager()
            let adapter = Token()
            manager.adapter = adapter
            (session, token) = (manager, adapter)
        }
        #expect(session == nil && token == nil)
    }
}
