import Foundation

/// What became of a ``DataRequest``, with the value that a serializer made of it.
public struct DataResponse<Value> {
    private let outcome: Outcome

    /// The body; nil if there was none.
    public let data: Data?
    /// When the request started, got its response, was complete, and had been serialized.
    public let timeline: Timeline
    /// The value, or what went wrong.
    public let result: Result<Value, any Error>

    init(outcome: Outcome, timeline: Timeline, result: Result<Value, any Error>) {
        self.outcome = outcome
        data = outcome.data
        self.timeline = timeline
        self.result = result
    }

    /// A response of your own making, for tests and previews.
    public init(
        request: URLRequest?, response: HTTPURLResponse?, data: Data?, timeline: Timeline = Timeline(), metrics: TaskMetrics? = nil,
        result: Result<Value, any Error>
    ) {
        let outcome = Outcome(
            request: request, response: response, metrics: metrics, data: data, temporaryURL: nil, destinationURL: nil)
        self.init(outcome: outcome, timeline: timeline, result: result)
    }

    /// The request as it was first sent. Built when first asked for, then kept; nil if none could be built.
    public var request: URLRequest? { outcome.request }
    /// The final response, redirects followed. Built when first asked for, then kept; nil if none was received.
    public var response: HTTPURLResponse? { outcome.response }
    /// The metrics. Built when first asked for, then kept; nil if nothing was sent.
    public var metrics: TaskMetrics? { outcome.metrics }
    /// The status code of the response.
    public var statusCode: Int? { outcome.statusCode }
    /// The response's header fields as sent: order, case, and repeated ones (`values(for:)`).
    public var headers: HTTPHeaders { outcome.headers }
    /// Seconds that it took to make the value, as the timeline has it. Zero or more.
    public var serializationDuration: TimeInterval { timeline.serializationDuration }
    /// The value, if there is one.
    public var value: Value? { try? result.get() }

    /// What went wrong, if anything did.
    public var error: (any Error)? {
        if case .failure(let error) = result { return error }
        return nil
    }
}

extension DataResponse: Sendable where Value: Sendable {}

extension DataResponse: CustomStringConvertible {
    /// The status, the size, the result, cut at 100,000 bytes, and the timeline.
    public var description: String {
        "\(statusCode.map { "status \($0)" } ?? "no response"), \(data?.count ?? 0) bytes, \(readable(result, contentType: headers["Content-Type"])), \(timeline)"
    }
}

extension DataResponse: CustomDebugStringConvertible {
    /// Everything that is known: the request and the response with their header fields and bodies, how long it took, and the result.
    /// Credentials are redacted. Bodies are shown where their media type is text of some kind and they have at most 100,000 bytes.
    public var debugDescription: String {
        let body = outcome.bodyLines(data, headers: headers)
        return outcome.report(
            body: body, content: "[Data]: \(data.map { "\($0.count) bytes" } ?? "None")", timeline: timeline, result: result)
    }
}

extension DataResponse: CustomReflectable {
    /// Nothing besides the long description, which `dump` and debuggers show: the parts hold credentials.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

// MARK: - Transformations

extension DataResponse {
    /// The same response with the value transformed. A failure stays.
    public func map<NewValue>(_ transform: (Value) -> NewValue) -> DataResponse<NewValue> {
        replacing(result.map(transform))
    }

    /// The same response with the value transformed; what the closure throws becomes the failure, as it is. A failure stays.
    public func tryMap<NewValue>(_ transform: (Value) throws -> NewValue) -> DataResponse<NewValue> {
        replacing(result.tryMap(transform))
    }

    /// The same response with the error transformed. A success stays.
    public func mapError(_ transform: (any Error) -> any Error) -> DataResponse {
        replacing(result.mapError(transform))
    }

    /// The same response with the error transformed; what the closure throws becomes the failure. A success stays.
    public func tryMapError(_ transform: (any Error) throws -> any Error) -> DataResponse {
        replacing(result.tryMapError(transform))
    }

    private func replacing<NewValue>(_ result: Result<NewValue, any Error>) -> DataResponse<NewValue> {
        DataResponse<NewValue>(outcome: outcome, timeline: timeline, result: result)
    }
}
