import Foundation
import Testing

@testable import Firewheel

/// An `InputStream` of a caller's own: it gives what a closure returns, and records when it is opened and closed.
private final class OwnStream: InputStream {
    enum Answer {
        case bytes(Data)
        case end
        case fails
        /// A count without bytes.
        case claims(Int)
    }

    struct Failure: Error, CustomStringConvertible {
        let description = "out of paper"
    }

    private let journal: Journal<String>
    /// Gets the number of the read.
    private let answer: @Sendable (Int) -> Answer
    private let ownError: (any Error)?
    private var reads = 0
    private var status = Status.notOpen

    private init(_ journal: Journal<String>, error: (any Error)?, _ answer: @escaping @Sendable (Int) -> Answer) {
        self.journal = journal
        self.answer = answer
        ownError = error
        super.init(data: Data())
    }

    static func body(
        error: (any Error)? = nil, _ answer: @escaping @Sendable (Int) -> Answer
    ) -> (body: UploadStream, journal: Journal<String>) {
        let journal = Journal<String>()
        return (UploadStream(OwnStream(journal, error: error, answer)), journal)
    }

    override func open() {
        journal.add("open")
        status = .open
    }

    override func close() {
        journal.add("close")
        status = .closed
    }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        defer { reads += 1 }
        switch answer(reads) {
        case .bytes(let data):
            data.copyBytes(to: buffer, count: min(len, data.count))
            return min(len, data.count)
        case .end: return 0
        case .claims(let count): return count
        case .fails:
            if ownError != nil { status = .error }
            return -1
        }
    }

    override var hasBytesAvailable: Bool { true }
    override var streamStatus: Status { status }
    override var streamError: (any Error)? { ownError }
}

/// `InputStream` as the body of a request.
@Suite("Streams as bodies", .timeLimit(.minutes(5)))
struct UploadStreamTests {
    private static let content = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

    @Test("A stream is read to its end, with or without a length, and followed by its trailers", arguments: [nil, 100_000])
    func read(length: Int64?) async {
        let body = UploadStream(InputStream(data: Self.content), length: length, trailers: ["X-Sum": "1"])
        #expect(body.length == length && !body.isRepeatable && !body.isUsed)
        let drained = await DrainedBody.of(body, count: 30_000)
        #expect(drained.data == Self.content && drained.error == nil && drained.trailers["X-Sum"] == "1")
        #expect(drained.pieces.allSatisfy { $0.count <= 30_000 })
        #expect(body.isUsed && body.failure == nil)
    }

    @Test("An empty stream is an empty body")
    func empty() async {
        let body = UploadStream(InputStream(data: Data()), length: 0)
        #expect(await DrainedBody.of(body).data.isEmpty && body.failure == nil)
    }

    @Test("A stream with fewer or more bytes than its length is an error", arguments: [0, 99_999, 100_001, -1] as [Int64])
    func wrongLength(length: Int64) async {
        let body = UploadStream(InputStream(data: Self.content), length: length)
        #expect(await DrainedBody.of(body).error != nil && body.failure?.kind == .uploadBodyFailed(.lengthMismatch))
    }

    @Test("A stream that is open is read on from where it is")
    func opened() async {
        let stream = InputStream(data: Self.content)
        stream.open()
        var buffer = [UInt8](repeating: 0, count: 1_000)
        #expect(stream.read(&buffer, maxLength: 1_000) == 1_000)
        #expect(await DrainedBody.of(UploadStream(stream, length: 99_000)).data == Self.content.dropFirst(1_000))
    }

    @Test("A closed stream is an error")
    func closedBefore() async {
        let stream = InputStream(data: Self.content)
        stream.open()
        stream.close()
        let body = UploadStream(stream)
        #expect(await DrainedBody.of(body).error != nil)
        #expect(body.failure?.description == "the stream of the request's body failed: it is closed")
    }

    @Test("The stream of a missing file is an error with its cause")
    func missingFile() async throws {
        let stream = try #require(InputStream(url: FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)))
        let body = UploadStream(stream)
        #expect(await DrainedBody.of(body).error != nil && body.failure?.kind == .uploadBodyFailed(.streamFailed))
        #expect(body.failure?.description == "the stream of the request's body failed: no such file or folder")
    }

    @Test("A subclass of InputStream may give any number of bytes at a time")
    func subclass() async {
        let expected = (0..<300).map { Data(repeating: UInt8(truncatingIfNeeded: $0), count: $0 % 7 + 1) }
        let (body, journal) = OwnStream.body { $0 < 300 ? .bytes(expected[$0]) : .end }
        let drained = await DrainedBody.of(body, count: 7)
        #expect(drained.pieces == expected && drained.error == nil)
        #expect(journal.entries == ["open", "close"])
    }

    @Test("A subclass of InputStream never gets room for more bytes than asked for")
    func subclassRoom() async {
        let (body, _) = OwnStream.body { $0 < 3 ? .bytes(Data(repeating: 1, count: 1_000)) : .end }
        #expect(await DrainedBody.of(body, count: 10).pieces.map(\.count) == [10, 10, 10])
    }

    @Test("The failures of a subclass of InputStream are errors, never traps")
    func subclassFails() async {
        let text = "the stream of the request's body failed"
        let cases: [(body: UploadStream, text: String)] = [
            (OwnStream.body { $0 == 0 ? .bytes(Data("x".utf8)) : .fails }.body, text),
            (OwnStream.body { _ in .claims(.min) }.body, text),
            (OwnStream.body { _ in .claims(65_537) }.body, text + ": read(_:maxLength:) returned more than maxLength"),
            (OwnStream.body(error: OwnStream.Failure()) { _ in .fails }.body, text + ": out of paper"),
        ]
        for (body, text) in cases {
            #expect(await DrainedBody.of(body).error == .failed(.requestBodyStreamExhausted, text))
            #expect(body.failure?.kind == .uploadBodyFailed(.streamFailed))
        }
        #expect(cases.last?.body.failure?.underlyingError is OwnStream.Failure)
    }

    @Test("A stream is read only once: the second reader fails and says so")
    func twice() async {
        let (body, journal) = OwnStream.body { $0 == 0 ? .bytes(Data("x".utf8)) : .end }
        let readers = (0..<8).map { _ in body.makeReader() }
        let pieces = await withTaskGroup(of: Bool.self) { group in
            for reader in readers { group.addTask { await reader.piece().data != nil } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(pieces == 1 && body.isUsed && body.failure?.kind == .uploadBodyFailed(.notRepeatable))
        for reader in readers { reader.close() }
        _ = try? await journal.wait(for: 2)
        #expect(journal.entries == ["open", "close"])
    }

    @Test("A stream that nobody reads is neither opened nor closed")
    func unread() async {
        let (body, journal) = OwnStream.body { _ in .end }
        #expect(!body.isUsed)
        let reader = body.makeReader()
        #expect(body.isUsed)
        reader.close()
        #expect(await reader.piece().isEnd)
        #expect(journal.entries == [])
    }

    @Test("A read that blocks holds up neither the caller nor close: when it returns, its bytes are dropped and the stream is closed")
    func blocked() async throws {
        let (entered, gate) = (Journal<Int>(), DispatchSemaphore(value: 0))
        let (body, journal) = OwnStream.body { number in
            entered.add(number)
            gate.wait()
            return .bytes(Data("late".utf8))
        }
        let reader = body.makeReader()
        let pieces = Journal<Data?>()
        // Had this blocked, the semaphore would never be signalled.
        reader.read(upTo: 10) { pieces.add($0.data) }
        _ = try await entered.wait(for: 1)
        #expect(pieces.entries == [])
        reader.close()
        #expect(journal.entries == ["open"])
        gate.signal()
        #expect(try await pieces.wait(for: 1) == [nil])
        #expect(try await journal.wait(for: 2) == ["open", "close"])
        #expect(await reader.piece().isEnd && entered.count == 1)
    }

    @Test("One piece is read ahead, and no more until it is taken, whatever the number of bytes asked for")
    func ahead() async throws {
        let reads = Journal<Int>()
        let (body, _) = OwnStream.body { number in
            reads.add(number)
            return number < 4 ? .bytes(Data(repeating: UInt8(number), count: 10)) : .end
        }
        let reader = body.makeReader()
        for number in 0..<4 {
            #expect(await reader.piece(upTo: 10).data == Data(repeating: UInt8(number), count: 10))
            _ = try await reads.wait(for: number + 2)
            // Work that came later has been done.
            for _ in 0..<20 { await WorkerPool.makeTask {}.value }
            #expect(reads.count == number + 2)
        }
        #expect(await reader.piece(upTo: 10).isEnd)
        #expect(reads.count == 5)
        reader.close()
    }

    @Test("A piece that was read ahead is given in parts if fewer bytes are asked for")
    func aheadInParts() async throws {
        let reads = Journal<Int>()
        let (body, _) = OwnStream.body { number in
            reads.add(number)
            return number < 2 ? .bytes(Data((0..<10).map { UInt8($0 + number * 10) })) : .end
        }
        let reader = body.makeReader()
        #expect(await reader.piece(upTo: 10).data == Data(0..<10))
        _ = try await reads.wait(for: 2)
        #expect(await reader.piece(upTo: 4).data == Data(10..<14))
        #expect(await reader.piece(upTo: 5).data == Data(14..<19))
        #expect(await reader.piece(upTo: 5).data == Data(19..<20))
        #expect(await reader.piece(upTo: 5).isEnd)
        reader.close()
    }

    @Test("A failure that is met while reading ahead is reported when it is passed on, and not before")
    func failureAhead() async throws {
        let reads = Journal<Int>()
        let (body, journal) = OwnStream.body { number in
            reads.add(number)
            return number == 0 ? .bytes(Data("x".utf8)) : .fails
        }
        let reader = body.makeReader()
        #expect(await reader.piece(upTo: 10).data == Data("x".utf8))
        // It is closed as soon as the read has failed.
        #expect(try await journal.wait(for: 2) == ["open", "close"])
        #expect(body.failure == nil)
        #expect(await reader.piece(upTo: 10).error != nil && body.failure?.kind == .uploadBodyFailed(.streamFailed))
        #expect(reads.count == 2)
        reader.close()
    }

    @Test("Blocked streams hold up no other stream")
    func manyBlocked() async throws {
        let (entered, gate) = (Journal<Int>(), DispatchSemaphore(value: 0))
        let blocked = (0..<16).map { _ in
            OwnStream.body { number in
                entered.add(number)
                gate.wait()
                return .end
            }.body.makeReader()
        }
        let ends = Journal<Bool>()
        for reader in blocked { reader.read(upTo: 10) { ends.add($0.isEnd) } }
        _ = try await entered.wait(for: 16)
        #expect(await DrainedBody.of(UploadStream(InputStream(data: Self.content))).data == Self.content && ends.count == 0)
        for reader in blocked {
            gate.signal()
            reader.close()
        }
        #expect(try await ends.wait(for: 16) == Array(repeating: true, count: 16))
    }
}
