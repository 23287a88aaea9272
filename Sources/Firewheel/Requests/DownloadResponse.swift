import Foundation

/// The response of a ``DownloadRequest``, with the value that a serializer made from its file.
public struct DownloadResponse<Value> {
    private let outcome: Outcome

    /// When the request started, received its response, completed, and was serialized.
    public let timeline: Timeline
    /// The value, or the error.
    public let result: Result<Value, any Error>

    init(outcome: Outcome, timeline: Timeline, result: Result<Value, any Error>) {
        self.outcome = outcome
        self.timeline = timeline
        self.result = result
    }

    /// Creates a response, for tests and previews.
    public init(
        request: URLRequest?, response: HTTPURLResponse?, temporaryURL: URL? = nil, destinationURL: URL? = nil,
        resumeData: Data? = nil, timeline: Timeline = Timeline(), metrics: TaskMetrics? = nil, result: Result<Value, any Error>
    ) {
        let outcome = Outcome(
            request: request, response: response, metrics: metrics, data: nil, temporaryURL: temporaryURL, destinationURL: destinationURL,
            resumeData: resumeData)
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
    /// The file's URL: its destination, or in the temporary folder. nil after a failure, which removes the file.
    ///
    /// A file in the temporary folder is yours, to be moved or removed, as soon as you have its URL: by reading this property,
    /// ``temporaryURL`` or `DownloadRequest.fileURL`, or as the value of `response`, `responseURL`, `serializingDownloadedFileURL` or a
    /// serializer of yours that is given the URL and succeeds. If nobody gets the URL, as with `serializingDecodable` and its value, the
    /// file is removed with the request and its last response.
    public var fileURL: URL? { outcome.claimFile() }
    /// The temporary file. It no longer exists if it was moved to a destination. Reading this makes it yours, as with ``fileURL``.
    public var temporaryURL: URL? {
        _ = outcome.claimFile()
        return outcome.temporaryURL
    }
    /// The file's destination, if one was given.
    public var destinationURL: URL? { outcome.destinationURL }
    /// After a failure or `cancel(producingResumeData:)`: the data for `Session.download(resumingWith:to:)`; nil if the download cannot be
    /// resumed. It is a secret if the URL is one.
    public var resumeData: Data? { outcome.resumeData }
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

extension DownloadResponse: Sendable where Value: Sendable {}

extension DownloadResponse: CustomStringConvertible {
    /// The status, the file's path, the result (truncated at 100,000 bytes), and the timeline.
    public var description: String {
        let status = statusCode.map { "status \($0)" } ?? "no response"
        let outcome = readable(result, contentType: headers.singleton("Content-Type"))
        return "\(status), \(self.outcome.file?.path ?? "no file"), \(outcome), \(timeline)"
    }
}

extension DownloadResponse: CustomDebugStringConvertible {
    /// The request and the response with header fields, the request's body, the file's path, the durations, and the result. Credentials are
    /// redacted. The file is not read.
    public var debugDescription: String {
        outcome.report(
            body: ["None: it is in the file"], content: "[File]: \(outcome.file?.path ?? "None")", timeline: timeline, result: result)
    }
}

extension DownloadResponse: CustomReflectable {
    /// Empty, so that `dump` and debuggers show only the debug description: the parts contain credentials.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

// MARK: - Transformations

extension DownloadResponse {
    /// The response with its value transformed. A failure is kept.
    public func map<NewValue>(_ transform: (Value) -> NewValue) -> DownloadResponse<NewValue> {
        replacing(result.map(transform))
    }

    /// The response with its value transformed. An error that the closure throws becomes the failure. A failure is kept.
    public func tryMap<NewValue>(_ transform: (Value) throws -> NewValue) -> DownloadResponse<NewValue> {
        replacing(result.tryMap(transform))
    }

    /// The response with its error transformed. A success is kept.
    public func mapError(_ transform: (any Error) -> any Error) -> DownloadResponse {
        replacing(result.mapError(transform))
    }

    /// The response with its error transformed. An error that the closure throws becomes the failure. A success is kept.
    public func tryMapError(_ transform: (any Error) throws -> any Error) -> DownloadResponse {
        replacing(result.tryMapError(transform))
    }

    /// The response with another result.
    package func replacing<NewValue>(_ result: Result<NewValue, any Error>) -> DownloadResponse<NewValue> {
        DownloadResponse<NewValue>(outcome: outcome, timeline: timeline, result: result)
    }
}
