import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Many concurrent requests that need one refresh.
@Suite("Concurrent refreshes", .timeLimit(.minutes(10)))
struct AuthenticationStormTests {
    private static let count = 1_000

    /// A transport that holds requests with an old token until all have arrived, and then answers them with 401.
    private static func transport(count: Int = count) -> StubTransport {
        let old = Journal<TransportTaskID>()
        let itself = Locked<StubTransport?>(nil)
        let transport = StubTransport { request in
            guard request.headers["Authorization"] == "Bearer old" else { return TokenServer.answer(200, "fine") }
            old.add(request.id)
            if old.count == count {
                let transport = itself.withLock { $0.take() }
                for id in old.entries { transport?.send(TokenServer.answer(401, "refused"), to: id) }
            }
            return [.wait]
        }
        itself.withLock { $0 = transport }
        return transport
    }

    @Test("1,000 concurrent 401s cause one refresh, and all requests succeed", arguments: [false, true])
    func storm(isSlow: Bool) async throws {
        let allAsked = OneShot<Void>()
        let authenticator = TokenAuthenticator { _, _ in
            if isSlow { await allAsked.value }
            return Token(value: "new")
        }
        let transport = Self.transport()
        let session = Session(
            transport: transport, interceptor: AuthenticationInterceptor(authenticator: authenticator, credential: Token(value: "old")))
        let tasks = (0..<Self.count).map { _ in session.request("http://stub.test/").validate().serializingString() }
        if isSlow {
            _ = try await authenticator.refused.wait(for: Self.count)
            allAsked.fulfill(())
        }
        for task in tasks { #expect(try await task.value == "fine") }
        #expect(authenticator.refreshed.entries == ["old"])
        #expect(transport.requests.count == 2 * Self.count)
    }

    @Test("If the refresh for 1,000 concurrent 401s fails, there is only one, and all get its error and their 401")
    func failingStorm() async throws {
        struct Offline: Error {}
        let authenticator = TokenAuthenticator { _, _ in throw Offline() }
        let session = Session(
            transport: Self.transport(),
            interceptor: AuthenticationInterceptor(authenticator: authenticator, credential: Token(value: "old")))
        let tasks = (0..<Self.count).map { _ in session.request("http://stub.test/").validate().serializingString() }
        for task in tasks {
            let response = await task.response
            #expect(kind(response.error) == .requestRetryFailed && reason(response.error) == .refreshFailed)
            #expect(response.error?.asFirewheelError?.responseCode == 401)
        }
        #expect(authenticator.refreshed.count == 1)
    }

    @Test("If a credential requires a refresh, 1,000 concurrent requests cause one, and the old one is never sent")
    func proactiveStorm() async throws {
        let server = TokenServer(accepting: "new")
        let authenticator = TokenAuthenticator()
        let session = Session(
            transport: server.transport,
            interceptor: AuthenticationInterceptor(
                authenticator: authenticator, credential: Token(value: "old", requiresRefresh: true)))
        let tasks = (0..<Self.count).map { _ in session.request("http://stub.test/").validate().serializingString() }
        for task in tasks { #expect(try await task.value == "fine") }
        #expect(authenticator.refreshed.count == 1 && Set(server.tokens) == ["Bearer new"])
    }

    @Test("Cancelling a third of the requests during a refresh ends each once, and there is one refresh")
    func cancelledStorm() async throws {
        let authenticator = TokenAuthenticator { _, _ in
            await Task.yield()
            return Token(value: "new")
        }
        let server = TokenServer(accepting: "new")
        let session = Session(
            transport: server.transport,
            interceptor: AuthenticationInterceptor(authenticator: authenticator, credential: Token(value: "old")))
        let calls = Journal<(id: UInt64, isFine: Bool, kind: FirewheelError.Kind?)>()
        let requests = (0..<Self.count).map { _ in session.request("http://stub.test/").validate() }
        for request in requests {
            request.responseString(queue: .global()) { calls.add((request.id, $0.value == "fine", kind($0.error))) }
        }
        await onThreads(4) { thread in
            var generator = SeededGenerator(state: UInt64(thread))
            for index in stride(from: thread * 3, to: requests.count, by: 12) {
                for _ in 0..<Int.random(in: 0..<400, using: &generator) where requests[index].state == .resumed {}
                requests[index].cancel()
            }
        }
        let entries = try await calls.wait(for: Self.count)
        #expect(Set(entries.map(\.id)).count == Self.count && entries.count == Self.count)
        #expect(entries.allSatisfy { $0.isFine || $0.kind == .explicitlyCancelled })
        #expect(entries.filter(\.isFine).count >= Self.count / 2)
        #expect(authenticator.refreshed.count == 1)
        withExtendedLifetime(session) {}
    }

    @Test("1,000 requests over sockets succeed with one refresh, whose own request goes through the same session")
    func overSockets() async throws {
        let server = try MockServer(recordsRequests: false)
        defer { server.shutdown() }
        let refreshes = Journal<String>()
        server.route("/token") { request in
            refreshes.add(request.bodyText)
            return .text("new")
        }
        server.route("/data") { request in
            request.header("Authorization") == "Bearer new" ? .text("fine") : .text("refused", status: 401)
        }
        let session = Session()
        let authenticator = TokenAuthenticator { token, _ in
            let value = try await session.post(server.url("/token"), parameters: ["refresh": token.value]).validate()
                .serializingString().value
            return Token(value: value)
        }
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: Token(value: "old"))
        let tasks = (0..<Self.count).map { _ in
            session.request(server.url("/data"), interceptor: interceptor).validate().serializingString()
        }
        for task in tasks { #expect(try await task.value == "fine") }
        #expect(refreshes.entries == ["refresh=old"])
    }
}
