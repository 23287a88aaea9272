import Foundation

/// Produces the pieces of a body with calls that may block. It is used by one thread at a time, and closes what it has open when it is
/// released.
protocol BlockingPieces: AnyObject {
    /// The next bytes, at most as many as asked for, which is at least 1; nil at the end of the body.
    func next(upTo count: Int) throws(FirewheelError) -> Data?
}

/// Reads a body whose pieces are produced by code that may block, on a worker queue.
///
/// It reads one piece ahead, so that a piece is read while the one before is sent, and the transport need not wait for a thread to wake up.
final class BlockingBodyReader: BodyReader {
    private typealias Answer = @Sendable (BodyPiece) -> Void

    private enum Piece: Sendable {
        case data(Data)
        case end
        case failed(FirewheelError)
    }

    private enum Phase: Sendable {
        /// Nothing was asked for yet.
        case idle
        /// A piece is being read, for a transport that waits, or else ahead.
        case reading(Answer?)
        /// The next piece, which was read ahead.
        case ready(Piece)
        /// The last piece was given, or the body is not needed.
        case over
    }

    private struct State: Sendable {
        var phase = Phase.idle
        /// The size of the pieces that the transport asks for.
        var count = 1

        var isReading: Bool { if case .reading = phase { true } else { false } }

        /// What is given of a piece. The rest of one that is larger than what was asked for is kept.
        mutating func take(_ piece: Piece) -> Piece {
            guard case .data(let data) = piece else {
                phase = .over
                return piece
            }
            guard data.count > count else {
                phase = .reading(nil)
                return piece
            }
            phase = .ready(.data(data.dropFirst(count)))
            return .data(data.prefix(count))
        }
    }

    private let queue = WorkerQueue()
    private let pieces: Confined<(any BlockingPieces)?, WorkerQueue>
    private let state = Locked(State())
    private let trailers: HTTPHeaders
    private let onFailure: @Sendable (FirewheelError) -> Void

    /// - Parameters:
    ///   - pieces: Nothing else may use them.
    ///   - trailers: The trailer fields that follow the last piece.
    ///   - onFailure: Called on any thread, before the failure is passed on.
    init(
        _ pieces: any BlockingPieces, trailers: HTTPHeaders = [:], onFailure: @escaping @Sendable (FirewheelError) -> Void = { _ in }
    ) {
        self.pieces = Confined(pieces, to: queue)
        self.trailers = trailers
        self.onFailure = onFailure
    }

    // MARK: For the transport

    func read(upTo count: Int, _ answer: @escaping @Sendable (BodyPiece) -> Void) {
        let count = max(1, count)
        let (piece, reads) = state.withLock { state -> (Piece?, Bool) in
            state.count = count
            switch state.phase {
            case .idle:
                state.phase = .reading(answer)
                return (nil, true)
            case .reading(nil):
                state.phase = .reading(answer)
                return (nil, false)
            case .ready(let piece):
                let taken = state.take(piece)
                return (taken, state.isReading)
            // A transport does not ask again before the answer.
            case .reading, .over: return (.end, false)
            }
        }
        if reads { queue.async { self.readAhead() } }
        if let piece { give(piece, to: answer) }
    }

    /// Does not wait for a read that blocks: the pieces are released behind it, on the same queue.
    func close() {
        let answer = state.withLock { state -> Answer? in
            defer { state.phase = .over }
            return if case .reading(let answer) = state.phase { answer } else { nil }
        }
        queue.async {
            self.pieces.with { $0 = nil }
            answer?(.end())
        }
    }

    private func give(_ piece: Piece, to answer: Answer) {
        switch piece {
        case .data(let data): answer(.data(data))
        case .end: answer(.end(trailers: trailers))
        case .failed(let error):
            onFailure(error)
            answer(.failed(error))
        }
    }

    // MARK: On the queue

    /// Reads pieces until there is one that nobody waits for.
    private func readAhead() {
        while let count = state.withLock({ $0.isReading ? $0.count : nil }) {
            let piece = pieces.with { Self.next(&$0, upTo: count) }
            let given = state.withLock { state -> (Answer, Piece)? in
                guard case .reading(let answer) = state.phase else { return nil }
                guard let answer else {
                    state.phase = .ready(piece)
                    return nil
                }
                return (answer, state.take(piece))
            }
            if let (answer, piece) = given { give(piece, to: answer) }
        }
    }

    private static func next(_ pieces: inout (any BlockingPieces)?, upTo count: Int) -> Piece {
        do throws(FirewheelError) {
            if let data = try pieces?.next(upTo: count) { return .data(data) }
            pieces = nil
            return .end
        } catch {
            pieces = nil
            return .failed(error)
        }
    }
}

extension BlockingPieces {
    /// Reads a whole body on the calling thread.
    ///
    /// - Parameter use: Gets each piece, in order.
    func readAll(_ use: (Data) throws(FirewheelError) -> Void) throws(FirewheelError) {
        while let piece = try next(upTo: 131_072) { try use(piece) }
    }
}
