import Foundation

/// The async sequences of a ``DataStreamRequest``. Creating one attaches it, which starts the request.
public struct DataStreamTask: Sendable {
    /// The request. Its `response`, `metrics` and `trailers` are complete once a sequence has ended.
    public let request: DataStreamRequest

    init(_ request: DataStreamRequest) {
        self.request = request
    }

    // In all of these, `automaticallyCancelling` decides whether the request is cancelled when the sequence is left or released before its
    // end, or when the iterating task is cancelled. Otherwise the request goes on, what comes is dropped, and the loop of a cancelled task
    // ends with `CancellationError`.

    /// The body in the pieces in which it arrives.
    public func streamingData(automaticallyCancelling: Bool = true) -> StreamOf<Data> {
        StreamOf(request, cancelsAutomatically: automaticallyCancelling) { DataFraming() }
    }

    /// The text of the body as it arrives: UTF-8 whatever the response declares. No character's bytes are split, a byte order mark is
    /// removed, and bytes that are not UTF-8 become U+FFFD (the Encoding standard's UTF-8 decode).
    public func streamingStrings(automaticallyCancelling: Bool = true) -> StreamOf<String> {
        StreamOf(request, cancelsAutomatically: automaticallyCancelling) { TextFraming() }
    }

    /// The lines of the body as text, without their ends: LF, CRLF, CR or the end of the body. Empty lines count.
    ///
    /// - Parameters:
    ///   - maximumLength: The most bytes of a line. A longer one ends the sequence: `responseStreamFailed(.lineTooLong)`. Default: 1 MiB.
    ///   - automaticallyCancelling: Whether leaving the sequence cancels the request. Default: true.
    public func streamingLines(
        maximumLength: Int = DataStreamRequest.defaultMaximumLineLength, automaticallyCancelling: Bool = true
    ) -> StreamOf<String> {
        StreamOf(request, cancelsAutomatically: automaticallyCancelling) { LineFraming(maximumLength: maximumLength) }
    }

    /// The value decoded from each line of the body (NDJSON, JSON Lines). Blank lines are skipped. A line that cannot be decoded ends the
    /// sequence with `responseSerializationFailed(.decodingFailed)`.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - decoder: Default: nil, which means the ``SessionConfiguration/decoder`` of the session.
    ///   - maximumLength: The most bytes of a line. A longer one ends the sequence: `responseStreamFailed(.lineTooLong)`. Default: 1 MiB.
    ///   - automaticallyCancelling: Whether leaving the sequence cancels the request. Default: true.
    public func streamingDecodables<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, decoder: (any DataDecoder)? = nil,
        maximumLength: Int = DataStreamRequest.defaultMaximumLineLength, automaticallyCancelling: Bool = true
    ) -> StreamOf<Value> {
        StreamOf(request, cancelsAutomatically: automaticallyCancelling) { [request] in request.framing(maximumLength, decoder) }
    }

    /// Cancels the request.
    public func cancel() { request.cancel() }
    /// Resumes the request.
    public func resume() { request.resume() }
    /// Suspends the request.
    public func suspend() { request.suspend() }
}

extension DataStreamRequest {
    /// The async sequences of the response's body.
    public func streamTask() -> DataStreamTask { DataStreamTask(self) }
}
