/// The response of a ``DownloadRequest``, with the value that a serializer made from its file.
///
/// It is Sendable if its value is.
public struct DownloadResponse<Success, Failure: Error> {
    /// The engine's response, which builds what is seldom asked for when it is asked for. It has no value of its own.
    private let base: Firewheel.DownloadResponse<Void>
    /// The value, or the error.
    public let result: Result<Success, Failure>

    private init(_ base: Firewheel.DownloadResponse<Void>, _ result: Result<Success, Failure>) {
        self.base = base
        self.result = result
    }

    /// Creates a response, for tests and previews.
    public init(
        request: URLRequest?, response: HTTPURLResponse?, fileURL: URL?, resumeData: Data?, metrics: TaskMetrics?,
        serializationDuration: TimeInterval, result: Result<Success, Failure>
    ) {
        let timeline = Timeline(requestCompletedTime: 0, serializationCompletedTime: serializationDuration)
        let base = Firewheel.DownloadResponse<Void>(
            request: request, response: response, destinationURL: fileURL, resumeData: resumeData, timeline: timeline, metrics: metrics,
            result: .success(()))
        self.init(base, result)
    }

    /// The request as first sent; nil if it could not be built.
    public var request: URLRequest? { base.request }
    /// The final response, after redirects; nil if none was received.
    public var response: HTTPURLResponse? { base.response }
    /// The file's URL: its destination, or in the temporary folder, where it is the caller's to be moved or removed. nil after a failure.
    public var fileURL: URL? { base.fileURL }
    /// After a failure or `cancel(producingResumeData:)`: the data with which the download can be resumed; nil if it cannot.
    public var resumeData: Data? { base.resumeData }
    /// The metrics; nil if nothing was sent.
    public var metrics: TaskMetrics? { base.metrics }
    /// The seconds spent on serialization.
    public var serializationDuration: TimeInterval { base.serializationDuration }
    /// The value; nil after a failure.
    public var value: Success? { try? result.get() }

    /// The error; nil after a success.
    public var error: Failure? {
        if case .failure(let error) = result { return error }
        return nil
    }

    private func replacing<NewSuccess, NewFailure>(_ result: Result<NewSuccess, NewFailure>) -> DownloadResponse<NewSuccess, NewFailure> {
        DownloadResponse<NewSuccess, NewFailure>(base, result)
    }

    /// The response with its value transformed. A failure is kept.
    public func map<NewSuccess>(_ transform: (Success) -> NewSuccess) -> DownloadResponse<NewSuccess, Failure> {
        replacing(result.map(transform))
    }

    /// The response with its value transformed. An error that the closure throws becomes the failure. A failure is kept.
    public func tryMap<NewSuccess>(_ transform: (Success) throws -> NewSuccess) -> DownloadResponse<NewSuccess, any Error> {
        replacing(Result { try transform(result.get()) })
    }

    /// The response with its error transformed. A success is kept.
    public func mapError<NewFailure: Error>(_ transform: (Failure) -> NewFailure) -> DownloadResponse<Success, NewFailure> {
        replacing(result.mapError(transform))
    }

    /// The response with its error transformed. An error that the closure throws becomes the failure. A success is kept.
    public func tryMapError<NewFailure: Error>(_ transform: (Failure) throws -> NewFailure) -> DownloadResponse<Success, any Error> {
        replacing(result.tryTransformingError(transform))
    }
}

extension DownloadResponse where Failure == AFError {
    /// The response of the engine, with its error as Alamofire reports it.
    init(_ base: Firewheel.DownloadResponse<Success>) {
        self.init(base.replacing(.success(())), base.result.mapError { AFError(ofPipeline: $0) })
    }
}

extension DownloadResponse: Sendable where Success: Sendable {}

extension DownloadResponse: CustomStringConvertible, CustomDebugStringConvertible {
    /// The result.
    public var description: String { "\(result)" }

    /// The request and the response with header fields, the file's path, the durations, and the result. Credentials are redacted.
    public var debugDescription: String { base.replacing(result.mapError { $0 as any Error }).debugDescription }
}

extension DownloadResponse: CustomReflectable {
    /// Empty, so that `dump` and debuggers show only the debug description: the parts contain credentials.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
