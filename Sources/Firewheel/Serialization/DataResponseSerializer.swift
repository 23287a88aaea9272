import Foundation

/// What makes a value of a response: ``DataResponseSerializer``, or a type of your own, for which ``ResponseSerializer`` is less work.
public protocol DataResponseSerializerProtocol<SerializedObject>: Sendable {
    /// The type of the value that a response becomes.
    associatedtype SerializedObject

    /// Makes the value, or says why not. Called once for a response, off the main queue; the error is what went wrong before.
    var serializeResponse: @Sendable (URLRequest?, HTTPURLResponse?, Data?, (any Error)?) -> Result<SerializedObject, any Error> { get }
}

/// Makes a value of a response with a closure.
///
/// ```swift
/// let lines = DataResponseSerializer<[String]> { request, response, data, error in
///     if let error { return .failure(error) }
///     return .success(String(decoding: data ?? Data(), as: UTF8.self).components(separatedBy: "\n"))
/// }
/// ```
public struct DataResponseSerializer<Value>: DataResponseSerializerProtocol {
    /// The closure. It gets the request, the response and the body as far as there are any, and what went wrong before: transport,
    /// validation, cancel. An error that it returns reaches the handler as it is.
    public var serializeResponse: @Sendable (URLRequest?, HTTPURLResponse?, Data?, (any Error)?) -> Result<Value, any Error> {
        switch way {
        case .closure(let closure): closure
        case .rule(let rule): { request, response, data, error in rule(ResponseFacts(request, response), data, error) }
        }
    }

    private enum Way: Sendable {
        case closure(@Sendable (URLRequest?, HTTPURLResponse?, Data?, (any Error)?) -> Result<Value, any Error>)
        /// That of the built-in ones, which need not have Foundation's request and response built.
        case rule(@Sendable (ResponseFacts, Data?, (any Error)?) -> Result<Value, any Error>)
    }

    private let way: Way

    /// Whether it only hands over, without work, and may run where the exchange ends.
    let handsOver: Bool

    /// A serializer from a closure. Those of different requests run in parallel; those of one request one after the other.
    public init(serializeResponse: @escaping @Sendable (URLRequest?, HTTPURLResponse?, Data?, (any Error)?) -> Result<Value, any Error>) {
        way = .closure(serializeResponse)
        handsOver = false
    }

    /// A serializer from a type of your own.
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

    func serialize(_ facts: ResponseFacts, data: Data?, error: (any Error)?) -> Result<Value, any Error>? {
        guard case .rule(let rule) = way else { return nil }
        return rule(facts, data, error)
    }
}
