import Firewheel
import FirewheelTesting
import Foundation
import Testing

@Suite("Closures for single events", .timeLimit(.minutes(5)))
struct ListeningTests {
    private let bench = EngineBench()
    private let queue = DispatchQueue(label: "test.listening")

    @Test func onURLRequestCreationHearsOfTheRequestBeforeItGoesOut() async throws {
        let seen = Journal<String?>()
        let request = bench.session.request("http://a.test/x", headers: ["X-A": "b"])
            .onURLRequestCreation(on: queue) { seen.add($0.value(forHTTPHeaderField: "X-A")) }
        await queue.drain()
        #expect(seen.entries.isEmpty, "listening does not start a request")
        request.response(queue: bench.handlers) { _ in }
        #expect(try await seen.wait(for: 1) == ["b"])
        bench.transport.deliver((bench.id(request), .end()))
        await bench.settle()
        await queue.drain()
        #expect(seen.count == 1)
    }

    @Test func onURLRequestCreationHearsOfARequestThatIsThere() async throws {
        let request = bench.session.request("http://a.test/x").response(queue: bench.handlers) { _ in }
        try await bench.started(request)
        let seen = Journal<String?>()
        request.onURLRequestCreation(on: queue) { seen.add($0.url?.path) }
        #expect(try await seen.wait(for: 1) == ["/x"])
    }

    @Test func onURLRequestCreationDoesNotHearOfFailures() async throws {
        let seen = Journal<String?>()
        let request = bench.session.request("no url").onURLRequestCreation(on: queue) { seen.add($0.url?.path) }
        request.response(queue: bench.handlers) { _ in }
        await bench.settle()
        await queue.drain()
        #expect(request.isFinished)
        #expect(seen.entries.isEmpty)
    }

    @Test func onHTTPResponseHearsOfTheHeadBeforeTheBody() async throws {
        let seen = Journal<Int>()
        let request = bench.session.request("http://a.test/").onHTTPResponse(on: queue) { seen.add($0.statusCode) }
            .response(queue: bench.handlers) { _ in }
        bench.transport.deliver((bench.id(request), .head(206)))
        #expect(try await seen.wait(for: 1) == [206])
        #expect(request.isResumed)
        bench.transport.deliver((bench.id(request), .end(206, body: "x")))
        await bench.settle()
        await queue.drain()
        #expect(seen.count == 1)
    }

    @Test func onHTTPResponseHearsOfAHeadThatCameWithItsEnd() async throws {
        let seen = Journal<Int>()
        let request = bench.session.request("http://a.test/").onHTTPResponse(on: queue) { seen.add($0.statusCode) }
            .response(queue: bench.handlers) { _ in }
        bench.transport.deliver((bench.id(request), .end(200, body: "x")))
        #expect(try await seen.wait(for: 1) == [200])
    }

    @Test func onHTTPResponseHearsOfAResponseThatIsThere() async throws {
        let request = bench.session.request("http://a.test/").response(queue: bench.handlers) { _ in }
        bench.transport.deliver((bench.id(request), .head(207)))
        try await waitUntil("the head") { request.response != nil }
        let seen = Journal<Int>()
        request.onHTTPResponse(on: queue) { seen.add($0.statusCode) }
        #expect(try await seen.wait(for: 1) == [207])
        bench.transport.deliver((bench.id(request), .end(207)))
        await bench.settle()
        request.onHTTPResponse(on: queue) { seen.add($0.statusCode) }
        #expect(try await seen.wait(for: 2) == [207, 207])
    }

    @Test func onHTTPResponseDoesNotHearOfRedirects() async throws {
        let seen = Journal<Int>()
        let request = bench.session.request("http://a.test/").onHTTPResponse(on: queue) { seen.add($0.statusCode) }
            .response(queue: bench.handlers) { _ in }
        bench.transport.deliver((bench.id(request), .head(302, ["Location": "/b"])), (bench.id(request), .end(302, ["Location": "/b"])))
        try await bench.started(request, 1)
        bench.transport.deliver((bench.id(request, 1), .end(200)))
        #expect(try await seen.wait(for: 1) == [200])
        await bench.settle()
        await queue.drain()
        #expect(seen.count == 1)
    }

    @Test func httpResponsesAreTheHeadsOfAllAttempts() async throws {
        struct Again: RequestInterceptor {
            func retry(_ request: RequestContext, dueTo error: any Error) async -> RetryResult { .retry }
        }
        let stub = StubTransport { request in
            [.response(ResponseHead(statusCode: request.id.attempt == 0 ? 503 : 200)), .finish(body: Data("x".utf8))]
        }
        let request = Session(transport: stub).request("http://stub.test/", interceptor: Again()).validate()
        let responses = request.httpResponses()
        #expect(!request.isResumed, "reading does not start a request")
        request.response(queue: bench.handlers) { _ in }
        var statuses: [Int] = []
        for await response in responses { statuses.append(response.statusCode) }
        #expect(statuses == [503, 200])
        // Who asks late.
        statuses = []
        for await response in request.httpResponses() { statuses.append(response.statusCode) }
        #expect(statuses == [200])
    }

    @Test func urlRequestsAndCURLDescriptionsAreThoseOfAllAttempts() async throws {
        struct Again: RequestInterceptor {
            func adapt(_ urlRequest: URLRequest, for context: RequestContext) async throws -> URLRequest {
                var request = urlRequest
                request.headers.update(.authorization(bearerToken: "secret-\(context.retryCount)"))
                return request
            }

            func retry(_ request: RequestContext, dueTo error: any Error) async -> RetryResult { .retry }
        }
        let stub = StubTransport { request in
            [.response(ResponseHead(statusCode: request.id.attempt == 0 ? 503 : 200)), .finish(body: Data("x".utf8))]
        }
        let request = Session(transport: stub).request("http://stub.test/", interceptor: Again()).validate()
        let (requests, commands) = (request.urlRequests(), request.cURLDescriptions())
        let bare = request.cURLDescriptions(includingCredentials: true)
        #expect(!request.isResumed, "reading does not start a request")
        request.response(queue: bench.handlers) { _ in }
        var tokens: [String?] = []
        for await urlRequest in requests { tokens.append(urlRequest.headers["Authorization"]) }
        #expect(tokens == ["Bearer secret-0", "Bearer secret-1"])
        var texts: [String] = []
        for await command in commands { texts.append(command) }
        #expect(texts.count == 2 && texts.last == request.cURLDescription() && !texts.joined().contains("secret"))
        texts = []
        for await command in bare { texts.append(command) }
        #expect(
            texts.map { $0.contains("secret-0") } == [true, false] && texts.last == request.cURLDescription(includingCredentials: true))
        // Who asks late.
        tokens = []
        for await urlRequest in request.urlRequests() { tokens.append(urlRequest.headers["Authorization"]) }
        #expect(tokens == ["Bearer secret-1"])
        let failed = bench.session.request("no url").response(queue: bench.handlers) { _ in }
        for await urlRequest in failed.urlRequests() { Issue.record("a request: \(urlRequest)") }
        for await command in failed.cURLDescriptions() { Issue.record("a command: \(command)") }
    }

    @Test func httpResponsesComeBeforeTheBody() async throws {
        let request = bench.session.request("http://a.test/").response(queue: bench.handlers) { _ in }
        bench.transport.deliver((bench.id(request), .head(206)))
        var statuses: [Int] = []
        for await response in request.httpResponses() {
            statuses.append(response.statusCode)
            bench.transport.deliver((bench.id(request), .end(206, body: "x")))
        }
        #expect(statuses == [206])
    }

    @Test func httpResponsesHaveNoRedirects() async throws {
        for isLost in [true, false] {
            let request = bench.session.request("http://a.test/")
            let responses = request.httpResponses()
            request.response(queue: bench.handlers) { _ in }
            bench.transport.deliver(
                (bench.id(request), .head(302, ["Location": "/b"])), (bench.id(request), .end(302, ["Location": "/b"])))
            try await bench.started(request, 1)
            bench.transport.deliver((bench.id(request, 1), isLost ? .failure(.failed(.networkConnectionLost, "gone")) : .end(200)))
            var statuses: [Int] = []
            for await response in responses { statuses.append(response.statusCode) }
            #expect(statuses == (isLost ? [] : [200]))
        }
    }

    /// A request that is never started, however it is given up.
    @Test(arguments: ["cancel", "release", "invalidate"])
    func httpResponsesEndWithoutAStart(how: String) async throws {
        let bench = EngineBench()
        var request: DataRequest? = bench.session.request("http://a.test/")
        let responses = try #require(request?.httpResponses())
        let (uploads, downloads) = try #require(request.map { ($0.uploadProgress(), $0.downloadProgress()) })
        switch how {
        case "cancel": request?.cancel()
        case "release": request = nil
        default:
            bench.session.invalidate()
            request?.response(queue: bench.handlers) { _ in }
        }
        for await response in responses { Issue.record("a response: \(response)") }
        for await _ in uploads {}
        for await _ in downloads {}
        withExtendedLifetime(request) {}
    }

    @Test func httpResponsesOfAFailedRequestAreNone() async throws {
        let request = bench.session.request("no url")
        let early = request.httpResponses()
        request.response(queue: bench.handlers) { _ in }
        for await response in early { Issue.record("a response: \(response)") }
        for await response in request.httpResponses() { Issue.record("a response: \(response)") }
        #expect(request.isFinished)
    }

    /// A response may be refused by its head alone: none of the body is waited for.
    @Test func aResponseCanBeCancelledAtItsHead() async throws {
        let ended = Journal<Bool>()
        let request = bench.session.request("http://a.test/")
        request.onHTTPResponse(on: queue) { [weak request] in if $0.statusCode == 500 { request?.cancel() } }
            .response(queue: bench.handlers) { ended.add(kind($0.result) == .explicitlyCancelled) }
        bench.transport.deliver((bench.id(request), .head(500)))
        #expect(try await ended.wait(for: 1) == [true])
    }

    /// The exchange is over and its outcome is not settled: a validation is at work.
    @Test func whoComesDuringValidationHearsOfTheResponse() async throws {
        let (entered, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let request = bench.session.request("http://a.test/")
            .validate { _, _, _ in
                entered.signal()
                gate.wait()
            }
            .response(queue: bench.handlers) { _ in }
        bench.transport.deliver((bench.id(request), .end(203)))
        await onThreads(1) { _ in entered.wait() }
        let seen = Journal<Int>()
        let recorder = EventRecorder()
        request.onHTTPResponse(on: queue) { seen.add($0.statusCode) }.eventMonitor(recorder)
        #expect(request.response?.statusCode == 203)
        gate.signal()
        #expect(try await seen.wait(for: 1) == [203])
        #expect(try await recorder.words(until: "finish") == ["validate", "parseResponse Optional<Data>", "finish"])
        #expect(seen.count == 1)
    }

    /// A redirect with an unusable target is not a response, neither for a closure attached before the end nor for one attached later.
    @Test(arguments: [true, false])
    func aFailedRedirectIsNoResponse(isListened: Bool) async throws {
        let seen = Journal<Int>()
        let request = bench.session.request("http://a.test/")
        if isListened { request.onHTTPResponse(on: queue) { seen.add($0.statusCode) } }
        request.response(queue: bench.handlers) { _ in }
        bench.transport.deliver((bench.id(request), .end(302, ["Location": "ftp://b.test/"])))
        await bench.settle()
        #expect(request.isFinished)
        request.onHTTPResponse(on: queue) { seen.add($0.statusCode) }
        await queue.drain()
        #expect(seen.entries.isEmpty)
    }

    /// Closures attached to a request are released at its end, even if they hold the request itself.
    @Test func closuresAreReleasedAtTheEnd() async throws {
        weak var released: DataRequest?
        do {
            let request = bench.session.request("http://a.test/")
            request.onHTTPResponse(on: queue) { _ in _ = request.id }
                .onURLRequestCreation(on: queue) { _ in _ = request.id }
                .cURLDescription(on: queue) { _ in _ = request.id }
                .validate { _, _, _ in _ = request.id }
                .response(queue: bench.handlers) { _ in }
            bench.transport.deliver((bench.id(request), .end(200)))
            await bench.settle()
            request.onHTTPResponse(on: queue) { _ in _ = request.id }
            released = request
        }
        await bench.settle()
        await queue.drain()
        try await waitUntil("the release of the request") { [weak released] in released == nil }
    }

    @MainActor
    @Test func withoutAQueueTheyRunOnTheMainActor() async throws {
        var seen: [String] = []
        let done = Journal<Int>()
        let request = bench.session.request("http://a.test/")
            .onURLRequestCreation { seen.append($0.httpMethod ?? "") }
            .onHTTPResponse { seen.append("\($0.statusCode)") }
            .cURLDescription { seen.append(String($0.prefix(6))) }
            .response { _ in done.add(0) }
        bench.transport.deliver((bench.id(request), .end()))
        _ = try await done.wait(for: 1)
        #expect(seen == ["GET", "$ curl", "200"])
    }
}
