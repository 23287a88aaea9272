import FirewheelTesting
import Foundation
import Testing

@testable import FirewheelAlamofire

/// Requests that an ``AuthenticationInterceptor`` authenticates, through a session.
@Suite("AuthenticationInterceptor", .timeLimit(.minutes(5)))
struct AuthenticationInterceptorTests {
    private let sessions = TestSessions()
    private func authorization(_ response: AFDataResponse<String>) -> String? { response.request?.headers["Authorization"] }

    private func responses(of count: Int, _ session: Session, _ interceptor: any RequestInterceptor) async -> [AFDataResponse<String>] {
        let tasks = (0..<count).map { _ in session.get(interceptor).serializingString() }
        var responses: [AFDataResponse<String>] = []
        for task in tasks { responses.append(await task.response) }
        return responses
    }

    // MARK: Adapting

    @Test("A valid credential is applied")
    func apply() async {
        let authenticator = TestAuthenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: Token())
        let response = await sessions(StubTransport.accepting("a0")).get(interceptor).serializingString().response
        #expect(response.value == "fine" && authorization(response) == "a0")
        #expect(authenticator.counts == [1, 0, 0, 0])
    }

    @Test("Without a credential requests fail")
    func missing() async {
        let (stub, authenticator) = (StubTransport.accepting("a0"), TestAuthenticator())
        let interceptor = AuthenticationInterceptor(authenticator: authenticator)
        let session = sessions(stub)
        for _ in 0..<2 {
            let response = await session.get(interceptor).serializingString().response
            #expect(response.error?.isRequestAdaptationError == true)
            #expect(response.error?.underlyingError as? AuthenticationError == .missingCredential)
            #expect(response.request?.headers.isEmpty == true)
            interceptor.credential = Token()
            #expect(await session.get(interceptor).serializingString().response.value == "fine")
            interceptor.credential = nil
        }
        #expect(authenticator.counts == [2, 0, 0, 0] && stub.requests.count == 2)
    }

    @Test("An expired credential is refreshed once for all requests, also by a refresh that completes at once")
    func expired() async {
        let authenticator = TestAuthenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: Token(requiresRefresh: true))
        let responses = await responses(of: 20, sessions(StubTransport.accepting("a1")), interceptor)
        #expect(responses.allSatisfy { $0.value == "fine" && authorization($0) == "a1" })
        #expect(authenticator.counts == [20, 1, 0, 0])
        #expect(interceptor.credential == Token(name: "a1"))
    }

    @Test("A failed refresh fails the request, and the next one refreshes again")
    func failedRefresh() async {
        let authenticator = TestAuthenticator { $1(.failure(RefreshFailure.noNetwork)) }
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: Token(requiresRefresh: true))
        let session = sessions(StubTransport.accepting())
        for count in 1...2 {
            let error = await session.get(interceptor).serializingString().response.error
            #expect(error?.isRequestAdaptationError == true)
            #expect(error?.underlyingError as? RefreshFailure == .noNetwork)
            #expect(authenticator.counts == [0, count, 0, 0])
        }
        interceptor.credential = Token(name: "b")
        let response = await session.get(interceptor).serializingString().response
        #expect(authorization(response) == "b")
    }

    @Test("A credential that always requires a refresh exceeds the window")
    func excessiveWhileAdapting() async {
        let authenticator = TestAuthenticator { $1(.success(Token(name: "a1", requiresRefresh: true))) }
        let interceptor = AuthenticationInterceptor(
            authenticator: authenticator, credential: Token(requiresRefresh: true),
            refreshWindow: AuthenticationInterceptor.RefreshWindow(interval: 3_000, maximumAttempts: 3))
        let responses = await responses(of: 5, sessions(StubTransport.accepting()), interceptor)
        #expect(responses.allSatisfy { $0.error?.underlyingError as? AuthenticationError == .excessiveRefresh })
        #expect(authenticator.counts == [0, 3, 0, 0])
    }

    // MARK: Retrying

    @Test("A refused request is retried after a refresh")
    func refused() async {
        let authenticator = TestAuthenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: Token())
        let request = sessions(StubTransport.accepting("a1")).get(interceptor)
        let response = await request.serializingString().response
        #expect(response.value == "fine" && authorization(response) == "a1" && request.retryCount == 1)
        #expect(authenticator.counts == [2, 1, 1, 1])
    }

    @Test("Many refused requests share one refresh")
    func manyRefused() async {
        let held = Notes<TestAuthenticator.Completion>()
        let authenticator = TestAuthenticator { held.add($1) }
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: Token())
        let session = sessions(StubTransport.accepting("a1"))
        async let responses = responses(of: 20, session, interceptor)
        await authenticator.compared.wait(for: 20)
        for completion in await held.wait(for: 1) { completion(.success(Token(name: "a1"))) }
        #expect(await responses.allSatisfy { $0.value == "fine" && authorization($0) == "a1" })
        #expect(authenticator.counts == [40, 1, 20, 20])
    }

    @Test("A failed refresh fails all requests that wait for it, and a later one refreshes again")
    func failedRetry() async {
        let held = Notes<TestAuthenticator.Completion>()
        let authenticator = TestAuthenticator { held.add($1) }
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: Token())
        let session = sessions(StubTransport.accepting())
        async let responses = responses(of: 5, session, interceptor)
        await authenticator.compared.wait(for: 5)
        for completion in await held.wait(for: 1) { completion(.failure(RefreshFailure.noNetwork)) }
        #expect(
            await responses.allSatisfy { response in
                response.error?.isRequestRetryError == true && response.error?.underlyingError as? RefreshFailure == .noNetwork
                    && authorization(response) == "a0"
            })
        #expect(authenticator.counts == [5, 1, 5, 5])
        async let later = session.get(interceptor).serializingString().response
        for completion in await held.wait(for: 2) { completion(.failure(RefreshFailure.noNetwork)) }
        #expect(await later.error?.underlyingError as? RefreshFailure == .noNetwork)
        #expect(authenticator.counts == [6, 2, 6, 6])
    }

    @Test("Other failures are left to other retriers")
    func otherFailures() async {
        let authenticator = TestAuthenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: Token())
        let session = sessions(StubTransport { _ in .text("", status: 500) })
        #expect(await session.get(interceptor).serializingString().response.error?.isResponseValidationError == true)
        #expect(authenticator.counts == [1, 0, 1, 0])
        let lost = sessions(StubTransport { _ in [.fail(.failed(.networkConnectionLost, "lost"))] })
        #expect(await lost.get(interceptor).serializingString().response.error != nil)
        #expect(authenticator.counts == [2, 0, 1, 0])
    }

    @Test("A request that was sent with an earlier credential is retried without a refresh")
    func earlierCredential() async {
        let authenticator = TestAuthenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: Token())
        let session = sessions(StubTransport.accepting("b"))
        let request = session.request("http://stub.test/", interceptor: interceptor).validate { _, _, _ in
            interceptor.credential = Token(name: "b")
            return .success(())
        }.validate()
        let response = await request.serializingString().response
        #expect(response.value == "fine" && authorization(response) == "b")
        #expect(authenticator.counts == [2, 0, 1, 1])
    }

    @Test("A credential that is removed while a request runs is missing for its retry")
    func removedMeanwhile() async {
        let authenticator = TestAuthenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: Token())
        let stub = StubTransport { _ in
            interceptor.credential = nil
            return .text("no", status: 401)
        }
        let error = await sessions(stub).get(interceptor).serializingString().response.error
        #expect(error?.isRequestRetryError == true)
        #expect(error?.underlyingError as? AuthenticationError == .missingCredential)
        #expect(authenticator.counts == [1, 0, 1, 0])
    }

    @Test("A server that refuses every credential exceeds the window", arguments: [0, 1, 2])
    func excessive(attempts: Int) async {
        let authenticator = TestAuthenticator()
        let interceptor = AuthenticationInterceptor(
            authenticator: authenticator, credential: Token(), refreshWindow: .init(interval: 3_000, maximumAttempts: attempts))
        let request = sessions(StubTransport.accepting()).get(interceptor)
        let error = await request.serializingString().response.error
        #expect(error?.isRequestRetryError == true)
        #expect(error?.underlyingError as? AuthenticationError == .excessiveRefresh)
        #expect(authenticator.counts == [attempts + 1, attempts, attempts + 1, attempts + 1] && request.retryCount == attempts)
    }

    @Test("Without a window there is no limit")
    func noWindow() async {
        let authenticator = TestAuthenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: Token(), refreshWindow: nil)
        let response = await sessions(StubTransport.accepting("a50")).get(interceptor).serializingString().response
        #expect(response.value == "fine")
        #expect(authenticator.counts == [51, 50, 50, 50])
    }

    @Test("Adapters before it are called again for a retry, but not after a refresh before the first attempt")
    func composite() async {
        let paths = Notes<Void>()
        let path = Adapter { request, _, completion in
            var request = request
            request.headers.update(name: "X-Path", value: "\(paths.add(()))")
            completion(.success(request))
        }
        let stub = StubTransport { $0.headers["X-Path"] == "2" ? .text("fine") : .text("no", status: 401) }
        let authenticator = TestAuthenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: Token(requiresRefresh: true))
        let composite = Interceptor(adapters: [path, interceptor], retriers: [interceptor])
        let response = await sessions(stub).get(composite).serializingString().response
        #expect(response.value == "fine" && authorization(response) == "a2")
        #expect(authenticator.counts == [2, 2, 1, 1])
    }

    @Test("It shows neither credential nor authenticator")
    func description() {
        let interceptor = AuthenticationInterceptor(authenticator: TestAuthenticator(), credential: Token(name: "secret"))
        var dumped = ""
        dump(interceptor, to: &dumped)
        #expect(!"\(interceptor) \(String(reflecting: interceptor)) \(dumped)".contains("secret"))
    }
}
