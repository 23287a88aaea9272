import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// How requests are authenticated, and how a credential is refreshed once for all of them.
@Suite("Authentication interceptor", .timeLimit(.minutes(5)))
struct AuthenticationInterceptorTests {
    private static let url = "http://stub.test/"

    private enum Local {
        @TaskLocal static var trace: String?
    }

    @Test("The credential is applied to each request, and is not refreshed while it is accepted")
    func applied() async throws {
        let server = TokenServer(accepting: "old")
        let authenticator = TokenAuthenticator()
        let session = Session(
            transport: server.transport,
            interceptor: AuthenticationInterceptor(authenticator: authenticator, credential: Token(value: "old")))
        for _ in 0..<2 { #expect(try await session.request(Self.url).validate().serializingString().value == "fine") }
        #expect(server.tokens == ["Bearer old", "Bearer old"] && authenticator.refreshed.count == 0)
    }

    @Test("A refused credential is refreshed, and the request or download is sent again with the new one")
    func refused() async throws {
        let server = TokenServer(accepting: "new")
        let authenticator = TokenAuthenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: Token(value: "old"))
        let session = Session(transport: server.transport, interceptor: interceptor)
        let request = session.request(Self.url).validate()
        #expect(try await request.serializingString().value == "fine")
        #expect(server.tokens == ["Bearer old", "Bearer new"] && request.retryCount == 1)
        #expect(authenticator.refreshed.entries == ["old"] && interceptor.credential?.value == "new")
        interceptor.credential = Token(value: "old")
        let download = session.download(Self.url).validate()
        let file = try await download.serializingDownloadedFileURL().value
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(download.retryCount == 1 && authenticator.refreshed.count == 2)
    }

    @Test("Without validate() a 401 is a normal response and refreshes nothing")
    func notValidated() async throws {
        let server = TokenServer(accepting: "new")
        let authenticator = TokenAuthenticator()
        let session = Session(
            transport: server.transport,
            interceptor: AuthenticationInterceptor(authenticator: authenticator, credential: Token(value: "old")))
        let response = await session.request(Self.url).serializingString().response
        #expect(response.value == "refused" && response.response?.statusCode == 401)
        #expect(authenticator.refreshed.count == 0 && authenticator.refused.count == 0)
    }

    @Test("Transport failures and other statuses are left to the next retrier")
    func otherFailures() async throws {
        let authenticator = TokenAuthenticator()
        let asked = Journal<Int>()
        for steps in [TokenServer.answer(403, "no"), [.fail(.failed(.networkConnectionLost, "gone"))]] {
            let session = Session(
                transport: StubTransport { _ in steps },
                interceptor: AuthenticationInterceptor(authenticator: authenticator, credential: Token(value: "old")))
            let request = session.request(Self.url).validate().retry { context, _ in
                asked.add(context.retryCount)
                return .doNotRetry
            }
            #expect(await request.serializingString().response.error != nil)
        }
        #expect(asked.entries == [0, 0] && authenticator.refreshed.count == 0)
    }

    @Test("Requests wait while a credential that requires it is refreshed, and one refresh serves all of them")
    func proactive() async throws {
        let gate = OneShot<Void>()
        let server = TokenServer(accepting: "new")
        let authenticator = TokenAuthenticator { _, _ in
            await gate.value
            return Token(value: "new")
        }
        let adapted = Journal<Int>()
        let interceptor = AuthenticationInterceptor(
            authenticator: authenticator, credential: Token(value: "old", requiresRefresh: true))
        let session = Session(
            transport: server.transport,
            interceptor: .interceptor(adapters: [.adapter { _, _ in adapted.add(1) }], interceptors: [interceptor]))
        let tasks = (0..<20).map { _ in session.request(Self.url).validate().serializingString() }
        _ = try await adapted.wait(for: 20)
        #expect(server.transport.requests.isEmpty)
        gate.fulfill(())
        for task in tasks { #expect(try await task.value == "fine") }
        #expect(authenticator.refreshed.count == 1 && Set(server.tokens) == ["Bearer new"] && server.tokens.count == 20)
    }

    @Test("While a refused credential is refreshed, other requests are still sent with it")
    func reactive() async throws {
        let gate = OneShot<Void>()
        let authenticator = TokenAuthenticator { _, _ in
            await gate.value
            return Token(value: "new")
        }
        let transport = StubTransport { request in
            let isNew = request.headers["Authorization"] == "Bearer new"
            return isNew || !request.target.string.hasSuffix("/strict") ? TokenServer.answer(200, "fine") : TokenServer.answer(401, "no")
        }
        let session = Session(
            transport: transport, interceptor: AuthenticationInterceptor(authenticator: authenticator, credential: Token(value: "old")))
        let strict = session.request(Self.url + "strict").validate().serializingString()
        _ = try await authenticator.refreshed.wait(for: 1)
        #expect(try await session.request(Self.url).validate().serializingString().value == "fine")
        gate.fulfill(())
        #expect(try await strict.value == "fine")
        #expect(authenticator.refreshed.count == 1)
    }

    @Test("A request sent with an earlier credential is retried with the present one, without a refresh")
    func replacedMeanwhile() async throws {
        let authenticator = TokenAuthenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: Token(value: "old"))
        let transport = StubTransport { request in
            guard request.headers["Authorization"] == "Bearer old" else { return TokenServer.answer(200, "fine") }
            interceptor.credential = Token(value: "other")
            return TokenServer.answer(401, "no")
        }
        let session = Session(transport: transport, interceptor: interceptor)
        let request = session.request(Self.url).validate()
        #expect(try await request.serializingString().value == "fine")
        #expect(request.request?.headers["Authorization"] == "Bearer other" && authenticator.refreshed.count == 0)
    }

    @Test(
        "A credential set during a refresh is used at once, and the refresh's result is dropped",
        .serialized,
        arguments: [false, true])
    func setMeanwhile(isProactive: Bool) async throws {
        let gate = OneShot<Void>()
        let returned = Journal<Int>()
        let server = TokenServer(accepting: "other")
        let authenticator = TokenAuthenticator { _, _ in
            await gate.value
            returned.add(1)
            return Token(value: "new")
        }
        let interceptor = AuthenticationInterceptor(
            authenticator: authenticator, credential: Token(value: "old", requiresRefresh: isProactive))
        let session = Session(transport: server.transport, interceptor: interceptor)
        let task = session.request(Self.url).validate().serializingString()
        _ = try await authenticator.refreshed.wait(for: 1)
        interceptor.credential = Token(value: "other")
        #expect(try await task.value == "fine")
        gate.fulfill(())
        _ = try await returned.wait(for: 1)
        #expect(try await session.request(Self.url).validate().serializingString().value == "fine")
        #expect(interceptor.credential?.value == "other")
    }

    @Test("Without a credential nothing is sent, and removing it during a refresh fails the waiting requests", arguments: [false, true])
    func missing(isProactive: Bool) async throws {
        let server = TokenServer()
        let gate = OneShot<Void>()
        let authenticator = TokenAuthenticator { _, _ in
            await gate.value
            return Token(value: "new")
        }
        let interceptor = AuthenticationInterceptor(authenticator: authenticator)
        let session = Session(transport: server.transport, interceptor: interceptor)
        let error = try #require(await session.request(Self.url).validate().serializingString().response.error?.asFirewheelError)
        #expect(error.kind == .requestAdaptationFailed && kind(error.underlyingError) == .authenticationFailed(.missingCredential))
        #expect(server.transport.requests.isEmpty)
        interceptor.credential = Token(value: "old", requiresRefresh: isProactive)
        let task = session.request(Self.url).validate().serializingString()
        _ = try await authenticator.refreshed.wait(for: 1)
        interceptor.credential = nil
        let second = try #require(await task.response.error?.asFirewheelError)
        #expect(second.kind == (isProactive ? .requestAdaptationFailed : .requestRetryFailed))
        #expect(second.authenticationFailureReason == .missingCredential)
        #expect(second.responseCode == (isProactive ? nil : 401))
        gate.fulfill(())
    }

    @Test("A request cancelled while it waits for a refresh ends at once, and the others get the new credential", arguments: [false, true])
    func cancelledWaiter(isProactive: Bool) async throws {
        let gate = OneShot<Void>()
        let server = TokenServer(accepting: "new")
        let authenticator = TokenAuthenticator { _, _ in
            await gate.value
            return Token(value: "new")
        }
        let session = Session(
            transport: server.transport,
            interceptor: AuthenticationInterceptor(
                authenticator: authenticator, credential: Token(value: "old", requiresRefresh: isProactive)))
        let first = session.request(Self.url).validate()
        let firstTask = first.serializingString()
        _ = try await authenticator.refreshed.wait(for: 1)
        let second = session.request(Self.url).validate().serializingString()
        if !isProactive { _ = try await authenticator.refused.wait(for: 2) }
        first.cancel()
        #expect(await firstTask.response.error?.asFirewheelError?.isExplicitlyCancelled == true)
        gate.fulfill(())
        #expect(try await second.value == "fine")
        #expect(authenticator.refreshed.count == 1)
    }

    @Test("When every waiting request is cancelled, the refresh goes on and its credential is kept")
    func allCancelled() async throws {
        let gate = OneShot<Void>()
        let cancelled = Journal<Bool>()
        let server = TokenServer(accepting: "new")
        let authenticator = TokenAuthenticator { _, _ in
            await gate.value
            cancelled.add(Task.isCancelled)
            return Token(value: "new")
        }
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: Token(value: "old"))
        let session = Session(transport: server.transport, interceptor: interceptor)
        let requests = (0..<10).map { _ in session.request(Self.url).validate() }
        let tasks = requests.map { $0.serializingString() }
        _ = try await authenticator.refused.wait(for: 10)
        for request in requests { request.cancel() }
        for task in tasks { #expect(kind(await task.response.error) != nil) }
        gate.fulfill(())
        try await waitUntil("the new credential") { interceptor.credential?.value == "new" }
        #expect(cancelled.entries == [false])
        #expect(try await session.request(Self.url).validate().serializingString().value == "fine")
        #expect(authenticator.refreshed.count == 1)
    }

    @Test("A task that is cancelled before it asks for a credential starts no refresh")
    func cancelledBefore() async throws {
        let authenticator = TokenAuthenticator()
        let interceptor = AuthenticationInterceptor(
            authenticator: authenticator, credential: Token(value: "old", requiresRefresh: true))
        let gate = OneShot<Void>()
        let task = Task {
            await gate.value
            return try await interceptor.adapt(try URLRequest.test(), for: RequestContext(id: 1))
        }
        task.cancel()
        gate.fulfill(())
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(authenticator.refreshed.count == 0)
    }

    @Test("A request suspended while it waits for a refresh does not block others, and continues when resumed")
    func suspended() async throws {
        let gate = OneShot<Void>()
        let server = TokenServer(accepting: "new")
        let authenticator = TokenAuthenticator { _, _ in
            await gate.value
            return Token(value: "new")
        }
        let session = Session(
            transport: server.transport,
            interceptor: AuthenticationInterceptor(authenticator: authenticator, credential: Token(value: "old")))
        let first = session.request(Self.url).validate()
        let firstTask = first.serializingString()
        _ = try await authenticator.refreshed.wait(for: 1)
        first.suspend()
        let second = session.request(Self.url).validate().serializingString()
        gate.fulfill(())
        #expect(try await second.value == "fine")
        #expect(first.retryCount == 0)
        first.resume()
        #expect(try await firstTask.value == "fine")
        #expect(authenticator.refreshed.count == 1)
    }

    @Test("The refresh gets the context and the task-local values of the request that triggered it")
    func taskLocal() async throws {
        let seen = Journal<String>()
        let ids = Journal<UInt64>()
        let server = TokenServer(accepting: "new")
        let authenticator = TokenAuthenticator { _, context in
            seen.add(Local.trace ?? "none")
            ids.add(context.id)
            return Token(value: "new")
        }
        let session = Session(
            transport: server.transport,
            interceptor: AuthenticationInterceptor(authenticator: authenticator, credential: Token(value: "old")))
        let request = Local.$trace.withValue("4711") { session.request(Self.url).validate() }
        #expect(try await Local.$trace.withValue("4711") { try await request.serializingString().value } == "fine")
        #expect(seen.entries == ["4711"] && ids.entries == [request.id])
    }

    @Test(
        "A request that has used up its retries fails with its 401, and causes no refresh", arguments: [-1, 0, 1, 3])
    func retryLimit(limit: Int) async throws {
        let server = TokenServer()
        let authenticator = TokenAuthenticator { token, _ in Token(value: token.value + "+") }
        let session = Session(
            transport: server.transport,
            interceptor: AuthenticationInterceptor(
                authenticator: authenticator, credential: Token(value: "a"), refreshWindow: nil, retryLimit: limit))
        let response = await session.request(Self.url).validate().serializingString().response
        #expect(kind(response.error) == .responseValidationFailed(.unacceptableStatusCode(401)))
        #expect(response.response?.statusCode == 401 && response.data == Data("refused".utf8))
        #expect(server.tokens.count == max(0, limit) + 1 && authenticator.refreshed.count == max(0, limit))
    }

    @Test("A request whose own Authorization field is refused is not retried and refreshes nothing")
    func othersCredential() async throws {
        let server = TokenServer()
        let authenticator = TokenAuthenticator()
        let session = Session(
            transport: server.transport,
            interceptor: AuthenticationInterceptor(authenticator: authenticator, credential: Token(value: "old")))
        let request = session.request(Self.url).validate()
            .adapt { request, _ in request.headers.update(.authorization(bearerToken: "own")) }
        let error = await request.serializingString().response.error
        #expect(kind(error) == .responseValidationFailed(.unacceptableStatusCode(401)))
        #expect(server.tokens == ["Bearer own"] && authenticator.refreshed.count == 0)
    }

    @Test("A request with its own Authorization field is sent at most twice just after a credential was set")
    func othersCredentialAfterSetting() async throws {
        let server = TokenServer()
        let interceptor = AuthenticationInterceptor(authenticator: TokenAuthenticator())
        interceptor.credential = Token(value: "set")
        let session = Session(transport: server.transport, interceptor: interceptor)
        let request = session.request(Self.url).validate()
            .adapt { request, _ in request.headers.update(.authorization(bearerToken: "own")) }
        let error = await request.serializingString().response.error
        #expect(kind(error) == .responseValidationFailed(.unacceptableStatusCode(401)))
        #expect(server.tokens.count <= 2)
    }

    @Test("A 401 from another origin after a redirect refreshes nothing")
    func anotherOrigin() async throws {
        let transport = StubTransport { request in
            let head =
                request.target.origin.host == "b.test"
                ? ResponseHead(statusCode: 401) : ResponseHead(statusCode: 302, headers: ["Location": "http://b.test/"])
            return [.response(head), .finish(body: nil)]
        }
        let authenticator = TokenAuthenticator()
        let session = Session(
            transport: transport,
            interceptor: AuthenticationInterceptor(authenticator: authenticator, credential: Token(value: "old")))
        let error = await session.request("http://a.test/").validate().serializingString().response.error
        #expect(kind(error) == .responseValidationFailed(.unacceptableStatusCode(401)))
        #expect(authenticator.refreshed.count == 0 && transport.requests.count == 2)
    }

    @Test("Neither a description nor a dump shows the credential or the authenticator")
    func printing() {
        struct Holder { let interceptor: AuthenticationInterceptor<TokenAuthenticator> }
        let interceptor = AuthenticationInterceptor(authenticator: TokenAuthenticator(), credential: Token(value: "s3cret-token"))
        var text = "\(interceptor) \(String(reflecting: interceptor))"
        dump(interceptor, to: &text)
        dump(Holder(interceptor: interceptor), to: &text)
        dump(Interceptor(interceptors: [interceptor]), to: &text)
        #expect(!text.contains("s3cret") && text.contains("AuthenticationInterceptor<TokenAuthenticator>"))
    }
}
