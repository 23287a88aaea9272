import Firewheel

// Handlers on an optional queue, as in `DataRequest`.
extension DownloadRequest {
    /// Calls a handler on a queue with the downloaded file; nil is the main queue.
    @preconcurrency
    @discardableResult
    public func response(queue: DispatchQueue?, completionHandler: @escaping @Sendable (DefaultDownloadResponse) -> Void) -> Self {
        response(queue: queue ?? .main, completionHandler: completionHandler)
    }

    /// Calls a handler on a queue with the response that a serializer makes from the file; nil is the main queue.
    @preconcurrency
    @discardableResult
    public func response<Serializer: DownloadResponseSerializerProtocol>(
        queue: DispatchQueue?, responseSerializer: Serializer,
        completionHandler: @escaping @Sendable (DownloadResponse<Serializer.SerializedObject>) -> Void
    ) -> Self {
        response(queue: queue ?? .main, responseSerializer: responseSerializer, completionHandler: completionHandler)
    }

    /// Calls a handler on a queue with the file's content; nil is the main queue.
    @preconcurrency
    @discardableResult
    public func responseData(queue: DispatchQueue?, completionHandler: @escaping @Sendable (DownloadResponse<Data>) -> Void) -> Self {
        responseData(queue: queue ?? .main, completionHandler: completionHandler)
    }

    /// Calls a handler on a queue with the file's content as text; nil is the main queue.
    ///
    /// - Parameters:
    ///   - queue: Where the handler is called; nil is the main queue.
    ///   - encoding: Default: the encoding given by `Content-Type`, else by the byte order mark, else UTF-8, else ISO-8859-1.
    ///   - completionHandler: Called exactly once, also after a failure.
    @preconcurrency
    @discardableResult
    public func responseString(
        queue: DispatchQueue?, encoding: String.Encoding? = nil, completionHandler: @escaping @Sendable (DownloadResponse<String>) -> Void
    ) -> Self {
        responseString(queue: queue ?? .main, encoding: encoding, completionHandler: completionHandler)
    }

    /// Calls a handler on a queue with the file's content as a JSON value; nil is the main queue.
    ///
    /// - Parameters:
    ///   - queue: Where the handler is called; nil is the main queue.
    ///   - options: Default: `.fragmentsAllowed`.
    ///   - completionHandler: Called exactly once, also after a failure.
    @preconcurrency
    @discardableResult
    public func responseJSON(
        queue: DispatchQueue?, options: JSONSerialization.ReadingOptions = .fragmentsAllowed,
        completionHandler: @escaping @Sendable (DownloadResponse<Any>) -> Void
    ) -> Self {
        responseJSON(queue: queue ?? .main, options: options, completionHandler: completionHandler)
    }

    /// Calls a handler on a queue with the file's content as a property list; nil is the main queue.
    ///
    /// - Parameters:
    ///   - queue: Where the handler is called; nil is the main queue.
    ///   - options: Whether containers and strings are mutable. Default: immutable.
    ///   - completionHandler: Called exactly once, also after a failure.
    @preconcurrency
    @discardableResult
    public func responsePropertyList(
        queue: DispatchQueue?, options: PropertyListSerialization.ReadOptions = [],
        completionHandler: @escaping @Sendable (DownloadResponse<Any>) -> Void
    ) -> Self {
        responsePropertyList(queue: queue ?? .main, options: options, completionHandler: completionHandler)
    }
}
