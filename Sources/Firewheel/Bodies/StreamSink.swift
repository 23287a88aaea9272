import Foundation

/// Hands a response body over to its readers in pieces, and tells the transport that a piece was consumed when every reader has let go of
/// it. So the slowest reader sets the pace of the server.
///
/// Locks are taken in this order: a reader's, the sink's, and the one that `follow(isPaused:)` takes.
final class StreamSink: Sendable {
    private struct State {
        var readers: [StreamReader] = []
        var isPaused = false
        /// Whether pieces are dropped, because the request has ended.
        var isAbandoned = false
    }

    private let state = Locked(State())

    init() {}

    // MARK: For the readers

    /// Adds a reader, which gets every piece from now on.
    func add(_ reader: StreamReader) {
        let isAbandoned = state.withLock { state in
            state.readers.append(reader)
            return state.isAbandoned
        }
        if isAbandoned { reader.abandon() }
    }

    func remove(_ reader: StreamReader) {
        let removed = state.withLock { state in
            state.readers.firstIndex { $0 === reader }.map { state.readers.remove(at: $0) }
        }
        withExtendedLifetime(removed) {}
    }

    var isPaused: Bool { state.withLock { $0.isPaused } }

    // MARK: For the call

    /// Passes a piece to every reader.
    ///
    /// - Parameter consumed: Called when all of them have let go of it, on any thread.
    func write(_ piece: Data, consumed: @escaping @Sendable () -> Void) {
        pass(StreamPiece(.data(piece), onRelease: consumed))
    }

    /// Passes the end of the body to every reader.
    ///
    /// - Parameters:
    ///   - isComplete: Whether the body is complete, and not cut off by an error.
    ///   - consumed: Called when all of them have consumed everything, on any thread.
    func finish(isComplete: Bool, consumed: @escaping @Sendable () -> Void) {
        pass(StreamPiece(.end(isComplete: isComplete), onRelease: consumed))
    }

    private func pass(_ piece: StreamPiece) {
        let readers = state.withLock { $0.isAbandoned ? [] : $0.readers }
        for reader in readers { reader.receive(piece) }
    }

    /// Drops what no reader has taken yet, and what still comes.
    func abandon() {
        let readers = state.withLock { state in
            state.isAbandoned = true
            return state.readers
        }
        for reader in readers { reader.abandon() }
    }

    /// Has readers wait while the request is suspended.
    ///
    /// - Parameter isPaused: Called under the lock, so that of two concurrent changes the last one counts.
    func follow(isPaused: () -> Bool) {
        let readers = state.withLock { state -> [StreamReader] in
            state.isPaused = isPaused()
            return state.isPaused ? [] : state.readers
        }
        for reader in readers { reader.wake() }
    }
}

/// A piece of a body, or its end, until every reader has consumed it.
final class StreamPiece: Sendable {
    enum Content: Sendable {
        case data(Data)
        case end(isComplete: Bool)
    }

    let content: Content
    private let onRelease: @Sendable () -> Void

    init(_ content: Content, onRelease: @escaping @Sendable () -> Void) {
        self.content = content
        self.onRelease = onRelease
    }

    deinit {
        onRelease()
    }
}
