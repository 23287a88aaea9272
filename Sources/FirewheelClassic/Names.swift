import Firewheel

/// Makes requests: `Session` under the name that it had.
public typealias SessionManager = Session

/// What `DataRequest` gives to a handler without a serializer: the body as it came.
public typealias DefaultDataResponse = DataResponse<Data?>

/// What `DownloadRequest` gives to a handler without a serializer: the file as it was downloaded.
public typealias DefaultDownloadResponse = DownloadResponse<URL?>

extension DownloadRequest {
    /// What may be done on the way to a destination.
    public typealias DownloadOptions = Options
    /// Says where a downloaded file is to go.
    public typealias DownloadFileDestination = Destination
}

extension DataResponse {
    /// The same response with the value transformed; what the closure throws becomes the failure, as it is. A failure stays.
    public func flatMap<NewValue>(_ transform: (Value) throws -> NewValue) -> DataResponse<NewValue> {
        tryMap(transform)
    }

    /// The same response with the error transformed; what the closure throws becomes the failure. A success stays.
    public func flatMapError<NewError: Error>(_ transform: (any Error) throws -> NewError) -> DataResponse {
        tryMapError(transform)
    }
}

extension DownloadResponse {
    /// The same response with the value transformed; what the closure throws becomes the failure, as it is. A failure stays.
    public func flatMap<NewValue>(_ transform: (Value) throws -> NewValue) -> DownloadResponse<NewValue> {
        tryMap(transform)
    }

    /// The same response with the error transformed; what the closure throws becomes the failure. A success stays.
    public func flatMapError<NewError: Error>(_ transform: (any Error) throws -> NewError) -> DownloadResponse {
        tryMapError(transform)
    }
}
