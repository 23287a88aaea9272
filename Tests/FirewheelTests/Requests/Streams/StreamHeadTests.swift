import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// What is decided before the first byte of a stream is handed over.
@Suite("Heads of streams", .eachTransportAndTLS, .timeLimit(.minutes(5)))
struct StreamHeadTests {
    private let queue = DispatchQueue(label: "streams")

    /// A server that sends a head, and the body only when it is told to.
    private func serveHead(_ status: Int, type: String = "text/plain") throws -> (MockServer, DispatchSemaphore) {
        let (server, goesOn) = (try MockServer(), DispatchSemaphore(value: 0))
        server.exchange("/") { exchange in
            try exchange.sendHead(status: status, headers: [("Content-Type", type)])
            goesOn.wait()
            try exchange.sendChunk(Data("body".utf8))
            try exchange.endChunks()
        }
        return (server, goesOn)
    }

    @Test("validate refuses a response at its head: no byte of its body is handed over")
    func validation() async throws {
        let (server, goesOn) = try serveHead(503)
        goesOn.signal()
        let collector = StreamCollector<Data>()
        let request = Session.onTest().streamRequest(server.url()).validate().responseStream(queue: queue) { collector.take($0) }
        let log = await collector.wait()
        #expect(log.values.isEmpty)
        #expect(log.error?.kind == .responseValidationFailed(.unacceptableStatusCode(503)))
        #expect(log.error?.response?.statusCode == 503)
        #expect(request.response?.statusCode == 503)
    }

    @Test("validate checks the media type at the head, and lets an empty body pass")
    func mediaType() async throws {
        let (server, goesOn) = try serveHead(200, type: "text/html")
        goesOn.signal()
        let refused = StreamCollector<Data>()
        Session.onTest().streamRequest(server.url()).validate(contentType: ["application/json"])
            .responseStream(queue: queue) { refused.take($0) }
        #expect(
            await refused.wait().error?.kind
                == .responseValidationFailed(.unacceptableContentType(acceptable: ["application/json"], received: "text/html")))

        let empty = try MockServer()
        empty.route("/") { _ in MockResponse(status: 200, headers: [("Content-Type", "text/html")]) }
        let passed = StreamCollector<Data>()
        Session.onTest().streamRequest(empty.url()).validate(contentType: ["application/json"])
            .responseStream(queue: queue) { passed.take($0) }
        #expect(await passed.wait().error == nil)
    }

    @Test("A custom validation gets request and response, as a result or by throwing")
    func custom() async throws {
        struct Refusal: Error {}
        let (server, goesOn) = try serveHead(200)
        for _ in 0..<2 { goesOn.signal() }
        let session = Session.onTest()
        let requests = [
            session.streamRequest(server.url()).validate { _, response in
                guard response.statusCode == 200 else { return .success(()) }
                return .failure(Refusal() as any Error)
            },
            session.streamRequest(server.url()).validate { request, _ in if request != nil { throw Refusal() } },
        ]
        for request in requests {
            let collector = StreamCollector<Data>()
            request.responseStream(queue: queue) { collector.take($0) }
            let error = await collector.wait().error
            #expect(error?.kind == .responseValidationFailed(.customValidationFailed))
            #expect(error?.underlyingError is Refusal)
        }
    }

    @Test("Validation that is added behind the handler counts, too")
    func addedLater() async throws {
        let (server, isAdded) = (try MockServer(), DispatchSemaphore(value: 0))
        server.exchange("/") { exchange in
            isAdded.wait()
            try exchange.sendHead(status: 404)
        }
        let collector = StreamCollector<Data>()
        Session.onTest().streamRequest(server.url()).responseStream(queue: queue) { collector.take($0) }.validate()
        isAdded.signal()
        #expect(await collector.wait().error?.responseCode == 404)
    }

    @Test("onHTTPResponse can refuse before a byte of the body was read")
    func gate() async throws {
        let (server, goesOn) = try serveHead(200)
        defer { goesOn.signal() }
        let collector = StreamCollector<Data>()
        let request = Session.onTest().streamRequest(server.url())
            .onHTTPResponse { response async in response.statusCode == 200 ? .cancel : .allow }
            .responseStream(queue: queue) { collector.take($0) }
        let log = await collector.wait()
        #expect(log.values.isEmpty)
        #expect(log.error?.isExplicitlyCancelled == true)
        #expect(request.isCancelled)
    }

    @Test("A stream is retried before the first byte, after a refused head too")
    func retry() async throws {
        let server = try MockServer()
        server.enqueue(MockResponse(status: 503), MockResponse(status: 200, body: Data("fine".utf8)))
        let collector = StreamCollector<String>()
        let request = Session.onTest().streamRequest(server.url(), interceptor: RetryPolicy(limit: 2, backoff: .constant(0)))
            .validate().responseStreamString(queue: queue) { collector.take($0) }
        let log = await collector.wait()
        #expect(log.values == ["fine"])
        #expect(log.error == nil)
        #expect(request.retryCount == 1)
    }

    @Test("A stream is never retried after a byte was handed over")
    func noRetry() async throws {
        let server = try MockServer()
        server.exchange("/") { exchange in
            try exchange.sendHead()
            try exchange.sendChunk(Data("beginning".utf8))
            throw CancellationError()
        }
        let (collector, asked) = (StreamCollector<String>(), Locked(0))
        let request = Session.onTest().streamRequest(server.url())
            .retry { _, _ in
                asked.withLock { $0 += 1 }
                return .retry
            }
            .responseStreamString(queue: queue) { collector.take($0) }
        let log = await collector.wait()
        #expect(log.values == ["beginning"])
        #expect(log.error?.urlErrorCode == .networkConnectionLost)
        #expect(request.retryCount == 0)
        #expect(asked.withLock { $0 } == 0)
    }

    @Test("Streams follow redirects and answer challenges; only the last response is handed over")
    func hops() async throws {
        let server = try MockServer()
        server.route("/old") { _ in
            MockResponse(status: 307, headers: [("Location", "/secret")], body: Data("moved".utf8))
        }
        server.route("/secret") { request in
            guard request.header("Authorization") != nil else {
                return MockResponse(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")], body: Data("who?".utf8))
            }
            return MockResponse(body: Data("the content".utf8))
        }
        let collector = StreamCollector<String>()
        Session.onTest().streamRequest(server.url("/old")).authenticate(username: "u", password: "p").validate()
            .responseStreamString(queue: queue) { collector.take($0) }
        let log = await collector.wait()
        #expect(log.values.joined() == "the content")
        #expect(log.completions.first?.metrics?.transactionMetrics.count == 3)
    }
}
