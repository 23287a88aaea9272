import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Where a response's body begins and ends (RFC 9112 section 6).
@Suite("Response framing", .eachTransport, .timeLimit(.minutes(5)))
struct ResponseFramingTests {
    private func fetch(_ response: MockResponse, method: HTTPMethod = .get) async throws -> DataResponse<Data?> {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(response)
        return await once { $0.request(server.url(), method: method) }.response
    }

    @Test("A body arrives completely in every framing", arguments: [0, 1, 100_000, 5_000_000])
    func framings(size: Int) async throws {
        let body = pattern(size)
        for framing in [MockResponse.Framing.contentLength, .chunked, .chunked([1, 2, 3, 1000, 7]), .chunked(size: 4096), .untilClose] {
            let response = try await fetch(.data(body).framed(framing))
            #expect(response.content == body, "\(framing)")
            #expect(response.kind == nil)
            #expect(response.data == (size == 0 ? nil : body))
        }
    }

    @Test("A chunked body of single bytes arrives completely")
    func tinyChunks() async throws {
        let body = pattern(3_000)
        #expect(try await fetch(.data(body).framed(.chunked(size: 1))).content == body)
    }

    @Test("Trailer fields are not response fields (RFC 9110 section 6.5.1)")
    func trailers() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let session = Session.onTest()
        server.enqueue(
            .text("hello", headers: [("X-Sum", "head")]).framed(.chunked).trailer("X-Sum", "trailer").trailer("X-Late", "1").trailer(
                "Content-Length", "99"),
            .text("next"))
        let response = await session.request(server.url()).raw()
        #expect(response.text == "hello")
        #expect(response.headers.values(for: "X-Sum") == ["head"])
        #expect(response.headers["X-Late"] == nil)
        #expect(response.headers["Content-Length"] == nil)
        #expect(await session.request(server.url()).raw().text == "next")
        #expect(server.connectionCount == 1)
    }

    @Test("Chunked framing takes precedence over Content-Length (RFC 9112 section 6.3)")
    func chunkedAndLength() async throws {
        let body = Data("5\r\nhello\r\n0\r\n\r\n".utf8)
        let response = try await fetch(
            MockResponse(headers: [("Content-Length", "3"), ("Transfer-Encoding", "chunked")], body: body).framed(.none).closing().failing(
                .bodyLonger(by: 0)))
        #expect(response.text == "hello")
    }

    @Test(
        "HTTP/1.0 responses are read with and without a length",
        arguments: [MockResponse.Framing.contentLength, .untilClose])
    func http10(framing: MockResponse.Framing) async throws {
        let response = try await fetch(.text("old").framed(framing).statusLine(reason: "Fine", httpVersion: "HTTP/1.0"))
        #expect(response.text == "old")
        #expect(response.metrics?.transactionMetrics.first?.networkProtocolName == "http/1.0")
    }

    @Test("A status without content has no body, whatever its fields (RFC 9112 section 6.3)", arguments: [204, 304])
    func noContent(status: Int) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let session = Session.onTest()
        server.enqueue(MockResponse(status: status, headers: [("ETag", "\"x\"")]), .text("next"))
        let response = await session.request(server.url()).raw()
        #expect(response.statusCode == status)
        #expect(response.kind == nil)
        #expect(response.data == nil)
        #expect(response.headers["etag"] == "\"x\"")
        server.enqueue(MockResponse(status: status, headers: [("Content-Length", "1000")]), .text("again"))
        #expect(await session.request(server.url()).raw().text == "next")
        let declared = await session.request(server.url()).raw()
        #expect(declared.kind == nil && declared.statusCode == status && declared.data == nil)
        #expect(await session.request(server.url()).raw().text == "again")
    }

    @Test("A response to HEAD has the fields of a GET and no body, and its connection is reused")
    func head() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/length") { _ in .data(Data(count: 1000)) }
        server.route("/chunked") { _ in .data(Data(count: 1000)).framed(.chunked) }
        let session = Session.onTest(configuration: .with { $0.timeoutIntervalForRequest = 10 })
        for _ in 0..<3 {
            let response = await session.head(server.url("/length")).raw()
            #expect(response.headers["Content-Length"] == "1000")
            #expect(response.data == nil && response.kind == nil)
            #expect(await session.head(server.url("/chunked")).raw().kind == nil)
            #expect(await session.get(server.url("/length")).raw().content?.count == 1000)
        }
        #expect(server.connectionCount == 1)
    }

    @Test("Interim responses before the final one are skipped (RFC 9110 section 15.2)", arguments: [100, 102, 103])
    func interim(status: Int) async throws {
        let response = try await fetch(
            .text("final", headers: [("X-A", "1")]).informational(status, headers: [("Link", "</style.css>"), ("X-A", "early")])
                .informational(103)
                .delayed(head: 0.05))
        #expect(response.text == "final")
        #expect(response.statusCode == 200)
        #expect(response.headers["Link"] == nil)
        #expect(response.headers.values(for: "X-A") == ["1"])
    }

    @Test("A request that gets only interim responses ends by its timeout")
    func onlyInterim() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(MockResponse.text("late").informational(103).delayed(head: 60))
        let (response, seconds) = await once(.with { $0.timeoutIntervalForRequest = 0.5 }) { $0.request(server.url()) }
        #expect(response.kind == .transportFailed(.timedOut))
        #expect(seconds >= 0.45 && seconds < 40)
    }

    @Test("A body longer than declared is cut, and its excess is not the next response (RFC 9112 section 9.2)")
    func bodyLonger() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let session = Session.onTest()
        for _ in 0..<5 {
            server.enqueue(MockResponse.text("hello").failing(.bodyLonger(by: 100)))
            #expect(await session.request(server.url()).raw().text == "hello")
            server.enqueue(.text("next"))
            let next = await session.request(server.url()).raw()
            #expect(next.text == "next")
            #expect(next.statusCode == 200)
        }
    }

    @Test("A response that comes before the whole request was sent is accepted", arguments: [413, 401])
    func earlyAnswer(status: Int) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(MockResponse.text("too much", status: status).beforeBody())
        let session = Session.onTest(configuration: .with { $0.timeoutIntervalForRequest = 20 })
        let response = try await session.sending(pattern(5_000_000), to: server.url()).raw()
        #expect(response.statusCode == status)
        #expect(response.text == "too much")
    }

    @Test("A response in many small parts over seconds arrives completely")
    func drip() async throws {
        let body = pattern(60)
        let response = try await fetch(.data(body).throttled(bytes: 3, every: 0.03))
        #expect(response.content == body)
    }
}
