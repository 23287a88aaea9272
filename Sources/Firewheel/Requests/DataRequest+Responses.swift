import Foundation

// Each has two overloads, for the main actor and for a queue. A single one with a default `queue:` would not compile in Swift 6 for the
// most common use, `self.users = ...` in a view model.
extension DataRequest {
    /// Calls a handler on the main actor with the unserialized response.
    @discardableResult
    public func response(completionHandler: @escaping @MainActor (DataResponse<Data?>) -> Void) -> Self {
        respond(with: .unserialized, delivery: .mainActor, handler: onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with the unserialized response.
    @discardableResult
    public func response(queue: DispatchQueue, completionHandler: @escaping @Sendable (DataResponse<Data?>) -> Void) -> Self {
        respond(with: .unserialized, delivery: .queue(queue), handler: completionHandler)
    }

    /// Calls a handler on the main actor with the response that a serializer makes.
    @discardableResult
    public func response<Serializer: DataResponseSerializerProtocol>(
        responseSerializer: Serializer, completionHandler: @escaping @MainActor (DataResponse<Serializer.SerializedObject>) -> Void
    ) -> Self {
        respond(with: DataResponseSerializer(responseSerializer), delivery: .mainActor, handler: onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with the response that a serializer makes.
    @discardableResult
    public func response<Serializer: DataResponseSerializerProtocol>(
        queue: DispatchQueue, responseSerializer: Serializer,
        completionHandler: @escaping @Sendable (DataResponse<Serializer.SerializedObject>) -> Void
    ) -> Self {
        respond(with: DataResponseSerializer(responseSerializer), delivery: .queue(queue), handler: completionHandler)
    }
}

/// Wraps a handler of the main actor for calls on the main queue, which is the main actor's executor.
package func onMainActor<Response>(_ handler: @escaping @MainActor (Response) -> Void) -> @Sendable (Response) -> Void {
    { response in
        let box = TransferBox(value: response)
        MainActor.assumeIsolated { handler(box.value) }
    }
}
