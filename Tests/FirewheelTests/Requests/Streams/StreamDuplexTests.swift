import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

@Suite("Full duplex", .eachTransportAndTLS, .timeLimit(.minutes(5)))
struct StreamDuplexTests {
    /// Echoes each piece as it comes.
    fileprivate static func echo() throws -> MockServer {
        let server = try MockServer()
        server.exchange("/") { exchange in
            try exchange.sendHead()
            while let piece = try exchange.read() { try exchange.sendChunk(piece) }
            try exchange.endChunks()
        }
        return server
    }

    @Test("An element is sent when the answer to the one before has been read")
    func conversation() async throws { try await Self.converse() }

    fileprivate static func converse() async throws {
        let server = try echo()
        let (questions, ask) = AsyncStream.makeStream(of: Data.self)
        let request = Session.onTest().streamRequest(server.url(), uploading: questions)
        var answers: [String] = []
        ask.yield(Data("0".utf8))
        for try await answer in request.streamTask().streamingStrings() {
            answers.append(answer)
            if answers.count == 20 { ask.finish() } else { ask.yield(Data("\(answers.count)".utf8)) }
        }
        #expect(answers == (0..<20).map(String.init))
        #expect(request.response?.statusCode == 200)
    }

    @Test("From a URLRequest, whose method and fields are sent, and with a length")
    func urlRequest() async throws {
        let server = try Self.echo()
        var made = URLRequest(url: try #require(URL(string: server.url())))
        made.method = .put
        made.setValue("yes", forHTTPHeaderField: "X-Mine")
        let body = AsyncStream { continuation in
            continuation.yield(Data("abc".utf8))
            continuation.finish()
        }
        let text = try await Session.onTest().streamRequest(made, uploading: body, length: 3).streamTask().streamingStrings()
            .reduce("", +)
        #expect(text == "abc")
        let seen = try await server.takeRequest()
        #expect(seen.method == "PUT")
        #expect(seen.header("X-Mine") == "yes")
        #expect(seen.header("Content-Length") == "3")
        #expect(seen.header("Expect") == nil)
    }

    @Test("A body that fails ends the request with its error")
    func failingBody() async throws {
        struct Broken: Error {}
        let server = try Self.echo()
        let body = AsyncThrowingStream<Data, any Error> { continuation in
            continuation.yield(Data("abc".utf8))
            continuation.finish(throwing: Broken())
        }
        let error = await #expect(throws: FirewheelError.self) {
            for try await _ in Session.onTest().streamRequest(server.url(), uploading: body).streamTask().streamingData() {}
        }
        #expect(error?.kind == .uploadBodyFailed(.streamFailed))
        #expect(error?.underlyingError is Broken)
    }
}

#if os(Linux)
    @Suite("Full duplex over HTTP/2", .overHTTP2, .timeLimit(.minutes(5)))
    struct StreamDuplexHTTP2Tests {
        @Test("An element is sent when the answer to the one before has been read")
        func conversation() async throws { try await StreamDuplexTests.converse() }
    }
#endif

/// RFC 9110 section 15.4.8: a 307 is followed with the same body.
@Suite("Bodies of streams that are to be sent again", .eachTransportAndTLS, .timeLimit(.minutes(5)))
struct StreamResendTests {
    enum Cause: CaseIterable {
        case redirect, challenge, retry

        var refusal: MockResponse {
            switch self {
            case .redirect: .redirect(to: "/moved", status: 307)
            case .challenge: .text("who?", status: 401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")])
            case .retry: .status(503)
            }
        }
    }

    private static func prepared(_ request: DataStreamRequest) -> DataStreamTask {
        request.authenticate(username: "u", password: "p").validate().streamTask()
    }

    private static let policy = RetryPolicy(limit: 2, backoff: .constant(0))

    @Test("A body in memory goes again, and the last response is streamed")
    func inMemory() async throws {
        let server = try MockServer()
        server.enqueue(Cause.allCases.map(\.refusal))
        server.exchange("/again") { exchange in
            let body = try exchange.readAll()
            try exchange.sendHead()
            for byte in body { try exchange.sendChunk(Data([byte])) }
            try exchange.endChunks()
        }
        server.enqueue(.redirect(to: "/again", status: 307))
        let request = Session.onTest().streamRequest(
            server.url(), method: .put, interceptor: Self.policy, requestModifier: { $0.httpBody = Data("body".utf8) })
        #expect(try await Self.prepared(request).streamingStrings().reduce("", +) == "body")
        let seen = try await server.takeRequests(5)
        #expect(seen.prefix(4).allSatisfy { $0.bodyText == "body" })
        #expect(request.retryCount == 1)
    }

    @Test("The body of a sequence does not: that is an error of its own", arguments: Cause.allCases)
    func ofASequence(cause: Cause) async throws {
        let server = try MockServer()
        server.exchange("/") { exchange in
            _ = try exchange.read()
            try exchange.send(cause.refusal)
        }
        let (body, ask) = AsyncStream.makeStream(of: Data.self)
        ask.yield(Data("one".utf8))
        let request = Session.onTest().streamRequest(server.url(), uploading: body, method: .put, interceptor: Self.policy)
        let error = await #expect(throws: FirewheelError.self) {
            for try await _ in Self.prepared(request).streamingData() { Issue.record("a piece of a refused response") }
        }
        #expect(error?.kind == .uploadBodyFailed(.notRepeatable))
        #expect(server.requestCount == 1)
        ask.finish()
    }
}

@Suite("Full duplex that ends early", .eachTransportAndTLS, .timeLimit(.minutes(5)))
struct StreamDuplexEndTests {
    /// A body without an end, which tells when its iterator is released. `AsyncStream.Continuation.onTermination` does not: it is called if
    /// the iterator is waiting then, and otherwise only with the release of the stream, which a test may keep to its end.
    private struct EndlessBody: AsyncSequence, Sendable {
        final class Release: Sendable {
            let isOver: Latch
            init(_ isOver: Latch) { self.isOver = isOver }
            deinit { isOver.open() }
        }

        struct AsyncIterator: AsyncIteratorProtocol {
            var pieces: AsyncStream<Data>.Iterator
            let release: Release
            mutating func next() async -> Data? { await pieces.next() }
        }

        let pieces: AsyncStream<Data>
        let isOver: Latch
        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pieces: pieces.makeAsyncIterator(), release: Release(isOver)) }
    }

    private static func endless() -> (EndlessBody, AsyncStream<Data>.Continuation, Latch) {
        let (pieces, ask) = AsyncStream.makeStream(of: Data.self)
        let isOver = Latch()
        return (EndlessBody(pieces: pieces, isOver: isOver), ask, isOver)
    }

    @Test("A response that ends before the body ends the request, and the body is released")
    func responseFirst() async throws {
        let server = try MockServer()
        server.exchange("/") { exchange in
            try exchange.sendHead()
            if let piece = try exchange.read() { try exchange.sendChunk(piece) }
            try exchange.endChunks()
        }
        let (body, ask, isOver) = Self.endless()
        ask.yield(Data("one".utf8))
        let request = Session.onTest().streamRequest(server.url(), uploading: body)
        let text = try await request.streamTask().streamingStrings().reduce("", +)
        #expect(text == "one")
        #expect(request.response?.statusCode == 200)
        await isOver.wait()
    }

    @Test("A server that breaks off ends the request with its error, and the body is released")
    func brokenOff() async throws {
        let server = try MockServer()
        server.exchange("/") { exchange in
            try exchange.sendHead()
            if let piece = try exchange.read() { try exchange.sendChunk(piece) }
            throw CancellationError()
        }
        let (body, ask, isOver) = Self.endless()
        ask.yield(Data("one".utf8))
        var received = ""
        let error = await #expect(throws: FirewheelError.self) {
            for try await piece in Session.onTest().streamRequest(server.url(), uploading: body).streamTask().streamingStrings() {
                received += piece
            }
        }
        #expect(received == "one")
        #expect(error?.urlErrorCode == .networkConnectionLost)
        await isOver.wait()
    }

    @Test("Leaving the loop releases the body that waits for its next element")
    func left() async throws {
        let server = try MockServer()
        server.exchange("/") { exchange in
            try exchange.sendHead()
            while let piece = try exchange.read() { try exchange.sendChunk(piece) }
        }
        let (body, ask, isOver) = Self.endless()
        ask.yield(Data("one".utf8))
        for try await _ in Session.onTest().streamRequest(server.url(), uploading: body).streamTask().streamingStrings() { break }
        await isOver.wait()
    }
}
