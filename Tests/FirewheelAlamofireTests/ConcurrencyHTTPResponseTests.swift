import FirewheelAlamofire
import FirewheelTesting
import Testing

@Suite("onHTTPResponse and onURLSessionTaskCreation", .timeLimit(.minutes(3)))
struct ConcurrencyHTTPResponseTests {
    /// Released after the test, as requests that have not started fail with their session.
    private let session = Session()
    private let queue = DispatchQueue(label: "responses")

    @Test("Every form is called once with the response, in order and before the handler, for every kind of request")
    func forms() async throws {
        let server = try MockServer()
        server.route("/*") { _ in .text("body", status: 202) }
        let requests: [Request] = [
            session.request(server.url()), session.upload(Data("data".utf8), to: server.url()), session.streamRequest(server.url()),
            session.download(server.url()),
        ]
        for request in requests {
            let journal = Journal<String>()
            @Sendable func note(_ form: String, _ response: HTTPURLResponse) { journal.add("\(form) \(response.statusCode)") }
            request
                .onHTTPResponse { response in
                    MainActor.assertIsolated()
                    note("main", response)
                }
                .onHTTPResponse(on: queue) { note("queue", $0) }
                .onHTTPResponse { response, completion in
                    MainActor.assertIsolated()
                    note("main deciding", response)
                    completion(.allow)
                }
                .onHTTPResponse(on: queue) { response, completion in
                    note("queue deciding", response)
                    completion(.allow)
                }
                .onHTTPResponse { response in
                    await Task.yield()
                    note("async", response)
                }
                .onHTTPResponse { response in
                    await Task.yield()
                    note("async deciding", response)
                    return .allow
                }
            switch request {
            case let request as DataRequest: #expect(await request.serializingString().response.value == "body")
            case let request as DownloadRequest: #expect(await request.serializingString().response.value == "body")
            case let request as DataStreamRequest: for await _ in request.streamTask().streamingData() {}
            default: Issue.record("unknown kind")
            }
            #expect(
                journal.elements
                    == ["main", "queue", "main deciding", "queue deciding", "async", "async deciding"].map { "\($0) 202" })
        }
    }

    @Test("The response is that of the handler", .timeLimit(.minutes(1)))
    func sameResponse() async throws {
        let server = try MockServer()
        server.route("/") { _ in .text("body", headers: [("X-A", "1")]) }
        let journal = Journal<HTTPURLResponse>()
        let response = await session.request(server.url()).onHTTPResponse { journal.add($0) }.serializingData().response
        #expect(journal.elements == [response.response])
    }

    @Test("The head is enough: the body is not received before the decision, and not at all after .cancel", arguments: 0..<3)
    func cancel(_ form: Int) async throws {
        let server = try MockServer()
        server.exchange("/") { exchange in
            try exchange.sendHead()
            while true { try exchange.sendChunk(Data(count: 1_000)) }
        }
        func deciding<Kind: Request>(_ request: Kind) -> Kind {
            switch form {
            case 0: request.onHTTPResponse { _, completion in completion(.cancel) }
            case 1: request.onHTTPResponse(on: queue) { _, completion in completion(.cancel) }
            default:
                request.onHTTPResponse { _ in
                    await Task.yield()
                    return .cancel
                }
            }
        }
        let request = deciding(session.request(server.url()))
        let response = await request.serializingData().response
        #expect(response.response?.statusCode == 200 && response.data == nil && request.isCancelled)
        #expect(response.error?.isExplicitlyCancelledError == true)

        let stream = deciding(session.streamRequest(server.url()))
        var completions: [DataStreamRequest.Completion] = []
        for await event in stream.streamTask().streamingData() {
            #expect(event.value == nil)
            if let completion = event.completion { completions.append(completion) }
        }
        #expect(completions.count == 1 && completions.first?.response?.statusCode == 200 && stream.isCancelled)
        #expect(completions.first?.error?.isExplicitlyCancelledError == true)
    }

    @Test("The first decision counts, whatever the number of calls and their threads")
    func manyDecisions() async throws {
        let server = try MockServer()
        server.route("/") { _ in .text("body") }
        for first in [Request.ResponseDisposition.allow, .cancel] {
            let others: Request.ResponseDisposition = first == .allow ? .cancel : .allow
            let request = session.request(server.url()).onHTTPResponse(on: queue) { _, completion in
                completion(first)
                completion(others)
                DispatchQueue.concurrentPerform(iterations: 20) { _ in completion(others) }
            }
            let response = await request.serializingString().response
            #expect(request.isCancelled == (first == .cancel) && (response.value == "body") == (first == .allow))
        }
        for _ in 0..<20 {
            let request = session.request(server.url()).onHTTPResponse(on: queue) { _, completion in
                DispatchQueue.concurrentPerform(iterations: 8) { completion($0 % 2 == 0 ? .allow : .cancel) }
            }
            let response = await request.serializingString().response
            #expect(request.isCancelled == (response.value == nil))
        }
    }

    @Test("Without a decision the request waits until it is cancelled, and a decision after that has no effect")
    func noDecision() async throws {
        let server = try MockServer()
        server.route("/") { _ in .text("body") }
        typealias Decide = @Sendable (Request.ResponseDisposition) -> Void
        let (kept, isAsked) = (Journal<Decide>(), OneSignal())
        let request = session.request(server.url()).onHTTPResponse(on: queue) { _, completion in
            kept.add(completion)
            isAsked.fire()
        }
        let task = request.serializingString()
        await isAsked.wait()
        #expect(request.isResumed && request.response?.statusCode == 200)
        request.cancel()
        let response = await task.response
        #expect(response.error?.isExplicitlyCancelledError == true && response.response?.statusCode == 200)
        kept.elements.first?(.allow)
        #expect(request.isCancelled)
    }

    @Test("They are called in each attempt, but not for a redirect")
    func attempts() async throws {
        let server = try MockServer()
        server.enqueue(.redirect(to: server.url("/next")), .status(503), .text("done"))
        let (journal, tasks) = (Journal<Int>(), Journal<Int>())
        let response = await session.request(server.url())
            .validate()
            .retry(using: .retrier { request, _, _, completion in completion(request.retryCount == 0 ? .retry : .doNotRetry) })
            .onHTTPResponse(on: queue) { journal.add($0.statusCode) }
            .onURLSessionTaskCreation(on: queue) { tasks.add($0.taskIdentifier) }
            .serializingString().response
        #expect(response.value == "done" && journal.elements == [503, 200] && tasks.elements.count == 2)
    }

    @MainActor
    @Test("A task is reported when it is created, or at once if it was, and stands for its request")
    func taskCreation() async throws {
        let server = try MockServer()
        server.route("/") { _ in .text("body") }
        var early: [URLSessionTask] = []
        let request = session.request(server.url()).onURLSessionTaskCreation { task in
            MainActor.assertIsolated()
            early.append(task)
        }
        #expect(await request.serializingString().response.value == "body")
        await withCheckedContinuation { continuation in
            request.onURLSessionTaskCreation { task in
                #expect(early == [task] && task === request.task && task.originalRequest?.url?.absoluteString == server.url())
                continuation.resume()
            }
        }
    }
}
