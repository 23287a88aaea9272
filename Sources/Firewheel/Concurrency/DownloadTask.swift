import Foundation

/// The awaitable response of a ``DownloadRequest``. Creating it attaches a response handler, which starts the request.
public struct DownloadTask<Value: Sendable>: Sendable {
    private let request: DownloadRequest
    private let outcome = OneShot<DownloadResponse<Value>>()
    private let cancelsAutomatically: Bool

    init(_ request: DownloadRequest, serializer: DownloadResponseSerializer<Value>, automaticallyCancelling: Bool) {
        self.request = request
        cancelsAutomatically = automaticallyCancelling
        let outcome = outcome
        _ = request.respond(with: serializer, delivery: .direct) { outcome.fulfill($0) }
    }

    /// The whole response. Cancelling the awaiting task cancels the request, unless created with `automaticallyCancelling: false`.
    public var response: DownloadResponse<Value> {
        get async { await awaitOutcome(outcome, of: request, cancelsAutomatically: cancelsAutomatically) }
    }

    /// The value, or the error.
    public var result: Result<Value, any Error> {
        get async { await response.result }
    }

    /// The value.
    ///
    /// - Throws: ``FirewheelError``, or the error of a custom serializer.
    public var value: Value {
        get async throws { try await response.result.get() }
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
    /// The file's URL.
    public func serializingDownloadedFileURL(automaticallyCancelling: Bool = true) -> DownloadTask<URL> {
        DownloadTask(self, serializer: .url, automaticallyCancelling: automaticallyCancelling)
    }

    /// The file's content.
    public func serializingData(
        automaticallyCancelling: Bool = true, dataPreprocessor: any DataPreprocessor = .passthrough,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DownloadTask<Data> {
        DownloadTask(
            self,
            serializer: DownloadResponseSerializer(
                .data(
                    dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                    emptyRequestMethods: emptyRequestMethods)),
            automaticallyCancelling: automaticallyCancelling)
    }

    /// The file's content as text: in the given encoding, otherwise that of `Content-Type`, that of the byte order mark, UTF-8, or
    /// ISO-8859-1.
    public func serializingString(
        automaticallyCancelling: Bool = true, dataPreprocessor: any DataPreprocessor = .passthrough,
        encoding: String.Encoding? = nil,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DownloadTask<String> {
        DownloadTask(
            self,
            serializer: DownloadResponseSerializer(
                .string(
                    encoding: encoding, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                    emptyRequestMethods: emptyRequestMethods)),
            automaticallyCancelling: automaticallyCancelling)
    }

    /// The JSON value of the file, with exact numbers.
    public func serializingJSON(
        automaticallyCancelling: Bool = true, dataPreprocessor: any DataPreprocessor = .passthrough,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DownloadTask<JSONValue> {
        DownloadTask(
            self,
            serializer: DownloadResponseSerializer(
                .jsonValue(
                    dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods)),
            automaticallyCancelling: automaticallyCancelling)
    }

    /// A value decoded from the file.
    public func serializingDecodable<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, automaticallyCancelling: Bool = true, dataPreprocessor: any DataPreprocessor = .passthrough,
        decoder: (any DataDecoder)? = nil,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DownloadTask<Value> {
        DownloadTask(
            self,
            serializer: DownloadResponseSerializer(
                .decodable(
                    of: type, decoder: decoder, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                    emptyRequestMethods: emptyRequestMethods)),
            automaticallyCancelling: automaticallyCancelling)
    }

    /// The value that a serializer makes from the file.
    public func serializingDownload<Serializer: DownloadResponseSerializerProtocol>(
        using serializer: Serializer, automaticallyCancelling: Bool = true
    ) -> DownloadTask<Serializer.SerializedObject> where Serializer.SerializedObject: Sendable {
        DownloadTask(self, serializer: DownloadResponseSerializer(serializer), automaticallyCancelling: automaticallyCancelling)
    }
}
