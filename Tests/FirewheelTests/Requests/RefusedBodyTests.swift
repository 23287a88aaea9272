import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// The body of a response that is refused at its head: streams, event sources and resumed downloads have it in their error, as other
/// requests do.
@Suite("Bodies of refused responses", .eachTransportAndTLS, .timeLimit(.minutes(5)))
struct RefusedBodyTests {
    private struct Problem: Decodable, Equatable {
        let message: String
    }

    private static let json = Data(#"{"message":"quota exceeded"}"#.utf8)
    private let queue = DispatchQueue(label: "refused")

    private func refusal(_ request: DataStreamRequest) async -> FirewheelError? {
        let collector = StreamCollector<Data>()
        request.responseStream(queue: queue) { collector.take($0) }
        let log = await collector.wait()
        #expect(log.values.isEmpty)
        return log.error
    }

    @Test("A validated stream's error has the body: in handlers, in sequences, in the request, for retriers and in decodeResponse")
    func stream() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/") { _ in
            MockResponse.data(Self.json, status: 429).header("Content-Type", "application/json").framed(.chunked(size: 5))
        }
        let asked = Journal<Data?>()
        let request = Session.onTest().streamRequest(server.url()).validate().retry { _, error in
            asked.add((error as? FirewheelError)?.responseData)
            return .doNotRetry
        }
        let sequence = request.streamTask().streamingLines()
        let error = await refusal(request)
        #expect(error?.kind == .responseValidationFailed(.unacceptableStatusCode(429)))
        #expect(error?.responseData == Self.json)
        #expect(try error?.decodeResponse(as: Problem.self) == Problem(message: "quota exceeded"))
        #expect(asked.entries == [Self.json])
        #expect((request.error as? FirewheelError)?.responseData == Self.json)
        let thrown = await #expect(throws: FirewheelError.self) { for try await _ in sequence {} }
        #expect(thrown?.responseData == Self.json)
        // Nothing of it is progress of the stream.
        #expect(request.downloadProgress.completedUnitCount <= 0)
    }

    @Test("A refused event source's error has the body, whatever refused it", arguments: [401, 429, 503, 200])
    func eventSource(status: Int) async throws {
        let bench = try EventBench()
        bench.server.route("/") { _ in MockResponse.data(Self.json, status: status).header("Content-Type", "application/json") }
        let closed = Journal<Data?>()
        let error = await #expect(throws: FirewheelError.self) { try await bench.source(reconnection: .standard).all() }
        #expect(error?.responseData == Self.json)
        #expect(try error?.decodeResponse(as: Problem.self) == Problem(message: "quota exceeded"))
        let source = bench.source(reconnection: .standard)
            .onClose(queue: queue) { closed.add(($0 as? FirewheelError)?.responseData) }
            .onEvent(queue: queue) { _ in }
        #expect(try await closed.wait(for: 1) == [Self.json])
        withExtendedLifetime(source) {}
    }

    @Test("Of a body without end, or of 10 GB, 64 KiB are kept, and its connection is closed", arguments: [true, false], [true, false])
    func endless(isSource: Bool, hasLength: Bool) async throws {
        let (server, gone) = (try MockServer(), Journal<Bool>())
        defer { server.shutdown() }
        let piece = Data(repeating: 0x61, count: 50_000)
        server.exchange("/") { exchange in
            let length = "HTTP/1.1 403 Forbidden\r\nContent-Length: 10000000000\r\n\r\n"
            if hasLength { try exchange.sendBytes(Data(length.utf8)) } else { try exchange.sendHead(status: 403) }
            for _ in 0..<200_000 {
                do { if hasLength { try exchange.sendBytes(piece) } else { try exchange.sendChunk(piece) } } catch {
                    gone.add(true)
                    throw error
                }
            }
        }
        let session = Session.onTest()
        var error: FirewheelError?
        if isSource {
            error = await #expect(throws: FirewheelError.self) { try await session.eventSource(server.url()).all() }
        } else {
            error = await refusal(session.streamRequest(server.url()).validate())
        }
        #expect(error?.responseCode == 403)
        #expect(error?.responseData == Data(repeating: 0x61, count: 65_536))
        #expect(try await gone.wait(for: 1) == [true])
    }

    @Test("A body that never comes or never ends is waited for 5 seconds, or as long as the idle timeout; one that is cut off is kept")
    func late() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.exchange("/*") { exchange in
            let (path, isSource) = (exchange.request.path, exchange.request.header("Accept") == "text/event-stream")
            try exchange.sendHead(status: isSource ? 200 : 503, headers: [("Content-Type", "text/plain")])
            if path != "/never" { try exchange.sendChunk(Data("beginning".utf8)) }
            if path == "/cut" { throw CancellationError() }
            exchange.waitForDisconnection()
        }
        try await atOnce(["/never", "/endless", "/cut"]) { path in
            let seen = path == "/never" ? nil : Data("beginning".utf8)
            let begun = MonotonicInstant.now()
            let error = await refusal(Session.onTest().streamRequest(server.url(path)).validate())
            #expect(error?.responseCode == 503 && error?.responseData == seen)
            // The idle timeout of a minute is not what ended it.
            let seconds = MonotonicInstant.now().seconds(since: begun)
            #expect(path == "/cut" || seconds > 4.9 && seconds < 50, "\(seconds)")
            let source = Session.onTest().eventSource(server.url(path), reconnection: .standard)
            let refused = await #expect(throws: FirewheelError.self) { try await source.all() }
            #expect(
                refused?.kind
                    == .responseValidationFailed(.unacceptableContentType(acceptable: ["text/event-stream"], received: "text/plain")))
            #expect(refused?.responseData == seen)
        }
    }

    @Test("A refused response that is cut at any byte of its body has what came of it")
    func cut() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let message = Data("HTTP/1.1 429 Slow Down\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nquota\r\n9;x=1\r\n exceeded\r\n0\r\n\r\n".utf8)
        let head = try #require(message.range(of: Data("\r\n\r\n".utf8))).upperBound
        server.exchange("/*") { exchange in
            try exchange.sendBytes(message.prefix(Int(exchange.request.path.dropFirst()) ?? 0))
            throw CancellationError()
        }
        try await atOnce(Array(head..<message.count)) { count in
            let error = await refusal(Session.onTest().streamRequest(server.url("/\(count)")).validate())
            #expect(error?.responseCode == 429)
            #expect(Data("quota exceeded".utf8).starts(with: error?.responseData ?? Data()))
            #expect(error?.responseData?.count ?? 0 >= (count >= message.count - 7 ? 14 : count >= head + 8 ? 5 : 0))
        }
    }

    @Test("A Content-Type of a thousand members is read by its last valid one, and refused with the body")
    func manyTypes() async throws {
        let bench = try EventBench()
        let many = Array(repeating: "text/event-stream", count: 1_000).joined(separator: ", ")
        bench.server.route("/*") { request in
            MockResponse.data(Self.json).header("Content-Type", request.path == "/bad" ? many + ", text/html" : "text/html, " + many)
        }
        let error = await #expect(throws: FirewheelError.self) { try await bench.source("/bad").all() }
        #expect(error?.responseContentType == "text/html" && error?.responseData == Self.json)
        #expect(try await bench.source("/good", reconnection: .never).all().isEmpty)
    }

    @Test("A full-duplex request that is refused ends with the body of the response, while its own body goes on")
    func duplex() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.exchange("/") { exchange in
            _ = try exchange.read()
            try exchange.send(.data(Self.json, headers: [("Content-Type", "application/json")]))
        }
        // A new piece every few milliseconds, for as long as somebody asks.
        let endless = AsyncStream<Data> {
            try? await Task.sleep(nanoseconds: 2_000_000)
            return Data("x".utf8)
        }
        let request = Session.onTest().streamRequest(server.url(), uploading: endless).validate(contentType: ["text/plain"])
        let begun = MonotonicInstant.now()
        #expect(await refusal(request)?.responseData == Self.json)
        // The end of the response ends it, and not the time limit: unless the machine is that slow.
        #expect(MonotonicInstant.now().seconds(since: begun) < 4.9)
    }

    @Test("A coded body is decoded; one that is not in its coding, or is above the session's limit, leaves the refusal as it is")
    func coded() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(
            MockResponse.data(StoredGzip.encode(Self.json), status: 400).header("Content-Encoding", "gzip"),
            MockResponse.data(Data("no gzip".utf8), status: 400).header("Content-Encoding", "gzip"),
            MockResponse.data(Self.json, status: 400).framed(.chunked(size: 4)))
        let session = Session.onTest()
        #expect(await refusal(session.streamRequest(server.url()).validate())?.responseData == Self.json)
        let wrong = await refusal(session.streamRequest(server.url()).validate())
        #expect(wrong?.responseCode == 400 && wrong?.responseData == nil)
        let limited = Session.onTest(configuration: .with { $0.maximumResponseBodySize = 10 })
        let over = await refusal(limited.streamRequest(server.url()).validate())
        #expect(over?.responseCode == 400 && Self.json.starts(with: over?.responseData ?? Data()))
    }

    @Test("After a refused body that is complete, the connection is used again")
    func reused() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("/") { _ in MockResponse.data(Self.json, status: 400) }
        let session = Session.onTest()
        for _ in 0..<3 { #expect(await refusal(session.streamRequest(server.url()).validate())?.responseData == Self.json) }
        #expect(server.connectionCount == 1)
    }

    @Test("A stream that is retried after a refusal gets the next response from its first byte")
    func retried() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(MockResponse.data(Self.json, status: 503), MockResponse.data(Data("fine".utf8)))
        let collector = StreamCollector<String>()
        Session.onTest().streamRequest(server.url(), interceptor: RetryPolicy(limit: 2, backoff: .constant(0)))
            .validate().responseStreamString(queue: queue) { collector.take($0) }
        let log = await collector.wait()
        #expect(log.values == ["fine"] && log.error == nil)
    }

    @Test("The error of a resumed download that the server refuses has the body, and the data stays", arguments: [401, 404, 503])
    func download(status: Int) async throws {
        let bench = try ResumeBench()
        let data = try await bench.lost()
        bench.then { exchange, _ in try exchange.send(.data(Self.json, status: status)) }
        let response = await bench.resume(data).end
        #expect(response.kind == .downloadResumptionRefused(status))
        let error = response.error as? FirewheelError
        #expect(error?.responseData == Self.json)
        #expect(try error?.decodeResponse(as: Problem.self) == Problem(message: "quota exceeded"))
        try await bench.expectFile(resuming: try #require(response.resumeData))
    }
}

/// The same without a server: what a call does with its transport.
@Suite("Refused bodies and the transport", .timeLimit(.minutes(1)))
struct RefusedBodyOnTransportTests {
    private func stub(_ status: Int = 503, _ steps: StubTransport.Step...) -> StubTransport {
        StubTransport { _ in [.response(ResponseHead(statusCode: status))] + steps }
    }

    @Test("The wait for a refused body ends with the idle timeout, and the exchange is cancelled")
    func idle() async throws {
        let stub = stub(503, .chunk(Data("part".utf8)), .wait)
        let request = Session(transport: stub).streamRequest("https://stub.test/").timeout(idle: 1).validate()
        let error = await #expect(throws: FirewheelError.self) { for try await _ in request.streamTask().streamingData() {} }
        #expect(error?.responseCode == 503 && error?.responseData == Data("part".utf8))
        let id = try #require(stub.requests.first?.id)
        #expect(stub.calls.contains(.proceed(id, .deliver)) && stub.calls.contains(.cancel(id)))
        #expect(stub.calls.contains(.acknowledge(id, bytes: 4)))
    }

    @Test("A piece that reaches the limit ends the exchange, whatever its size")
    func limit() async throws {
        for sizes in [[65_536], [65_535, 1], [1, 1_000_000], [65_535, 2]] {
            let stub = StubTransport { _ in
                [.response(ResponseHead(statusCode: 503))] + sizes.map { .chunk(Data(repeating: 7, count: $0)) } + [.wait]
            }
            let request = Session(transport: stub).streamRequest("https://stub.test/").timeout(idle: 0).validate()
            let error = await #expect(throws: FirewheelError.self) { for try await _ in request.streamTask().streamingData() {} }
            #expect(error?.responseData == Data(repeating: 7, count: 65_536), "\(sizes)")
        }
    }

    @Test("Cancelling while a refused body is read ends the request at once, as cancelled")
    func cancelled() async throws {
        let stub = stub(503, .chunk(Data("part".utf8)), .wait)
        let request = Session(transport: stub).streamRequest("https://stub.test/").timeout(idle: 0).validate()
        let task = Task { for try await _ in request.streamTask().streamingData() {} }
        try await waitUntil("the body is read") { stub.calls.contains { if case .acknowledge = $0 { true } else { false } } }
        request.cancel()
        let error = await #expect(throws: FirewheelError.self) { try await task.value }
        #expect(error?.isExplicitlyCancelled == true && (error?.originalError as? FirewheelError)?.responseCode == 503)
        let id = try #require(stub.requests.first?.id)
        try await waitUntil("the transport is told") { stub.calls.contains(.cancel(id)) }
    }
}

#if os(Linux)
    @Suite("Bodies of refused responses over HTTP/2", .overHTTP2, .timeLimit(.minutes(5)))
    struct RefusedBodyOverHTTP2Tests {
        @Test("They are in the error, up to 64 KiB, and the connection goes on")
        func all() async throws {
            let server = try MockServer()
            defer { server.shutdown() }
            let long = Data(repeating: 0x61, count: 3_000_000)
            server.route("/*") { request in .data(request.path == "/long" ? long : Data("why".utf8), status: 503) }
            let session = Session.onTest()
            for (path, body) in [("/", Data("why".utf8)), ("/long", long.prefix(65_536)), ("/", Data("why".utf8))] {
                let request = session.streamRequest(server.url(path)).validate()
                let error = await #expect(throws: FirewheelError.self) {
                    for try await _ in request.streamTask().streamingData() {}
                }
                #expect(error?.responseCode == 503 && error?.responseData == Data(body))
            }
        }
    }
#endif
