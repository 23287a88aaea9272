import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Requests that are refused with a credential of the past, since the transport took them up long after they were authenticated.
@Suite("Refusals of requests that waited in the transport's queue", .timeLimit(.minutes(5)))
struct LateRefusalTests {
    private static let url = "http://stub.test/"

    /// The end of a request that is refused, and that the transport took up when both the credential and its refresh were long past.
    private static var refusal: TransportEvent.Kind {
        let late = MonotonicInstant.now().advanced(by: 86_400)
        let metrics = TransportMetrics(start: late, end: late)
        return .finished(TransportResult(head: ResponseHead(statusCode: 401), body: Data("refused".utf8), metrics: metrics))
    }

    private static func id(_ request: Request, attempt: Int) -> TransportTaskID {
        TransportTaskID(request: request.id, attempt: attempt, hop: 0)
    }

    @Test("Refused with an earlier credential, a request and its retry are sent again without a refresh, however long they were queued")
    func earlierCredential() async throws {
        let bench = EngineBench()
        let authenticator = TokenAuthenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: Token(value: "first"))
        let request = bench.session.request(Self.url, interceptor: interceptor).validate()
        let task = request.serializingString()
        try await bench.started(request)
        for (attempt, next) in ["second", "third"].enumerated() {
            interceptor.credential = Token(value: next)
            bench.transport.deliver((Self.id(request, attempt: attempt), Self.refusal))
            try await waitUntil("the retry, or the end") { bench.transport.requests.count == attempt + 2 || request.state == .finished }
            try #require(bench.transport.requests.last?.headers["Authorization"] == "Bearer \(next)")
        }
        bench.transport.deliver((Self.id(request, attempt: 2), .end(200, body: "fine")))
        #expect(try await task.value == "fine")
        #expect(authenticator.refreshed.count == 0 && request.retryCount == 2)
    }

    @Test("Refused after a refresh has failed, a request that began before shares the failure, however long it was queued")
    func failedRefresh() async throws {
        struct Offline: Error {}
        let clock = ManualClock()
        let authenticator = TokenAuthenticator { _, _ in
            clock.advance(by: 3_600)
            throw Offline()
        }
        let bench = EngineBench()
        let interceptor = AuthenticationInterceptor(authenticator, Token(value: "old"), clock: clock)
        let requests = (0..<2).map { _ in bench.session.request(Self.url, interceptor: interceptor).validate() }
        let tasks = requests.map { $0.serializingString() }
        for request in requests { try await bench.started(request) }
        for (request, task) in zip(requests, tasks) {
            bench.transport.deliver((bench.id(request), Self.refusal))
            #expect(reason(await task.response.error) == .refreshFailed)
            clock.advance(by: 2)
        }
        #expect(authenticator.refreshed.count == 1)
    }

    @Test("Refused with a credential that is not the interceptor's, a request that began before the last change is sent again once")
    func foreignCredential() async throws {
        let server = TokenServer()
        let authenticator = TokenAuthenticator()
        let interceptor = AuthenticationInterceptor(authenticator: authenticator, credential: Token(value: "first"))
        let foreign = Interceptor(adapters: [
            .adapter { request, context in
                if context.retryCount == 0 { interceptor.credential = Token(value: "second") }
                request.headers.update(.authorization(bearerToken: "foreign"))
            }
        ])
        let session = Session(transport: server.transport, interceptor: .interceptor(interceptors: [interceptor, foreign]))
        let error = await session.request(Self.url).validate().serializingString().response.error
        #expect(kind(error) == .responseValidationFailed(.unacceptableStatusCode(401)))
        #expect(server.tokens == ["Bearer foreign", "Bearer foreign"] && authenticator.refreshed.count == 0)
    }
}
