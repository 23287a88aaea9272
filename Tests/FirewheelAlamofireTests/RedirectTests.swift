import FirewheelAlamofire
import FirewheelTesting
import Testing

@Suite("Redirect handlers and tasks in Alamofire's form", .timeLimit(.minutes(2)))
struct RedirectTests {
    let server: MockServer
    let session = Session()

    init() throws { server = try .usual() }

    @Test("Redirects are followed by default, and not with .doNotFollow")
    func fixed() async {
        let followed = await session.request(server.url("/redirect")).serializingData().response
        #expect(followed.response?.statusCode == 200 && followed.response?.url?.path == "/user")
        let stopped = await session.request(server.url("/redirect")).redirect(using: .doNotFollow).serializingData().response
        #expect(stopped.response?.statusCode == 302)
        let session = Session(redirectHandler: .doNotFollow)
        #expect(await session.request(server.url("/redirect")).serializingData().response.response?.statusCode == 302)
        let again = await session.request(server.url("/redirect")).redirect(using: .follow).serializingData().response
        #expect(again.response?.statusCode == 200)
    }

    @Test("A closure gets the task, and may change the request")
    func modified() async throws {
        let journal = Journal<String?>()
        let request = session.request(server.url("/redirect"))
        let value = try await request.redirect(
            using: .modify { task, redirected, response in
                journal.add(task.originalRequest?.url?.path)
                journal.add(response.url?.path)
                var redirected = redirected
                redirected.url = redirected.url?.deletingLastPathComponent().appendingPathComponent("echo")
                return redirected
            }
        ).serializingString().value
        #expect(value.hasPrefix("GET /echo"))
        #expect(journal.elements == ["/redirect", "/redirect"])
        #expect(request.performedRequests.map(\.url?.path) == ["/echo"])
        #expect("\(request)".hasSuffix("/echo (200)"))
    }

    @Test("A handler that answers twice is heard once, and one that never answers ends with cancel()")
    func careless() async throws {
        struct Twice: RedirectHandler {
            func task(
                _ task: URLSessionTask, willBeRedirectedTo request: URLRequest, for response: HTTPURLResponse,
                completion: @escaping (URLRequest?) -> Void
            ) {
                completion(nil)
                completion(request)
            }
        }
        final class Never: RedirectHandler, @unchecked Sendable {
            // Sound because the property is set once, before the journal tells of it.
            private var kept: ((URLRequest?) -> Void)?
            let journal = Journal<Bool>()
            func task(
                _ task: URLSessionTask, willBeRedirectedTo request: URLRequest, for response: HTTPURLResponse,
                completion: @escaping (URLRequest?) -> Void
            ) {
                kept = completion
                journal.add(true)
            }
        }
        struct Dropping: RedirectHandler {
            func task(
                _ task: URLSessionTask, willBeRedirectedTo request: URLRequest, for response: HTTPURLResponse,
                completion: @escaping (URLRequest?) -> Void
            ) {}
        }
        #expect(
            await session.request(server.url("/redirect")).redirect(using: Twice()).serializingData().response.response?.statusCode == 302)
        let error = await session.request(server.url("/redirect")).redirect(using: Dropping()).serializingData().response.error
        let reason = String(describing: error?.underlyingError)
        #expect(reason.contains("Dropping"))
        let never = Never()
        let journal = never.journal
        let request = session.request(server.url("/redirect")).redirect(using: never)
        let task = request.serializingData()
        try await waitUntil("the question") { !journal.elements.isEmpty }
        request.cancel()
        #expect(await task.response.error?.isExplicitlyCancelledError == true)
    }

    @Test("A request has a task for each attempt, whose response and state are those of the request")
    func tasks() async throws {
        let request = session.request(server.url("/status/503")).validate()
            .retry(using: Retrier { request, _, _, completion in completion(request.retryCount < 2 ? .retry : .doNotRetry) })
        #expect(request.task == nil && request.tasks.isEmpty)
        _ = await request.serializingData().response
        #expect(request.tasks.count == 3 && request.task === request.tasks[2] && request.firstTask === request.tasks[0])
        #expect((request.task?.response as? HTTPURLResponse)?.statusCode == 503)
        #expect(request.tasks.allSatisfy { $0.state == .completed })
        #expect(request.task?.originalRequest?.url?.path == "/status/503")
        #expect(request.allMetrics.count == 3)
        let statuses = request.tasks.map { ($0.response as? HTTPURLResponse)?.statusCode }
        #expect(statuses == [503, 503, 503])
        let never = session.request("http://127.0.0.1:9/").suspend()
        never.task?.cancel()
        never.cancel()
    }

    @Test("The task of a retried attempt keeps its response and its last request, for monitors that look later")
    func retriedTask() async throws {
        let server = try MockServer()
        server.route("/first") { _ in MockResponse(status: 302, headers: [("Location", "/second")]) }
        server.enqueue(.status(503), .text("hello"))
        let request = session.request(server.url("/first")).validate()
            .retry(using: Retrier { request, _, _, completion in completion(request.retryCount == 0 ? .retry : .doNotRetry) })
        #expect(await request.serializingString().response.value == "hello")
        let statuses = request.tasks.map { ($0.response as? HTTPURLResponse)?.statusCode }
        #expect(statuses == [503, 200])
        #expect(request.performedRequests.map(\.url?.path) == ["/second", "/second"])
        #expect(request.tasks.allSatisfy { $0.error == nil }, "a refused status is not the task's error")
        server.shutdown()
    }
}
