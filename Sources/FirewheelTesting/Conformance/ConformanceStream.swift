import Firewheel
import Foundation

/// A request's body in the pieces that a case determines. It records how a transport uses its readers.
final class ConformanceStream: BodyStream {
    /// How a reader answers.
    enum Manner: CaseIterable {
        /// Before `read` returns.
        case atOnce
        case onAnotherThread
        /// A moment later, on another thread.
        case later
    }

    /// What a transport asks a reader for.
    struct Ask {
        /// The number of the question to this reader, from 0 on.
        var number: Int
        /// The bytes that this reader has given before.
        var offset: Int
        /// The most bytes to give.
        var count: Int
    }

    private struct ReaderState {
        var asks = 0
        var offset = 0
        var isAsking = false
        var isAtEnd = false
        var closes = 0
    }

    private struct State {
        var readers: [ReaderState] = []
        var given = 0
        var violations: [String] = []
        /// The question that waits for ``give(_:within:)``.
        var waiting: (reader: Int, answer: @Sendable (BodyPiece) -> Void)?
    }

    let length: Int64?
    let isRepeatable: Bool
    private let manner: Manner
    private let piece: @Sendable (Ask) -> BodyPiece?
    private let state = Guarded(State())

    /// - Parameter piece: The answer to a question, called on the transport's thread; nil for one that ``give(_:within:)`` answers.
    init(length: Int64?, isRepeatable: Bool = false, _ manner: Manner = .atOnce, _ piece: @escaping @Sendable (Ask) -> BodyPiece?) {
        self.length = length
        self.isRepeatable = isRepeatable
        self.manner = manner
        self.piece = piece
    }

    /// - Parameter pieces: The most bytes of a piece.
    convenience init(
        _ body: Data, length: Int64?, pieces: Int = .max, _ manner: Manner = .atOnce, trailers: HTTPHeaders = [:],
        isRepeatable: Bool = false
    ) {
        self.init(length: length, isRepeatable: isRepeatable, manner) { ask in
            let piece = body.dropFirst(ask.offset).prefix(min(pieces, ask.count))
            return piece.isEmpty ? .end(trailers: trailers) : .data(Data(piece))
        }
    }

    func makeReader() -> any BodyReader {
        let number = state.change { state in
            state.readers.append(ReaderState())
            return state.readers.count - 1
        }
        return Reader(stream: self, number: number)
    }

    // MARK: For cases

    /// The bytes that all readers have given.
    var given: Int { state.with { $0.given } }

    /// How many readers were made.
    var readerCount: Int { state.with { $0.readers.count } }

    /// Waits until a reader is asked for a piece that only ``give(_:within:)`` answers.
    func waitForRead(seconds: TimeInterval) -> Bool {
        state.wait(timeout: seconds) { $0.waiting == nil ? nil : true } ?? false
    }

    /// Answers a question for which there was no piece, once there is one.
    ///
    /// - Returns: False if none came in time.
    @discardableResult
    func give(_ piece: BodyPiece, within seconds: TimeInterval) -> Bool {
        let waiting = state.wait(timeout: seconds) { $0.waiting.take() }
        guard let waiting else { return false }
        answer(piece, of: waiting.reader, waiting.answer)
        return true
    }

    /// What a transport has done wrong with the readers, or failed to do within the time: each must be closed once.
    func problem(within seconds: TimeInterval) -> String? {
        let isClosed = state.wait(timeout: seconds) { $0.readers.allSatisfy { $0.closes > 0 } ? true : nil }
        if isClosed == nil { return "the reader of a body was not closed" }
        return state.with { $0.violations.first }
    }

    // MARK: For readers

    private func ask(_ reader: Int, _ count: Int, _ answer: @escaping @Sendable (BodyPiece) -> Void) {
        let ask = state.change { state in
            let now = state.readers[reader]
            if count < 1 { state.violations.append("a reader was asked for \(count) bytes") }
            if now.isAsking { state.violations.append("a reader was asked again before its answer") }
            if now.isAtEnd { state.violations.append("a reader was asked again after the end of its body") }
            if now.closes > 0 { state.violations.append("a reader was asked for a piece after it was closed") }
            state.readers[reader].asks += 1
            state.readers[reader].isAsking = true
            return Ask(number: now.asks, offset: now.offset, count: count)
        }
        guard let piece = piece(ask) else { return state.change { $0.waiting = (reader, answer) } }
        switch manner {
        case .atOnce: self.answer(piece, of: reader, answer)
        case .onAnotherThread: DispatchQueue.global().async { self.answer(piece, of: reader, answer) }
        case .later: DispatchQueue.global().asyncAfter(deadline: .now() + 0.001) { self.answer(piece, of: reader, answer) }
        }
    }

    private func answer(_ piece: BodyPiece, of reader: Int, _ answer: @Sendable (BodyPiece) -> Void) {
        state.change { state in
            state.readers[reader].isAsking = false
            switch piece {
            case .data(let data):
                state.readers[reader].offset += data.count
                state.given += data.count
            case .end, .failed: state.readers[reader].isAtEnd = true
            }
        }
        answer(piece)
    }

    private func close(_ reader: Int) {
        state.change { state in
            state.readers[reader].closes += 1
            if state.readers[reader].closes > 1 { state.violations.append("a reader was closed twice") }
        }
    }

    private final class Reader: BodyReader {
        let stream: ConformanceStream
        let number: Int

        init(stream: ConformanceStream, number: Int) {
            self.stream = stream
            self.number = number
        }

        func read(upTo count: Int, _ answer: @escaping @Sendable (BodyPiece) -> Void) { stream.ask(number, count, answer) }

        func close() { stream.close(number) }
    }
}
