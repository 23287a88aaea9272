import Foundation

// Each has two overloads, as in `DataRequest`.
extension DownloadRequest {
    /// Calls a handler on the main actor with the downloaded file.
    @discardableResult
    public func response(completionHandler: @escaping @MainActor (DownloadResponse<URL?>) -> Void) -> Self {
        respond(with: .unserialized, delivery: .mainActor, handler: onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with the downloaded file.
    @discardableResult
    public func response(queue: DispatchQueue, completionHandler: @escaping @Sendable (DownloadResponse<URL?>) -> Void) -> Self {
        respond(with: .unserialized, delivery: .queue(queue), handler: completionHandler)
    }

    /// Calls a handler on the main actor with the response that a serializer makes from the file.
    @discardableResult
    public func response<Serializer: DownloadResponseSerializerProtocol>(
        responseSerializer: Serializer, completionHandler: @escaping @MainActor (DownloadResponse<Serializer.SerializedObject>) -> Void
    ) -> Self {
        respond(with: DownloadResponseSerializer(responseSerializer), delivery: .mainActor, handler: onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with the response that a serializer makes from the file.
    @discardableResult
    public func response<Serializer: DownloadResponseSerializerProtocol>(
        queue: DispatchQueue, responseSerializer: Serializer,
        completionHandler: @escaping @Sendable (DownloadResponse<Serializer.SerializedObject>) -> Void
    ) -> Self {
        respond(with: DownloadResponseSerializer(responseSerializer), delivery: .queue(queue), handler: completionHandler)
    }

    /// Calls a handler on the main actor with the file's URL.
    @discardableResult
    public func responseURL(completionHandler: @escaping @MainActor (DownloadResponse<URL>) -> Void) -> Self {
        respond(with: .url, delivery: .mainActor, handler: onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with the file's URL.
    @discardableResult
    public func responseURL(queue: DispatchQueue, completionHandler: @escaping @Sendable (DownloadResponse<URL>) -> Void) -> Self {
        respond(with: .url, delivery: .queue(queue), handler: completionHandler)
    }
}
