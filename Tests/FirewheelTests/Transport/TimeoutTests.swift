import Firewheel
import FirewheelTesting
import Foundation
import Testing

@Suite("Timeouts", .eachTransport, .timeLimit(.minutes(5)))
struct TimeoutTests {
    private func fetch(
        _ response: MockResponse, method: HTTPMethod = .get, body: Data? = nil, _ change: (inout SessionConfiguration) -> Void
    ) async throws -> (response: DataResponse<Data?>, seconds: TimeInterval) {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(response)
        let session = Session.onTest(configuration: .with(change))
        let request = try URLRequest.upload(body, to: server.url(), method: method)
        return await session.request(request).timed()
    }

    @Test("The idle timeout may be a fraction of a second")
    func idle() async throws { try await atOnce([0.4, 0.9, 1.5], idle) }

    @Sendable private func idle(timeout: TimeInterval) async throws {
        let (response, seconds) = try await fetch(.failure(.noAnswer)) { $0.timeoutIntervalForRequest = timeout }
        #expect(response.kind == .transportFailed(.timedOut))
        #expect(seconds >= timeout - 0.05 && seconds < timeout + 20)
    }

    @Test("The idle timeout counts from the last byte, and ends a body that stalls")
    func idleInBody() async throws {
        let (response, seconds) = try await fetch(MockResponse.data(pattern(100)).delayed(body: 60)) { $0.timeoutIntervalForRequest = 6 }
        #expect(response.kind == .transportFailed(.timedOut))
        #expect(response.statusCode == 200)
        #expect(seconds >= 5.95 && seconds < 40)
    }

    @Test("A slowly dripping body does not hit the idle timeout, however long it takes")
    func drip() async throws {
        let body = pattern(15)
        let (response, seconds) = try await fetch(MockResponse.data(body).throttled(bytes: 1, every: 0.5)) {
            $0.timeoutIntervalForRequest = 6
        }
        #expect(response.content == body)
        #expect(seconds >= 6.5)
    }

    @Test("A server that read the whole request and answers too late hits the idle timeout")
    func idleAfterUpload() async throws {
        let (response, seconds) = try await fetch(.failure(.noAnswer), method: .post, body: pattern(100_000)) {
            $0.timeoutIntervalForRequest = 5
        }
        #expect(response.kind == .transportFailed(.timedOut))
        #expect(response.metrics?.transactionMetrics.first?.countOfRequestBodyBytesSent == 100_000)
        #expect(seconds >= 4.95 && seconds < 40)
    }

    @Test("A server that does not read the request body hits the idle timeout")
    func notReading() async throws {
        let socket = try BoundSocket(listening: true)
        let session = Session.onTest(configuration: .with { $0.timeoutIntervalForRequest = 0.6 })
        // The system accepts the connection, but no program reads from it.
        let request = try URLRequest.upload(pattern(30_000_000), to: "http://127.0.0.1:\(socket.port)/")
        let (response, seconds) = await session.request(request).timed()
        #expect(response.kind == .transportFailed(.timedOut))
        #expect(seconds >= 0.55 && seconds < 40)
    }

    @Test("The idle timeout starts when the connection is made, not when the connect timeout is over")
    func idleShorterThanConnect() async throws {
        let (response, seconds) = try await fetch(.failure(.noAnswer)) {
            $0.timeoutIntervalForRequest = 0.5
            $0.connectTimeout = 30
        }
        #expect(response.kind == .transportFailed(.timedOut))
        #expect(seconds >= 0.45 && seconds < 25)
    }

    @Test("A connect timeout shorter than the idle timeout does not end a connected request")
    func connectShorterThanIdle() async throws {
        let (response, seconds) = try await fetch(MockResponse.text("late").delayed(head: 4)) {
            $0.timeoutIntervalForRequest = 30
            $0.connectTimeout = 3
        }
        #expect(response.text == "late")
        #expect(seconds >= 3.95)
    }

    @Test("The resource timeout ends a dripping body, and may be a fraction of a second")
    func resource() async throws {
        let (response, seconds) = try await fetch(MockResponse.data(pattern(1000)).throttled(bytes: 1, every: 0.05)) {
            $0.timeoutIntervalForResource = 0.5
        }
        #expect(response.kind == .transportFailed(.timedOut))
        #expect(seconds >= 0.45 && seconds < 25)
        #expect((response.data?.count ?? 0) < 1000)
    }

    @Test("The resource timeout counts all redirects of a request together")
    func resourceWithRedirects() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        // The first is followed at once, so that there are two hops even on a busy machine.
        server.route("*") { MockResponse.redirect(to: "/again").delayed(head: $0.path == "/again" ? 1 : 0) }
        let session = Session.onTest(configuration: .with { $0.timeoutIntervalForResource = 6.5 })
        let (response, seconds) = await session.request(server.url()).timed()
        #expect(response.kind == .transportFailed(.timedOut))
        #expect(seconds >= 6.45 && seconds < 25)
        #expect(server.requestCount >= 2 && server.requestCount <= 8)
    }

    @Test("The idle timeout does not run while a request is queued")
    func idleWaiting() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/slow") { _ in MockResponse.text("slow").delayed(head: 7.5) }
        server.route("/fast") { _ in .text("fast") }
        let session = Session.onTest(configuration: .with { $0.maximumConnectionsPerHost = 1 })
        let slow = session.request(server.url("/slow")).resume()
        #expect(await server.waitForRequests(1))
        var request = try URLRequest(url: server.url("/fast"), method: .get)
        request.timeoutInterval = 6
        // It waits longer than its idle timeout.
        #expect(await session.request(request).raw().text == "fast")
        #expect(await slow.raw().text == "slow")
    }

    @Test("The resource timeout runs while a request is queued")
    func resourceWaiting() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in .failure(.noAnswer) }
        let session = Session.onTest(
            configuration: .with {
                $0.maximumConnectionsPerHost = 1
                $0.timeoutIntervalForResource = 3
            })
        let tasks = (0..<4).map { _ in Task { await session.request(server.url()).timed() } }
        for task in tasks {
            let (response, seconds) = await task.value
            #expect(response.kind == .transportFailed(.timedOut))
            // If it began with each request's turn, the last one would take twelve seconds.
            #expect(seconds >= 2.95 && seconds < 11)
        }
    }

    @Test("A URLRequest's own timeout takes precedence over the session's")
    func perRequest() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.failure(.noAnswer))
        var request = try URLRequest(url: server.url(), method: .get)
        request.timeoutInterval = 0.5
        let (response, seconds) = await once { $0.request(request) }
        #expect(response.kind == .transportFailed(.timedOut))
        #expect(seconds >= 0.45 && seconds < 40)
    }

    @Test("Timeouts that are zero, negative or not finite mean no limit", arguments: [0, -1, .nan, .infinity, 1e300])
    func odd(timeout: TimeInterval) async throws {
        let (response, _) = try await fetch(MockResponse.text("x").delayed(head: 0.1)) {
            $0.timeoutIntervalForRequest = timeout
            $0.connectTimeout = timeout
        }
        #expect(response.text == "x")
    }

    @Test("Two hundred concurrent timeouts each take effect at their own time")
    func many() async throws {
        let server = try MockServer(recordsRequests: false)
        defer { server.shutdown() }
        server.route("*") { _ in .failure(.noAnswer) }
        let session = Session.onTest(configuration: .with { $0.maximumConnectionsPerHost = 200 })
        let outcomes = try await withThrowingTaskGroup(of: (TimeInterval, TimeInterval, FirewheelError.Kind?).self) { group in
            for number in 0..<200 {
                var request = try URLRequest(url: server.url(), method: .get)
                request.timeoutInterval = 0.4 + Double(number % 10) / 10
                let final = request
                group.addTask {
                    let (response, seconds) = await session.request(final).timed()
                    return (final.timeoutInterval, seconds, response.kind)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count == 200)
        #expect(outcomes.allSatisfy { $0.2 == .transportFailed(.timedOut) })
        let early = outcomes.filter { $0.1 < $0.0 - 0.05 }
        #expect(early.isEmpty, "of those that were to take so many seconds some took fewer: \(early.prefix(5))")
        let late = outcomes.filter { $0.1 >= $0.0 + 20 }
        #expect(late.isEmpty, "of those that were to take so many seconds some took more: \(late.prefix(5))")
    }
}
