import Foundation

// The built-in serializers as handlers. Each has two overloads, with the options in Alamofire's order.
extension DataRequest {
    /// Calls a handler on the main actor with the body.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: Applied to the body first. Default: none.
    ///   - emptyResponseCodes: The status codes with which the body may be empty. Default: 204, 205.
    ///   - emptyRequestMethods: The methods with which the body may be empty. Default: HEAD.
    ///   - completionHandler: Called exactly once, also after a failure.
    @discardableResult
    public func responseData(
        dataPreprocessor: any DataPreprocessor = .passthrough, emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods,
        completionHandler: @escaping @MainActor (DataResponse<Data>) -> Void
    ) -> Self {
        respond(
            with: .data(
                dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods),
            delivery: .mainActor, handler: onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with the body.
    @discardableResult
    public func responseData(
        queue: DispatchQueue, dataPreprocessor: any DataPreprocessor = .passthrough,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods,
        completionHandler: @escaping @Sendable (DataResponse<Data>) -> Void
    ) -> Self {
        respond(
            with: .data(
                dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods),
            delivery: .queue(queue), handler: completionHandler)
    }

    /// Calls a handler on the main actor with the body as text.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: Applied to the body first. Default: none.
    ///   - encoding: Default: the one of `Content-Type`, otherwise of the byte order mark, otherwise UTF-8, otherwise ISO-8859-1.
    ///   - emptyResponseCodes: The status codes with which the body may be empty. Default: 204, 205.
    ///   - emptyRequestMethods: The methods with which the body may be empty. Default: HEAD.
    ///   - completionHandler: Called exactly once, also after a failure.
    @discardableResult
    public func responseString(
        dataPreprocessor: any DataPreprocessor = .passthrough, encoding: String.Encoding? = nil,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods,
        completionHandler: @escaping @MainActor (DataResponse<String>) -> Void
    ) -> Self {
        respond(
            with: .string(
                encoding: encoding, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods),
            delivery: .mainActor, handler: onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with the body as text.
    @discardableResult
    public func responseString(
        queue: DispatchQueue, dataPreprocessor: any DataPreprocessor = .passthrough, encoding: String.Encoding? = nil,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods,
        completionHandler: @escaping @Sendable (DataResponse<String>) -> Void
    ) -> Self {
        respond(
            with: .string(
                encoding: encoding, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods),
            delivery: .queue(queue), handler: completionHandler)
    }

    /// Calls a handler on the main actor with the body as a JSON value of `JSONSerialization`.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: Applied to the body first. Default: none.
    ///   - emptyResponseCodes: The status codes with which the body may be empty. Default: 204, 205.
    ///   - emptyRequestMethods: The methods with which the body may be empty. Default: HEAD.
    ///   - options: Default: `.fragmentsAllowed`.
    ///   - completionHandler: Called exactly once, also after a failure.
    @discardableResult
    public func responseJSON(
        dataPreprocessor: any DataPreprocessor = .passthrough, emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods,
        options: JSONSerialization.ReadingOptions = .fragmentsAllowed,
        completionHandler: @escaping @MainActor (DataResponse<Any>) -> Void
    ) -> Self {
        respond(
            with: .json(
                options: options, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods),
            delivery: .mainActor, handler: onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with the body as a JSON value of `JSONSerialization`.
    @discardableResult
    public func responseJSON(
        queue: DispatchQueue, dataPreprocessor: any DataPreprocessor = .passthrough,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods,
        options: JSONSerialization.ReadingOptions = .fragmentsAllowed,
        completionHandler: @escaping @Sendable (DataResponse<Any>) -> Void
    ) -> Self {
        respond(
            with: .json(
                options: options, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods),
            delivery: .queue(queue), handler: completionHandler)
    }

    /// Calls a handler on the main actor with the body as a property list, XML or binary.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: Applied to the body first. Default: none.
    ///   - emptyResponseCodes: The status codes with which the body may be empty. Default: 204, 205.
    ///   - emptyRequestMethods: The methods with which the body may be empty. Default: HEAD.
    ///   - options: Whether containers and strings are mutable. Default: immutable.
    ///   - completionHandler: Called exactly once, also after a failure.
    @discardableResult
    public func responsePropertyList(
        dataPreprocessor: any DataPreprocessor = .passthrough, emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods, options: PropertyListSerialization.ReadOptions = [],
        completionHandler: @escaping @MainActor (DataResponse<Any>) -> Void
    ) -> Self {
        respond(
            with: .propertyList(
                options: options, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods),
            delivery: .mainActor, handler: onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with the body as a property list, XML or binary.
    @discardableResult
    public func responsePropertyList(
        queue: DispatchQueue, dataPreprocessor: any DataPreprocessor = .passthrough,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods, options: PropertyListSerialization.ReadOptions = [],
        completionHandler: @escaping @Sendable (DataResponse<Any>) -> Void
    ) -> Self {
        respond(
            with: .propertyList(
                options: options, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods),
            delivery: .queue(queue), handler: completionHandler)
    }

    /// Calls a handler on the main actor with a value decoded from the body.
    ///
    /// - Parameters:
    ///   - type: The type to decode. Default: inferred from the handler's parameter.
    ///   - dataPreprocessor: Transforms the body before it is serialized. Default: `.passthrough`, no change.
    ///   - decoder: Default: nil, which means ``SessionConfiguration/decoder``.
    ///   - emptyResponseCodes: The status codes with which the body may be empty. Default: 204, 205.
    ///   - emptyRequestMethods: The methods with which the body may be empty. Default: HEAD.
    ///   - completionHandler: Called exactly once, also after a failure.
    @discardableResult
    public func responseDecodable<Value: Decodable & SendableMetatype>(
        of type: Value.Type = Value.self, dataPreprocessor: any DataPreprocessor = .passthrough, decoder: (any DataDecoder)? = nil,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods,
        completionHandler: @escaping @MainActor (DataResponse<Value>) -> Void
    ) -> Self {
        respond(
            with: .decodable(
                of: type, decoder: decoder, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods),
            delivery: .mainActor, handler: onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with a value decoded from the body.
    @discardableResult
    public func responseDecodable<Value: Decodable & SendableMetatype>(
        queue: DispatchQueue, of type: Value.Type = Value.self, dataPreprocessor: any DataPreprocessor = .passthrough,
        decoder: (any DataDecoder)? = nil,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods,
        completionHandler: @escaping @Sendable (DataResponse<Value>) -> Void
    ) -> Self {
        respond(
            with: .decodable(
                of: type, decoder: decoder, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods),
            delivery: .queue(queue), handler: completionHandler)
    }

    /// Calls a handler on a queue with a value decoded from the body. This overload has Alamofire's parameter order.
    @discardableResult
    public func responseDecodable<Value: Decodable & SendableMetatype>(
        of type: Value.Type, queue: DispatchQueue, dataPreprocessor: any DataPreprocessor = .passthrough,
        decoder: (any DataDecoder)? = nil, emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods,
        completionHandler: @escaping @Sendable (DataResponse<Value>) -> Void
    ) -> Self {
        responseDecodable(
            queue: queue, of: type, dataPreprocessor: dataPreprocessor, decoder: decoder, emptyResponseCodes: emptyResponseCodes,
            emptyRequestMethods: emptyRequestMethods,
            completionHandler: completionHandler)
    }
}
