import Foundation

/// Produces the pieces of a body with calls that may block. It is used by one thread at a time, and closes what it has open when it is
/// released.
protocol BlockingPieces: AnyObject {
    /// The next bytes, at most as many as asked for, which is at least 1; nil at the end of the body.
    func next(upTo count: Int) throws(FirewheelError) -> Data?
}

/// Reads a body whose pieces are produced by code that may block, on a worker queue.
final class BlockingBodyReader: BodyReader {
    private let queue = WorkerQueue()
    private let pieces: Confined<(any BlockingPieces)?, WorkerQueue>
    private let isClosed = Locked(false)
    private let trailers: HTTPHeaders
    private let onFailure: @Sendable (FirewheelError) -> Void

    /// - Parameters:
    ///   - pieces: Nothing else may use them.
    ///   - trailers: The trailer fields that follow the last piece.
    ///   - onFailure: Called on a worker thread, before the failure is passed on.
    init(
        _ pieces: any BlockingPieces, trailers: HTTPHeaders = [:], onFailure: @escaping @Sendable (FirewheelError) -> Void = { _ in }
    ) {
        self.pieces = Confined(pieces, to: queue)
        self.trailers = trailers
        self.onFailure = onFailure
    }

    func read(upTo count: Int, _ answer: @escaping @Sendable (BodyPiece) -> Void) {
        queue.async { answer(self.next(upTo: max(1, count))) }
    }

    /// Does not wait for a read that blocks: the pieces are released behind it, on the same queue.
    func close() {
        isClosed.withLock { $0 = true }
        queue.async { self.pieces.with { $0 = nil } }
    }

    private func next(upTo count: Int) -> BodyPiece {
        guard !isClosed.withLock({ $0 }) else { return .end() }
        return pieces.with { pieces in
            do throws(FirewheelError) {
                if let data = try pieces?.next(upTo: count) { return .data(data) }
                pieces = nil
                return .end(trailers: trailers)
            } catch {
                pieces = nil
                onFailure(error)
                return .failed(error)
            }
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
