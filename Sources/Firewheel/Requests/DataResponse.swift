import Foundation

/// The response of a ``DataRequest``, with the value that a serializer made.
public struct DataResponse<Value> {
    private let outcome: Outcome

    /// The body; nil if there was none.
    public let data: Data?
    /// When the request started, received its response, completed, and was serialized.
    public let timeline: Timeline
    /// The value, or the error.
    public let result: Result<Value, any Error>

    init(outcome: Outcome, timeline: Timeline, result: Result<Value, any Error>) {
        self.outcome = outcome
        data = outcome.data
        self.timeline = timeline
        self.result = result
    }

    /// Creates a response, for tests and previews.
    public init(
        request: URLRequest?, response: HTTPURLResponse?, data: Data?, timeline: Timeline = Timeline(), metrics: TaskMetrics? = nil,
        result: Result<Value, any Error>
    ) {
        let outcome = Outcome(
            request: request, response: response, metrics: metrics, data: data, temporaryURL: nil, destinationURL: nil)
        self.init(outcome: outcome, timeline: timeline, result: result)
    }

    /// The request as first sent. Built on first access; nil if it could not be built.
    public var request: URLRequest? { outcome.request }
    /// The final response, after redirects. Built on first access; nil if none was received.
    public var response: HTTPURLResponse? { outcome.response }
    /// The metrics. Built on first access; nil if nothing was sent.
    public var metrics: TaskMetrics? { outcome.metrics }
    /// The status code of the response.
    public var statusCode: Int? { outcome.statusCode }
    /// The response's header fields as sent: with order, case, and repeated fields (`values(for:)`).
    public var headers: HTTPHeaders { outcome.headers }
    /// The trailer fields behind the body (RFC 9110 section 6.5), without those that trailers may not have. Empty without any, and with
    /// URLSession, which does not report them.
    public var trailers: HTTPHeaders { outcome.trailers }
    /// Whether the response comes from the network or from the session's cache. ``ResponseSource/network`` without a cache, and if there is
    /// no response.
    public var source: ResponseSource { outcome.source }
    /// The seconds spent on serialization, from the timeline. Never negative.
    public var serializationDuration: TimeInterval { timeline.serializationDuration }
    /// The value; nil after a failure.
    public var value: Value? { try? result.get() }

    /// The error; nil after a success.
    public var error: (any Error)? {
        if case .failure(let error) = result { return error }
        return nil
    }
}

extension DataResponse: Sendable where Value: Sendable {}

extension DataResponse: CustomStringConvertible {
    /// The status, the size, the result (truncated at 100,000 bytes), and the timeline.
    public var description: String {
        let status = statusCode.map { "status \($0)" } ?? "no response"
        let outcome = readable(result, contentType: headers.singleton("Content-Type"))
        return "\(status), \(data?.count ?? 0) bytes, \(outcome), \(timeline)"
    }
}

extension DataResponse: CustomDebugStringConvertible {
    /// The request and the response with header fields and bodies, the durations, and the result. Credentials are redacted. Bodies are
    /// shown if their media type is textual and they have at most 100,000 bytes.
    public var debugDescription: String {
        let body = outcome.bodyLines(data, headers: headers)
        return outcome.report(
            body: body, content: "[Data]: \(data.map { "\($0.count) bytes" } ?? "None")", timeline: timeline, result: result)
    }
}

extension DataResponse: CustomReflectable {
    /// Empty, so that `dump` and debuggers show only the debug description: the parts contain credentials.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

// MARK: - Transformations

extension DataResponse {
    /// The response with its value transformed. A failure is kept.
    public func map<NewValue>(_ transform: (Value) -> NewValue) -> DataResponse<NewValue> {
        replacing(result.map(transform))
    }

    /// The response with its value transformed. An error that the closure throws becomes the failure. A failure is kept.
    public func tryMap<NewValue>(_ transform: (Value) throws -> NewValue) -> DataResponse<NewValue> {
        replacing(result.tryMap(transform))
    }

    /// The response with its error transformed. A success is kept.
    public func mapError(_ transform: (any Error) -> any Error) -> DataResponse {
        replacing(result.mapError(transform))
    }

    /// The response with its error transformed. An error that the closure throws becomes the failure. A success is kept.
    public func tryMapError(_ transform: (any Error) throws -> any Error) -> DataResponse {
        replacing(result.tryMapError(transform))
    }

    /// The response with another result.
    package func replacing<NewValue>(_ result: Result<NewValue, any Error>) -> DataResponse<NewValue> {
        DataResponse<NewValue>(outcome: outcome, timeline: timeline, result: result)
    }
}
