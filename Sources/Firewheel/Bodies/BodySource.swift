import Foundation

/// Where the body of a request comes from (``TransportRequest/bodySource``).
public enum BodySource: Sendable {
    /// Bytes in memory.
    case data(Data)
    /// Bytes of a file, from an offset on. They are read while the body is sent. A file that has fewer of them by then is an error, as is a
    /// negative number.
    indirect case file(URL, offset: Int64 = 0, length: Int64)
    /// Pieces that are made while the body is sent.
    case stream(any BodyStream)

    /// The number of bytes; nil if it is not known. Then HTTP/1.1 sends the body in chunks (RFC 9112 section 7.1).
    public var length: Int64? {
        switch self {
        case .data(let data): Int64(data.count)
        case .file(_, _, let length): length
        case .stream(let stream): stream.length
        }
    }

    /// Whether the same bytes can be sent again, on another connection for example.
    public var isRepeatable: Bool {
        switch self {
        case .data, .file: true
        case .stream(let stream): stream.isRepeatable
        }
    }

    /// Whether all bytes are in memory.
    var isData: Bool { if case .data = self { true } else { false } }

    /// All bytes if they are in memory; nil for other sources.
    var data: Data? { if case .data(let data) = self { data } else { nil } }

    /// The error for numbers that no body can have.
    var problemOfNumbers: TransportError? {
        let isPossible =
            switch self {
            case .data: true
            case .file(_, let offset, let length): offset >= 0 && length >= 0 && !offset.addingReportingOverflow(length).overflow
            case .stream(let stream): stream.length ?? 0 >= 0
            }
        return isPossible ? nil : .failed(.requestBodyStreamExhausted, "the length or the offset of the request's body is not valid")
    }
}

/// A request's body in pieces, which are made on demand.
public protocol BodyStream: Sendable {
    /// The number of bytes of all pieces together; nil if it is not known. It is an error if the pieces have more or fewer, or if it is
    /// negative.
    var length: Int64? { get }

    /// Whether each reader gives the same bytes.
    var isRepeatable: Bool { get }

    /// Begins with the first byte. Called once for each time that the request is sent, on the transport's thread: must not block.
    func makeReader() -> any BodyReader
}

/// Gives the pieces of one ``BodyStream`` in order.
public protocol BodyReader: AnyObject, Sendable {
    /// Asks for the next piece. A transport asks again only after the answer, and only when it has room: that is the back-pressure.
    ///
    /// Called on the transport's thread: must not block. The answer may come later, and on any thread.
    ///
    /// - Parameters:
    ///   - count: The most bytes that the piece may have; at least 1.
    ///   - answer: To be called once.
    func read(upTo count: Int, _ answer: @escaping @Sendable (BodyPiece) -> Void)

    /// Nothing more is asked for, because the body is sent or not needed. Called once, perhaps before an answer: must not block.
    func close()
}

/// A piece of a request's body.
public enum BodyPiece: Sendable {
    /// The next bytes. Empty data is no progress: the transport asks again.
    case data(Data)
    /// The body is complete. The trailer fields are sent behind it if the protocol has a place for them: HTTP/1.1 behind a body of unknown
    /// length (RFC 9112 section 7.1.2). Those that trailers may not have are left out (RFC 9110 section 6.5.1); an invalid one is an error.
    case end(trailers: HTTPHeaders = [:])
    /// There is no next piece. The exchange fails with this error.
    case failed(TransportError)
}
