import Foundation

/// A request's body that is compressed while it is sent. Its trailer fields, its failures and whether it can be sent again are those of the
/// body inside.
struct CompressedBody: BodyStream {
    let source: BodySource
    let coding: DeflateRequestCompressor.Coding

    /// Not known before all is compressed.
    var length: Int64? { nil }
    var isRepeatable: Bool { source.isRepeatable }

    func makeReader() -> any BodyReader { CompressedBodyReader(source.makeReader(), length: source.length, coding) }
}

/// Asks the reader inside for a piece whenever no compressed bytes are left, and compresses it on a worker queue.
private final class CompressedBodyReader: BodyReader {
    typealias Answer = @Sendable (BodyPiece) -> Void

    /// The size of the pieces that the reader inside is asked for.
    private static let pieceSize = 65_536

    private enum Step {
        case answer(Answer, BodyPiece)
        /// Ask the reader inside, with the number of the question.
        case ask(any BodyReader, Int)
        case wait
    }

    private let queue = WorkerQueue()
    private let state: Confined<CompressedBodyState, WorkerQueue>

    init(_ source: any BodyReader, length: Int64?, _ coding: DeflateRequestCompressor.Coding) {
        state = Confined(CompressedBodyState(source: source, length: length, coding: coding), to: queue)
    }

    func read(upTo count: Int, _ answer: @escaping Answer) {
        queue.async {
            self.state.with { $0.waiting = (max(1, count), answer) }
            self.proceed()
        }
    }

    func close() {
        queue.async {
            guard let source = self.state.with({ $0.source.take() }) else { return }
            source.close()
            self.state.with { $0.finish(with: .end()) }
            self.proceed()
        }
    }

    private func proceed() {
        switch state.with(Self.next) {
        case .answer(let answer, let piece): answer(piece)
        case .ask(let source, let number):
            source.read(upTo: Self.pieceSize) { piece in
                self.queue.async {
                    guard self.state.with({ $0.take(piece, number) }) else { return }
                    self.proceed()
                }
            }
        case .wait: break
        }
    }

    private static func next(_ state: inout CompressedBodyState) -> Step {
        guard let (count, answer) = state.waiting else { return .wait }
        if let piece = state.nextPiece(upTo: count) {
            state.waiting = nil
            return .answer(answer, piece)
        }
        return state.source.map { .ask($0, state.asked) } ?? .wait
    }
}

/// What is compressed, and what is waited for.
private struct CompressedBodyState {
    /// The reader inside; nil once it is closed. It may hold what waits for its answer.
    var source: (any BodyReader)?
    /// The question of the one who reads this body.
    var waiting: (count: Int, answer: @Sendable (BodyPiece) -> Void)?
    /// How many questions the reader inside has answered.
    private(set) var asked = 0

    private let length: Int64?
    private let coding: DeflateRequestCompressor.Coding
    private var compressor: BodyCompressor?
    private var compressed = Data()
    /// What follows the compressed bytes.
    private var end: BodyPiece?
    private var received: Int64 = 0

    init(source: any BodyReader, length: Int64?, coding: DeflateRequestCompressor.Coding) {
        self.source = source
        self.length = length
        self.coding = coding
    }

    /// nil if the reader inside must be asked first.
    mutating func nextPiece(upTo count: Int) -> BodyPiece? {
        guard !compressed.isEmpty else { return end }
        guard compressed.count > count else {
            defer { compressed = Data() }
            return .data(compressed)
        }
        defer { compressed = compressed.dropFirst(count) }
        return .data(compressed.prefix(count))
    }

    /// Compresses a piece of the body inside.
    ///
    /// - Returns: False for an answer that comes twice, or after the end. It is ignored.
    mutating func take(_ piece: BodyPiece, _ number: Int) -> Bool {
        guard number == asked, end == nil else { return false }
        asked += 1
        do {
            try compress(piece)
        } catch {
            finish(with: .failed(.failed(.unknown, "\(error)")))
        }
        return true
    }

    private mutating func compress(_ piece: BodyPiece) throws {
        switch piece {
        case .data(let data):
            received += Int64(data.count)
            if let length, received > length { return finish(with: .wrongLength(length)) }
            try makeCompressor().compress(data, to: &compressed)
        case .end:
            if let length, received != length { return finish(with: .wrongLength(length)) }
            try makeCompressor().finish(to: &compressed)
            compressor = nil
            end = piece
        case .failed: finish(with: piece)
        }
    }

    /// Drops the compressed bytes.
    mutating func finish(with piece: BodyPiece) {
        compressor = nil
        compressed = Data()
        end = piece
    }

    /// Created with the first piece, on the worker queue.
    private mutating func makeCompressor() throws -> BodyCompressor {
        if let compressor { return compressor }
        let made = try BodyCompressor(coding)
        compressor = made
        return made
    }
}

extension BodyPiece {
    fileprivate static func wrongLength(_ length: Int64) -> BodyPiece {
        .failed(
            .failed(.requestBodyStreamExhausted, "the body of the request does not have the \(length) bytes that it should have"))
    }
}
