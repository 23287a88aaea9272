import Foundation

/// The response of a ``DataRequest``, to be awaited. Making it attaches a response handler, and so starts the request.
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

    /// The whole response. Cancelling the task that awaits it cancels the request, unless made with `automaticallyCancelling: false`.
    public var response: DataResponse<Value> {
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

/// Awaits an outcome, passing a cancel of the awaiting task on to the request; its outcome then follows at once.
func awaitOutcome<Outcome>(_ outcome: OneShot<Outcome>, of request: Request, cancelsAutomatically: Bool) async -> Outcome {
    guard cancelsAutomatically else { return await outcome.value }
    return await withTaskCancellationHandler {
        await outcome.value
    } onCancel: {
        request.cancel()
    }
}

extension DataRequest {
    /// The body: ``DataResponseSerializer/data(emptyResponseCodes:emptyRequestMethods:)``.
    ///
    /// - Parameter automaticallyCancelling: Whether cancelling the awaiting task cancels the request. Default: true.
    public func serializingData(automaticallyCancelling: Bool = true) -> DataTask<Data> {
        DataTask(self, serializer: .data, automaticallyCancelling: automaticallyCancelling)
    }

    /// The body as text, in the given encoding, the one that `Content-Type` names, or ISO-8859-1.
    public func serializingString(automaticallyCancelling: Bool = true, encoding: String.Encoding? = nil) -> DataTask<String> {
        DataTask(self, serializer: .string(encoding: encoding), automaticallyCancelling: automaticallyCancelling)
    }

    /// A value decoded from the JSON of the body.
    public func serializingDecodable<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, automaticallyCancelling: Bool = true, decoder: JSONDecoder = JSONDecoder()
    ) -> DataTask<Value> {
        DataTask(self, serializer: .decodable(of: type, decoder: decoder), automaticallyCancelling: automaticallyCancelling)
    }

    /// What a serializer makes of the response.
    public func serializingResponse<Serializer: DataResponseSerializerProtocol>(
        using serializer: Serializer, automaticallyCancelling: Bool = true
    ) -> DataTask<Serializer.SerializedObject> where Serializer.SerializedObject: Sendable {
        DataTask(self, serializer: DataResponseSerializer(serializer), automaticallyCancelling: automaticallyCancelling)
    }
}
