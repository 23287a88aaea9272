import Foundation

/// A request whose response body is handed over as it arrives, and not kept.
///
/// Every handler and every sequence gets what arrives after it was attached, in order, and the next piece when it has dealt with the last:
/// the slowest of them sets the pace of the server, and memory stays flat whatever the size of the body. What nobody reads is dropped.
/// Each gets its end in its own time, in no particular order.
///
/// `validate` and `onHTTPResponse` decide when the response's head has arrived, before a byte of its body is handed over. The error of a
/// response that `validate` refuses has up to 64 KiB of its body, for which it waits as long as the idle timeout, 5 seconds at most. The
/// request is retried like any other until then, and never after a byte was handed over.
public final class DataStreamRequest: Request, StreamedRequest, @unchecked Sendable {
    // Sound like its base class: its stored properties are constants of Sendable types.

    /// Whether an element that cannot be made, such as a line that is not the expected JSON, ends the request.
    public let automaticallyCancelOnStreamError: Bool

    let sink: StreamSink

    init(call: any RequestCall, sink: StreamSink, automaticallyCancelOnStreamError: Bool) {
        self.sink = sink
        self.automaticallyCancelOnStreamError = automaticallyCancelOnStreamError
        super.init(call: call)
    }

    /// The trailer fields behind the body (RFC 9110 section 6.5), once it is complete. Empty without any.
    public var trailers: HTTPHeaders { outcome?.trailers ?? [:] }

    // MARK: Validation

    /// Rejects a response for which the closure returns a failure, before its body is handed over. The error is
    /// `responseValidationFailed(.customValidationFailed)`, with the closure's as `underlyingError`. Called on a thread that may block,
    /// unless an earlier validation has failed.
    @discardableResult
    @_disfavoredOverload  // Otherwise a multi-statement closure without a result would be taken for one with a missing `return`.
    public func validate(_ validation: @escaping @Sendable (URLRequest?, HTTPURLResponse) -> ValidationResult) -> Self {
        addHeadValidator(validation)
    }

    /// Rejects a response for which the closure returns a failure with a typed error.
    @discardableResult
    public func validate<Failure: Error>(
        _ validation: @escaping @Sendable (URLRequest?, HTTPURLResponse) -> Result<Void, Failure>
    ) -> Self {
        addHeadValidator { validation($0, $1).mapError { $0 } }
    }

    /// Rejects a response for which the closure throws an error.
    @discardableResult
    public func validate(_ validation: @escaping @Sendable (URLRequest?, HTTPURLResponse) throws -> Void) -> Self {
        addHeadValidator { request, response in Result { try validation(request, response) } }
    }
}
