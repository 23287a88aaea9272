import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Faults of servers, with the error codes of URLSession on Apple systems.
@Suite("Server faults", .eachTransport, .timeLimit(.minutes(5)))
struct FaultTests {
    private static let body = pattern(1000)

    private func fetch(
        _ response: MockResponse, method: HTTPMethod = .get, body: Data? = nil
    ) async throws -> (response: DataResponse<Data?>, seconds: TimeInterval) {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(response)
        let session = Session.onTest(configuration: .with { $0.timeoutIntervalForRequest = 20 })
        let request = try URLRequest.upload(body, to: server.url(), method: method)
        let result = await session.request(request).timed()
        // The session still works.
        server.enqueue(.text("after"))
        #expect(await session.request(server.url()).raw().text == "after")
        return result
    }

    @Test(
        "A connection lost at any point of the response is networkConnectionLost",
        arguments: [
            MockFault.resetBeforeReading, .resetBeforeHead, .closeBeforeHead, .closeInHead(after: 5), .closeInHead(after: 15),
            .closeInHead(after: 17), .closeInHead(after: 25), .resetInBody(after: 0), .resetInBody(after: 100),
            .closeInBody(after: 0),
            .closeInBody(after: 999), .bodyShorter(by: 1), .bodyShorter(by: 1_000_000), .cutChunk(after: 0), .cutChunk(after: 500),
            .missingFinalChunk,
        ])
    func lost(fault: MockFault) async throws {
        for framing in [MockResponse.Framing.contentLength, .chunked(size: 100)] {
            let (response, seconds) = try await fetch(MockResponse.data(Self.body).framed(framing).failing(fault))
            #expect(response.kind == .transportFailed(.networkConnectionLost), "\(framing)")
            #expect(((response.error as? FirewheelError)?.underlyingError as? URLError)?.code == .networkConnectionLost)
            #expect(seconds < 15)
        }
    }

    @Test(
        "A response that is not HTTP is cannotParseResponse",
        arguments: [MockFault.garbageStatusLine, .badChunk, .endlessHeaders, .longHeaderLine(bytes: 1_100_000)])
    func unreadable(fault: MockFault) async throws {
        let (response, seconds) = try await fetch(MockResponse.data(Self.body).failing(fault))
        #expect(response.kind == .transportFailed(.cannotParseResponse))
        #expect(seconds < 15)
    }

    @Test(
        "Faults that leave the response complete are not errors",
        arguments: [MockFault.bodyLonger(by: 10), .closeAfterResponse, .closeIdle(after: 0.05), .longHeaderLine(bytes: 1000)])
    func harmless(fault: MockFault) async throws {
        let (response, _) = try await fetch(MockResponse.data(Self.body).failing(fault))
        #expect(response.kind == nil)
        #expect(response.content == Self.body)
    }

    @Test("Status, fields and partial body received before a fault are kept with its error")
    func kept() async throws {
        let (response, _) = try await fetch(MockResponse.data(Self.body, status: 503).header("X-A", "1").failing(.closeInBody(after: 100)))
        #expect(response.kind == .transportFailed(.networkConnectionLost))
        #expect(response.statusCode == 503)
        #expect(response.headers["X-A"] == "1")
        #expect(response.data == Self.body.prefix(100))
        let error = try #require(response.error as? FirewheelError)
        #expect(error.response?.statusCode == 503)
        #expect(error.urlErrorCode == .networkConnectionLost)
    }

    @Test("A reset during an upload of 5 MB neither ends the process by SIGPIPE nor hangs", arguments: [HTTPMethod.post, .put])
    func resetWhileSending(method: HTTPMethod) async throws {
        for _ in 0..<5 {
            let (response, seconds) = try await fetch(.failure(.resetBeforeReading), method: method, body: pattern(5_000_000))
            #expect(response.kind == .transportFailed(.networkConnectionLost))
            #expect(seconds < 15)
        }
    }

    @Test("A server that never answers ends by the idle timeout")
    func noAnswer() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.failure(.noAnswer))
        let session = Session.onTest(configuration: .with { $0.timeoutIntervalForRequest = 0.5 })
        let (response, seconds) = await session.request(server.url()).timed()
        #expect(response.kind == .transportFailed(.timedOut))
        #expect((response.error as? FirewheelError)?.isTimeout == true)
        #expect(seconds >= 0.45 && seconds < 40)
        // The connection of a request that timed out is closed.
        #expect(await server.waitForOpenConnections(0))
    }

    @Test("An endless body is stopped at the body limit, and its connection closed")
    func endlessBody() async throws {
        for framing in [MockResponse.Framing.untilClose, .chunked] {
            let server = try MockServer()
            defer { server.shutdown() }
            server.enqueue(MockResponse.text("x").framed(framing).failing(.endlessBody))
            let session = Session.onTest(configuration: .with { $0.maximumResponseBodySize = 1_000_000 })
            let (response, seconds) = await session.request(server.url()).timed()
            #expect(response.kind == .responseBodyTooLarge)
            #expect(seconds < 15)
            #expect((response.data?.count ?? 0) <= 1_000_000)
            #expect(await server.waitForOpenConnections(0))
        }
    }

    @Test("A cancel during an endless body ends it and closes the connection")
    func cancelEndless() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(MockResponse.text("x").failing(.endlessBody).throttled(bytes: 4096, every: 0.01))
        let session = Session.onTest()
        let request = session.request(server.url())
        request.resume()
        #expect(await server.waitForRequests(1))
        request.cancel()
        let (response, seconds) = await request.timed()
        #expect(response.kind == .explicitlyCancelled)
        #expect(seconds < 15)
        #expect(await server.waitForOpenConnections(0))
    }
}
