import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// What adapters see and when, and how their failures are handled.
@Suite("Adapters", .timeLimit(.minutes(5)))
struct AdapterTests {
    private struct Odd: Error {}
    private enum Trace { @TaskLocal static var id = "none" }

    private func echo(_ status: Int = 200) -> StubTransport {
        StubTransport { request in
            let text = request.headers.map { "\($0.name)=\($0.value)" }.sorted().joined(separator: "|")
            return [.response(ResponseHead(statusCode: status)), .finish(body: Data(text.utf8))]
        }
    }

    private func session(_ transport: StubTransport, interceptor: (any RequestInterceptor)? = nil) -> Session {
        var configuration = SessionConfiguration.default
        configuration.headers = ["X-Session": "s"]
        configuration.baseURL = URL(string: "http://stub.test/v1")
        return Session(configuration: configuration, transport: transport, interceptor: interceptor)
    }

    @Test("The session's adapter runs first, then the request's in order, each seeing the earlier changes")
    func order() async throws {
        func adapter(_ letter: String) -> Adapter {
            Adapter { request, _ in request.headers.update(name: "X-Path", value: (request.headers["X-Path"] ?? "") + letter) }
        }
        let session = session(echo(), interceptor: adapter("a"))
        let request = session.request("users", interceptor: adapter("b")).interceptor(adapter("c")).adapt { request, _ in
            request.headers.update(name: "X-Path", value: (request.headers["X-Path"] ?? "") + "d")
        }
        #expect(try await request.serializingString().value == "X-Path=abcd|X-Session=s")
        #expect(request.request?.url?.absoluteString == "http://stub.test/v1/users")
    }

    @Test("An adapter sees the request without the session's fields, finds those in the context, and may override them")
    func context() async throws {
        let seen = Journal<(URLRequest, RequestContext)>()
        let request = session(echo()).request("a", headers: ["X-Own": "o"]).adapt { request, context in
            seen.add((request, context))
            request.headers.update(name: "X-Session", value: "mine")
        }
        #expect(try await request.serializingString().value == "X-Own=o|X-Session=mine")
        let (given, context) = try #require(seen.entries.first)
        #expect(given.headers["X-Own"] == "o" && given.headers["X-Session"] == nil)
        #expect(context.id == request.id && context.retryCount == 0 && context.headers["X-Session"] == "s")
        #expect(context.baseURL?.absoluteString == "http://stub.test/v1")
        #expect(context.request?.url?.absoluteString == "http://stub.test/v1/a" && context.response == nil)
    }

    @Test("Every attempt is adapted anew from the original request, and a redirect is not adapted")
    func everyAttempt() async throws {
        let server = try MockServer()
        server.enqueue(.redirect(to: "/second"))
        server.enqueue(.status(503))
        server.enqueue(.text("ok"))
        let calls = Journal<Int>()
        let request = Session().request(server.url("/first")).validate().adapt { request, context in
            calls.add(context.retryCount)
            request.headers.add(name: "X-Try", value: "\(context.retryCount)")
        }.retry { context, _ in context.retryCount == 0 ? .retry : .doNotRetry }
        #expect(try await request.serializingString().value == "ok")
        #expect(calls.entries == [0, 1])
        let sent = try await server.takeRequests(3)
        #expect(sent.map(\.path) == ["/first", "/second", "/first"])
        #expect(sent.map { $0.headerValues("X-Try") } == [["0"], ["0"], ["1"]])
        server.shutdown()
    }

    @Test("Task-local values of the code that starts a request reach its adapters, retriers, gates and redirect handlers")
    func taskLocals() async throws {
        let seen = Journal<String>()
        let stub = StubTransport { request in
            [.response(ResponseHead(statusCode: request.id.attempt == 0 ? 503 : 200)), .finish(body: Data("x".utf8))]
        }
        let request = Session(transport: stub).request("http://stub.test/").validate()
            .adapt { _, _ in seen.add("adapt \(Trace.id)") }
            .onHTTPResponse { _ async in
                seen.add("gate \(Trace.id)")
                return .allow
            }
            .retry { _, _ in
                seen.add("retry \(Trace.id)")
                return .retry
            }
        let queue = DispatchQueue(label: "test")
        let done = Journal<Int>()
        Trace.$id.withValue("t1") { _ = request.responseData(queue: queue) { _ in done.add(1) } }
        _ = try await done.wait(for: 1)
        #expect(seen.entries == ["adapt t1", "gate t1", "retry t1", "adapt t1", "gate t1"])
    }

    // MARK: Failures

    @Test("An adapter that throws fails the request, and nothing is sent")
    func throwing() async throws {
        let transport = echo()
        let response = await session(transport).request("a").adapt { _, _ in throw Odd() }.serializingString().response
        let error = try #require(response.error as? FirewheelError)
        #expect(error.kind == .requestAdaptationFailed && error.underlyingError is Odd)
        #expect(error.request?.url?.absoluteString == "http://stub.test/v1/a")
        #expect(transport.requests.isEmpty)
    }

    @Test(
        "An adapter that returns an invalid request fails it, and nothing is sent",
        arguments: [
            ("no URL", FirewheelError.Kind.invalidURL), ("another scheme", .invalidURL), ("a line break", .invalidHeader),
            ("a body in GET", .urlRequestValidationFailed(.bodyDataInGETRequest)),
        ])
    func unsendable(what: String, expected: FirewheelError.Kind) async throws {
        let transport = echo()
        let request = session(transport).request("a").adapt { request, _ in
            switch what {
            case "no URL": request.url = nil
            case "another scheme": request.url = URL(string: "ftp://stub.test/")
            case "a line break": request.headers = ["X-Bad": "a\r\nX-Smuggled: b"]
            default: request.httpBody = Data("x".utf8)
            }
        }
        #expect(kind(await request.serializingString().response.error) == expected)
        #expect(transport.requests.isEmpty)
    }

    @Test("An adapter that never returns does not delay a cancel, the resource timeout or the session's end")
    func neverReturning() async throws {
        let started = Journal<Int>()
        @Sendable func wait() async {
            // Ignores cancellation until the test is over.
            while !Task.isCancelled { try? await Task.sleep(nanoseconds: 1_000_000) }
        }
        let session = session(echo())
        let cancelled = session.request("a").adapt { _, _ in
            started.add(1)
            await wait()
        }
        // On a busy machine the adapter may be reached only after the timeout, and then is not called.
        let timedOut = session.request("a").adapt { _, _ in await wait() }.timeout(total: 0.05)
        let invalidated = session.request("a").adapt { _, _ in
            started.add(1)
            await wait()
        }
        let tasks = [cancelled, timedOut, invalidated].map { $0.serializingString() }
        _ = try await started.wait(for: 2)
        cancelled.cancel()
        #expect(kind(await tasks[0].response.error) == .explicitlyCancelled)
        #expect(kind(await tasks[1].response.error) == .transportFailed(.timedOut))
        session.invalidate()
        #expect(kind(await tasks[2].response.error) == .sessionInvalidated)
    }

    @Test("A request suspended while it is adapted is sent after resume()")
    func suspended() async throws {
        let transport = echo()
        let adapted = Journal<Int>()
        let request = session(transport).request("a").adapt { _, _ in adapted.add(1) }
        let task = request.serializingString()
        request.suspend()
        _ = try await adapted.wait(for: 1)
        request.resume()
        #expect(try await task.value == "X-Session=s")
        #expect(transport.requests.count == 1)
    }

    @Test("An event monitor is told when a request is adapted")
    func events() async throws {
        let recorder = EventRecorder()
        let session = Session(transport: echo(), eventMonitors: [recorder])
        _ = try await session.request("http://stub.test/a").adapt { request, _ in request.headers.update(name: "X-A", value: "1") }
            .serializingString().value
        let words = try await recorder.words(until: "finish")
        #expect(words.prefix(4) == ["resume", "adaptURLRequest /a", "createURLRequest", "createTask 0.0"])
        #expect(recorder.context(of: "createURLRequest")?.request?.headers["X-A"] == "1")
    }

    @Test("The request that an adapter refused is the request of the response and of the error", arguments: [false, true])
    func refusedRequest(isDownload: Bool) async throws {
        let calls = Journal<Int>()
        let session = session(echo())
        let refuse = Adapter { request, _ in
            calls.add(1)
            request.headers.update(name: "X-Token", value: "none")
            throw Odd()
        }
        let (request, error, ofResponse): (Request, (any Error)?, URLRequest?)
        if isDownload {
            let download = session.download("users", headers: ["X-Own": "1"], interceptor: refuse)
            let response = await download.serializingData().response
            (request, error, ofResponse) = (download, response.error, response.request)
        } else {
            let data = session.request("users", method: .put, headers: ["X-Own": "1"], interceptor: refuse)
            let response = await data.serializingData().response
            (request, error, ofResponse) = (data, response.error, response.request)
        }
        #expect(kind(error) == .requestAdaptationFailed && calls.count == 1)
        let given = try #require(error?.asFirewheelError?.request)
        #expect(given.url?.absoluteString == "http://stub.test/v1/users" && given.headers["X-Own"] == "1")
        #expect(ofResponse == given && request.request == given && request.requests == [given])
        #expect(request.metrics == nil && request.allMetrics.isEmpty)
    }

    @Test("Attempts that an adapter refused leave one request, that of the last")
    func refusedAttempts() async throws {
        let session = session(echo())
        let request = session.request("users").adapt { _, context in if context.retryCount < 2 { throw Odd() } }.retry { _, _ in .retry }
        #expect(try await request.serializingData().value.isEmpty == false)
        #expect(request.retryCount == 2 && request.requests.count == 1 && request.allMetrics.count == 1)
        let refused = session.request("users").adapt { _, _ in throw Odd() }.retry { context, _ in
            context.retryCount < 2 ? .retry : .doNotRetry
        }
        _ = await refused.serializingData().response
        #expect(refused.retryCount == 2 && refused.requests.map { $0.url?.absoluteString } == ["http://stub.test/v1/users"])
    }
}
