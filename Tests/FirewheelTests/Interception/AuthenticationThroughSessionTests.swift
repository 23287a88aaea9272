import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// A refresh's own requests through the intercepted session are not held by the refresh.
@Suite("Refreshing a credential through its own session", .timeLimit(.minutes(5)))
struct AuthenticationThroughSessionTests {
    /// A session whose refresh makes a request of its own.
    private final class Bench: Sendable {
        let transport: StubTransport
        let authenticator: TokenAuthenticator
        let interceptor: AuthenticationInterceptor<TokenAuthenticator>
        let session: Session

        /// - Parameter headers: The headers of the refresh's request.
        init(_ credential: Token, headers: HTTPHeaders = [:], tokenStatus: Int = 200) {
            let transport = StubTransport { request in
                if request.target.string.hasSuffix("/token") { return TokenServer.answer(tokenStatus, "new") }
                let isNew = request.headers["Authorization"] == "Bearer new"
                return isNew ? TokenServer.answer(200, "fine") : TokenServer.answer(401, "refused")
            }
            let itself = Locked<Session?>(nil)
            authenticator = TokenAuthenticator { _, _ in
                guard let session = itself.withLock({ $0.take() }) else { throw WaitedInVain(what: "a second refresh") }
                return Token(value: try await session.post("http://stub.test/token", headers: headers).validate().serializingString().value)
            }
            self.transport = transport
            interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: credential)
            session = Session(transport: transport, interceptor: interceptor)
            itself.withLock { [session] in $0 = session }
        }

        var sent: [String] {
            transport.requests.map { "\($0.target.string.hasSuffix("/token") ? "token" : "data") \($0.headers["Authorization"] ?? "-")" }
        }
    }

    @Test("A refresh before sending may use the session: its request is not held, and the other uses the new credential")
    func adapting() async throws {
        let bench = Bench(Token(value: "old", requiresRefresh: true))
        #expect(try await bench.session.request("http://stub.test/").validate().serializingString().value == "fine")
        #expect(bench.sent == ["token -", "data Bearer new"])
    }

    @Test("A refresh after a 401 may use the session: its request is not held, and the other is retried")
    func retrying() async throws {
        let bench = Bench(Token(value: "old"))
        #expect(try await bench.session.request("http://stub.test/").validate().serializingString().value == "fine")
        #expect(bench.sent == ["data Bearer old", "token -", "data Bearer new"])
    }

    @Test("A refresh whose own request is refused with 401 fails with that, and starts no other refresh", arguments: [false, true])
    func refused(isProactive: Bool) async throws {
        // The refresh's request carries the credential, like any other of the session.
        let headers: HTTPHeaders = ["Authorization": "Bearer old"]
        let bench = Bench(Token(value: "old", requiresRefresh: isProactive), headers: headers, tokenStatus: 401)
        let error = try #require(
            await bench.session.request("http://stub.test/").validate().serializingString().response.error?.asFirewheelError)
        let cause = try #require(error.underlyingError as? FirewheelError)
        #expect(cause.kind == .authenticationFailed(.refreshFailed))
        #expect(kind(cause.underlyingError) == .responseValidationFailed(.unacceptableStatusCode(401)))
        #expect(bench.sent == (isProactive ? ["token Bearer old"] : ["data Bearer old", "token Bearer old"]))
        #expect(bench.authenticator.refreshed.count == 1)
    }

    @Test("A request in a task that outlives the refresh is authenticated like any other")
    func leftBehind() async throws {
        let server = TokenServer(accepting: "new")
        let isOver = OneShot<Void>()
        let left = OneShot<String?>()
        let itself = Locked<Session?>(nil)
        let authenticator = TokenAuthenticator { _, _ in
            Task {
                await isOver.value
                let session = itself.withLock { $0.take() }
                left.fulfill(try? await session?.request("http://stub.test/left").validate().serializingString().value)
            }
            return Token(value: "new")
        }
        let session = Session(
            transport: server.transport,
            interceptor: AuthenticationInterceptor(authenticator: authenticator, credential: Token(value: "old", requiresRefresh: true)))
        itself.withLock { $0 = session }
        #expect(try await session.request("http://stub.test/").validate().serializingString().value == "fine")
        isOver.fulfill(())
        #expect(await left.value == "fine")
    }

    @Test("Two interceptors whose refreshes use each other's session do not deadlock")
    func nested() async throws {
        let server = TokenServer(accepting: "outer-new", "inner-new")
        let outerSession = Locked<Session?>(nil)
        let inner = TokenAuthenticator { _, _ in
            let session = outerSession.withLock { $0.take() }
            // It has no credential, because the refresh that it is part of has not finished.
            let response = await session?.request("http://stub.test/outer").serializingString().response
            return Token(value: response?.response?.statusCode == 401 ? "inner-new" : "wrong")
        }
        let innerSession = Session(
            transport: server.transport,
            interceptor: AuthenticationInterceptor(authenticator: inner, credential: Token(value: "old", requiresRefresh: true)))
        let outer = TokenAuthenticator { _, _ in
            _ = try await innerSession.request("http://stub.test/inner").validate().serializingString().value
            return Token(value: "outer-new")
        }
        let session = Session(
            transport: server.transport,
            interceptor: AuthenticationInterceptor(authenticator: outer, credential: Token(value: "old", requiresRefresh: true)))
        outerSession.withLock { $0 = session }
        #expect(try await session.request("http://stub.test/").validate().serializingString().value == "fine")
        #expect(server.tokens == [nil, "Bearer inner-new", "Bearer outer-new"])
    }
}
