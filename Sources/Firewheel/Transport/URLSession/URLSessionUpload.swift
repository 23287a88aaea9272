import Foundation

/// A request's body that URLSession takes from streams: one for each time that it sends the request.
///
/// It can be used on any thread, because FoundationNetworking asks for another stream on a thread of its own.
final class URLSessionUpload: Sendable {
    private struct State {
        var pump: URLSessionBodyPump?
        var isOver = false
    }

    private let source: BodySource
    private let isRepeatable: Bool
    private let limits: URLSessionBodyLimits
    private let queue: SerialQueue
    private let onFailure: @Sendable (TransportError) -> Void
    private let state = Locked(State())

    /// - Parameters:
    ///   - queue: The driver's.
    ///   - onFailure: Called on any thread if the body cannot be sent, before URLSession notices.
    init(_ source: BodySource, of request: TransportRequest, queue: SerialQueue, onFailure: @escaping @Sendable (TransportError) -> Void) {
        self.source = source
        isRepeatable = source.isRepeatable && (request.allowsResend || !URLSessionPlatform.resendsOnlyDeadConnections)
        limits = URLSessionBodyLimits(length: source.length, idleTimeout: request.idleTimeout, deadline: request.deadline)
        self.queue = queue
        self.onFailure = onFailure
    }

    /// The number of bytes; nil if it is not known.
    var length: Int64? { limits.length }

    /// The bytes that have been sent since the request was last begun.
    ///
    /// - Parameter total: What URLSession says. FoundationNetworking adds up those of all tries.
    func sent(ofTotal total: Int64) -> Int64 {
        #if canImport(Darwin)
            total
        #else
            state.withLock { $0.pump }?.count ?? total
        #endif
    }

    /// A stream that begins with the first byte, in place of the one before; nil if the body cannot be sent again.
    func nextStream() -> InputStream? {
        let new = URLSessionBodyPump(source, limits, queue: queue, onFailure: onFailure)
        let (old, isWanted, isAllowed) = state.withLock { state in
            let (old, isWanted) = (state.pump, !state.isOver)
            let isAllowed = old == nil || isRepeatable
            if isWanted, isAllowed { state.pump = new }
            return (old, isWanted, isAllowed)
        }
        old?.end()
        guard isWanted else { return nil }
        guard isAllowed else {
            onFailure(.failed(.networkConnectionLost, "the connection was lost, and the body must not or cannot be sent again"))
            return nil
        }
        return new.makeStream(for: self)
    }

    /// Closes the reader, and wakes a thread that waits for it. Nothing more is given.
    func end() {
        let pump = state.withLock { state in
            state.isOver = true
            return state.pump
        }
        pump?.end()
    }
}

/// What limits the sending of a body.
struct URLSessionBodyLimits: Sendable {
    let length: Int64?
    let idleTimeout: TimeInterval
    let deadline: MonotonicInstant?
}

/// Counts the bytes of a body's pieces.
struct URLSessionBodyMeter {
    let length: Int64?
    private(set) var count: Int64 = 0

    init(length: Int64?) {
        self.length = length
    }

    /// The error that ends the body with this piece: its own, or that the body has another length than it should. Counts the piece if
    /// there is none.
    mutating func problem(with piece: BodyPiece) -> TransportError? {
        switch piece {
        case .data(let data):
            guard Int64(data.count) <= (length ?? .max) - count else { return wrongLength }
            count += Int64(data.count)
            return nil
        case .end: return length.map { $0 == count } ?? true ? nil : wrongLength
        case .failed(let error): return error
        }
    }

    private var wrongLength: TransportError {
        .failed(.requestBodyStreamExhausted, "the body of the request does not have the \(length ?? 0) bytes that it should have")
    }
}

extension BodySource {
    /// A reader that begins with the first byte.
    func makeURLSessionReader() -> any BodyReader {
        switch self {
        case .data(let data): URLSessionDataReader(data)
        case .file(let url, let offset, let length): URLSessionFileReader(url, offset: offset, length: length)
        case .stream(let stream): stream.makeReader()
        }
    }
}
