import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

@Suite("Stream sequences", .eachTransportAndTLS, .timeLimit(.minutes(5)))
struct StreamSequenceTests {
    private func respond(_ pieces: [String], trailers: [(String, String)] = []) throws -> MockServer {
        let server = try MockServer()
        server.exchange("/") { exchange in
            try exchange.sendHead()
            for piece in pieces { try exchange.sendChunk(Data(piece.utf8)) }
            try exchange.endChunks(trailers: trailers)
        }
        return server
    }

    @Test("Data, strings, lines and values; trailers and metrics are there after the last element")
    func kinds() async throws {
        let server = try respond(["{\"n\":1}\n", "{\"n\":2}\r\n\n", "{\"n\":3}"], trailers: [("X-Sum", "3")])
        let session = Session.onTest()
        let whole = "{\"n\":1}\n{\"n\":2}\r\n\n{\"n\":3}"

        var data = Data()
        for try await piece in session.streamRequest(server.url()).streamTask().streamingData() { data += piece }
        #expect(data == Data(whole.utf8))

        var text = ""
        for try await piece in session.streamRequest(server.url()).streamTask().streamingStrings() { text += piece }
        #expect(text == whole)

        var lines: [String] = []
        for try await line in session.streamRequest(server.url()).streamTask().streamingLines() { lines.append(line) }
        #expect(lines == ["{\"n\":1}", "{\"n\":2}", "", "{\"n\":3}"])

        let task = session.streamRequest(server.url()).validate().streamTask()
        var numbers: [Int] = []
        for try await value in task.streamingDecodables(StreamHandlerTests.Number.self) { numbers.append(value.n) }
        #expect(numbers == [1, 2, 3])
        #expect(task.request.trailers.value(for: "X-Sum") == "3")
        #expect(task.request.response?.statusCode == 200)
        #expect(task.request.metrics != nil)
        #expect(task.request.isFinished)
    }

    @Test("The error comes after the last element, and is thrown once")
    func errorAfterElements() async throws {
        let server = try MockServer()
        server.exchange("/") { exchange in
            try exchange.sendHead()
            try exchange.sendChunk(Data("first\nsecond\nthi".utf8))
            throw CancellationError()
        }
        var lines: [String] = []
        var iterator = Session.onTest().streamRequest(server.url()).streamTask().streamingLines().makeAsyncIterator()
        let error = await #expect(throws: FirewheelError.self) {
            while let line = try await iterator.next() { lines.append(line) }
        }
        #expect(lines == ["first", "second"])
        #expect(error?.urlErrorCode == .networkConnectionLost)
        #expect(try await iterator.next() == nil)
    }

    @Test("A refused head is thrown before any element")
    func refused() async throws {
        let server = try MockServer()
        server.route("/") { _ in MockResponse(status: 404, body: Data("none".utf8)) }
        let error = await #expect(throws: FirewheelError.self) {
            for try await _ in Session.onTest().streamRequest(server.url()).validate().streamTask().streamingData() {
                Issue.record("an element of a refused response")
            }
        }
        #expect(error?.responseCode == 404)
    }

    @Test("A line that cannot be decoded is thrown, and ends the request")
    func undecodable() async throws {
        let server = try respond(["{\"n\":1}\nnonsense\n{\"n\":3}\n"])
        let task = Session.onTest().streamRequest(server.url()).streamTask()
        var numbers: [Int] = []
        let error = await #expect(throws: FirewheelError.self) {
            for try await value in task.streamingDecodables(StreamHandlerTests.Number.self) { numbers.append(value.n) }
        }
        #expect(numbers == [1])
        #expect(error?.kind == .responseSerializationFailed(.decodingFailed))
        #expect(task.request.isCancelled || task.request.isFinished)
    }

    /// A server that sends numbered lines until the client has gone.
    private func serveForever() throws -> (MockServer, gone: DispatchSemaphore) {
        let (server, gone) = (try MockServer(), DispatchSemaphore(value: 0))
        server.exchange("/") { exchange in
            defer { gone.signal() }
            try exchange.sendHead()
            for number in 0... { try exchange.sendChunk(Data("\(number)\n".utf8)) }
        }
        return (server, gone)
    }

    @Test("Leaving the loop cancels the transfer")
    func leaving() async throws {
        let (server, gone) = try serveForever()
        let task = Session.onTest().streamRequest(server.url()).streamTask()
        let sequence = task.streamingLines()
        for try await line in sequence where line == "10" { break }
        await onThreads(1) { _ in gone.wait() }
        #expect(task.request.isCancelled)
        withExtendedLifetime(sequence) {}
    }

    @Test("A sequence that nobody iterates ends its request when it is released")
    func neverIterated() async throws {
        let (server, gone) = try serveForever()
        let request = Session.onTest().streamRequest(server.url())
        let hasHead = Latch()
        request.onHTTPResponse { _ async in
            hasHead.open()
            return .allow
        }
        var sequence: StreamOf<Data>? = request.streamTask().streamingData()
        await hasHead.wait()
        withExtendedLifetime(sequence) {}
        sequence = nil
        await onThreads(1) { _ in gone.wait() }
        #expect(request.isCancelled)
    }

    @Test("With automaticallyCancelling: false the rest of the body is dropped")
    func leftAlone() async throws {
        let server = try respond((0..<2_000).map { "\($0) " + String(repeating: "x", count: 2_000) + "\n" })
        let request = Session.onTest().streamRequest(server.url())
        for try await _ in request.streamTask().streamingLines(automaticallyCancelling: false) { break }
        let collector = StreamCollector<Data>()
        request.responseStream(queue: .global()) { collector.take($0) }
        #expect(await collector.wait().error == nil)
        #expect(request.isFinished)
    }

    @Test("Cancelling the iterating task cancels the request, also while it waits for a silent server")
    func cancellation() async throws {
        let (server, goesOn) = (try MockServer(), DispatchSemaphore(value: 0))
        server.exchange("/") { exchange in
            try exchange.sendHead()
            try exchange.sendChunk(Data("one\n".utf8))
            goesOn.wait()
        }
        defer { goesOn.signal() }
        let (session, url, hasOne) = (Session.onTest(), server.url(), Latch())
        let task = Task {
            for try await _ in session.streamRequest(url).streamTask().streamingLines() { hasOne.open() }
        }
        await hasOne.wait()
        task.cancel()
        let error = await #expect(throws: FirewheelError.self) { try await task.value }
        #expect(error?.isExplicitlyCancelled == true)
    }

    /// Where the loop is when its task is cancelled.
    enum Place: CaseIterable {
        case waiting, withLinesAtHand, suspended
    }

    @Test("With automaticallyCancelling: false a cancelled loop ends, and the request goes on", arguments: Place.allCases)
    func cancellationOfTheLoopOnly(place: Place) async throws {
        let (server, goesOn) = (try MockServer(), DispatchSemaphore(value: 0))
        server.exchange("/") { exchange in
            try exchange.sendHead()
            try exchange.sendChunk(Data("one\ntwo\n".utf8))
            goesOn.wait()
            try exchange.sendChunk(Data(repeating: 120, count: 8_000_000))
            try exchange.endChunks()
        }
        defer { goesOn.signal() }
        let session = Session(transport: TestTransport.current.make(), startRequestsImmediately: false)
        let request = session.streamRequest(server.url())
        let (lines, other) = (Journal<String>(), StreamCollector<Data>())
        request.responseStream(queue: .global()) { other.take($0) }
        let sequence = request.streamTask().streamingLines(automaticallyCancelling: false)
        request.resume()
        let task = Task {
            for try await line in sequence {
                lines.add(line)
                guard line == "one" else { continue }
                switch place {
                case .waiting: break
                case .withLinesAtHand: withUnsafeCurrentTask { $0?.cancel() }
                case .suspended: request.suspend()
                }
            }
        }
        _ = try await lines.wait(for: place == .waiting ? 2 : 1)
        if place != .withLinesAtHand { task.cancel() }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(lines.entries == (place == .waiting ? ["one", "two"] : ["one"]))
        #expect(!request.isCancelled)
        // The other reader gets the rest, which the ended loop does not hold up.
        request.resume()
        goesOn.signal()
        let log = await other.wait()
        #expect(log.error == nil && log.values.reduce(0) { $0 + $1.count } == 8_000_008)
        #expect(request.isFinished)
    }

    @Test("A sequence iterates from an actor, and keeps its isolation")
    func actors() async throws {
        actor Reader {
            var lines: [String] = []
            func read(_ task: DataStreamTask) async throws -> [String] {
                for try await line in task.streamingLines() {
                    assertIsolated()
                    lines.append(line)
                }
                return lines
            }
        }
        let server = try respond(["a\nb\n", "c"])
        #expect(try await Reader().read(Session.onTest().streamRequest(server.url()).streamTask()) == ["a", "b", "c"])
    }

    @Test("While the request is suspended nothing is handed over, not even what has arrived")
    func suspended() async throws {
        let server = try respond(["a\n", "b\n", "c\n"])
        let (collector, hasA) = (StreamCollector<String>(), Latch())
        let request = Session.onTest().streamRequest(server.url())
        request.responseStreamLines(queue: DispatchQueue(label: "streams")) { stream in
            if stream.value == "a" {
                request.suspend()
                hasA.open()
            }
            collector.take(stream)
        }
        await hasA.wait()
        #expect(request.isSuspended)
        request.resume()
        #expect(await collector.wait().values == ["a", "b", "c"])
    }
}
