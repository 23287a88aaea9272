import Foundation

// In two overloads each, as on `DataRequest`.
extension DownloadRequest {
    /// Calls a handler on the main actor with the file as it was downloaded.
    @discardableResult
    public func response(completionHandler: @escaping @MainActor (DownloadResponse<URL?>) -> Void) -> Self {
        respond(with: .unserialized, delivery: .mainActor, handler: onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with the file as it was downloaded.
    @discardableResult
    public func response(queue: DispatchQueue, completionHandler: @escaping @Sendable (DownloadResponse<URL?>) -> Void) -> Self {
        respond(with: .unserialized, delivery: .queue(queue), handler: completionHandler)
    }

    /// Calls a handler on the main actor with what a serializer makes of the file.
    @discardableResult
    public func response<Serializer: DownloadResponseSerializerProtocol>(
        responseSerializer: Serializer, completionHandler: @escaping @MainActor (DownloadResponse<Serializer.SerializedObject>) -> Void
    ) -> Self {
        respond(with: DownloadResponseSerializer(responseSerializer), delivery: .mainActor, handler: onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with what a serializer makes of the file.
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

    /// Calls a handler on the main actor with the file's content.
    @discardableResult
    public func responseData(completionHandler: @escaping @MainActor (DownloadResponse<Data>) -> Void) -> Self {
        respond(with: DownloadResponseSerializer(.data), delivery: .mainActor, handler: onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with the file's content.
    @discardableResult
    public func responseData(queue: DispatchQueue, completionHandler: @escaping @Sendable (DownloadResponse<Data>) -> Void) -> Self {
        respond(with: DownloadResponseSerializer(.data), delivery: .queue(queue), handler: completionHandler)
    }

    /// Calls a handler on the main actor with the file's content as text.
    ///
    /// - Parameter encoding: nil takes the one that the response's `Content-Type` names, and ISO-8859-1 if it names none.
    @discardableResult
    public func responseString(
        encoding: String.Encoding? = nil, completionHandler: @escaping @MainActor (DownloadResponse<String>) -> Void
    ) -> Self {
        respond(
            with: DownloadResponseSerializer(.string(encoding: encoding)), delivery: .mainActor, handler: onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with the file's content as text.
    @discardableResult
    public func responseString(
        queue: DispatchQueue, encoding: String.Encoding? = nil, completionHandler: @escaping @Sendable (DownloadResponse<String>) -> Void
    ) -> Self {
        respond(with: DownloadResponseSerializer(.string(encoding: encoding)), delivery: .queue(queue), handler: completionHandler)
    }

    /// Calls a handler on the main actor with the JSON value of the file, as `JSONSerialization` makes it.
    @discardableResult
    public func responseJSON(
        options: JSONSerialization.ReadingOptions = .fragmentsAllowed,
        completionHandler: @escaping @MainActor (DownloadResponse<Any>) -> Void
    ) -> Self {
        respond(with: DownloadResponseSerializer(.json(options: options)), delivery: .mainActor, handler: onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with the JSON value of the file, as `JSONSerialization` makes it.
    @discardableResult
    public func responseJSON(
        queue: DispatchQueue, options: JSONSerialization.ReadingOptions = .fragmentsAllowed,
        completionHandler: @escaping @Sendable (DownloadResponse<Any>) -> Void
    ) -> Self {
        respond(with: DownloadResponseSerializer(.json(options: options)), delivery: .queue(queue), handler: completionHandler)
    }

    /// Calls a handler on the main actor with a value decoded from the JSON of the file.
    @discardableResult
    public func responseDecodable<Value: Decodable & SendableMetatype>(
        of type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder(),
        completionHandler: @escaping @MainActor (DownloadResponse<Value>) -> Void
    ) -> Self {
        let serializer = DownloadResponseSerializer<Value>(.decodable(of: type, decoder: decoder))
        return respond(with: serializer, delivery: .mainActor, handler: onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with a value decoded from the JSON of the file.
    @discardableResult
    public func responseDecodable<Value: Decodable & SendableMetatype>(
        queue: DispatchQueue, of type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder(),
        completionHandler: @escaping @Sendable (DownloadResponse<Value>) -> Void
    ) -> Self {
        let serializer = DownloadResponseSerializer<Value>(.decodable(of: type, decoder: decoder))
        return respond(with: serializer, delivery: .queue(queue), handler: completionHandler)
    }
}
