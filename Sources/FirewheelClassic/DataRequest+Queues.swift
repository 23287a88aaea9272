import Firewheel

// Handlers on an optional queue, for code that passes on a `queue: DispatchQueue? = nil`. The parameter has no default here, because calls
// without `queue:` would be ambiguous with Firewheel's handlers on the main actor. `@preconcurrency` accepts handlers that are not
// `@Sendable`: silently in Swift 5 mode, with a warning in Swift 6 mode.
extension DataRequest {
    /// Calls a handler on a queue with the unserialized response; nil is the main queue.
    @preconcurrency
    @discardableResult
    public func response(queue: DispatchQueue?, completionHandler: @escaping @Sendable (DefaultDataResponse) -> Void) -> Self {
        response(queue: queue ?? .main, completionHandler: completionHandler)
    }

    /// Calls a handler on a queue with the response that a serializer makes; nil is the main queue.
    @preconcurrency
    @discardableResult
    public func response<Serializer: DataResponseSerializerProtocol>(
        queue: DispatchQueue?, responseSerializer: Serializer,
        completionHandler: @escaping @Sendable (DataResponse<Serializer.SerializedObject>) -> Void
    ) -> Self {
        response(queue: queue ?? .main, responseSerializer: responseSerializer, completionHandler: completionHandler)
    }

    /// Calls a handler on a queue with the body; nil is the main queue.
    @preconcurrency
    @discardableResult
    public func responseData(queue: DispatchQueue?, completionHandler: @escaping @Sendable (DataResponse<Data>) -> Void) -> Self {
        responseData(queue: queue ?? .main, completionHandler: completionHandler)
    }

    /// Calls a handler on a queue with the body as text; nil is the main queue.
    ///
    /// - Parameters:
    ///   - queue: Where the handler is called; nil is the main queue.
    ///   - encoding: Default: the encoding given by `Content-Type`, else by the byte order mark, else UTF-8, else ISO-8859-1.
    ///   - completionHandler: Called exactly once, also after a failure.
    @preconcurrency
    @discardableResult
    public func responseString(
        queue: DispatchQueue?, encoding: String.Encoding? = nil, completionHandler: @escaping @Sendable (DataResponse<String>) -> Void
    ) -> Self {
        responseString(queue: queue ?? .main, encoding: encoding, completionHandler: completionHandler)
    }

    /// Calls a handler on a queue with the body as a JSON value; nil is the main queue.
    ///
    /// - Parameters:
    ///   - queue: Where the handler is called; nil is the main queue.
    ///   - options: Default: `.fragmentsAllowed`.
    ///   - completionHandler: Called exactly once, also after a failure.
    @preconcurrency
    @discardableResult
    public func responseJSON(
        queue: DispatchQueue?, options: JSONSerialization.ReadingOptions = .fragmentsAllowed,
        completionHandler: @escaping @Sendable (DataResponse<Any>) -> Void
    ) -> Self {
        responseJSON(queue: queue ?? .main, options: options, completionHandler: completionHandler)
    }

    /// Calls a handler on a queue with the body as a property list; nil is the main queue.
    ///
    /// - Parameters:
    ///   - queue: Where the handler is called; nil is the main queue.
    ///   - options: Whether containers and strings are mutable. Default: immutable.
    ///   - completionHandler: Called exactly once, also after a failure.
    @preconcurrency
    @discardableResult
    public func responsePropertyList(
        queue: DispatchQueue?, options: PropertyListSerialization.ReadOptions = [],
        completionHandler: @escaping @Sendable (DataResponse<Any>) -> Void
    ) -> Self {
        responsePropertyList(queue: queue ?? .main, options: options, completionHandler: completionHandler)
    }
}
