import FirewheelTesting
import Foundation
import Testing

@testable import FirewheelAlamofire

/// What waits for a refresh is answered, whatever becomes of the refresh, the requests, their session and the interceptor.
@Suite("Waiting for a refresh", .timeLimit(.minutes(5)))
struct AuthenticationWaitTests {
    private typealias Interceptor = AuthenticationInterceptor<TestAuthenticator>

    private let held = Notes<TestAuthenticator.Completion>()
    private let session = Session(transport: StubTransport.accepting("a1"))
    private let expired = Token(requiresRefresh: true)

    private func holding() -> TestAuthenticator { TestAuthenticator { [held] in held.add($1) } }

    private func adapt(_ interceptor: Interceptor, _ count: Int = 1) throws -> Notes<String> {
        let results = Notes<String>()
        let urlRequest = try URLRequest(url: "http://stub.test/", method: .get)
        for _ in 0..<count {
            interceptor.adapt(urlRequest, for: session) { result in
                switch result {
                case .success(let request): results.add(request.headers["Authorization"] ?? "")
                case .failure(let error): results.add("\(error)")
                }
            }
        }
        return results
    }

    @Test("A refresh that completes more than once, from many threads")
    func completedTwice() async throws {
        let interceptor = Interceptor(authenticator: holding(), credential: expired)
        let results = try adapt(interceptor, 3)
        let completion = try #require(await held.wait(for: 1).first)
        DispatchQueue.concurrentPerform(iterations: 100) { completion(.success(Token(name: "a\($0)"))) }
        let names = await results.wait(for: 3)
        let name = try #require(interceptor.credential?.name)
        completion(.failure(RefreshFailure.noNetwork))
        completion(.success(Token(name: "late")))
        #expect(names == [name, name, name] && interceptor.credential?.name == name)
        #expect(try adapt(interceptor).all == [name])
    }

    @Test("A refresh whose completion handler is dropped fails what waits, and the next request refreshes again")
    func dropped() async throws {
        let authenticator = TestAuthenticator { number, completion in
            if number == 2 { completion(.success(Token(name: "a1"))) }
        }
        let interceptor = Interceptor(authenticator: authenticator, credential: expired)
        let error = await session.get(interceptor).serializingString().response.error
        #expect((error?.underlyingError as? UncalledCompletionError)?.description.hasPrefix("TestAuthenticator ") == true)
        #expect(await session.get(interceptor).serializingString().response.value == "fine")
    }

    @Test("A dropped completion handler fails a refused request as well")
    func droppedForRetry() async {
        let interceptor = Interceptor(authenticator: TestAuthenticator { _, _ in }, credential: Token())
        let error = await session.get(interceptor).serializingString().response.error
        #expect(error?.isRequestRetryError == true && error?.underlyingError is UncalledCompletionError)
    }

    @Test("Requests are cancelled while they wait for a refresh that never ends; the others go on with it")
    func cancelled() async {
        let authenticator = holding()
        for (refreshes, credential) in [expired, Token()].enumerated() {
            let interceptor = Interceptor(authenticator: authenticator, credential: credential)
            let requests = (0..<10).map { _ in session.get(interceptor) }
            let tasks = requests.map { $0.serializingString() }
            let completion = await held.wait(for: refreshes + 1).last
            for request in requests.dropFirst() { request.cancel() }
            for task in tasks.dropFirst() { #expect(await task.response.error?.isExplicitlyCancelledError == true) }
            completion?(.success(Token(name: "a1")))
            #expect(await tasks[0].response.value == "fine")
        }
    }

    @Test("The request that caused the refresh is cancelled; its result is kept for others")
    func firstCancelled() async {
        let authenticator = holding()
        let interceptor = Interceptor(authenticator: authenticator, credential: expired)
        let first = session.get(interceptor)
        let task = first.serializingString()
        let completion = await held.wait(for: 1).first
        first.cancel()
        #expect(await task.response.error?.isExplicitlyCancelledError == true)
        completion?(.success(Token(name: "a1")))
        #expect(await session.get(interceptor).serializingString().response.value == "fine")
        #expect(authenticator.refreshed.all.count == 1)
    }

    @Test("An interceptor that nobody else refers to still answers")
    func interceptorReleased() async throws {
        weak var released: Interceptor?
        let results: Notes<String>
        do {
            let interceptor = Interceptor(authenticator: holding(), credential: expired)
            released = interceptor
            results = try adapt(interceptor, 2)
            await held.wait(for: 1)
        }
        #expect(released != nil)
        for completion in held.all { completion(.success(Token(name: "a1"))) }
        #expect(await results.wait(for: 2) == ["a1", "a1"])
    }

    @Test("A session that is released ends its requests, and is not retained by those that wait")
    func sessionReleased() async {
        weak var released: Session?
        let interceptor = Interceptor(authenticator: holding(), credential: expired)
        let task: DataTask<String>
        do {
            let session = Session(interceptor: interceptor, transport: StubTransport.accepting("a1"))
            released = session
            task = session.request("http://stub.test/").serializingString()
            await held.wait(for: 1)
        }
        #expect(await task.response.error?.isSessionDeinitializedError == true)
        #expect(released == nil)
        for completion in held.all { completion(.success(Token(name: "a1"))) }
        #expect(await session.get(interceptor).serializingString().response.value == "fine")
    }

    @Test("A credential that is set during a refresh ends the wait and wins")
    func setMeanwhile() async throws {
        let interceptor = Interceptor(authenticator: holding(), credential: expired)
        let results = try adapt(interceptor, 3)
        let completion = await held.wait(for: 1).first
        interceptor.credential = Token(name: "b")
        #expect(await results.wait(for: 3) == ["b", "b", "b"])
        completion?(.success(Token(name: "a1")))
        completion?(.failure(RefreshFailure.noNetwork))
        #expect(interceptor.credential == Token(name: "b"))
        #expect(try adapt(interceptor).all == ["b"])
    }

    @Test("An authenticator that removes the credential before it reports a failure does not hide that failure")
    func removedByAuthenticator() async throws {
        let interceptors = Notes<Interceptor>()
        let authenticator = TestAuthenticator { _, completion in
            interceptors.all.first?.credential = nil
            completion(.failure(RefreshFailure.noNetwork))
        }
        let interceptor = Interceptor(authenticator: authenticator, credential: expired)
        interceptors.add(interceptor)
        let first = await session.get(interceptor).serializingString().response.error
        #expect(first?.underlyingError as? RefreshFailure == .noNetwork)
        let second = await session.get(interceptor).serializingString().response.error
        #expect(second?.underlyingError as? AuthenticationError == .missingCredential)
        interceptors.removeAll()
    }

    @Test("A refresh that blocks its thread does not hold up a credential that is set")
    func blockingRefresh() async throws {
        let (blocked, goesOn) = (Notes<Void>(), DispatchSemaphore(value: 0))
        let authenticator = TestAuthenticator { _, completion in
            blocked.add(())
            goesOn.wait()
            completion(.success(Token(name: "late")))
        }
        let interceptor = Interceptor(authenticator: authenticator, credential: expired)
        let results = try adapt(interceptor, 2)
        await blocked.wait(for: 1)
        interceptor.credential = Token(name: "b")
        #expect(await results.wait(for: 2) == ["b", "b"])
        goesOn.signal()
    }

    @Test("1,000 refreshes in a row that complete at once, each for the request that waited for the last")
    func deep() async throws {
        let authenticator = TestAuthenticator { number, completion in
            completion(.success(Token(name: "a\(number)", requiresRefresh: number < 1_000)))
        }
        let interceptor = Interceptor(authenticator: authenticator, credential: expired, refreshWindow: nil)
        #expect(await (try adapt(interceptor)).wait(for: 1) == ["a1000"])
    }

    @Test("Requests, refreshes and set credentials at the same time: each request has one answer")
    func storm() async throws {
        let authenticator = TestAuthenticator { number, completion in
            let result: Result<Token, any Error> =
                number % 5 == 0 ? .failure(RefreshFailure.noNetwork) : .success(Token(name: "a\(number)", requiresRefresh: number % 3 == 0))
            if number % 2 == 0 { completion(result) } else { DispatchQueue.global().async { completion(result) } }
        }
        let interceptor = Interceptor(authenticator: authenticator, credential: expired, refreshWindow: nil)
        let (results, session) = (Notes<Bool>(), session)
        let urlRequest = try URLRequest(url: "http://stub.test/", method: .get)
        DispatchQueue.concurrentPerform(iterations: 2_000) { number in
            if number % 50 == 0 { interceptor.credential = Token(name: "s", requiresRefresh: number % 100 == 0) }
            interceptor.adapt(urlRequest, for: session) { _ in results.add(true) }
        }
        #expect(await results.wait(for: 2_000).count == 2_000)
    }
}
