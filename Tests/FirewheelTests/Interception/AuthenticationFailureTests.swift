import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Each way in which a refresh fails has its own error, comes in time, and allows the next refresh.
@Suite("Failing credential refreshes", .timeLimit(.minutes(5)))
struct AuthenticationFailureTests {
    private struct Odd: Error, Equatable {}

    /// A credential that is Equatable.
    private struct Visit: AuthenticationCredential, Equatable {
        let id: String
        var requiresRefresh = false
    }

    private struct ComparableAuthenticator: Authenticator {
        let refreshes = Journal<Int>()
        let body: @Sendable (Visit) -> Visit

        func apply(_ credential: Visit, to urlRequest: inout URLRequest) {
            urlRequest.headers.update(name: "X-Session", value: credential.id)
        }
        func refresh(_ credential: Visit, for request: RequestContext) async throws -> Visit {
            refreshes.add(1)
            return body(credential)
        }
        func didRequest(
            _ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
        ) -> Bool { response.statusCode == 401 }
        func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Visit) -> Bool {
            urlRequest.headers["X-Session"] == credential.id
        }
    }

    private static let url = "http://stub.test/"

    private static func session(
        _ server: TokenServer, _ interceptor: any RequestInterceptor
    ) -> Session { Session(transport: server.transport, interceptor: interceptor) }

    @Test("A refresh that throws gives refreshFailed with its error, to adapters and to retriers", arguments: [false, true])
    func throwing(isProactive: Bool) async throws {
        let interceptor = AuthenticationInterceptor(
            authenticator: TokenAuthenticator { _, _ in throw Odd() }, credential: Token(value: "old", requiresRefresh: isProactive))
        let session = Self.session(TokenServer(), interceptor)
        let error = try #require(await session.request(Self.url).validate().serializingString().response.error?.asFirewheelError)
        #expect(error.kind == (isProactive ? .requestAdaptationFailed : .requestRetryFailed))
        let cause = try #require(error.underlyingError as? FirewheelError)
        #expect(cause.kind == .authenticationFailed(.refreshFailed) && cause.underlyingError is Odd)
        #expect(error.authenticationFailureReason == .refreshFailed && error.description.contains("could not be refreshed"))
        if !isProactive { #expect(kind(error.originalError) == .responseValidationFailed(.unacceptableStatusCode(401))) }
    }

    private enum Cancelling: CaseIterable, Sendable { case itself, request, foundation, session }

    @Test(
        "A refresh that ends with a cancellation fails the requests that wait for it, without cancelling them",
        arguments: Cancelling.allCases)
    private func cancelling(how: Cancelling) async throws {
        let idle = Session(transport: StubTransport(), startRequestsImmediately: false)
        let authenticator = TokenAuthenticator { _, _ in
            switch how {
            case .itself: throw CancellationError()
            case .foundation: throw URLError(.cancelled)
            case .request:
                let request = idle.request(Self.url)
                request.cancel()
                return Token(value: try await request.serializingString().value)
            case .session:
                let session = Session(transport: StubTransport())
                session.invalidate()
                return Token(value: try await session.request(Self.url).serializingString().value)
            }
        }
        let session = Self.session(TokenServer(), AuthenticationInterceptor(authenticator: authenticator, credential: Token(value: "old")))
        let error = try #require(await session.request(Self.url).validate().serializingString().response.error?.asFirewheelError)
        #expect(error.authenticationFailureReason == .refreshCancelled)
        #expect(!error.isExplicitlyCancelled && error.urlErrorCode == nil)
    }

    @Test("A refresh that returns an equal credential is an error after a 401, but not before the credential was sent")
    func unchanged() async throws {
        let authenticator = ComparableAuthenticator { $0 }
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: Visit(id: "1"))
        let refusing = Session(transport: StubTransport { _ in TokenServer.answer(401, "no") }, interceptor: interceptor)
        let error = await refusing.request(Self.url).validate().serializingString().response.error
        #expect(kind(error) == .requestRetryFailed && reason(error) == .unchangedCredential)
        #expect(authenticator.refreshes.count == 1)

        let early = AuthenticationInterceptor(authenticator: authenticator, credential: Visit(id: "1", requiresRefresh: true))
        let accepting = Session(transport: StubTransport { _ in TokenServer.answer(200, "fine") }, interceptor: early)
        #expect(try await accepting.request(Self.url).validate().serializingString().value == "fine")
        #expect(authenticator.refreshes.count == 2)
    }

    @Test("A refresh that returns a different credential is used for the retry")
    func changed() async throws {
        let authenticator = ComparableAuthenticator { _ in Visit(id: "2") }
        let transport = StubTransport { request in
            request.headers["X-Session"] == "2" ? TokenServer.answer(200, "fine") : TokenServer.answer(401, "no")
        }
        let session = Session(
            transport: transport, interceptor: AuthenticationInterceptor(authenticator: authenticator, credential: Visit(id: "1")))
        #expect(try await session.request(Self.url).validate().serializingString().value == "fine")
    }

    @Test(
        "If every refreshed credential is refused, the sixth refresh is excessiveRefresh"
    )
    func excessive() async throws {
        let server = TokenServer()
        let authenticator = TokenAuthenticator { token, _ in token }
        let session = Self.session(server, AuthenticationInterceptor(authenticator, Token(value: "old"), clock: ManualClock()))
        let error = await session.request(Self.url).validate().serializingString().response.error
        #expect(kind(error) == .requestRetryFailed && reason(error) == .excessiveRefresh)
        #expect(authenticator.refreshed.count == 5 && server.tokens.count == 6)
    }

    @Test("Slow refreshes of a credential that is always refused end by the request's retry limit")
    func slowLoop() async throws {
        let clock = ManualClock()
        let server = TokenServer()
        let authenticator = TokenAuthenticator { token, _ in
            clock.advance(by: 10)
            return token
        }
        let session = Self.session(server, AuthenticationInterceptor(authenticator, Token(value: "old"), clock: clock))
        let response = await session.request(Self.url).validate().serializingString().response
        #expect(kind(response.error) == .responseValidationFailed(.unacceptableStatusCode(401)))
        #expect(server.tokens.count == 11)
    }

    @Test("A refreshed credential that requires a refresh again at once is used once per refresh")
    func alwaysExpired() async throws {
        let server = TokenServer(accepting: "new")
        let authenticator = TokenAuthenticator { _, _ in Token(value: "new", requiresRefresh: true) }
        let session = Self.session(
            server, AuthenticationInterceptor(authenticator, Token(value: "old", requiresRefresh: true), clock: ManualClock()))
        for _ in 0..<5 { #expect(try await session.request(Self.url).validate().serializingString().value == "fine") }
        let error = await session.request(Self.url).validate().serializingString().response.error
        #expect(kind(error) == .requestAdaptationFailed && reason(error) == .excessiveRefresh)
        #expect(server.tokens.count == 5)
    }

    @Test("After a failed refresh, requests get its error for a second, and then a new refresh starts")
    func nextAfterFailure() async throws {
        let clock = ManualClock()
        let isOffline = Locked(true)
        let authenticator = TokenAuthenticator { _, _ in
            if isOffline.withLock({ $0 }) { throw Odd() }
            return Token(value: "new")
        }
        let session = Self.session(
            TokenServer(accepting: "new"),
            AuthenticationInterceptor(authenticator, Token(value: "old", requiresRefresh: true), clock: clock))
        for _ in 0..<3 {
            #expect(reason(await session.request(Self.url).validate().serializingString().response.error) == .refreshFailed)
        }
        #expect(authenticator.refreshed.count == 1)
        isOffline.withLock { $0 = false }
        clock.advance(by: 1)
        #expect(try await session.request(Self.url).validate().serializingString().value == "fine")
        #expect(authenticator.refreshed.count == 2)
    }

    // MARK: Timeouts

    @Test("A refresh that does not return in 60 seconds fails its requests and is cancelled, and the next may start")
    func timeout() async throws {
        let clock = ManualClock()
        let never = OneShot<Void>()
        let cancelled = Journal<Int>()
        let count = Locked(0)
        let authenticator = TokenAuthenticator { _, _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number > 1 { return Token(value: "new") }
            await withTaskCancellationHandler {
                await never.value
            } onCancel: {
                cancelled.add(1)
            }
            throw Odd()
        }
        let session = Self.session(
            TokenServer(accepting: "new"), AuthenticationInterceptor(authenticator, Token(value: "old"), clock: clock))
        let tasks = (0..<5).map { _ in session.request(Self.url).validate().serializingString() }
        _ = try await authenticator.refused.wait(for: 5)
        #expect(try await clock.slept.wait(for: 1) == [60])
        clock.wake()
        for task in tasks { #expect(reason(await task.response.error) == .refreshTimedOut) }
        _ = try await cancelled.wait(for: 1)
        clock.advance(by: 1)
        #expect(try await session.request(Self.url).validate().serializingString().value == "fine")
        never.fulfill(())
    }

    @Test("The credential of a refresh that returns after its timeout is kept")
    func lateCredential() async throws {
        let clock = ManualClock()
        let gate = OneShot<Void>()
        let authenticator = TokenAuthenticator { _, _ in
            await gate.value
            return Token(value: "late")
        }
        let interceptor = AuthenticationInterceptor(authenticator, Token(value: "old"), clock: clock)
        let session = Self.session(TokenServer(accepting: "late"), interceptor)
        let task = session.request(Self.url).validate().serializingString()
        _ = try await clock.slept.wait(for: 1)
        clock.wake()
        #expect(reason(await task.response.error) == .refreshTimedOut)
        gate.fulfill(())
        try await waitUntil("the late credential") { interceptor.credential?.value == "late" }
        #expect(try await session.request(Self.url).validate().serializingString().value == "fine")
        #expect(authenticator.refreshed.count == 1)
    }

    @Test("The refresh timer ends with the refresh, and without a time limit there is none", arguments: [60.0, .nan, 0, -1, .infinity])
    func timers(timeout: TimeInterval) async throws {
        let clock = ManualClock()
        let interceptor = AuthenticationInterceptor(TokenAuthenticator(), Token(value: "old"), timeout: timeout, clock: clock)
        let session = Self.session(TokenServer(accepting: "new"), interceptor)
        #expect(try await session.request(Self.url).validate().serializingString().value == "fine")
        // The timer may start late, or not at all if the refresh has already ended.
        let hasLimit = timeout.isNaN || timeout == 60
        #expect(clock.slept.entries.allSatisfy { hasLimit && $0 == 60 })
        clock.wake()
        #expect(interceptor.credential?.value == "new")
    }

    @Test("A short refresh timeout takes effect on the system's clock, and one of 100 years does not trap", arguments: [0.01, 1e300])
    func systemClock(timeout: TimeInterval) async throws {
        let authenticator = TokenAuthenticator { _, _ in
            if timeout < 1 { try await Task.sleep(nanoseconds: 3_600_000_000_000) }
            return Token(value: "new")
        }
        let session = Self.session(
            TokenServer(accepting: "new"),
            AuthenticationInterceptor(authenticator: authenticator, credential: Token(value: "old"), refreshTimeout: timeout))
        let response = await session.request(Self.url).validate().serializingString().response
        #expect(timeout < 1 ? reason(response.error) == .refreshTimedOut : response.value == "fine")
    }
}
