import Foundation

/// Serializes a response: ``DataResponseSerializer``, or a type of your own, for which ``ResponseSerializer`` is simpler.
public protocol DataResponseSerializerProtocol<SerializedObject>: Sendable {
    /// The type of the serialized value.
    associatedtype SerializedObject

    /// Returns the value or an error. Called once for each response, off the main queue, with the error of earlier steps, if any.
    var serializeResponse: @Sendable (URLRequest?, HTTPURLResponse?, Data?, (any Error)?) -> Result<SerializedObject, any Error> { get }
}

/// Serializes a response with a closure.
///
/// ```swift
/// let lines = DataResponseSerializer<[String]> { request, response, data, error in
///     if let error { return .failure(error) }
///     return .success(String(decoding: data ?? Data(), as: UTF8.self).components(separatedBy: "\n"))
/// }
/// ```
public struct DataResponseSerializer<Value>: DataResponseSerializerProtocol {
    /// The closure. Its arguments are the request, the response and the body, if any, and the error of the transport, a validation or a
    /// cancellation. An error that it returns is passed to the handler unchanged.
    public var serializeResponse: @Sendable (URLRequest?, HTTPURLResponse?, Data?, (any Error)?) -> Result<Value, any Error> {
        switch way {
        case .closure(let closure): closure
        case .rule(let rule): { request, response, data, error in rule(ResponseFacts(request, response), data, error) }
        // Outside of a request there is no session, and so no session's decoder.
        case .decoding(let make): make(SessionDecoder(JSONDecoder())).serializeResponse
        }
    }

    private enum Way: Sendable {
        case closure(@Sendable (URLRequest?, HTTPURLResponse?, Data?, (any Error)?) -> Result<Value, any Error>)
        /// The variant of built-in serializers, which does not need Foundation's request and response.
        case rule(@Sendable (ResponseFacts, Data?, (any Error)?) -> Result<Value, any Error>)
        /// Uses the session's decoder, so the serializer is created once the session is known.
        case decoding(@Sendable (SessionDecoder) -> DataResponseSerializer)
    }

    private let way: Way

    /// Whether it returns its input unchanged, so that it may run on the thread where the exchange ends.
    package let handsOver: Bool

    /// Creates a serializer with a closure. Serializers of different requests run in parallel, those of one request one after another.
    public init(serializeResponse: @escaping @Sendable (URLRequest?, HTTPURLResponse?, Data?, (any Error)?) -> Result<Value, any Error>) {
        way = .closure(serializeResponse)
        handsOver = false
    }

    /// Creates a serializer from a custom type.
    public init<Serializer: DataResponseSerializerProtocol>(_ serializer: Serializer) where Serializer.SerializedObject == Value {
        if let same = serializer as? DataResponseSerializer<Value> {
            self = same
        } else {
            self.init(serializeResponse: serializer.serializeResponse)
        }
    }

    init(handsOver: Bool = false, rule: @escaping @Sendable (ResponseFacts, Data?, (any Error)?) -> Result<Value, any Error>) {
        way = .rule(rule)
        self.handsOver = handsOver
    }

    /// - Parameter make: Creates the serializer for a session's decoder.
    init(decoding make: @escaping @Sendable (SessionDecoder) -> DataResponseSerializer) {
        way = .decoding(make)
        handsOver = false
    }

    /// A serializer that transforms the value. An error that the closure throws is the failure. A failure is kept.
    public func map<NewValue>(_ transform: @escaping @Sendable (Value) throws -> NewValue) -> DataResponseSerializer<NewValue> {
        if isDecoding { return DataResponseSerializer<NewValue>(decoding: { decoding(with: $0).map(transform) }) }
        return DataResponseSerializer<NewValue> { request, response, data, error in
            let result =
                serialize(ResponseFacts(request, response), data: data, error: error) ?? serializeResponse(request, response, data, error)
            return Result { try transform(result.get()) }
        }
    }

    /// A serializer that transforms the result, of which the closure also gets the earlier error.
    package func mapResult<NewValue>(
        _ transform: @escaping @Sendable (Result<Value, any Error>, _ earlier: (any Error)?) -> Result<NewValue, any Error>
    ) -> DataResponseSerializer<NewValue> {
        if isDecoding { return DataResponseSerializer<NewValue>(decoding: { decoding(with: $0).mapResult(transform) }) }
        return DataResponseSerializer<NewValue> { request, response, data, error in
            transform(serializeResponse(request, response, data, error), error)
        }
    }

    /// A serializer that calls others, which get the session's decoder if they use it.
    package static func calling<Part>(
        _ parts: [DataResponseSerializer<Part>],
        serializeResponse:
            @escaping @Sendable (
                [DataResponseSerializer<Part>], URLRequest?, HTTPURLResponse?, Data?, (any Error)?
            ) -> Result<Value, any Error>
    ) -> DataResponseSerializer {
        if parts.contains(where: \.isDecoding) {
            return DataResponseSerializer(decoding: { session in
                calling(parts.map { $0.decoding(with: session) }, serializeResponse: serializeResponse)
            })
        }
        return DataResponseSerializer { request, response, data, error in serializeResponse(parts, request, response, data, error) }
    }

    /// Whether it uses the session's decoder.
    var isDecoding: Bool {
        guard case .decoding = way else { return false }
        return true
    }

    /// The serializer for a session's decoder.
    func decoding(with decoder: SessionDecoder) -> DataResponseSerializer {
        guard case .decoding(let make) = way else { return self }
        return make(decoder)
    }

    func serialize(_ facts: ResponseFacts, data: Data?, error: (any Error)?) -> Result<Value, any Error>? {
        guard case .rule(let rule) = way else { return nil }
        return rule(facts, data, error)
    }
}
