// Each has two overloads, for the main actor and for a queue, as the handlers of other requests. A handler gets the next element when it
// has returned from the last. If it throws, the request ends with its error.
extension DataStreamRequest {
    /// Calls a handler on the main actor with each piece of the body as it arrives, and with the end.
    @discardableResult
    public func responseStream(stream: @escaping @MainActor (Stream<Data, Never>) throws -> Void) -> Self {
        responseStream(on: .main, stream: onMainActor(stream))
    }

    /// Calls a handler on a queue with each piece of the body as it arrives, and with the end.
    @discardableResult
    public func responseStream(on queue: DispatchQueue, stream: @escaping Handler<Data, Never>) -> Self {
        handle(.data(), on: queue, stream) { data, _ in .success(data) }
    }

    /// Calls a handler on the main actor with what a serializer makes of each piece of the body as it arrives, and with the end.
    ///
    /// - Parameters:
    ///   - serializer: Makes the elements, one of each piece, where responses are serialized.
    ///   - stream: The handler. A piece of which nothing could be made is a failure in its place.
    @discardableResult
    public func responseStream<Serializer: DataStreamSerializer>(
        using serializer: Serializer, stream: @escaping @MainActor (Stream<Serializer.SerializedObject, AFError>) throws -> Void
    ) -> Self {
        responseStream(using: serializer, on: .main, stream: onMainActor(stream))
    }

    /// Calls a handler on a queue with what a serializer makes of each piece of the body as it arrives, and with the end.
    @discardableResult
    public func responseStream<Serializer: DataStreamSerializer>(
        using serializer: Serializer, on queue: DispatchQueue, stream: @escaping Handler<Serializer.SerializedObject, AFError>
    ) -> Self {
        handle(.pieces { TransferBox(value: serializer.result(of: $0)) }, on: queue, stream) { made, request in
            request?.didMake(made.value)
            return made.value
        }
    }

    /// Calls a handler on the main actor with the text of the body as it arrives, and with the end.
    ///
    /// The text is UTF-8 whatever the response declares. Other than in Alamofire, no character's bytes are split, so that a piece may have
    /// no element. A byte order mark is removed, and bytes that are not UTF-8 become U+FFFD (the Encoding standard's UTF-8 decode).
    @discardableResult
    public func responseStreamString(stream: @escaping @MainActor (Stream<String, Never>) throws -> Void) -> Self {
        responseStreamString(on: .main, stream: onMainActor(stream))
    }

    /// Calls a handler on a queue with the text of the body as it arrives, and with the end.
    @discardableResult
    public func responseStreamString(on queue: DispatchQueue, stream: @escaping Handler<String, Never>) -> Self {
        handle(.text(), on: queue, stream) { text, request in
            request?.didMake(.success(text))
            return .success(text)
        }
    }

    /// Calls a handler on the main actor with the value decoded from each piece of the body as it arrives, and with the end.
    ///
    /// As in Alamofire, each piece that arrives is decoded by itself, and the network may split and join what the server has sent. For one
    /// value per line, however it arrives, use `responseStreamDecodable` of Firewheel.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - decoder: Default: a `JSONDecoder`.
    ///   - preprocessor: Applied to each piece first. Default: none.
    ///   - stream: The handler. A piece that cannot be decoded is a failure in its place.
    @discardableResult
    public func responseStreamDecodable<T: Decodable & SendableMetatype>(
        of type: T.Type = T.self, using decoder: any DataDecoder = JSONDecoder(),
        preprocessor: any DataPreprocessor = PassthroughPreprocessor(), stream: @escaping @MainActor (Stream<T, AFError>) throws -> Void
    ) -> Self {
        responseStreamDecodable(of: type, on: .main, using: decoder, preprocessor: preprocessor, stream: onMainActor(stream))
    }

    /// Calls a handler on a queue with the value decoded from each piece of the body as it arrives, and with the end.
    @discardableResult
    public func responseStreamDecodable<T: Decodable & SendableMetatype>(
        of type: T.Type = T.self, on queue: DispatchQueue, using decoder: any DataDecoder = JSONDecoder(),
        preprocessor: any DataPreprocessor = PassthroughPreprocessor(), stream: @escaping Handler<T, AFError>
    ) -> Self {
        responseStream(using: DecodableStreamSerializer<T>(decoder: decoder, dataPreprocessor: preprocessor), on: queue, stream: stream)
    }

    /// Attaches a handler, which starts the request if it starts immediately.
    ///
    /// - Parameters:
    ///   - framing: How the engine cuts the body into elements, which never fails.
    ///   - queue: Where the handler is called, after what was sent to the session's root queue before.
    ///   - handler: The caller's.
    ///   - makeResult: Makes what the handler gets of an element. Called where the handler is, once per element.
    private func handle<Element: Sendable, Success, Failure>(
        _ framing: sending StreamFraming<Element>, on queue: DispatchQueue, _ handler: @escaping Handler<Success, Failure>,
        makeResult: @escaping @Sendable (Element, DataStreamRequest?) -> Result<Success, Failure>
    ) -> Self {
        willAttach()
        let token = CancellationToken(self)
        // Weak, because the engine's request retains the closure, and this one retains that.
        _ = streamBase.handle(framing, on: .queueAfter(underlyingQueue, queue)) { [weak self] stream in
            if let completion = stream.completion {
                try handler(Stream(event: .complete(Completion(completion)), token: token))
            } else if let element = stream.value {
                try handler(Stream(event: .stream(makeResult(element, self)), token: token))
            }
        }
        didAttach()
        return self
    }
}

/// Wraps a throwing handler of the main actor for calls on the main queue, which is the main actor's executor.
private func onMainActor<Success, Failure>(
    _ handler: @escaping @MainActor (DataStreamRequest.Stream<Success, Failure>) throws -> Void
) -> DataStreamRequest.Handler<Success, Failure> {
    { stream in
        let box = TransferBox(value: stream)
        try MainActor.assumeIsolated { try handler(box.value) }
    }
}
