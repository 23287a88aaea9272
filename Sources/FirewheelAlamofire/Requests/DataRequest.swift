/// A request whose response body is kept in memory.
public class DataRequest: Request, @unchecked Sendable {
    // Sound like its base class.

    /// Validates a response: with the request, the response and the body.
    public typealias Validation = @Sendable (URLRequest?, HTTPURLResponse, Data?) -> ValidationResult

    let dataBase: Firewheel.DataRequest
    /// What makes the `URLRequest`.
    public let convertible: any URLRequestConvertible

    init(_ base: Firewheel.DataRequest, convertible: any URLRequestConvertible, settings: RequestSettings) {
        dataBase = base
        self.convertible = convertible
        super.init(base, settings: settings)
    }

    /// The body, once it has been received.
    public var data: Data? { dataBase.data }

    // MARK: Validation

    /// Rejects a response for which the closure returns a failure.
    @preconcurrency
    @discardableResult
    public func validate(_ validation: @escaping Validation) -> Self {
        dataBase.validate { request, response, data -> Firewheel.Request.ValidationResult in
            validation(request, response, data).mapError { $0 }
        }
        return self
    }

    // MARK: Responses

    /// Attaches a handler, which starts the request if it starts immediately.
    ///
    /// - Parameter handler: Called on a thread of the engine, so it must not call the caller's code.
    func respond<Value>(
        with serializer: Firewheel.DataResponseSerializer<Value>, handler: @escaping @Sendable (AFDataResponse<Value>) -> Void
    ) -> Self {
        let owner = willAttach()
        _ = dataBase.respond(with: serializer, delivery: .direct) {
            let response = AFDataResponse($0)
            (owner.request as? DataRequest)?.didParse(response, with: serializer)
            handler(response)
        }
        didAttach()
        return self
    }

    /// Attaches a handler of the caller's.
    func respond<Value>(
        with serializer: Firewheel.DataResponseSerializer<Value>, on queue: DispatchQueue,
        _ handler: @escaping @Sendable (AFDataResponse<Value>) -> Void
    ) -> Self {
        // All deliveries pass through the root queue, so that what is sent there earlier is delivered before.
        let root = underlyingQueue
        return respond(with: serializer) { response in
            let made = TransferBox(value: response)
            root.async { queue.async { handler(made.value) } }
        }
    }

    /// Calls a handler on the main actor with the unserialized response.
    @discardableResult
    public func response(completionHandler: @escaping @MainActor (AFDataResponse<Data?>) -> Void) -> Self {
        respond(with: .unserialized, on: .main, onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with the unserialized response.
    @discardableResult
    public func response(queue: DispatchQueue, completionHandler: @escaping @Sendable (AFDataResponse<Data?>) -> Void) -> Self {
        respond(with: .unserialized, on: queue, completionHandler)
    }

    /// Calls a handler on the main actor with the response that a serializer makes.
    @discardableResult
    public func response<Serializer: DataResponseSerializerProtocol>(
        responseSerializer: Serializer, completionHandler: @escaping @MainActor (AFDataResponse<Serializer.SerializedObject>) -> Void
    ) -> Self {
        respond(with: responseSerializer.engineSerializer, on: .main, onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with the response that a serializer makes.
    @discardableResult
    public func response<Serializer: DataResponseSerializerProtocol>(
        queue: DispatchQueue, responseSerializer: Serializer,
        completionHandler: @escaping @Sendable (AFDataResponse<Serializer.SerializedObject>) -> Void
    ) -> Self {
        respond(with: responseSerializer.engineSerializer, on: queue, completionHandler)
    }

    /// The same for a ``ResponseSerializer``, which would be ambiguous otherwise in leading-dot syntax.
    @discardableResult
    public func response<Serializer: ResponseSerializer>(
        responseSerializer: Serializer, completionHandler: @escaping @MainActor (AFDataResponse<Serializer.SerializedObject>) -> Void
    ) -> Self {
        respond(with: responseSerializer.engineSerializer, on: .main, onMainActor(completionHandler))
    }

    /// The same for a ``ResponseSerializer``.
    @discardableResult
    public func response<Serializer: ResponseSerializer>(
        queue: DispatchQueue, responseSerializer: Serializer,
        completionHandler: @escaping @Sendable (AFDataResponse<Serializer.SerializedObject>) -> Void
    ) -> Self {
        respond(with: responseSerializer.engineSerializer, on: queue, completionHandler)
    }
}
