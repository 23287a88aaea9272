import Foundation

extension DataStreamRequest {
    /// The body as a stream for code that reads one, such as a parser. Calling this starts the request, as a handler does.
    ///
    /// The stream is to be opened, and read by one thread at a time. `read` blocks that thread until there is something to read; another
    /// thread may close the stream to end this. It must not be a thread that the request needs: that of an actor which an adapter calls,
    /// for example. At the end of the body it returns 0, and after an error -1, with the error in `streamError`. The stream has no delegate
    /// and is in no run loop.
    ///
    /// The request waits while more than `bufferSize` is to be read. Closing the stream, or releasing it, ends this; it does not cancel the
    /// request.
    ///
    /// - Parameter bufferSize: In bytes. A body up to this size is received whether it is read or not. Default: 65,536.
    public func asInputStream(bufferSize: Int = 65_536) -> InputStream { asInputStream(bufferSize: bufferSize) { $0 } }

    /// - Parameter reported: Makes the `streamError` of the request's error.
    package func asInputStream(bufferSize: Int, reporting reported: @escaping @Sendable (any Error) -> any Error) -> InputStream {
        ResponseInputStream(makeReader(), bufferSize: bufferSize, reporting: reported)
    }
}

/// A body as a stream. Every method that works on the source of Foundation's is overridden, as it has none. Safe to close from any thread.
private final class ResponseInputStream: InputStream {
    private let buffer: InputBuffer

    init(_ reader: StreamReader, bufferSize: Int, reporting reported: @escaping @Sendable (any Error) -> any Error) {
        buffer = InputBuffer(reader, size: bufferSize, reporting: reported)
        super.init(data: Data())
        buffer.fill()
    }

    deinit {
        buffer.close()
    }

    override var streamStatus: Status { buffer.status }
    override var streamError: (any Error)? { buffer.error }
    /// True until the end is known, because only reading tells whether there is more.
    override var hasBytesAvailable: Bool { buffer.status == .open }
    override func open() { buffer.open() }
    override func close() { buffer.close() }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
        self.buffer.read(to: UnsafeMutableBufferPointer(start: buffer, count: max(0, length)))
    }

    override func getBuffer(_ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length: UnsafeMutablePointer<Int>) -> Bool {
        false
    }

    override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {}
    override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {}
}

/// What has arrived for an input stream, and who waits for more.
private final class InputBuffer: Sendable {
    private enum End: Sendable {
        case complete
        case failed(any Error)
    }

    private struct State: Sendable {
        var isOpen = false
        var isClosed = false
        /// What is to be read, in pieces: the rest of the first one, and the others.
        var front = Data()
        var others = Fifo<Data>()
        /// The number of its bytes.
        var count = 0
        /// The last piece, if that exceeds the size. Whoever releases it asks the server for more.
        var piece: StreamPiece?
        /// What follows.
        var end: End?
        /// Whether somebody takes pieces, or waits for one.
        var isFilling = false
        /// Whether a thread waits for something to read.
        var isWaiting = false

        mutating func append(_ data: Data) {
            others.append(data)
            count += data.count
        }

        mutating func copy(to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
            var copied = 0
            while copied < buffer.count {
                if front.isEmpty {
                    guard let next = others.popFirst() else { break }
                    front = next
                }
                let part = front.copyBytes(to: UnsafeMutableBufferPointer(rebasing: buffer[copied...]))
                front = front.dropFirst(part)
                copied += part
            }
            count -= copied
            return copied
        }

        mutating func takeWaiting() -> Bool {
            defer { isWaiting = false }
            return isWaiting
        }
    }

    private let reader: StreamReader
    private let size: Int
    private let reported: @Sendable (any Error) -> any Error
    private let state = Locked(State())
    private let isReady = DispatchSemaphore(value: 0)

    init(_ reader: StreamReader, size: Int, reporting reported: @escaping @Sendable (any Error) -> any Error) {
        self.reader = reader
        self.size = max(0, size)
        self.reported = reported
    }

    var status: Stream.Status {
        state.withLock { state in
            if state.isClosed { return .closed }
            guard state.isOpen else { return .notOpen }
            switch state.end {
            case .complete where state.count == 0: return .atEnd
            case .failed where state.count == 0: return .error
            default: return .open
            }
        }
    }

    var error: (any Error)? {
        state.withLock { state in
            if state.count == 0, case .failed(let error) = state.end { error } else { nil }
        }
    }

    func open() { state.withLock { $0.isOpen = true } }

    /// Lets the request go on without this reader, and ends a waiting `read`.
    func close() {
        let (piece, isWaiting) = state.withLock { state in
            state.isClosed = true
            (state.front, state.others, state.count) = (Data(), Fifo(), 0)
            return (state.piece.take(), state.takeWaiting())
        }
        if isWaiting { isReady.signal() }
        // Outside the lock, because releasing a piece calls the transport.
        withExtendedLifetime(piece) {}
        reader.abandon()
        reader.end(nil)
    }

    // MARK: Filling

    /// Takes what has arrived and what comes, as long as there is room, unless somebody does.
    func fill() {
        let isMine = state.withLock { state in
            defer { state.isFilling = true }
            return !state.isFilling
        }
        if isMine { goOn() }
    }

    private func goOn() {
        while takesMore() {
            guard let next = reader.take(orWake: { [weak self] in self?.goOn() }) else { return }
            add(next)
        }
    }

    private func takesMore() -> Bool {
        state.withLock { state in
            state.isFilling = !state.isClosed && state.end == nil && state.piece == nil
            return state.isFilling
        }
    }

    private func add(_ next: StreamReader.Next) {
        var end: End?
        if case .ended(let error) = next { end = error.map { .failed(reported($0)) } ?? .complete }
        let isWaiting = state.withLock { state in
            guard !state.isClosed else { return false }
            state.end = end
            if case .piece(let piece) = next, case .data(let data) = piece.take() {
                state.append(data)
                if state.count > size { state.piece = piece }
            }
            return (state.count > 0 || end != nil) && state.takeWaiting()
        }
        if isWaiting { isReady.signal() }
    }

    // MARK: Reading

    func read(to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        while true {
            var (count, piece) = state.withLock { state -> (Int?, StreamPiece?) in
                guard state.isOpen, !state.isClosed else { return (-1, nil) }
                if state.count > 0 {
                    let count = state.copy(to: buffer)
                    return (count, state.count > size ? nil : state.piece.take())
                }
                switch state.end {
                case .complete: return (0, nil)
                case .failed: return (-1, nil)
                case nil: state.isWaiting = true
                }
                return (nil, nil)
            }
            if piece != nil {
                // Outside the lock, because releasing a piece calls the transport.
                piece = nil
                fill()
            }
            if let count { return count }
            isReady.wait()
        }
    }
}
