import Foundation

// The built-in serializers. Each does the same in the same order, as Alamofire's do: (1) what went wrong before is the result; (2) an empty
// body is an empty value where the request's method or the status says that there is none, an error elsewhere; (3) the body is parsed.
//
// They stand in extensions of the protocol so that a leading dot finds them: `.response(responseSerializer: .data)`.

extension DataResponseSerializer where Value == Data? {
    /// The body as it came.
    static var unserialized: DataResponseSerializer<Data?> { unserializedData }
}

extension DataResponseSerializerProtocol where Self == DataResponseSerializer<Data> {
    /// The body. An empty one is empty data where it is allowed, `responseSerializationFailed(.inputDataNilOrZeroLength)` elsewhere.
    public static var data: DataResponseSerializer<Data> { defaultData }

    /// The body, with rules of your own for where it may be empty.
    public static func data(
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DataResponseSerializer<Data> {
        let rule = EmptyResponseRule(codes: emptyResponseCodes, methods: emptyRequestMethods)
        return .parsing(rule, handsOver: true, empty: { Data() }, parse: { _, data in data })
    }
}

// Made once, since most requests use them.
private let unserializedData = DataResponseSerializer<Data?>(handsOver: true) { _, data, error in
    error.map { .failure($0) } ?? .success(data)
}
private let defaultData = DataResponseSerializer<Data>.data()

extension DataResponseSerializerProtocol where Self == DataResponseSerializer<String> {
    /// The body as text.
    ///
    /// - Parameter encoding: nil takes the one that `Content-Type` names, and ISO-8859-1 if it names none that is known.
    public static func string(
        encoding: String.Encoding? = nil, emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DataResponseSerializer<String> {
        .parsing(
            EmptyResponseRule(codes: emptyResponseCodes, methods: emptyRequestMethods),
            empty: { "" },
            parse: { facts, data in
                let encoding = encoding ?? facts.contentType.flatMap(Charset.encoding) ?? .isoLatin1
                if let text = String(data: data, encoding: encoding) { return text }
                throw FirewheelError(.responseSerializationFailed(.stringSerializationFailed(encoding)), responseData: data)
            })
    }
}

extension DataResponseSerializerProtocol where Self == DataResponseSerializer<Any> {
    /// The JSON value of the body, as `JSONSerialization` makes it. An empty body is `NSNull` where it is allowed.
    public static func json(
        options: JSONSerialization.ReadingOptions = .fragmentsAllowed, emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DataResponseSerializer<Any> {
        .parsing(
            EmptyResponseRule(codes: emptyResponseCodes, methods: emptyRequestMethods),
            empty: { NSNull() },
            parse: { _, data in
                do {
                    return try JSONSerialization.jsonObject(with: data, options: options)
                } catch {
                    throw FirewheelError(.responseSerializationFailed(.jsonSerializationFailed), underlyingError: error, responseData: data)
                }
            })
    }
}

extension DataResponseSerializerProtocol {
    /// A value decoded from the JSON of the body. An empty body is the empty value of an ``EmptyResponse`` type where it is allowed,
    /// `responseSerializationFailed(.invalidEmptyResponse)` for other types.
    public static func decodable<Value: Decodable & SendableMetatype>(
        of type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder(),
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DataResponseSerializer<Value> where Self == DataResponseSerializer<Value> {
        .parsing(
            EmptyResponseRule(codes: emptyResponseCodes, methods: emptyRequestMethods),
            empty: EmptyResponseRule.emptyValue,
            parse: { _, data in
                do {
                    return try decoder.decode(Value.self, from: data)
                } catch {
                    throw FirewheelError(.responseSerializationFailed(.decodingFailed), underlyingError: error, responseData: data)
                }
            })
    }
}

extension DataResponseSerializer {
    fileprivate static func parsing(
        _ rule: EmptyResponseRule, handsOver: Bool = false, empty: @escaping @Sendable () throws -> Value,
        parse: @escaping @Sendable (ResponseFacts, Data) throws -> Value
    ) -> DataResponseSerializer {
        DataResponseSerializer(handsOver: handsOver) { facts, data, error in
            Result {
                if let error { throw error }
                if let data, !data.isEmpty { return try parse(facts, data) }
                guard rule.allowsEmpty(facts) else { throw FirewheelError(.responseSerializationFailed(.inputDataNilOrZeroLength)) }
                return try empty()
            }
        }
    }
}
