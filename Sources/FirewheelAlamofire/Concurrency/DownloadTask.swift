/// The awaitable response of a ``DownloadRequest``. Creating it attaches a response handler, which starts the request.
public struct DownloadTask<Value: Sendable>: Sendable {
    private let request: DownloadRequest
    private let outcome = OneShot<AFDownloadResponse<Value>>()
    private let cancelsAutomatically: Bool

    init(_ request: DownloadRequest, serializer: Firewheel.DownloadResponseSerializer<Value>, automaticallyCancelling: Bool) {
        self.request = request
        cancelsAutomatically = automaticallyCancelling
        let outcome = outcome
        _ = request.respond(with: serializer) { outcome.fulfill($0) }
    }

    /// The whole response. Cancelling the awaiting task cancels the request, unless created with `automaticallyCancelling: false`.
    public var response: AFDownloadResponse<Value> {
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
extension DownloadRequest {
    /// The file's content.
    public func serializingData(
        automaticallyCancelling: Bool = true, dataPreprocessor: any DataPreprocessor = .passthrough,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DownloadTask<Data> {
        DownloadTask(
            self,
            serializer: .data(
                dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods),
            automaticallyCancelling: automaticallyCancelling)
    }

    /// A value decoded from the file's content.
    public func serializingDecodable<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, automaticallyCancelling: Bool = true, dataPreprocessor: any DataPreprocessor = .passthrough,
        decoder: (any DataDecoder)? = nil, emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DownloadTask<Value> {
        DownloadTask(
            self,
            serializer: .decodable(
                of: type, decoder: decoder, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods),
            automaticallyCancelling: automaticallyCancelling)
    }

    /// The file's URL.
    public func serializingDownloadedFileURL(automaticallyCancelling: Bool = true) -> DownloadTask<URL> {
        DownloadTask(self, serializer: .url, automaticallyCancelling: automaticallyCancelling)
    }

    /// The file's content as text.
    public func serializingString(
        automaticallyCancelling: Bool = true, dataPreprocessor: any DataPreprocessor = .passthrough, encoding: String.Encoding? = nil,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DownloadTask<String> {
        DownloadTask(
            self,
            serializer: .string(
                encoding: encoding, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods),
            automaticallyCancelling: automaticallyCancelling)
    }

    /// The value that a serializer makes from the file.
    public func serializingDownload<Serializer: DownloadResponseSerializerProtocol>(
        using serializer: Serializer, automaticallyCancelling: Bool = true
    ) -> DownloadTask<Serializer.SerializedObject> where Serializer.SerializedObject: Sendable {
        DownloadTask(self, serializer: serializer.engineSerializer, automaticallyCancelling: automaticallyCancelling)
    }

    /// The value that a serializer makes from the file: the same for a ``ResponseSerializer``, for leading-dot syntax.
    public func serializingDownload<Serializer: ResponseSerializer>(
        using serializer: Serializer, automaticallyCancelling: Bool = true
    ) -> DownloadTask<Serializer.SerializedObject> where Serializer.SerializedObject: Sendable {
        let serializer: Firewheel.DownloadResponseSerializer<Serializer.SerializedObject> = serializer.engineSerializer
        return DownloadTask(self, serializer: serializer, automaticallyCancelling: automaticallyCancelling)
    }
}
