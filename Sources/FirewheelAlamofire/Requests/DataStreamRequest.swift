/// A request whose response body is handed over as it arrives, and not kept.
///
/// Every handler and every sequence gets what arrives after it was attached, in order, and the next piece when it has dealt with the last:
/// the slowest of them sets the pace of the server, and memory stays flat whatever the size of the body.
///
/// `validate` and `onHTTPResponse` decide when the response's head has arrived: of a response that they reject, nothing is handed over. The
/// request is retried like any other until then, and never after a byte was handed over.
public final class DataStreamRequest: Request, @unchecked Sendable {
    // Sound like its base class.

    /// A closure that is called with each element of a stream, and with its end. If it throws, the request ends with its error.
    public typealias Handler<Success, Failure: Error> = @Sendable (Stream<Success, Failure>) throws -> Void
    /// Validates a response: with the request and the response.
    public typealias Validation = @Sendable (_ request: URLRequest?, _ response: HTTPURLResponse) -> ValidationResult

    let streamBase: Firewheel.DataStreamRequest
    /// What makes the `URLRequest`.
    public let convertible: any URLRequestConvertible
    /// Whether an element that cannot be made cancels the request.
    public let automaticallyCancelOnStreamError: Bool

    init(
        _ base: Firewheel.DataStreamRequest, convertible: any URLRequestConvertible, automaticallyCancelOnStreamError: Bool,
        settings: RequestSettings
    ) {
        streamBase = base
        self.convertible = convertible
        self.automaticallyCancelOnStreamError = automaticallyCancelOnStreamError
        super.init(base, settings: settings)
    }

    // MARK: Validation

    /// Rejects a response for which the closure returns a failure.
    @preconcurrency
    @discardableResult
    public func validate(_ validation: @escaping Validation) -> Self {
        streamBase.validate { request, response -> Firewheel.Request.ValidationResult in
            validation(request, response).mapError { $0 }
        }
        return self
    }

    // MARK: Elements

    /// Called with every element that a serializer has made, just before it is delivered. Data that is handed over as it arrives has none.
    func didMake<Success>(_ result: Result<Success, AFError>) {
        didParse(result)
        if case .failure = result, automaticallyCancelOnStreamError { cancel() }
    }

    // MARK: Reading

    /// The body as a stream for code that reads one. Calling this starts the request, also in a session that starts none.
    ///
    /// The stream is to be opened, and read by one thread at a time. `read` blocks that thread until there is something to read; another
    /// thread may close the stream to end this. It must not be a thread that the request needs, such as the main thread if an interceptor
    /// or `onHTTPResponse` is called there. At the end of the body it returns 0, and after an error -1, with an ``AFError`` in
    /// `streamError`. The stream has no delegate and is in no run loop.
    ///
    /// The request waits while more than `bufferSize` is to be read. Closing the stream, or releasing it, ends this; it does not cancel the
    /// request.
    ///
    /// - Parameter bufferSize: In bytes. A body up to this size is received whether it is read or not. Default: 1,024.
    /// - Returns: The stream; never nil.
    public func asInputStream(bufferSize: Int = 1_024) -> InputStream? {
        willAttach()
        let stream = streamBase.asInputStream(bufferSize: bufferSize) { AFError(ofPipeline: $0) }
        resume()
        return stream
    }
}
