import Foundation

/// What became of a ``DownloadRequest``, with the value that a serializer made of its file.
public struct DownloadResponse<Value> {
    private let outcome: Outcome

    /// When the request started, got its response, was complete, and had been serialized.
    public let timeline: Timeline
    /// The value, or what went wrong.
    public let result: Result<Value, any Error>

    init(outcome: Outcome, timeline: Timeline, result: Result<Value, any Error>) {
        self.outcome = outcome
        self.timeline = timeline
        self.result = result
    }

    /// A response of your own making, for tests and previews.
    public init(
        request: URLRequest?, response: HTTPURLResponse?, temporaryURL: URL? = nil, destinationURL: URL? = nil,
        timeline: Timeline = Timeline(), metrics: TaskMetrics? = nil, result: Result<Value, any Error>
    ) {
        let outcome = Outcome(
            request: request, response: response, metrics: metrics, data: nil, temporaryURL: temporaryURL, destinationURL: destinationURL)
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
    /// Where the file is: at its destination, or in the temporary folder, then yours to move or remove. nil after a failure: the file is
    /// gone.
    public var fileURL: URL? { outcome.destinationURL ?? outcome.temporaryURL }
    /// Where the file was received. It is there no longer if it has a destination.
    public var temporaryURL: URL? { outcome.temporaryURL }
    /// Where the file was moved, if a destination was given.
    public var destinationURL: URL? { outcome.destinationURL }
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

extension DownloadResponse: Sendable where Value: Sendable {}

extension DownloadResponse: CustomStringConvertible {
    /// The status, where the file is, the result, cut at 100,000 bytes, and the timeline.
    public var description: String {
        "\(statusCode.map { "status \($0)" } ?? "no response"), \(fileURL?.path ?? "no file"), \(readable(result, contentType: headers["Content-Type"])), \(timeline)"
    }
}

extension DownloadResponse: CustomDebugStringConvertible {
    /// Everything that is known: the request and the response with their header fields, the request's body, where the file is, how long it
    /// took, and the result. Credentials are redacted. The file is not read.
    public var debugDescription: String {
        outcome.report(
            body: ["None: it is in the file"], content: "[File]: \(fileURL?.path ?? "None")", timeline: timeline, result: result)
    }
}

extension DownloadResponse: CustomReflectable {
    /// Nothing besides the long description, which `dump` and debuggers show: the parts hold credentials.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

// MARK: - Transformations

extension DownloadResponse {
    /// The same response with the value transformed. A failure stays.
    public func map<NewValue>(_ transform: (Value) -> NewValue) -> DownloadResponse<NewValue> {
        replacing(result.map(transform))
    }

    /// The same response with the value transformed; what the closure throws becomes the failure, as it is. A failure stays.
    public func tryMap<NewValue>(_ transform: (Value) throws -> NewValue) -> DownloadResponse<NewValue> {
        replacing(result.tryMap(transform))
    }

    /// The same response with the error transformed. A success stays.
    public func mapError(_ transform: (any Error) -> any Error) -> DownloadResponse {
        replacing(result.mapError(transform))
    }

    /// The same response with the error transformed; what the closure throws becomes the failure. A success stays.
    public func tryMapError(_ transform: (any Error) throws -> any Error) -> DownloadResponse {
        replacing(result.tryMapError(transform))
    }

    private func replacing<NewValue>(_ result: Result<NewValue, any Error>) -> DownloadResponse<NewValue> {
        DownloadResponse<NewValue>(outcome: outcome, timeline: timeline, result: result)
    }
}
