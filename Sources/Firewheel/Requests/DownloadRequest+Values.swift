import Foundation

// The built-in serializers as handlers. In two overloads each, and with their options in the order that Alamofire has them in.
extension DownloadRequest {
    /// Calls a handler on the main actor with the file's content.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: What is done to the bytes before. Default: nothing.
    ///   - emptyResponseCodes: The status codes with which the file's content may be empty. Default: 204, 205.
    ///   - emptyRequestMethods: The methods with which the file's content may be empty. Default: HEAD.
    @discardableResult
    public func responseData(
        dataPreprocessor: any DataPreprocessor = .passthrough, emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods,
        completionHandler: @escaping @MainActor (DownloadResponse<Data>) -> Void
    ) -> Self {
        respond(
            with: DownloadResponseSerializer(
                .data(dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods)),
            delivery: .mainActor, handler: onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with the file's content.
    @discardableResult
    public func responseData(
        queue: DispatchQueue, dataPreprocessor: any DataPreprocessor = .passthrough,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods,
        completionHandler: @escaping @Sendable (DownloadResponse<Data>) -> Void
    ) -> Self {
        respond(
            with: DownloadResponseSerializer(
                .data(dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods)),
            delivery: .queue(queue), handler: completionHandler)
    }

    /// Calls a handler on the main actor with the file's content as text.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: What is done to the bytes before. Default: nothing.
    ///   - encoding: Default: the one that `Content-Type` names, else the byte order mark says, else ISO-8859-1.
    ///   - emptyResponseCodes: The status codes with which the file's content may be empty. Default: 204, 205.
    ///   - emptyRequestMethods: The methods with which the file's content may be empty. Default: HEAD.
    @discardableResult
    public func responseString(
        dataPreprocessor: any DataPreprocessor = .passthrough, encoding: String.Encoding? = nil,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods,
        completionHandler: @escaping @MainActor (DownloadResponse<String>) -> Void
    ) -> Self {
        respond(
            with: DownloadResponseSerializer(
                .string(
                    encoding: encoding, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                    emptyRequestMethods: emptyRequestMethods)),
            delivery: .mainActor, handler: onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with the file's content as text.
    @discardableResult
    public func responseString(
        queue: DispatchQueue, dataPreprocessor: any DataPreprocessor = .passthrough, encoding: String.Encoding? = nil,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods,
        completionHandler: @escaping @Sendable (DownloadResponse<String>) -> Void
    ) -> Self {
        respond(
            with: DownloadResponseSerializer(
                .string(
                    encoding: encoding, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                    emptyRequestMethods: emptyRequestMethods)),
            delivery: .queue(queue), handler: completionHandler)
    }

    /// Calls a handler on the main actor with the JSON value of the file, as `JSONSerialization` makes it.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: What is done to the bytes before. Default: nothing.
    ///   - emptyResponseCodes: The status codes with which the file's content may be empty. Default: 204, 205.
    ///   - emptyRequestMethods: The methods with which the file's content may be empty. Default: HEAD.
    ///   - options: Default: `.fragmentsAllowed`.
    @discardableResult
    public func responseJSON(
        dataPreprocessor: any DataPreprocessor = .passthrough, emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods,
        options: JSONSerialization.ReadingOptions = .fragmentsAllowed,
        completionHandler: @escaping @MainActor (DownloadResponse<Any>) -> Void
    ) -> Self {
        respond(
            with: DownloadResponseSerializer(
                .json(
                    options: options, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                    emptyRequestMethods: emptyRequestMethods)),
            delivery: .mainActor, handler: onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with the JSON value of the file, as `JSONSerialization` makes it.
    @discardableResult
    public func responseJSON(
        queue: DispatchQueue, dataPreprocessor: any DataPreprocessor = .passthrough,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods,
        options: JSONSerialization.ReadingOptions = .fragmentsAllowed,
        completionHandler: @escaping @Sendable (DownloadResponse<Any>) -> Void
    ) -> Self {
        respond(
            with: DownloadResponseSerializer(
                .json(
                    options: options, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                    emptyRequestMethods: emptyRequestMethods)),
            delivery: .queue(queue), handler: completionHandler)
    }

    /// Calls a handler on the main actor with the property list of the file, XML or binary.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: What is done to the bytes before. Default: nothing.
    ///   - emptyResponseCodes: The status codes with which the file's content may be empty. Default: 204, 205.
    ///   - emptyRequestMethods: The methods with which the file's content may be empty. Default: HEAD.
    ///   - options: Default: nothing is mutable.
    @discardableResult
    public func responsePropertyList(
        dataPreprocessor: any DataPreprocessor = .passthrough, emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods, options: PropertyListSerialization.ReadOptions = [],
        completionHandler: @escaping @MainActor (DownloadResponse<Any>) -> Void
    ) -> Self {
        respond(
            with: DownloadResponseSerializer(
                .propertyList(
                    options: options, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                    emptyRequestMethods: emptyRequestMethods)),
            delivery: .mainActor, handler: onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with the property list of the file, XML or binary.
    @discardableResult
    public func responsePropertyList(
        queue: DispatchQueue, dataPreprocessor: any DataPreprocessor = .passthrough,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods, options: PropertyListSerialization.ReadOptions = [],
        completionHandler: @escaping @Sendable (DownloadResponse<Any>) -> Void
    ) -> Self {
        respond(
            with: DownloadResponseSerializer(
                .propertyList(
                    options: options, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                    emptyRequestMethods: emptyRequestMethods)),
            delivery: .queue(queue), handler: completionHandler)
    }

    /// Calls a handler on the main actor with a value decoded from the file.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: What is done to the bytes before. Default: nothing.
    ///   - decoder: Default: nil, and it is ``SessionConfiguration/decoder``.
    ///   - emptyResponseCodes: The status codes with which the file's content may be empty. Default: 204, 205.
    ///   - emptyRequestMethods: The methods with which the file's content may be empty. Default: HEAD.
    @discardableResult
    public func responseDecodable<Value: Decodable & SendableMetatype>(
        of type: Value.Type = Value.self, dataPreprocessor: any DataPreprocessor = .passthrough, decoder: (any DataDecoder)? = nil,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods,
        completionHandler: @escaping @MainActor (DownloadResponse<Value>) -> Void
    ) -> Self {
        respond(
            with: DownloadResponseSerializer(
                .decodable(
                    of: type, decoder: decoder, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                    emptyRequestMethods: emptyRequestMethods)),
            delivery: .mainActor, handler: onMainActor(completionHandler))
    }

    /// Calls a handler on a queue with a value decoded from the file.
    @discardableResult
    public func responseDecodable<Value: Decodable & SendableMetatype>(
        queue: DispatchQueue, of type: Value.Type = Value.self, dataPreprocessor: any DataPreprocessor = .passthrough,
        decoder: (any DataDecoder)? = nil,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods,
        completionHandler: @escaping @Sendable (DownloadResponse<Value>) -> Void
    ) -> Self {
        respond(
            with: DownloadResponseSerializer(
                .decodable(
                    of: type, decoder: decoder, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                    emptyRequestMethods: emptyRequestMethods)),
            delivery: .queue(queue), handler: completionHandler)
    }

    /// Calls a handler on a queue with a value decoded from the file: the same in Alamofire's order.
    @discardableResult
    public func responseDecodable<Value: Decodable & SendableMetatype>(
        of type: Value.Type, queue: DispatchQueue, dataPreprocessor: any DataPreprocessor = .passthrough,
        decoder: (any DataDecoder)? = nil, emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods,
        completionHandler: @escaping @Sendable (DownloadResponse<Value>) -> Void
    ) -> Self {
        responseDecodable(
            queue: queue, of: type, dataPreprocessor: dataPreprocessor, decoder: decoder, emptyResponseCodes: emptyResponseCodes,
            emptyRequestMethods: emptyRequestMethods,
            completionHandler: completionHandler)
    }
}
