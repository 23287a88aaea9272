import Foundation

/// The awaitable response of a ``DataRequest``. Creating it attaches a response handler, which starts the request.
public struct DataTask<Value: Sendable>: Sendable {
    private let request: DataRequest
    private let outcome = OneShot<DataResponse<Value>>()
    private let cancelsAutomatically: Bool

    init(_ request: DataRequest, serializer: DataResponseSerializer<Value>, automaticallyCancelling: Bool) {
        self.request = request
        cancelsAutomatically = automaticallyCancelling
        let outcome = outcome
        _ = request.respond(with: serializer, delivery: .direct) { outcome.fulfill($0) }
    }

    /// The whole response. Cancelling the awaiting task cancels the request, unless created with `automaticallyCancelling: false`.
    public var response: DataResponse<Value> {
        get async { await awaitOutcome(outcome, of: request, cancelsAutomatically: cancelsAutomatically) }
    }

    /// The value, or the error.
    public var result: Result<Value, any Error> {
        get async { await response.result }
    }

    /// The value.
    ///
    /// - Throws: ``FirewheelError``, or the error of a custom serializer. A cancelled request throws no `CancellationError`: see
    ///   ``FirewheelError/isExplicitlyCancelled``.
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

/// Awaits an outcome. If the awaiting task is cancelled, the request is cancelled too, and its outcome follows at once.
package func awaitOutcome<Outcome>(_ outcome: OneShot<Outcome>, of request: Request, cancelsAutomatically: Bool) async -> Outcome {
    guard cancelsAutomatically else { return await outcome.value }
    return await withTaskCancellationHandler {
        await outcome.value
    } onCancel: {
        request.cancel()
    }
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

    /// The body as text: in the given encoding, otherwise that of `Content-Type`, that of the byte order mark, UTF-8, or ISO-8859-1.
    public func serializingString(
        automaticallyCancelling: Bool = true, dataPreprocessor: any DataPreprocessor = .passthrough,
        encoding: String.Encoding? = nil,
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

    /// The JSON value of the body, with exact numbers.
    public func serializingJSON(
        automaticallyCancelling: Bool = true, dataPreprocessor: any DataPreprocessor = .passthrough,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DataTask<JSONValue> {
        DataTask(
            self,
            serializer: .jsonValue(
                dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods),
            automaticallyCancelling: automaticallyCancelling)
    }

    /// A value decoded from the body.
    public func serializingDecodable<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, automaticallyCancelling: Bool = true, dataPreprocessor: any DataPreprocessor = .passthrough,
        decoder: (any DataDecoder)? = nil,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DataTask<Value> {
        DataTask(
            self,
            serializer: .decodable(
                of: type, decoder: decoder, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods),
            automaticallyCancelling: automaticallyCancelling)
    }

    /// The value that a serializer makes from the response.
    public func serializingResponse<Serializer: DataResponseSerializerProtocol>(
        using serializer: Serializer, automaticallyCancelling: Bool = true
    ) -> DataTask<Serializer.SerializedObject> where Serializer.SerializedObject: Sendable {
        DataTask(self, serializer: DataResponseSerializer(serializer), automaticallyCancelling: automaticallyCancelling)
    }
}
