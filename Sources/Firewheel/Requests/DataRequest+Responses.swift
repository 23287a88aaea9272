import Foundation

// Each in two overloads, one for the main actor and one for a queue. A `queue:` with a default would do for both in Swift 5; in Swift 6 the
// commonest use, `self.users = ...` in a view model, would not compile with it.
extension DataRequest {
    /// Calls a handler on the main actor with the response as it came.
    @discardableResult
    public func response(completionHandler: @escaping @MainActor (DataResponse<Data?>) -> Void) -> Self {
        respond(with: .unserialized, delivery: .mainActor, handler: onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with the response as it came.
    @discardableResult
    public func response(queue: DispatchQueue, completionHandler: @escaping @Sendable (DataResponse<Data?>) -> Void) -> Self {
        respond(with: .unserialized, delivery: .queue(queue), handler: completionHandler)
    }

    /// Calls a handler on the main actor with what a serializer makes of the response.
    @discardableResult
    public func response<Serializer: DataResponseSerializerProtocol>(
        responseSerializer: Serializer, completionHandler: @escaping @MainActor (DataResponse<Serializer.SerializedObject>) -> Void
    ) -> Self {
        respond(with: DataResponseSerializer(responseSerializer), delivery: .mainActor, handler: onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with what a serializer makes of the response.
    @discardableResult
    public func response<Serializer: DataResponseSerializerProtocol>(
        queue: DispatchQueue, responseSerializer: Serializer,
        completionHandler: @escaping @Sendable (DataResponse<Serializer.SerializedObject>) -> Void
    ) -> Self {
        respond(with: DataResponseSerializer(responseSerializer), delivery: .queue(queue), handler: completionHandler)
    }

    /// Calls a handler on the main actor with the body: ``DataResponseSerializer/data(emptyResponseCodes:emptyRequestMethods:)``.
    @discardableResult
    public func responseData(completionHandler: @escaping @MainActor (DataResponse<Data>) -> Void) -> Self {
        respond(with: .data, delivery: .mainActor, handler: onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with the body.
    @discardableResult
    public func responseData(queue: DispatchQueue, completionHandler: @escaping @Sendable (DataResponse<Data>) -> Void) -> Self {
        respond(with: .data, delivery: .queue(queue), handler: completionHandler)
    }

    /// Calls a handler on the main actor with the body as text.
    ///
    /// - Parameter encoding: nil takes the one that the response's `Content-Type` names, and ISO-8859-1 if it names none.
    @discardableResult
    public func responseString(
        encoding: String.Encoding? = nil, completionHandler: @escaping @MainActor (DataResponse<String>) -> Void
    ) -> Self {
        respond(with: .string(encoding: encoding), delivery: .mainActor, handler: onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with the body as text.
    @discardableResult
    public func responseString(
        queue: DispatchQueue, encoding: String.Encoding? = nil, completionHandler: @escaping @Sendable (DataResponse<String>) -> Void
    ) -> Self {
        respond(with: .string(encoding: encoding), delivery: .queue(queue), handler: completionHandler)
    }

    /// Calls a handler on the main actor with the JSON value of the body, as `JSONSerialization` makes it.
    @discardableResult
    public func responseJSON(
        options: JSONSerialization.ReadingOptions = .fragmentsAllowed, completionHandler: @escaping @MainActor (DataResponse<Any>) -> Void
    ) -> Self {
        respond(with: .json(options: options), delivery: .mainActor, handler: onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with the JSON value of the body, as `JSONSerialization` makes it.
    @discardableResult
    public func responseJSON(
        queue: DispatchQueue, options: JSONSerialization.ReadingOptions = .fragmentsAllowed,
        completionHandler: @escaping @Sendable (DataResponse<Any>) -> Void
    ) -> Self {
        respond(with: .json(options: options), delivery: .queue(queue), handler: completionHandler)
    }

    /// Calls a handler on the main actor with a value decoded from the JSON of the body.
    @discardableResult
    public func responseDecodable<Value: Decodable & SendableMetatype>(
        of type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder(),
        completionHandler: @escaping @MainActor (DataResponse<Value>) -> Void
    ) -> Self {
        respond(with: .decodable(of: type, decoder: decoder), delivery: .mainActor, handler: onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with a value decoded from the JSON of the body.
    @discardableResult
    public func responseDecodable<Value: Decodable & SendableMetatype>(
        queue: DispatchQueue, of type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder(),
        completionHandler: @escaping @Sendable (DataResponse<Value>) -> Void
    ) -> Self {
        respond(with: .decodable(of: type, decoder: decoder), delivery: .queue(queue), handler: completionHandler)
    }
}

/// A handler of the main actor as one that may be called on the main queue, which is the main actor's.
func onMainActor<Response>(_ handler: @escaping @MainActor (Response) -> Void) -> @Sendable (Response) -> Void {
    { response in
        let box = TransferBox(value: response)
        MainActor.assumeIsolated { handler(box.value) }
    }
}
