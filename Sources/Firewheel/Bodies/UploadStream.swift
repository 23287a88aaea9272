import Foundation

/// An `InputStream` as the body of an upload. It is opened, read and closed on a worker queue, because each of these may block.
final class UploadStream: UploadBody {
    let length: Int64?
    let isRepeatable = false

    private let source: StreamSource
    private let trailers: HTTPHeaders
    private let record = UploadRecord()

    /// - Parameters:
    ///   - stream: One that is open is read on from where it is.
    ///   - length: The number of bytes; nil if it is not known. Default: nil.
    ///   - trailers: The trailer fields that follow the body. Default: none.
    init(_ stream: sending InputStream, length: Int64? = nil, trailers: HTTPHeaders = [:]) {
        source = StreamSource(stream)
        self.length = length
        self.trailers = trailers
    }

    var failure: FirewheelError? { record.failure }
    var isUsed: Bool { record.isUsed }

    func makeReader() -> any BodyReader {
        let onFailure = record.addReader().onFailure
        guard let stream = source.take() else { return UsedBodyReader(onFailure: onFailure) }
        return BlockingBodyReader(StreamPieces(stream, length: length), trailers: trailers, onFailure: onFailure)
    }
}

/// A stream until somebody takes it to read it, once.
final class StreamSource: Sendable {
    private let stream: Locked<Handover<InputStream>?>

    init(_ stream: sending InputStream) {
        self.stream = Locked(Handover(stream))
    }

    /// nil if it was taken before. Whoever gets it is its only user.
    func take() -> InputStream? {
        stream.withLock { $0.take() }?.take()
    }
}

/// The bytes of a stream, which must have exactly the given length if there is one.
final class StreamPieces: BlockingPieces {
    private let stream: InputStream
    private var remaining: Int64?
    private let length: Int64?
    private var hasBegun = false

    init(_ stream: InputStream, length: Int64?) {
        self.stream = stream
        self.length = length
        remaining = length
    }

    deinit {
        if hasBegun { stream.close() }
    }

    func next(upTo count: Int) throws(FirewheelError) -> Data? {
        try begin()
        let read = PieceMemory.shared.data(upTo: count) { stream.read($0.assumingMemoryBound(to: UInt8.self), maxLength: count) }
        guard let read else { throw failure(POSIXError(.ENOMEM)) }
        guard let data = read.data else {
            guard read.result == 0 else { throw failure(read.result < 0 ? error() : WrongCount()) }
            if let remaining, remaining > 0 { throw mismatch("fewer", read: 0) }
            return nil
        }
        if let remaining {
            guard Int64(data.count) <= remaining else { throw mismatch("more", read: data.count) }
            self.remaining = remaining - Int64(data.count)
        }
        return data
    }

    private func begin() throws(FirewheelError) {
        if hasBegun { return }
        switch stream.streamStatus {
        case .closed: throw failure(ClosedStream())
        case .notOpen: stream.open()
        default: break
        }
        hasBegun = true
    }

    /// The stream's own error. Outside Apple's systems Foundation traps if there is none, so that only a stream that reports one is asked.
    private func error() -> (any Error)? {
        stream.streamStatus == .error ? stream.streamError : nil
    }

    private func failure(_ cause: (any Error)?) -> FirewheelError {
        FirewheelError(.uploadBodyFailed(.streamFailed), underlyingError: cause)
    }

    /// - Parameter read: The number of bytes of the last piece.
    private func mismatch(_ words: String, read: Int) -> FirewheelError {
        let length = length ?? 0
        return .bodyMismatch(words, length: length)
            .with(subject: .length(announced: length, read: length - (remaining ?? 0) + Int64(read)))
    }

    private struct WrongCount: Error, CustomStringConvertible {
        let description = "read(_:maxLength:) returned more than maxLength"
    }

    private struct ClosedStream: Error, CustomStringConvertible {
        let description = "it is closed"
    }
}

extension FirewheelError {
    /// The error of a body whose pieces do not have the announced length.
    static func bodyMismatch(_ words: String, length: Int64) -> FirewheelError {
        FirewheelError(.uploadBodyFailed(.lengthMismatch), detail: "the body has \(words) bytes than its length, \(length)")
    }
}
