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
}

/// A handler of the main actor as one that may be called on the main queue, which is the main actor's.
func onMainActor<Response>(_ handler: @escaping @MainActor (Response) -> Void) -> @Sendable (Response) -> Void {
    { response in
        let box = TransferBox(value: response)
        MainActor.assumeIsolated { handler(box.value) }
    }
}
