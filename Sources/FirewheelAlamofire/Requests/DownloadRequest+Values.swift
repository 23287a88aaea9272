// The built-in serializers, applied to the content of the file, as handlers. Each has two overloads: for the main actor, and for a queue.
extension DownloadRequest {
    /// Calls a handler on the main actor with the content of the file.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: Applied to the content first. Default: none.
    ///   - emptyResponseCodes: The status codes with which the file may be empty. Default: 204, 205.
    ///   - emptyRequestMethods: The methods with which the file may be empty. Default: HEAD.
    ///   - completionHandler: Called exactly once, also after a failure.
    @discardableResult
    public func responseData(
        dataPreprocessor: any DataPreprocessor = .passthrough, emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods,
        completionHandler: @escaping @MainActor (AFDownloadResponse<Data>) -> Void
    ) -> Self {
        responseData(
            queue: .main, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
            emptyRequestMethods: emptyRequestMethods, completionHandler: onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with the content of the file.
    @discardableResult
    public func responseData(
        queue: DispatchQueue, dataPreprocessor: any DataPreprocessor = .passthrough,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods,
        completionHandler: @escaping @Sendable (AFDownloadResponse<Data>) -> Void
    ) -> Self {
        respond(
            with: .data(
                dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods),
            on: queue, completionHandler)
    }

    /// Calls a handler on the main actor with the content of the file as text.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: Applied to the content first. Default: none.
    ///   - encoding: Default: the one of `Content-Type`, otherwise of the byte order mark, otherwise UTF-8, otherwise ISO-8859-1.
    ///   - emptyResponseCodes: The status codes with which the file may be empty. Default: 204, 205.
    ///   - emptyRequestMethods: The methods with which the file may be empty. Default: HEAD.
    ///   - completionHandler: Called exactly once, also after a failure.
    @discardableResult
    public func responseString(
        dataPreprocessor: any DataPreprocessor = .passthrough, encoding: String.Encoding? = nil,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods,
        completionHandler: @escaping @MainActor (AFDownloadResponse<String>) -> Void
    ) -> Self {
        responseString(
            queue: .main, dataPreprocessor: dataPreprocessor, encoding: encoding, emptyResponseCodes: emptyResponseCodes,
            emptyRequestMethods: emptyRequestMethods, completionHandler: onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with the content of the file as text.
    @discardableResult
    public func responseString(
        queue: DispatchQueue, dataPreprocessor: any DataPreprocessor = .passthrough, encoding: String.Encoding? = nil,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods,
        completionHandler: @escaping @Sendable (AFDownloadResponse<String>) -> Void
    ) -> Self {
        respond(
            with: .string(
                encoding: encoding, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods),
            on: queue, completionHandler)
    }

    /// Calls a handler on the main actor with the content of the file as a JSON value of `JSONSerialization`, which is handed over to the
    /// handler.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: Applied to the content first. Default: none.
    ///   - emptyResponseCodes: The status codes with which the file may be empty: the value is then `NSNull`. Default: 204, 205.
    ///   - emptyRequestMethods: The methods with which the file may be empty. Default: HEAD.
    ///   - options: Default: `.fragmentsAllowed`.
    ///   - completionHandler: Called exactly once, also after a failure.
    @discardableResult
    public func responseJSON(
        dataPreprocessor: any DataPreprocessor = .passthrough, emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods,
        options: JSONSerialization.ReadingOptions = .fragmentsAllowed,
        completionHandler: @escaping @MainActor (AFDownloadResponse<Any>) -> Void
    ) -> Self {
        responseJSON(
            queue: .main, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
            emptyRequestMethods: emptyRequestMethods, options: options, completionHandler: onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with the content of the file as a JSON value of `JSONSerialization`, which is handed over to the handler.
    @discardableResult
    public func responseJSON(
        queue: DispatchQueue, dataPreprocessor: any DataPreprocessor = .passthrough,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods,
        options: JSONSerialization.ReadingOptions = .fragmentsAllowed,
        completionHandler: @escaping @Sendable (AFDownloadResponse<Any>) -> Void
    ) -> Self {
        respond(
            with: .json(
                options: options, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods),
            on: queue, completionHandler)
    }

    /// Calls a handler on the main actor with a value decoded from the content of the file.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - dataPreprocessor: Applied to the content first. Default: none.
    ///   - decoder: Default: nil, a `JSONDecoder`, or that of the session's configuration.
    ///   - emptyResponseCodes: The status codes with which the file may be empty. Default: 204, 205.
    ///   - emptyRequestMethods: The methods with which the file may be empty. Default: HEAD.
    ///   - completionHandler: Called exactly once, also after a failure.
    @discardableResult
    public func responseDecodable<Value: Decodable & SendableMetatype>(
        of type: Value.Type = Value.self, dataPreprocessor: any DataPreprocessor = .passthrough, decoder: (any DataDecoder)? = nil,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods,
        completionHandler: @escaping @MainActor (AFDownloadResponse<Value>) -> Void
    ) -> Self {
        responseDecodable(
            of: type, queue: .main, dataPreprocessor: dataPreprocessor, decoder: decoder, emptyResponseCodes: emptyResponseCodes,
            emptyRequestMethods: emptyRequestMethods, completionHandler: onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with a value decoded from the content of the file.
    @discardableResult
    public func responseDecodable<Value: Decodable & SendableMetatype>(
        of type: Value.Type = Value.self, queue: DispatchQueue, dataPreprocessor: any DataPreprocessor = .passthrough,
        decoder: (any DataDecoder)? = nil, emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods,
        completionHandler: @escaping @Sendable (AFDownloadResponse<Value>) -> Void
    ) -> Self {
        respond(
            with: .decodable(
                of: type, decoder: decoder, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods),
            on: queue, completionHandler)
    }
}
