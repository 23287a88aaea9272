import Foundation

/// One reader of a streamed body: a queue of pieces, which the reader takes when it is ready for them.
final class StreamReader: Sendable {
    /// What a reader gets next.
    enum Next: Sendable {
        /// A piece, or the end of the body. Whoever releases it asks the server for more.
        case piece(StreamPiece)
        /// The request has ended, and nothing more comes.
        case ended((any Error)?)
    }

    private struct State {
        var pieces = Fifo<StreamPiece>()
        /// Called once when there is something to take.
        var waiting: [@Sendable () -> Void] = []
        /// Whether contents are kept without their pieces, which the transport waits for.
        var keepsContents: Bool
        /// The last piece that was kept before somebody read.
        weak var kept: StreamPiece?
        var isAbandoned = false
        /// Whether the request is suspended.
        var isPaused = false
        var end: Next?

        mutating func takeWaiting() -> [@Sendable () -> Void] {
            defer { waiting = [] }
            return waiting
        }
    }

    /// How many pieces may wait for a reader that needs them apart, until small ones are joined.
    private static let mostApart = 1_000

    private let state: Locked<State>
    /// Weak, because the sink retains its readers: both go with a request that is never started.
    private weak let sink: StreamSink?
    private let needsPiecesApart: Bool

    /// - Parameters:
    ///   - needsPiecesApart: Whether the reader's elements are whole pieces, so that these may not be joined while they wait.
    ///   - keepsUnread: Whether everything is kept in memory until the first piece is taken, so that a reader that does not read does not
    ///     hold up the others.
    init(of sink: StreamSink, needsPiecesApart: Bool = false, keepsUnread: Bool = false) {
        self.sink = sink
        self.needsPiecesApart = needsPiecesApart
        state = Locked(State(keepsContents: keepsUnread))
        sink.add(self)
    }

    // MARK: For the sink

    func receive(_ piece: StreamPiece) {
        let waiting = state.withLock { state -> [@Sendable () -> Void] in
            guard !state.isAbandoned else { return [] }
            if state.keepsContents { keep(piece.take(), in: &state) } else { state.pieces.append(piece) }
            return state.isPaused ? [] : state.takeWaiting()
        }
        for wake in waiting { wake() }
    }

    /// Keeps the content of a piece without the piece itself.
    private func keep(_ content: StreamPiece.Content, in state: inout State) {
        switch content {
        case .data(let data):
            if !needsPiecesApart, state.kept?.append(data) == true { return }
            let piece = StreamPiece(data) { _ in }
            state.kept = piece
            state.pieces.append(piece)
        case .messages(let messages):
            state.kept = nil
            state.pieces.append(StreamPiece(messages, onRelease: { _ in }))
        case .end(let isComplete): state.pieces.append(StreamPiece(endOf: isComplete) {})
        }
    }

    /// Whether pieces may not be joined for now. Called under the sink's lock.
    var keepsPiecesApart: Bool { needsPiecesApart && state.withLock { $0.pieces.count < Self.mostApart } }

    /// Drops the pieces that were not taken.
    func abandon() {
        let dropped = state.withLock { state in
            state.isAbandoned = true
            defer { state.pieces = Fifo() }
            return state.pieces
        }
        // Outside the lock, because releasing a piece calls the transport.
        withExtendedLifetime(dropped) {}
    }

    /// Has the reader wait, or be ready for `wake()`. Called under the sink's lock.
    func follow(isPaused: Bool) { state.withLock { $0.isPaused = isPaused } }

    func wake() {
        for wake in state.withLock({ $0.takeWaiting() }) { wake() }
    }

    /// Handles that the request has ended. It comes after the end of the body, if that was passed.
    func end(_ error: (any Error)?) {
        sink?.remove(self)
        let waiting = state.withLock { state in
            if state.end == nil { state.end = .ended(error) }
            // What a reader has kept may be read, also if the end came before the sink could tell that the request was resumed.
            state.isPaused = false
            return state.takeWaiting()
        }
        for wake in waiting { wake() }
    }

    // MARK: For the one who reads

    /// Whether what was already taken may be delivered: the request is neither suspended nor over.
    var isFlowing: Bool { state.withLock { !$0.isPaused && !$0.isAbandoned } }

    /// Whether the request was cancelled or has failed, so that nothing that was already taken may be delivered.
    var isAbandoned: Bool { state.withLock { $0.isAbandoned } }

    /// Whether the request is suspended, so that what was already taken may not be delivered yet.
    var isPaused: Bool { state.withLock { $0.isPaused } }

    /// Waits while the request is suspended.
    ///
    /// - Parameter wake: Called once, on any thread, when it may be suspended no longer.
    /// - Returns: False if it is not suspended, or has ended. Then `wake` is not called.
    func waitWhilePaused(orWake wake: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard state.isPaused, !state.isAbandoned, state.end == nil else { return false }
            state.waiting.append(wake)
            return true
        }
    }

    /// Takes the next piece.
    ///
    /// - Parameter wake: Called once, on any thread, when there may be one, if there is none now.
    /// - Returns: nil if there is none.
    func take(orWake wake: @escaping @Sendable () -> Void) -> Next? {
        state.withLock { state in
            state.keepsContents = false
            // A suspended request's end is delivered: it was cancelled, or has failed.
            if state.pieces.isEmpty, let end = state.end { return end }
            if !state.pieces.isEmpty, !state.isPaused, let piece = state.pieces.popFirst() { return .piece(piece) }
            state.waiting.append(wake)
            return nil
        }
    }
}
