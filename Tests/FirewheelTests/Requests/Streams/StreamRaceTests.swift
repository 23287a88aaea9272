import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Suspensions, cancels and ends at awkward moments.
@Suite("Streams that are interrupted", .eachTransportAndTLS, .timeLimit(.minutes(5)))
struct StreamRaceTests {
    private let queue = DispatchQueue(label: "streams")

    private func serve(_ pieces: [String]) throws -> MockServer {
        let server = try MockServer()
        server.exchange("/") { exchange in
            try exchange.sendHead()
            for piece in pieces { try exchange.sendChunk(Data(piece.utf8)) }
            try exchange.endChunks()
        }
        return server
    }

    private final class Captured: Sendable {}

    @Test("A request with a handler that is never started releases what the handler captured")
    func neverStarted() {
        let session = Session(transport: TestTransport.current.make(), startRequestsImmediately: false)
        weak var captured: Captured?
        weak var reader: StreamReader?
        do {
            let object = Captured()
            captured = object
            let request = session.streamRequest("http://127.0.0.1/")
            request.responseStreamLines(queue: queue) { _ in withExtendedLifetime(object) {} }
            reader = request.makeReader()
        }
        #expect(captured == nil && reader == nil)
    }

    @Test("What a handler captured is released when the request has ended")
    func released() async throws {
        let server = try serve(["a\n", "b\n"])
        weak var captured: Captured?
        let collector = StreamCollector<String>()
        do {
            let object = Captured()
            captured = object
            Session.onTest().streamRequest(server.url()).responseStreamLines(queue: queue) { [collector] stream in
                collector.take(stream)
                withExtendedLifetime(object) {}
            }
        }
        _ = await collector.wait()
        #expect(await eventually(within: 60) { captured == nil })
    }

    @Test("A handler that suspends the request gets no further line of the same piece until it is resumed")
    func suspendedWithinPiece() async throws {
        let server = try serve(["a\nb\nc\n"])
        let (collector, hasA) = (StreamCollector<String>(), Latch())
        let request = Session.onTest().streamRequest(server.url())
        request.responseStreamLines(queue: queue) { stream in
            collector.take(stream)
            if stream.value == "a" {
                request.suspend()
                hasA.open()
            }
        }
        await hasA.wait()
        queue.sync {}
        #expect(collector.soFar.values == ["a"])
        request.resume()
        #expect(await collector.wait().values == ["a", "b", "c"])
    }

    @Test("A suspended request's handler gets its completion when the request is cancelled within a piece")
    func cancelledWhileSuspended() async throws {
        let server = try serve(["a\nb\nc\n"])
        let (collector, hasA) = (StreamCollector<String>(), Latch())
        let request = Session.onTest().streamRequest(server.url())
        request.responseStreamLines(queue: queue) { stream in
            collector.take(stream)
            if stream.value == "a" {
                request.suspend()
                hasA.open()
            }
        }
        await hasA.wait()
        request.cancel()
        let log = await collector.wait()
        #expect(log.values == ["a"])
        #expect(log.error?.isExplicitlyCancelled == true)
    }

    @Test("A loop gets no further line of the same piece while the request is suspended, and none after a cancel")
    func loop() async throws {
        let server = try serve(["a\nb\nc\nd\n"])
        let task = Session.onTest().streamRequest(server.url()).streamTask()
        var iterator = task.streamingLines().makeAsyncIterator()
        #expect(try await iterator.next() == "a")
        task.suspend()
        let resumed = Locked(false)
        let resuming = Task {
            try await Task.sleep(for: .milliseconds(20))
            resumed.withLock { $0 = true }
            task.resume()
        }
        #expect(try await iterator.next() == "b")
        #expect(resumed.withLock { $0 })
        try await resuming.value
        task.cancel()
        let error = await #expect(throws: FirewheelError.self) { _ = try await iterator.next() }
        #expect(error?.isExplicitlyCancelled == true)
        #expect(try await iterator.next() == nil)
    }

    @Test("Cancelling the task ends a loop that waits for a suspended request")
    func cancelledLoop() async throws {
        let server = try serve(["a\nb\n"])
        let request = Session.onTest().streamRequest(server.url())
        let hasA = Latch()
        let task = Task {
            for try await line in request.streamTask().streamingLines() where line == "a" {
                request.suspend()
                hasA.open()
            }
        }
        await hasA.wait()
        task.cancel()
        let error = await #expect(throws: FirewheelError.self) { try await task.value }
        #expect(error?.isExplicitlyCancelled == true)
    }

    @Test("A session that is invalidated in mid-stream ends handlers and loops with its error")
    func invalidated() async throws {
        let (server, goesOn) = (try MockServer(), DispatchSemaphore(value: 0))
        server.exchange("/") { exchange in
            try exchange.sendHead()
            try exchange.sendChunk(Data("a\n".utf8))
            goesOn.wait()
        }
        defer { for _ in 0..<2 { goesOn.signal() } }
        let (session, collector) = (Session.onTest(), StreamCollector<String>())
        session.streamRequest(server.url()).responseStreamLines(queue: queue) { collector.take($0) }
        var iterator = session.streamRequest(server.url()).streamTask().streamingLines().makeAsyncIterator()
        #expect(try await iterator.next() == "a")
        #expect(await eventually(within: 60) { collector.soFar.values == ["a"] })
        session.invalidate()
        #expect(await collector.wait().error?.kind == .sessionInvalidated)
        let error = await #expect(throws: FirewheelError.self) { _ = try await iterator.next() }
        #expect(error?.kind == .sessionInvalidated)
    }

    @Test("The resource timeout ends a request whose complete body nobody reads")
    func resourceTimeout() async throws {
        let server = try serve(["a\n"])
        let request = Session.onTest().streamRequest(server.url()).timeout(total: 0.3)
        let sequence = request.streamTask().streamingLines()
        #expect(await eventually(within: 60) { request.isFinished })
        #expect((request.error as? FirewheelError)?.urlErrorCode == .timedOut)
        let error = await #expect(throws: FirewheelError.self) { for try await _ in sequence {} }
        #expect(error?.urlErrorCode == .timedOut)
    }

    @Test("A reader that takes longer than the idle timeout causes none")
    func slowReader() async throws {
        let size = 8 << 20
        let server = try MockServer()
        server.route("/") { _ in MockResponse(body: Data(count: size)) }
        let sequence = Session.onTest().streamRequest(server.url()).timeout(idle: 4).streamTask().streamingData()
        var received = 0
        for try await piece in sequence {
            if received == 0 { try await Task.sleep(for: .seconds(6)) }
            received += piece.count
        }
        #expect(received == size)
    }

    @Test("Small pieces that nobody takes are joined, and readers that come in between get what follows")
    func joined() async throws {
        let (sink, consumed) = (StreamSink(), Locked(0))
        let first = StreamReader(of: sink)
        for byte in 0..<100 { sink.write(Data([UInt8(byte)])) { count in consumed.withLock { $0 += count } } }
        let second = StreamReader(of: sink)
        for byte in 100..<200 { sink.write(Data([UInt8(byte)])) { count in consumed.withLock { $0 += count } } }
        func take(_ reader: StreamReader) -> Data? {
            guard case .piece(let piece) = reader.take(orWake: {}), case .data(let data) = piece.take() else { return nil }
            return data
        }
        #expect(take(first) == Data(0..<100))
        #expect(consumed.withLock { $0 } == 100)
        #expect(take(second) == Data(100..<200))
        #expect(consumed.withLock { $0 } == 100)
        #expect(take(first) == Data(100..<200))
        #expect(consumed.withLock { $0 } == 200)
        sink.write(Data([1])) { _ in }
        guard case .piece(let taken) = first.take(orWake: {}) else { return #expect(Bool(false)) }
        _ = taken.take()
        // It was taken, so that it must not change any more.
        sink.write(Data([2])) { _ in }
        #expect(take(first) == Data([2]))
    }
}
