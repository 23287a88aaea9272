import Foundation

/// Hands a response body over to its readers in pieces, and tells the transport that a piece was consumed when every reader has let go of
/// it. So the slowest reader sets the pace of the server.
///
/// Under the sink's lock are taken those of its readers, and the one that `follow(isPaused:)` takes.
final class StreamSink: Sendable {
    private struct State {
        var readers: [StreamReader] = []
        var isPaused = false
        /// Whether pieces are dropped, because the request has ended.
        var isAbandoned = false
        /// The last piece, if every reader has it and nothing has followed.
        weak var last: StreamPiece?
        /// What waits for the first reader; nil if nothing does.
        var held: [StreamPiece]?
    }

    private let state: Locked<State>

    /// - Parameter waitsForReader: Whether what arrives before the first reader waits for it. Default: false, it is dropped.
    init(waitsForReader: Bool = false) {
        state = Locked(State(held: waitsForReader ? [] : nil))
    }

    // MARK: For the readers

    /// Adds a reader, which gets every piece from now on.
    func add(_ reader: StreamReader) {
        let isAbandoned = state.withLock { state in
            state.readers.append(reader)
            reader.follow(isPaused: state.isPaused)
            // Nobody waits for a new reader yet, so that none is called under the lock.
            for piece in state.held.take() ?? [] { reader.receive(piece) }
            state.last = nil
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

    // MARK: For the call

    /// Passes a piece to every reader.
    ///
    /// - Parameter consumed: Called with a number of bytes when all of them have let go of these, on any thread.
    func write(_ piece: Data, consumed: @escaping @Sendable (Int) -> Void) {
        // Small pieces are joined while nobody takes them, so that a slow reader's queue stays short whatever the server sends.
        let (isJoined, last) = state.withLock { state in
            let last = state.last
            guard !state.readers.contains(where: \.keepsPiecesApart) else { return (false, last) }
            return (last?.append(piece) ?? false, last)
        }
        if !isJoined { pass(StreamPiece(piece, onRelease: consumed)) }
        // Outside the lock, because releasing a piece calls the transport.
        withExtendedLifetime(last) {}
    }

    /// Passes messages of a WebSocket to every reader.
    ///
    /// - Parameter consumed: Called with their cost when all of them have let go of these, on any thread.
    func write(_ messages: [WebSocketMessage], consumed: @escaping @Sendable (Int) -> Void) {
        pass(StreamPiece(messages, onRelease: consumed))
    }

    /// Passes the end of the body to every reader.
    ///
    /// - Parameters:
    ///   - isComplete: Whether the body is complete, and not cut off by an error.
    ///   - consumed: Called when all of them have consumed everything, on any thread.
    func finish(isComplete: Bool, consumed: @escaping @Sendable () -> Void) {
        // The request's end does not wait for a reader that may never come.
        let isHeld = state.withLock { state in
            state.held?.append(StreamPiece(endOf: isComplete) {})
            return state.held != nil
        }
        if isHeld { consumed() } else { pass(StreamPiece(endOf: isComplete, onRelease: consumed)) }
    }

    private func pass(_ piece: StreamPiece) {
        let readers = state.withLock { state -> [StreamReader] in
            state.last = piece
            if !state.isAbandoned, state.held?.append(piece) != nil { return [] }
            return state.isAbandoned ? [] : state.readers
        }
        for reader in readers { reader.receive(piece) }
    }

    /// Drops what no reader has taken yet, and what still comes.
    func abandon() {
        let (readers, held) = state.withLock { state -> ([StreamReader], [StreamPiece]?) in
            state.isAbandoned = true
            return (state.readers, state.held.take())
        }
        for reader in readers { reader.abandon() }
        withExtendedLifetime(held) {}
    }

    /// Has readers wait while the request is suspended.
    ///
    /// - Parameter isPaused: Called under the lock, so that of two concurrent changes the last one counts.
    func follow(isPaused: () -> Bool) {
        let readers = state.withLock { state -> [StreamReader] in
            state.isPaused = isPaused()
            for reader in state.readers { reader.follow(isPaused: state.isPaused) }
            return state.isPaused ? [] : state.readers
        }
        for reader in readers { reader.wake() }
    }
}

/// A piece of a body, or its end, until every reader has consumed it.
final class StreamPiece: Sendable {
    enum Content: Sendable {
        case data(Data)
        case messages([WebSocketMessage])
        case end(isComplete: Bool)
    }

    private struct State {
        var data: Data
        var isTaken = false
    }

    /// The most bytes that are joined to others, and the most that are joined.
    private static let joined = (part: 4_096, whole: 65_536)

    private let state: Locked<State>
    /// nil for a piece of the body.
    private let isComplete: Bool?
    /// Those of a WebSocket, which are not joined; nil for a body.
    private let messages: [WebSocketMessage]?
    private let onRelease: @Sendable (Int) -> Void

    /// - Parameter onRelease: Called with the number of bytes.
    init(_ data: Data, onRelease: @escaping @Sendable (Int) -> Void) {
        state = Locked(State(data: data))
        isComplete = nil
        messages = nil
        self.onRelease = onRelease
    }

    /// - Parameter onRelease: Called with the cost of all messages.
    init(_ messages: [WebSocketMessage], onRelease: @escaping @Sendable (Int) -> Void) {
        state = Locked(State(data: Data()))
        isComplete = nil
        self.messages = messages
        self.onRelease = onRelease
    }

    init(endOf isComplete: Bool, onRelease: @escaping @Sendable () -> Void) {
        state = Locked(State(data: Data()))
        self.isComplete = isComplete
        messages = nil
        self.onRelease = { _ in onRelease() }
    }

    deinit {
        onRelease(messages.map { $0.reduce(0) { $0 + $1.cost } } ?? state.withLock { $0.data.count })
    }

    /// Adds the bytes that follow.
    ///
    /// - Returns: False if a reader has taken the piece, or it is large.
    func append(_ more: Data) -> Bool {
        guard isComplete == nil, messages == nil, more.count <= Self.joined.part else { return false }
        return state.withLock { state in
            guard !state.isTaken, state.data.count + more.count <= Self.joined.whole else { return false }
            state.data.append(more)
            return true
        }
    }

    /// The content, to which nothing is added from now on.
    func take() -> Content {
        if let isComplete { return .end(isComplete: isComplete) }
        if let messages { return .messages(messages) }
        return state.withLock { state in
            state.isTaken = true
            return .data(state.data)
        }
    }
}
