/// The response of a ``DataRequest`` whose errors are ``AFError``.
public typealias AFDataResponse<Success> = DataResponse<Success, AFError>
/// The response of a ``DownloadRequest`` whose errors are ``AFError``.
public typealias AFDownloadResponse<Success> = DownloadResponse<Success, AFError>
/// The result of a request whose errors are ``AFError``.
public typealias AFResult<Success> = Result<Success, AFError>

/// The response of a ``DataRequest``, with the value that a serializer made.
///
/// It is Sendable if its value is. Values of other types, such as the `Any` of `responseJSON`, are handed to the handler that asked for
/// them.
public struct DataResponse<Success, Failure: Error> {
    /// The engine's response, which builds what is seldom asked for when it is asked for. It has no value of its own.
    private let base: Firewheel.DataResponse<Void>
    /// The value, or the error.
    public let result: Result<Success, Failure>

    private init(_ base: Firewheel.DataResponse<Void>, _ result: Result<Success, Failure>) {
        self.base = base
        self.result = result
    }

    /// Creates a response, for tests and previews.
    public init(
        request: URLRequest?, response: HTTPURLResponse?, data: Data?, metrics: TaskMetrics?, serializationDuration: TimeInterval,
        result: Result<Success, Failure>
    ) {
        let timeline = Timeline(requestCompletedTime: 0, serializationCompletedTime: serializationDuration)
        let base = Firewheel.DataResponse<Void>(
            request: request, response: response, data: data, timeline: timeline, metrics: metrics, result: .success(()))
        self.init(base, result)
    }

    /// The request as first sent; nil if it could not be built.
    public var request: URLRequest? { base.request }
    /// The final response, after redirects; nil if none was received.
    public var response: HTTPURLResponse? { base.response }
    /// The body; nil if there was none.
    public var data: Data? { base.data }
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

    private func replacing<NewSuccess, NewFailure>(_ result: Result<NewSuccess, NewFailure>) -> DataResponse<NewSuccess, NewFailure> {
        DataResponse<NewSuccess, NewFailure>(base, result)
    }

    /// The response with its value transformed. A failure is kept.
    public func map<NewSuccess>(_ transform: (Success) -> NewSuccess) -> DataResponse<NewSuccess, Failure> {
        replacing(result.map(transform))
    }

    /// The response with its value transformed. An error that the closure throws becomes the failure. A failure is kept.
    public func tryMap<NewSuccess>(_ transform: (Success) throws -> NewSuccess) -> DataResponse<NewSuccess, any Error> {
        replacing(Result { try transform(result.get()) })
    }

    /// The response with its error transformed. A success is kept.
    public func mapError<NewFailure: Error>(_ transform: (Failure) -> NewFailure) -> DataResponse<Success, NewFailure> {
        replacing(result.mapError(transform))
    }

    /// The response with its error transformed. An error that the closure throws becomes the failure. A success is kept.
    public func tryMapError<NewFailure: Error>(_ transform: (Failure) throws -> NewFailure) -> DataResponse<Success, any Error> {
        replacing(result.tryTransformingError(transform))
    }
}

extension DataResponse where Failure == AFError {
    /// The response of the engine, with its error as Alamofire reports it.
    init(_ base: Firewheel.DataResponse<Success>) {
        self.init(base.replacing(.success(())), base.result.mapError { AFError(ofPipeline: $0) })
    }
}

extension DataResponse: Sendable where Success: Sendable {}

extension DataResponse: CustomStringConvertible, CustomDebugStringConvertible {
    /// The result.
    public var description: String { "\(result)" }

    /// The request and the response with header fields and bodies, the durations, and the result. Credentials are redacted.
    public var debugDescription: String { base.replacing(result.mapError { $0 as any Error }).debugDescription }
}

extension DataResponse: CustomReflectable {
    /// Empty, so that `dump` and debuggers show only the debug description: the parts contain credentials.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension Result {
    /// The result with its error transformed, or with the error that the closure throws.
    func tryTransformingError<NewFailure: Error>(_ transform: (Failure) throws -> NewFailure) -> Result<Success, any Error> {
        switch self {
        case .success(let value): return .success(value)
        case .failure(let error):
            do { return .failure(try transform(error)) } catch { return .failure(error) }
        }
    }
}
