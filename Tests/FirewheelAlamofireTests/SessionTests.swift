import FirewheelAlamofire
import FirewheelTesting
import Testing

@Suite("Sessions in Alamofire's form", .timeLimit(.minutes(2)))
struct SessionTests {
    let server: MockServer

    init() throws {
        server = try .usual()
        server.route("/never") { _ in MockResponse().delayed(head: 60) }
    }

    @Test("A subclass may override the method that all others call")
    func subclass() async throws {
        final class Counting: Session, @unchecked Sendable {
            let journal = Journal<String>()

            override func request(
                _ convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil,
                shouldAutomaticallyResume: Bool? = nil
            ) -> DataRequest {
                journal.add((try? convertible.asURLRequest().url?.path) ?? "none")
                return super.request(
                    convertible, interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume)
            }
        }
        let session = Counting()
        _ = try await session.request(server.url("/user")).serializingData().value
        _ = try await session.request(server.url("/user"), parameters: User(name: "Ada")).serializingData().value
        #expect(session.journal.elements == ["/user", "/user"])
    }

    @Test("A session tells its configuration, a copy of the one that it was given")
    func sessionConfiguration() {
        let configuration = URLSessionConfiguration.af.default
        configuration.timeoutIntervalForRequest = 17
        let session = Session(configuration: configuration)
        configuration.timeoutIntervalForRequest = 18
        session.sessionConfiguration.timeoutIntervalForRequest = 19
        #expect(session.sessionConfiguration.timeoutIntervalForRequest == 17)
        #expect(session.sessionConfiguration.headers["User-Agent"] == HTTPHeaders.default["User-Agent"])
        let delegate = session.request("http://localhost").delegate
        #expect(delegate === session && delegate?.startImmediately == true)
    }

    @Test("Looking up an evaluator that is missing throws AFError")
    func missingEvaluator() throws {
        let manager = ServerTrustManager(evaluators: ["a.test": DefaultTrustEvaluator()])
        #expect(try manager.serverTrustEvaluator(forHost: "a.test") is DefaultTrustEvaluator)
        do {
            _ = try manager.serverTrustEvaluator(forHost: "b.test")
            Issue.record("There is no evaluator for b.test.")
        } catch AFError.serverTrustEvaluationFailed(reason: .noRequiredEvaluator(let host)) {
            #expect(host == "b.test")
        }
    }

    @Test("Interceptors that are added by many threads at once are all called")
    func manyInterceptors() async {
        let session = Session(startRequestsImmediately: false)
        let request = session.request(server.url("/echo"))
        DispatchQueue.concurrentPerform(iterations: 100) { number in
            request.adapt(
                using: Adapter { request, _, completion in
                    var request = request
                    request.headers.add(name: "X-Number-\(number)", value: "1")
                    completion(.success(request))
                })
        }
        let text = await request.resume().serializingString().response.value ?? ""
        #expect(text.components(separatedBy: "X-Number-").count == 101)
    }

    @Test("Requests that outlive their session end with sessionDeinitialized, started or not")
    func released() async throws {
        weak var released: Session?
        let journal = Journal<Bool>()
        let requests: [DataRequest] = {
            let session = Session(startRequestsImmediately: false)
            released = session
            return (0..<20).map { number in
                let request = session.request(server.url("/never"))
                request.response(queue: .global()) { journal.add($0.error?.isSessionDeinitializedError == true) }
                return number % 2 == 0 ? request.resume() : request
            }
        }()
        #expect(released == nil)
        try await waitUntil("the handlers") { journal.elements.count == 20 }
        #expect(journal.elements.allSatisfy { $0 })
        let late = await requests[0].serializingData().response
        #expect(late.error?.isSessionDeinitializedError == true)
    }

    @Test("All requests that run are known, and can be cancelled together")
    func allRequests() async throws {
        let session = Session()
        let journal = Journal<Bool>()
        let requests = (0..<10).map { _ in
            session.request(server.url("/never")).response(queue: .global()) { journal.add($0.error?.isExplicitlyCancelledError == true) }
        }
        let all: Set<Request> = await delivered { done in session.withAllRequests { done($0) } }
        #expect(all == Set(requests))
        await withCheckedContinuation { continuation in
            session.cancelAllRequests(completingOnQueue: .global()) { continuation.resume() }
        }
        try await waitUntil("the handlers") { journal.elements.count == 10 }
        #expect(journal.elements.allSatisfy { $0 })
        let left: Int = await delivered { done in session.withAllRequests { done($0.count) } }
        #expect(left == 0)
    }

    @Test("The first handler starts a request if the session or the request says so")
    func starting() async throws {
        let session = Session(startRequestsImmediately: false)
        let waiting = session.request(server.url("/user"))
        waiting.response(queue: .global()) { _ in }
        let started = session.request(server.url("/user"), shouldAutomaticallyResume: true)
        #expect(try await started.serializingDecodable(User.self).value == User(name: "Ada"))
        #expect(waiting.isInitialized && waiting.task == nil)
        let other = Session()
        let held = other.request(server.url("/user"), shouldAutomaticallyResume: false)
        held.response(queue: .global()) { _ in }
        #expect(held.isInitialized)
        waiting.cancel()
        held.cancel()
        withExtendedLifetime(other) {}
    }

    @Test("Eager set-up makes and adapts the request before it starts")
    func eager() async throws {
        let journal = Journal<String>()
        let adapter = Adapter { request, _, completion in
            journal.add("adapted")
            var request = request
            request.headers.add(name: "X-Adapted", value: "yes")
            completion(.success(request))
        }
        let session = Session(startRequestsImmediately: false, requestSetup: .eager, interceptor: adapter)
        let request = session.request(server.url("/echo"))
        try await waitUntil("the request") { request.request?.headers["X-Adapted"] == "yes" }
        #expect(journal.elements == ["adapted"] && request.isInitialized)
        let all: Set<Request> = await delivered { done in session.withAllRequests { done($0) } }
        #expect(all == [request])
        let task = request.serializingString()
        request.resume()
        #expect(try await task.value.contains("X-Adapted: yes"))
        #expect(journal.elements == ["adapted"])
    }

    @Test("Eager set-up with an adapter that fails ends the request before it starts")
    func eagerFailure() async throws {
        struct Refused: Error {}
        let adapter = Adapter { _, _, completion in completion(.failure(Refused())) }
        let session = Session(startRequestsImmediately: false, requestSetup: .eager, interceptor: adapter)
        let request = session.request(server.url("/user"))
        try await waitUntil("the error") { request.error != nil }
        #expect(request.error?.isRequestAdaptationError == true && request.error?.underlyingError is Refused)
        let response = await request.serializingData().response
        #expect(response.error?.isRequestAdaptationError == true)
    }

    @Test("Requests are made on the queue that was given for it")
    func requestQueue() async throws {
        let queue = DispatchQueue(label: "requests")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let journal = Journal<Bool>()
        let adapter = Adapter { request, _, completion in
            journal.add(DispatchQueue.getSpecific(key: key) == true)
            completion(.success(request))
        }
        let session = Session(requestQueue: queue, interceptor: adapter)
        _ = try await session.request(server.url("/user")) { _ in journal.add(DispatchQueue.getSpecific(key: key) == true) }
            .serializingData().value
        #expect(journal.elements == [true, true])
    }

    @Test("Serializers run on the queue that was given for it")
    func serializationQueue() async throws {
        let queue = DispatchQueue(label: "serializers")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        struct Asking: DataResponseSerializerProtocol {
            let key: DispatchSpecificKey<Bool>
            func serialize(request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?) throws -> Bool {
                DispatchQueue.getSpecific(key: key) == true
            }
        }
        let session = Session(serializationQueue: queue)
        #expect(try await session.request(server.url("/user")).serializingResponse(using: Asking(key: key)).value)
    }

    @Test("Any queue may be the root queue: the main one, or a concurrent one")
    func rootQueues() async throws {
        for queue in [DispatchQueue.main, DispatchQueue(label: "concurrent", attributes: .concurrent)] {
            let session = Session(rootQueue: queue)
            #expect(try await session.request(server.url("/user")).serializingDecodable(User.self).value == User(name: "Ada"))
            let isDelivered: Bool = await delivered { done in
                session.request(server.url("/user")).response(queue: .global()) { done($0.data != nil) }
            }
            #expect(isDelivered)
        }
    }

    @Test("A handler starts a suspended request, unless the session does not start requests")
    func suspended() async throws {
        let session = Session()
        let request = session.request(server.url("/user"))
        request.suspend()
        let response: AFDataResponse<Data?> = await delivered { done in request.response(queue: .global()) { done($0) } }
        #expect(response.response?.statusCode == 200)
        let other = Session(startRequestsImmediately: false)
        let waiting = other.request(server.url("/user")).suspend().response { _ in }
        #expect(waiting.isSuspended && waiting.description == "not sent")
        withExtendedLifetime(other) {}
    }

    @Test("The resume data of a cancelled download comes before its response, which passes through the root queue")
    func resumeDataFirst() async throws {
        let (session, calls) = (Session(startRequestsImmediately: false), Journal<String>())
        let request = session.download(server.url("/user"))
        request.response(queue: session.rootQueue) { _ in calls.add("response") }
        request.cancel { _ in calls.add("resume data") }
        try await waitUntil("both") { calls.elements.count == 2 }
        #expect(calls.elements == ["resume data", "response"])
    }

    @Test("Settings of the engine can be changed")
    func engine() async throws {
        let session = Session { $0.headers = ["X-Own": "1"] }
        #expect(try await session.request(server.url("/echo")).serializingString().value.contains("X-Own: 1"))
    }
}
