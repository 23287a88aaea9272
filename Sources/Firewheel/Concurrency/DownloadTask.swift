import Foundation

/// The response of a ``DownloadRequest``, to be awaited. Making it attaches a response handler, and so starts the request.
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

    /// The whole response. Cancelling the task that awaits it cancels the request, unless made with `automaticallyCancelling: false`.
    public var response: DownloadResponse<Value> {
        get async { await awaitOutcome(outcome, of: request, cancelsAutomatically: cancelsAutomatically) }
    }

    /// The value, or what went wrong.
    public var result: Result<Value, any Error> {
        get async { await response.result }
    }

    /// The value.
    ///
    /// - Throws: What went wrong: ``FirewheelError``, or what a serializer of your own threw.
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

extension DownloadRequest {
    /// The file's URL.
    public func serializingDownloadedFileURL(automaticallyCancelling: Bool = true) -> DownloadTask<URL> {
        DownloadTask(self, serializer: .url, automaticallyCancelling: automaticallyCancelling)
    }

    /// The file's content.
    public func serializingData(automaticallyCancelling: Bool = true) -> DownloadTask<Data> {
        DownloadTask(self, serializer: DownloadResponseSerializer(.data), automaticallyCancelling: automaticallyCancelling)
    }

    /// The file's content as text.
    public func serializingString(automaticallyCancelling: Bool = true, encoding: String.Encoding? = nil) -> DownloadTask<String> {
        DownloadTask(
            self, serializer: DownloadResponseSerializer(.string(encoding: encoding)), automaticallyCancelling: automaticallyCancelling)
    }

    /// A value decoded from the JSON of the file.
    public func serializingDecodable<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, automaticallyCancelling: Bool = true, decoder: JSONDecoder = JSONDecoder()
    ) -> DownloadTask<Value> {
        DownloadTask(
            self, serializer: DownloadResponseSerializer(.decodable(of: type, decoder: decoder)),
            automaticallyCancelling: automaticallyCancelling)
    }

    /// What a serializer makes of the file.
    public func serializingDownload<Serializer: DownloadResponseSerializerProtocol>(
        using serializer: Serializer, automaticallyCancelling: Bool = true
    ) -> DownloadTask<Serializer.SerializedObject> where Serializer.SerializedObject: Sendable {
        DownloadTask(self, serializer: DownloadResponseSerializer(serializer), automaticallyCancelling: automaticallyCancelling)
    }
}
