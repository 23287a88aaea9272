import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// What a handler was called with.
struct StreamLog<Value: Sendable>: Sendable {
    var values: [Value] = []
    var errors: [FirewheelError] = []
    var completions: [DataStreamRequest.Completion] = []
    /// Whether anything came after the completion.
    var goesOn = false

    mutating func add(_ stream: DataStreamRequest.Stream<Value>) {
        if !completions.isEmpty { goesOn = true }
        switch stream.event {
        case .stream(.success(let value)): values.append(value)
        case .stream(.failure(let error)): if let error = error as? FirewheelError { errors.append(error) }
        case .complete(let completion): completions.append(completion)
        }
    }

    var error: FirewheelError? { completions.first?.error as? FirewheelError }
}

/// Collects what a handler is called with until the completion.
final class StreamCollector<Value: Sendable>: Sendable {
    private let log = Locked(StreamLog<Value>())
    private let isDone = DispatchSemaphore(value: 0)

    func take(_ stream: DataStreamRequest.Stream<Value>) {
        let isEnd = log.withLock { log in
            log.add(stream)
            return log.completions.count == 1 && !log.goesOn
        }
        if isEnd { isDone.signal() }
    }

    var soFar: StreamLog<Value> { log.withLock { $0 } }

    /// What was collected when the request had ended.
    func wait() async -> StreamLog<Value> {
        await onThreads(1) { [isDone] _ in isDone.wait() }
        return soFar
    }
}

@Suite("Stream handlers", .eachTransportAndTLS, .timeLimit(.minutes(5)))
struct StreamHandlerTests {
    private let queue = DispatchQueue(label: "streams")

    private func respond(_ pieces: [String], trailers: [(String, String)] = []) throws -> (MockServer, Session) {
        let server = try MockServer()
        server.exchange("/") { exchange in
            try exchange.sendHead(headers: [("Content-Type", "application/x-ndjson")])
            for piece in pieces { try exchange.sendChunk(Data(piece.utf8)) }
            try exchange.endChunks(trailers: trailers)
        }
        return (server, .onTest())
    }

    @Test("In lines, invalid UTF-8 becomes U+FFFD; as a value, such a line is a failure in its place")
    func invalidUTF8() async throws {
        let server = try MockServer()
        server.exchange("/") { exchange in
            try exchange.sendHead()
            // A byte that never occurs, a sequence that is cut off by the end of its line, and one that lies in two pieces.
            for piece in [[0x22, 0xFF, 0x22, 0x0A, 0x22, 0xE2, 0x82, 0x0A, 0x22, 0xC3], [0xA9, 0x22, 0x0A]] as [[UInt8]] {
                try exchange.sendChunk(Data(piece))
            }
            try exchange.endChunks()
        }
        let (session, lines, values) = (Session.onTest(), StreamCollector<String>(), StreamCollector<String>())
        session.streamRequest(server.url()).responseStreamLines(queue: queue) { lines.take($0) }
        let log = await lines.wait()
        #expect(log.values == ["\"\u{FFFD}\"", "\"\u{FFFD}", "\"é\""] && log.error == nil)
        session.streamRequest(server.url()).responseStreamDecodable(of: String.self, queue: queue) { values.take($0) }
        let decoded = await values.wait()
        #expect(decoded.values == ["é"] && decoded.error == nil)
        #expect(decoded.errors.map(\.kind) == Array(repeating: .responseSerializationFailed(.decodingFailed), count: 2))
    }

    @Test("responseStream hands over the body in pieces, and ends with one completion")
    func data() async throws {
        let (server, session) = try respond(["one", "two", "three"], trailers: [("X-Sum", "42")])
        let collector = StreamCollector<Data>()
        let request = session.streamRequest(server.url()).validate().responseStream(queue: queue) { collector.take($0) }
        let log = await collector.wait()
        #expect(log.values.reduce(Data(), +) == Data("onetwothree".utf8))
        #expect(log.error == nil)
        #expect(log.completions.count == 1)
        let completion = try #require(log.completions.first)
        #expect(completion.response?.statusCode == 200)
        #expect(completion.request?.url?.absoluteString == server.url())
        #expect(completion.trailers.value(for: "X-Sum") == "42")
        #expect(completion.metrics?.transactionMetrics.count == 1)
        #expect(request.isFinished)
        #expect(request.trailers.value(for: "X-Sum") == "42")
    }

    @MainActor
    @Test("The handlers without a queue are called on the main actor")
    func mainActor() async throws {
        let (server, session) = try respond(["{\"n\":1}\n{\"n\":2}\n"])
        // Compiles only if the handler is the main actor's.
        final class Model {
            var numbers: [Int] = []
            var isDone = false
        }
        let model = Model()
        await withCheckedContinuation { continuation in
            session.streamRequest(server.url()).responseStreamDecodable(of: Number.self) { stream in
                MainActor.assertIsolated()
                if let value = stream.value { model.numbers.append(value.n) }
                if stream.completion != nil { continuation.resume() }
            }
        }
        #expect(model.numbers == [1, 2])
    }

    struct Number: Codable, Sendable, Equatable { let n: Int }

    @Test("responseStreamString never splits a character's bytes")
    func strings() async throws {
        let text = "\u{FEFF}grüße 👋🏽 日本語"
        let server = try MockServer()
        server.exchange("/") { exchange in
            try exchange.sendHead()
            for byte in Data(text.utf8) { try exchange.sendChunk(Data([byte])) }
            try exchange.endChunks()
        }
        let collector = StreamCollector<String>()
        Session.onTest().streamRequest(server.url()).responseStreamString(queue: queue) { collector.take($0) }
        let log = await collector.wait()
        #expect(log.values.joined() == String(text.dropFirst()))
        #expect(log.values.allSatisfy { !$0.contains("\u{FFFD}") && !$0.isEmpty })
    }

    @Test("Values are decoded on the session's serialization queue, if it has one")
    func serializationQueue() async throws {
        struct Checking: DataDecoder {
            let queue: DispatchQueue

            func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
                dispatchPrecondition(condition: .onQueue(queue))
                return try JSONDecoder().decode(type, from: data)
            }
        }
        let server = try MockServer()
        server.route("/") { _ in .text("{\"n\":1}\n{\"n\":2}\n") }
        let serializers = DispatchQueue(label: "serializers", attributes: .concurrent)
        let session = Session(transport: TestTransport.current.make(.default), serializationQueue: serializers)
        let collector = StreamCollector<Number>()
        session.streamRequest(server.url())
            .responseStreamDecodable(of: Number.self, queue: queue, decoder: Checking(queue: serializers)) { collector.take($0) }
        #expect(await collector.wait().values.map(\.n) == [1, 2])
    }

    @Test("responseStreamLines splits at LF, CRLF and CR, and delivers the last line without an end")
    func lines() async throws {
        let (server, session) = try respond(["a\nb\r", "\nc\rd", "\n\n", "last"])
        let collector = StreamCollector<String>()
        session.streamRequest(server.url()).responseStreamLines(queue: queue) { collector.take($0) }
        #expect(await collector.wait().values == ["a", "b", "c", "d", "", "last"])
    }

    @Test("responseStreamDecodable decodes a value from each line, and goes on after one that is not a value")
    func decodables() async throws {
        let (server, session) = try respond(["{\"n\":1}\n\n  \n{\"n\":", "2}\nnonsense\n{\"n\":3}"])
        let collector = StreamCollector<Number>()
        session.streamRequest(server.url()).responseStreamDecodable(of: Number.self, queue: queue) { collector.take($0) }
        let log = await collector.wait()
        #expect(log.values.map(\.n) == [1, 2, 3])
        #expect(log.errors.map(\.kind) == [.responseSerializationFailed(.decodingFailed)])
        #expect(log.error == nil)
    }

    @Test("With automaticallyCancelOnStreamError the first of them ends the request, with its error")
    func cancelsOnError() async throws {
        let (server, session) = try respond(["{\"n\":1}\nnonsense\n{\"n\":3}\n"])
        let collector = StreamCollector<Number>()
        let request = session.streamRequest(server.url(), automaticallyCancelOnStreamError: true)
            .responseStreamDecodable(of: Number.self, queue: queue) { collector.take($0) }
        let log = await collector.wait()
        #expect(log.values.map(\.n) == [1])
        #expect(log.errors.count == 1)
        #expect(log.error?.kind == .responseSerializationFailed(.decodingFailed))
        #expect(request.isCancelled)
    }

    @Test("A handler that throws ends the request with its error")
    func handlerThrows() async throws {
        struct Refusal: Error {}
        let (server, session) = try respond(["a\nb\nc\n"])
        let collector = StreamCollector<String>()
        session.streamRequest(server.url()).responseStreamLines(queue: queue) { stream in
            collector.take(stream)
            if stream.value == "b" { throw Refusal() }
        }
        let log = await collector.wait()
        #expect(log.values == ["a", "b"])
        #expect(log.error?.kind == .responseStreamFailed(.handlerFailed))
        #expect(log.error?.underlyingError is Refusal)
    }

    @Test("The token of an element cancels: no further element comes, and one completion")
    func token() async throws {
        let (server, session) = try respond(["a\nb\nc\n"])
        let collector = StreamCollector<String>()
        let request = session.streamRequest(server.url()).responseStreamLines(queue: queue) { stream in
            collector.take(stream)
            if stream.value == "b" { stream.cancel() }
        }
        let log = await collector.wait()
        #expect(log.values == ["a", "b"])
        #expect(log.error?.isExplicitlyCancelled == true)
        #expect(request.isCancelled)
    }

    @Test("Every handler gets the whole stream, and the slowest sets the pace")
    func several() async throws {
        let (server, _) = try respond(["a\n", "b\n", "c"])
        let session = Session(transport: TestTransport.current.make(), startRequestsImmediately: false)
        let (lines, pieces) = (StreamCollector<String>(), StreamCollector<Data>())
        session.streamRequest(server.url())
            .responseStreamLines(queue: queue) { lines.take($0) }
            .responseStream(queue: .global()) { pieces.take($0) }
            .resume()
        #expect(await lines.wait().values == ["a", "b", "c"])
        #expect(await pieces.wait().values.reduce(Data(), +) == Data("a\nb\nc".utf8))
    }

    @Test("Each method and kind of parameters is sent", arguments: [HTTPMethod.get, .post, .put, .patch, .delete])
    func forms(method: HTTPMethod) async throws {
        let server = try MockServer()
        server.exchange("/") { exchange in
            let body = try exchange.readAll()
            try exchange.sendHead()
            try exchange.sendChunk(Data("\(exchange.request.method) \(exchange.request.target) ".utf8) + body)
            try exchange.endChunks()
        }
        let session = Session.onTest()
        var modified = URLRequest(url: try #require(URL(string: server.url())))
        modified.method = method
        let requests = [
            session.streamRequest(server.url(), method: method, parameters: ["a": "b"]),
            session.streamRequest(server.url(), method: method, parameters: Parameter(a: "b")),
            session.streamRequest(modified),
        ]
        let inBody = ![HTTPMethod.get, .delete].contains(method)
        let expected = inBody ? "\(method.rawValue) / a=b" : "\(method.rawValue) /?a=b "
        var texts: [String] = []
        for request in requests {
            let collector = StreamCollector<String>()
            request.responseStreamString(queue: queue) { collector.take($0) }
            texts.append(await collector.wait().values.joined())
        }
        #expect(texts == [expected, expected, "\(method.rawValue) / "])
    }

    private struct Parameter: Codable { let a: String }

    @Test("A response without a body completes, also to HEAD")
    func empty() async throws {
        let server = try MockServer()
        server.route("/") { _ in MockResponse(status: 204) }
        for method in [HTTPMethod.get, .head] {
            let collector = StreamCollector<String>()
            Session.onTest().streamRequest(server.url(), method: method).validate()
                .responseStreamLines(queue: queue) { collector.take($0) }
            let log = await collector.wait()
            #expect(log.values.isEmpty)
            #expect(log.error == nil)
            #expect(log.completions.first?.response?.statusCode == 204)
        }
    }

    @Test("An invalid URL, and a session that goes away before the start, are completions with an error")
    func failures() async throws {
        let collector = StreamCollector<Data>()
        Session.onTest().streamRequest("not a url").responseStream(queue: queue) { collector.take($0) }
        #expect(await collector.wait().error?.kind == .invalidURL)

        let unstarted = StreamCollector<Data>()
        var session: Session? = Session(transport: TestTransport.current.make(), startRequestsImmediately: false)
        let request = session?.streamRequest("http://127.0.0.1/").responseStream(queue: queue) { unstarted.take($0) }
        session = nil
        #expect(await unstarted.wait().error?.kind == .sessionInvalidated)
        withExtendedLifetime(request) {}
    }

    @Test("A body that is cut off: what came is handed over before the error, but not the beginning of a line")
    func truncated() async throws {
        let server = try MockServer()
        server.exchange("/") { exchange in
            try exchange.sendHead()
            try exchange.sendChunk(Data("first\nsecond\nthi".utf8))
            throw CancellationError()
        }
        let collector = StreamCollector<String>()
        Session.onTest().streamRequest(server.url()).responseStreamLines(queue: queue) { collector.take($0) }
        let log = await collector.wait()
        #expect(log.values == ["first", "second"])
        #expect(log.error?.urlErrorCode == .networkConnectionLost)
    }

    @Test("A line longer than the limit ends the request with an error of its own kind")
    func longLine() async throws {
        let (server, session) = try respond(["short\n", String(repeating: "x", count: 3_000), "\n"])
        let collector = StreamCollector<String>()
        session.streamRequest(server.url()).responseStreamLines(queue: queue, maximumLength: 1_000) { collector.take($0) }
        let log = await collector.wait()
        #expect(log.values == ["short"])
        #expect(log.error?.kind == .responseStreamFailed(.lineTooLong(limit: 1_000)))
        #expect(log.error?.urlErrorCode == .dataLengthExceedsMaximum)
    }
}
