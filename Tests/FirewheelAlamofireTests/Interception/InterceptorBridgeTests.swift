import FirewheelTesting
import Foundation
import Testing

@testable import FirewheelAlamofire

/// Adapters and retriers in the completion form, as a session calls them.
@Suite("Interceptors of sessions and requests", .timeLimit(.minutes(5)))
struct InterceptorBridgeTests {
    private let sessions = TestSessions()
    private struct Odd: Error {}
    private typealias AdaptCompletion = @Sendable (Result<URLRequest, any Error>) -> Void
    private typealias RetryCompletion = @Sendable (RetryResult) -> Void

    private let url = "http://stub.test/"
    private static var busy: StubTransport { .text("busy", status: 503) }

    // Static, because interceptors that referred to the suite would refer to its sessions.
    private static func adding(_ value: String, to request: URLRequest) -> URLRequest {
        var request = request
        request.headers.add(name: "X-Step", value: (request.headers["X-Step"] ?? "") + value)
        return request
    }

    // MARK: Completion handlers

    @Test("The first call of an adapter's completion handler counts")
    func adaptTwice() async {
        let stub = StubTransport.text("fine")
        let adapter = Adapter { request, _, completion in
            completion(.success(Self.adding("1", to: request)))
            completion(.success(Self.adding("2", to: request)))
            completion(.failure(Odd()))
        }
        let response = await sessions(stub).request(url, interceptor: adapter).serializingString().response
        #expect(response.value == "fine")
        #expect(stub.requests.map { $0.headers["X-Step"] } == ["1"])
    }

    @Test("The first call of a retrier's completion handler counts")
    func retryTwice() async {
        let stub = StubTransport { _ in .text("busy", status: 503) }
        let retrier = Retrier { request, _, _, completion in
            completion(request.retryCount == 0 ? .retry : .doNotRetry)
            completion(.retry)
            completion(.doNotRetryWithError(Odd()))
        }
        let response = await sessions(stub).request(url, interceptor: retrier).validate().serializingString().response
        #expect(response.error?.isResponseValidationError == true)
        #expect(stub.requests.count == 2)
    }

    @Test("Completion handlers may be called from many threads at once")
    func manyThreads() async {
        let stub = StubTransport { $0.headers["X-Try"] == "0" ? .text("busy", status: 503) : .text("fine") }
        let interceptor = Interceptor { request, _, completion in
            DispatchQueue.concurrentPerform(iterations: 100) { _ in completion(.success(Self.adding("a", to: request))) }
        } retryHandler: { request, _, _, completion in
            DispatchQueue.concurrentPerform(iterations: 100) { _ in completion(.retry) }
        }
        let counting = Adapter { request, _, completion in
            var request = request
            request.headers.update(name: "X-Try", value: "\(stub.requests.count)")
            completion(.success(request))
        }
        let session = sessions(stub, counting)
        let response = await session.request(url, interceptor: interceptor).validate().serializingString().response
        #expect(response.value == "fine")
        #expect(stub.requests.map { $0.headers["X-Step"] } == ["a", "a"])
    }

    @Test("A request whose adapter never answers can be cancelled, and a late answer has no effect")
    func adaptNever() async {
        let (stub, held) = (StubTransport.text("fine"), Notes<AdaptCompletion>())
        let adapter = Adapter { _, _, completion in held.add(completion) }
        let request = sessions(stub).request(url, interceptor: adapter)
        let task = request.serializingString()
        let completions = await held.wait(for: 1)
        request.cancel()
        #expect(await task.response.error?.isExplicitlyCancelledError == true)
        for completion in completions { completion(.success(URLRequest(url: URL(fileURLWithPath: "/")))) }
        #expect(stub.requests.isEmpty && request.isCancelled)
    }

    @Test("A request whose retrier never answers can be cancelled, and a late answer has no effect")
    func retryNever() async {
        let (stub, held) = (Self.busy, Notes<RetryCompletion>())
        let retrier = Retrier { _, _, _, completion in held.add(completion) }
        let request = sessions(stub).request(url, interceptor: retrier).validate()
        let task = request.serializingString()
        let completions = await held.wait(for: 1)
        request.cancel()
        #expect(await task.response.error?.isExplicitlyCancelledError == true)
        for completion in completions { completion(.retry) }
        #expect(stub.requests.count == 1 && request.retryCount == 0)
    }

    @Test("An adapter that drops its completion handler fails the request with an error that names it")
    func adaptDropped() async {
        let stub = StubTransport.text("fine")
        let error = await sessions(stub).request(url, interceptor: Adapter { _, _, _ in }).serializingString().response.error
        #expect(error?.isRequestAdaptationError == true)
        #expect((error?.underlyingError as? UncalledCompletionError)?.description.hasPrefix("Adapter ") == true)
        #expect(stub.requests.isEmpty)
    }

    @Test("A retrier that drops its completion handler fails the request with an error that names it")
    func retryDropped() async {
        let request = sessions(Self.busy).request(url, interceptor: Retrier { _, _, _, _ in }).validate()
        let error = await request.serializingString().response.error
        #expect(error?.isRequestRetryError == true)
        #expect((error?.underlyingError as? UncalledCompletionError)?.description.hasPrefix("Retrier ") == true)
    }

    @Test("A session that is released while an adapter works ends the request")
    func sessionReleased() async {
        let (stub, held) = (StubTransport.text("fine"), Notes<AdaptCompletion>())
        weak var released: Session?
        let task: DataTask<String>
        do {
            let session = Session(transport: stub)
            released = session
            task = session.request(url, interceptor: Adapter { _, _, completion in held.add(completion) }).serializingString()
            await held.wait(for: 1)
        }
        #expect(await task.response.error?.isSessionDeinitializedError == true)
        #expect(released == nil)
        for completion in held.all { completion(.failure(Odd())) }
        #expect(stub.requests.isEmpty)
    }

    @Test("A session that is released while a retrier works ends the request")
    func sessionReleasedBeforeRetry() async {
        let held = Notes<RetryCompletion>()
        weak var released: Session?
        let task: DataTask<String>
        do {
            let session = Session(transport: Self.busy)
            released = session
            let retrier = Retrier { _, _, _, completion in held.add(completion) }
            task = session.request(url, interceptor: retrier).validate().serializingString()
            await held.wait(for: 1)
        }
        #expect(await task.response.error?.isSessionDeinitializedError == true)
        #expect(released == nil)
        for completion in held.all { completion(.retry) }
    }

    // MARK: Errors

    @Test("An adapter's error of any type is the underlying error")
    func adapterError() async {
        let error = await sessions(StubTransport.text("")).request(url, interceptor: Adapter { $2(.failure(Odd())) })
            .serializingString().response.error
        #expect(error?.isRequestAdaptationError == true)
        #expect(error?.underlyingError is Odd)
    }

    @Test("A retrier's error of any type is the underlying error")
    func retrierError() async {
        let error = await sessions(Self.busy).request(url, interceptor: Retrier { $3(.doNotRetryWithError(Odd())) })
            .validate().serializingString().response.error
        #expect(error?.isRequestRetryError == true)
        #expect(error?.underlyingError is Odd)
    }

    @Test("A retrier is given an AFError, and is asked about an adapter's error, too")
    func errorsForRetriers() async {
        let errors = Notes<any Error>()
        let interceptor = Interceptor { _, _, completion in
            completion(.failure(Odd()))
        } retryHandler: { _, _, error, completion in
            errors.add(error)
            completion(.doNotRetry)
        }
        _ = await sessions(Self.busy).request(url, interceptor: interceptor).serializingString().response
        #expect(errors.all.map { ($0 as? AFError)?.underlyingError is Odd } == [true])
    }

    @Test("A body that an adapter adds to a GET is an error of the adaptation, one of the caller's is not")
    func bodyInGET() async throws {
        let (stub, calls) = (StubTransport.text(""), Notes<Void>())
        let adapter = Adapter { request, _, completion in
            calls.add(())
            var request = request
            request.httpBody = Data("body".utf8)
            completion(.success(request))
        }
        let session = sessions(stub, adapter)
        let error = await session.request(url).serializingString().response.error
        #expect(error?.isRequestAdaptationError == true)
        var own = try URLRequest(url: url, method: .get)
        own.httpBody = Data("body".utf8)
        let ownError = await session.request(own).serializingString().response.error
        #expect(ownError != nil && ownError?.isRequestAdaptationError == false)
        #expect(calls.all.count == 1 && stub.requests.isEmpty)
    }

    // MARK: Many

    @Test("10,000 adapters that complete at once")
    func manyAdapters() async {
        let stub = StubTransport.text("fine")
        let calls = Notes<Void>()
        let adapter = Adapter { request, _, completion in
            calls.add(())
            completion(.success(request))
        }
        let interceptor = Interceptor(adapters: Array(repeating: adapter, count: 10_000))
        #expect(await sessions(stub).request(url, interceptor: interceptor).serializingString().response.value == "fine")
        #expect(calls.all.count == 10_000)
    }

    @Test("10,000 retriers that complete at once")
    func manyRetriers() async {
        let calls = Notes<Void>()
        let retrier = Retrier { _, _, _, completion in
            calls.add(())
            completion(.doNotRetry)
        }
        let interceptor = Interceptor(retriers: Array(repeating: retrier, count: 10_000))
        let response = await sessions(Self.busy).request(url, interceptor: interceptor).validate().serializingString().response
        #expect(response.error?.isResponseValidationError == true)
        #expect(calls.all.count == 10_000)
    }

    @Test("A retrier that retries forever ends with a cancel")
    func endlessRetries() async {
        let asked = Notes<Void>()
        let retrier = Retrier { _, _, _, completion in
            asked.add(())
            completion(.retry)
        }
        let request = sessions(Self.busy, retrier).request(url).validate()
        let task = request.serializingString()
        await asked.wait(for: 50)
        request.cancel()
        #expect(await task.response.error?.isExplicitlyCancelledError == true)
        let count = asked.all.count
        #expect(request.retryCount >= 49 && request.retryCount <= count)
    }

    @Test("A request that is cancelled by its retrier is not sent again")
    func cancelInRetrier() async {
        let stub = StubTransport { _ in .text("busy", status: 503) }
        let retrier = Retrier { request, _, _, completion in
            request.cancel()
            completion(.retry)
        }
        let response = await sessions(stub).request(url, interceptor: retrier).validate().serializingString().response
        #expect(response.error?.isExplicitlyCancelledError == true)
        #expect(stub.requests.count == 1)
    }

    // MARK: Order

    @Test("The session's come before the request's, members in their order")
    func order() async {
        let stub = StubTransport.text("busy", status: 503)
        let asked = Notes<String>()
        func step(_ name: String) -> Interceptor {
            Interceptor { request, _, completion in
                completion(.success(Self.adding(name, to: request)))
            } retryHandler: { _, _, _, completion in
                asked.add(name)
                completion(.doNotRetry)
            }
        }
        let session = sessions(stub, Interceptor(interceptors: [step("a"), Interceptor(interceptors: [step("b")])]))
        let request = session.request(url, interceptor: step("c")).interceptor(step("d")).validate()
        _ = await request.serializingString().response
        #expect(stub.requests.map { $0.headers["X-Step"] } == ["abcd"])
        #expect(asked.all == ["a", "b", "c", "d"])
    }

    @Test("After an answer other than doNotRetry no other retrier is asked")
    func firstAnswer() async {
        let asked = Notes<String>()
        func retrier(_ name: String, _ result: RetryResult) -> Retrier {
            Retrier { _, _, _, completion in
                asked.add(name)
                completion(result)
            }
        }
        let session = sessions(Self.busy, retrier("a", .doNotRetry))
        let interceptor = Interceptor(retriers: [retrier("b", .doNotRetryWithError(Odd())), retrier("c", .retry)])
        _ = await session.request(url, interceptor: interceptor).validate().serializingString().response
        #expect(asked.all == ["a", "b"])
    }

    private final class Doubling: Interceptor, @unchecked Sendable {
        // Sound because it stores nothing.
        override func adapt(
            _ urlRequest: URLRequest, using state: RequestAdapterState,
            completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
        ) {
            super.adapt(urlRequest, using: state) { result in
                switch result {
                case .success(let once): super.adapt(once, using: state, completion: completion)
                case .failure: completion(result)
                }
            }
        }
    }

    @Test("A subclass of Interceptor is called with its own methods")
    func subclass() async {
        let stub = StubTransport.text("fine")
        let member = Adapter { request, _, completion in completion(.success(Self.adding("x", to: request))) }
        let interceptor = Interceptor(interceptors: [Doubling(adapters: [member])])
        _ = await sessions(stub).request(url, interceptor: interceptor).serializingString().response
        #expect(stub.requests.map { $0.headers["X-Step"] } == ["xx"])
    }

    @Test("Adapters are called on the session's request queue, retriers on its root queue")
    func queues() async {
        let (adapt, root) = (DispatchQueue(label: "test.adapt"), DispatchQueue(label: "test.root"))
        let calls = Notes<String>()
        let interceptor = Interceptor { request, _, completion in
            dispatchPrecondition(condition: .onQueue(adapt))
            calls.add("adapt")
            completion(.success(request))
        } retryHandler: { _, _, _, completion in
            dispatchPrecondition(condition: .onQueue(root))
            calls.add("retry")
            completion(.doNotRetry)
        }
        let session = Session(rootQueue: root, requestQueue: adapt, interceptor: interceptor, transport: Self.busy)
        _ = await session.request(url).validate().serializingString().response
        #expect(calls.all == ["adapt", "retry"])
        withExtendedLifetime(session) {}
    }
}
