import Foundation
import Testing

@testable import Firewheel

/// A sequence whose elements a closure makes. It records what its iterator is asked for, and when that is released.
private struct Producer: AsyncSequence, Sendable {
    typealias Element = Data

    struct OutOfPaper: Error, CustomStringConvertible {
        let description = "out of paper"
    }

    let journal = Journal<String>()
    /// Gets the number of the element.
    let make: @Sendable (Int) async throws -> Data?

    final class AsyncIterator: AsyncIteratorProtocol {
        private let producer: Producer
        private var number = 0

        init(_ producer: Producer) { self.producer = producer }

        deinit { producer.journal.add("released") }

        func next() async throws -> Data? {
            defer { number += 1 }
            producer.journal.add("next \(number)")
            return try await producer.make(number)
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

/// Async sequences as bodies of requests.
@Suite("Async sequences as bodies", .timeLimit(.minutes(5)))
struct UploadSequenceTests {
    private static func text(_ text: String) -> Data { Data(text.utf8) }

    @Test("A sequence's elements are the body, without the empty ones, followed by its trailers", arguments: [nil, 6])
    func read(length: Int64?) async throws {
        let elements = ["", "ab", "", "", "c", "def", ""]
        let producer = Producer { $0 < elements.count ? Self.text(elements[$0]) : nil }
        let body = UploadSequence(producer, length: length, trailers: ["X-Sum": "1"])
        #expect(body.length == length && !body.isRepeatable && !body.isUsed)
        let drained = await DrainedBody.of(body)
        #expect(drained.pieces == ["ab", "c", "def"].map(Self.text) && drained.error == nil && drained.trailers["X-Sum"] == "1")
        #expect(body.isUsed && body.failure == nil)
        #expect(try await producer.journal.wait(for: 9).last == "released")
    }

    @Test("An empty sequence is an empty body")
    func empty() async {
        let body = UploadSequence(Producer { _ in nil }, length: 0)
        #expect(await DrainedBody.of(body).pieces == [] && body.failure == nil)
    }

    @Test("Random elements arrive in order, in pieces of at most the bytes asked for")
    func random() async {
        for _ in 0..<20 {
            // Slices, whose indices do not begin at 0.
            let elements = (0..<40).map { _ in
                Data((0..<Int.random(in: 1...600)).map { _ in UInt8.random(in: 0...255) }).dropFirst(Int.random(in: 0...1))
            }
            let count = Int.random(in: 1...300)
            let whole = Data(elements.joined())
            let body = UploadSequence(Producer { $0 < elements.count ? elements[$0] : nil }, length: Int64(whole.count))
            let drained = await DrainedBody.of(body, count: count)
            #expect(drained.data == whole && drained.error == nil && drained.pieces.allSatisfy { (1...count).contains($0.count) })
        }
    }

    @Test("A sequence with fewer or more bytes than its length is an error", arguments: [0, 5, 7, -1] as [Int64])
    func wrongLength(length: Int64) async throws {
        let producer = Producer { $0 < 3 ? Self.text("ab") : nil }
        let body = UploadSequence(producer, length: length)
        #expect(await DrainedBody.of(body).error != nil && body.failure?.kind == .uploadBodyFailed(.lengthMismatch))
        try await waitUntil("the iterator is released") { producer.journal.entries.last == "released" }
    }

    @Test("An element is made only when a piece is wanted")
    func demand() async throws {
        let producer = Producer { $0 < 3 ? Self.text("abcd") : nil }
        let reader = UploadSequence(producer).makeReader()
        #expect(producer.journal.entries == [])
        for number in 0..<3 {
            #expect(await reader.piece(upTo: 3).data == Self.text("abc"))
            #expect(producer.journal.count == number + 1)
            #expect(await reader.piece(upTo: 3).data == Self.text("d"))
            // The task has had every opportunity to run ahead: other tasks on the same executor have finished.
            for _ in 0..<20 { await WorkerPool.makeTask {}.value }
            #expect(producer.journal.count == number + 1)
        }
        #expect(await reader.piece().isEnd)
        #expect(await reader.piece().isEnd)
        reader.close()
        #expect(try await producer.journal.wait(for: 5).last == "released")
    }

    @Test("A sequence's own error is the cause of the failure")
    func fails() async throws {
        let producer = Producer { number in
            guard number < 2 else { throw Producer.OutOfPaper() }
            return Self.text("ab")
        }
        let body = UploadSequence(producer)
        let drained = await DrainedBody.of(body)
        #expect(drained.data == Self.text("abab"))
        #expect(drained.error == .failed(.requestBodyStreamExhausted, "the stream of the request's body failed: out of paper"))
        #expect(body.failure?.kind == .uploadBodyFailed(.streamFailed) && body.failure?.underlyingError is Producer.OutOfPaper)
    }

    @Test("A sequence is read only once: the second reader fails and says so")
    func twice() async {
        let body = UploadSequence(Producer { $0 == 0 ? Self.text("ab") : nil })
        #expect(await DrainedBody.of(body).error == nil)
        #expect(await DrainedBody.of(body).error != nil && body.failure?.kind == .uploadBodyFailed(.notRepeatable))
    }

    @Test("Closing cancels the producer, releases the iterator and ends the read that waits")
    func closeWhileAsked() async throws {
        let cancelled = Journal<Bool>()
        let producer = Producer { _ in
            do {
                try await Task.sleep(for: .seconds(3_600))
            } catch {
                cancelled.add(error is CancellationError)
                throw error
            }
            return nil
        }
        let body = UploadSequence(producer)
        let (reader, pieces) = (body.makeReader(), Journal<Bool>())
        reader.read(upTo: 10) { pieces.add($0.isEnd) }
        _ = try await producer.journal.wait(for: 1)
        reader.close()
        #expect(try await pieces.wait(for: 1) == [true])
        #expect(try await cancelled.wait(for: 1) == [true])
        #expect(try await producer.journal.wait(for: 2) == ["next 0", "released"])
        // The program's own end of a body is no failure of it.
        #expect(body.failure == nil && pieces.count == 1)
        #expect(await reader.piece().isEnd)
    }

    @Test("Closing between two pieces, or before the first, releases the iterator and the sequence")
    func closeBetween() async throws {
        let producer = Producer { _ in Self.text("abcd") }
        let reader = UploadSequence(producer).makeReader()
        #expect(await reader.piece(upTo: 3).data == Self.text("abc"))
        reader.close()
        reader.close()
        #expect(try await producer.journal.wait(for: 2) == ["next 0", "released"])
        #expect(await reader.piece().isEnd)

        let unread = UploadSequence(producer).makeReader()
        unread.close()
        #expect(await unread.piece().isEnd)
        #expect(producer.journal.count == 2)
    }

    @Test("A reader can be closed at any moment")
    func closeAnyTime() async throws {
        let released = Journal<String>()
        for number in 0..<300 {
            let producer = Producer { index in
                if index.isMultiple(of: 3) { await Task.yield() }
                return Data(repeating: 1, count: 100)
            }
            let body = UploadSequence(producer)
            let reader = body.makeReader()
            let reading = Task {
                while await reader.piece(upTo: 60).data != nil {}
            }
            for _ in 0..<number % 20 { await Task.yield() }
            reader.close()
            await reading.value
            #expect(body.failure == nil)
            let journal = producer.journal
            try await waitUntil("the iterator is released") { journal.count == 0 || journal.entries.last == "released" }
            released.add("")
        }
        #expect(released.count == 300)
    }
}
