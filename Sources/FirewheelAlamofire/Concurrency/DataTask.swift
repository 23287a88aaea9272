/// The awaitable response of a ``DataRequest``. Creating it attaches a response handler, which starts the request.
public struct DataTask<Value: Sendable>: Sendable {
    private let request: DataRequest
    private let outcome = OneShot<AFDataResponse<Value>>()
    private let cancelsAutomatically: Bool

    init(_ request: DataRequest, serializer: Firewheel.DataResponseSerializer<Value>, automaticallyCancelling: Bool) {
        self.request = request
        cancelsAutomatically = automaticallyCancelling
        let outcome = outcome
        _ = request.respond(with: serializer) { outcome.fulfill($0) }
    }

    /// The whole response. Cancelling the awaiting task cancels the request, unless created with `automaticallyCancelling: false`.
    public var response: AFDataResponse<Value> {
        get async { await awaitOutcome(outcome, of: request.base, cancelsAutomatically: cancelsAutomatically) }
    }

    /// The value, or the error.
    public var result: AFResult<Value> {
        get async { await response.result }
    }

    /// The value.
    ///
    /// - Throws: ``AFError``.
    public var value: Value {
        get async throws { try await result.get() }
    }

    /// Cancels the request.
    public func cancel() { request.cancel() }
    /// Resumes the request.
    public func resume() { request.resume() }
    /// Suspends the request.
    public func suspend() { request.suspend() }
}

// In all of these, `automaticallyCancelling` decides whether cancelling the awaiting task cancels the request. The other options and their
// defaults are those of the handlers of the same name.
extension DataRequest {
    /// The body.
    public func serializingData(
        automaticallyCancelling: Bool = true, dataPreprocessor: any DataPreprocessor = .passthrough,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DataTask<Data> {
        DataTask(
            self,
            serializer: .data(
                dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods),
            automaticallyCancelling: automaticallyCancelling)
    }

    /// A value decoded from the body.
    public func serializingDecodable<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, automaticallyCancelling: Bool = true, dataPreprocessor: any DataPreprocessor = .passthrough,
        decoder: (any DataDecoder)? = nil, emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DataTask<Value> {
        DataTask(
            self,
            serializer: .decodable(
                of: type, decoder: decoder, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods),
            automaticallyCancelling: automaticallyCancelling)
    }

    /// The body as text.
    public func serializingString(
        automaticallyCancelling: Bool = true, dataPreprocessor: any DataPreprocessor = .passthrough, encoding: String.Encoding? = nil,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DataTask<String> {
        DataTask(
            self,
            serializer: .string(
                encoding: encoding, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods),
            automaticallyCancelling: automaticallyCancelling)
    }

    /// The value that a serializer makes of the response.
    public func serializingResponse<Serializer: DataResponseSerializerProtocol>(
        using serializer: Serializer, automaticallyCancelling: Bool = true
    ) -> DataTask<Serializer.SerializedObject> where Serializer.SerializedObject: Sendable {
        DataTask(self, serializer: serializer.engineSerializer, automaticallyCancelling: automaticallyCancelling)
    }

    /// The value that a serializer makes of the response: the same for a ``ResponseSerializer``, for leading-dot syntax.
    public func serializingResponse<Serializer: ResponseSerializer>(
        using serializer: Serializer, automaticallyCancelling: Bool = true
    ) -> DataTask<Serializer.SerializedObject> where Serializer.SerializedObject: Sendable {
        DataTask(self, serializer: serializer.engineSerializer, automaticallyCancelling: automaticallyCancelling)
    }
}
