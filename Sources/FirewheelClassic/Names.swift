import Firewheel

/// `Session` under its name in Alamofire 4.
public typealias SessionManager = Session

/// Header fields, as Alamofire 4 has them. In files that import only this module it hides Firewheel's ordered list of the same name.
public typealias HTTPHeaders = [String: String]

/// The response of a `DataRequest` without a serializer: the received body.
public typealias DefaultDataResponse = DataResponse<Data?>

/// The response of a `DownloadRequest` without a serializer: the downloaded file.
public typealias DefaultDownloadResponse = DownloadResponse<URL?>

extension DownloadRequest {
    /// Options for moving a file to its destination.
    public typealias DownloadOptions = Options
    /// Returns the destination of a downloaded file.
    public typealias DownloadFileDestination = Destination
}

extension DataResponse {
    /// The response with its value transformed. An error that the closure throws becomes the failure. A failure is kept.
    public func flatMap<NewValue>(_ transform: (Value) throws -> NewValue) -> DataResponse<NewValue> {
        tryMap(transform)
    }

    /// The response with its error transformed. An error that the closure throws becomes the failure. A success is kept.
    public func flatMapError<NewError: Error>(_ transform: (any Error) throws -> NewError) -> DataResponse {
        tryMapError(transform)
    }
}

extension DownloadResponse {
    /// The response with its value transformed. An error that the closure throws becomes the failure. A failure is kept.
    public func flatMap<NewValue>(_ transform: (Value) throws -> NewValue) -> DownloadResponse<NewValue> {
        tryMap(transform)
    }

    /// The response with its error transformed. An error that the closure throws becomes the failure. A success is kept.
    public func flatMapError<NewError: Error>(_ transform: (any Error) throws -> NewError) -> DownloadResponse {
        tryMapError(transform)
    }
}
