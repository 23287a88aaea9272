import Foundation

// The built-in serializers. All follow the same steps, as in Alamofire: (1) an earlier error is the result; (2) an empty body is an empty
// value if the request's method or the status allows it, otherwise an error; (3) the body is preprocessed; (4) it is parsed.
//
// They are extensions of the protocol to support leading-dot syntax: `.response(responseSerializer: .data)`.

extension DataResponseSerializer where Value == Data? {
    /// The body as received.
    package static var unserialized: DataResponseSerializer<Data?> { unserializedData }
}

// Shared, because most requests use these.
private let unserializedData = DataResponseSerializer<Data?>(handsOver: true) { _, data, error in
    error.map { .failure($0) } ?? .success(data)
}
private let defaultData = handingOver(EmptyResponseRule(codes: EmptyResponseRule.defaultCodes, methods: EmptyResponseRule.defaultMethods))
private let defaultString = DataResponseSerializer<String>.string()

extension DataResponseSerializerProtocol where Self == DataResponseSerializer<Data> {
    /// The body. An empty one is empty data if allowed, otherwise `responseSerializationFailed(.inputDataNilOrZeroLength)`.
    public static var data: DataResponseSerializer<Data> { defaultData }

    /// The body after preprocessing, with custom rules for empty bodies.
    public static func data(
        dataPreprocessor: any DataPreprocessor = .passthrough, emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DataResponseSerializer<Data> {
        let rule = EmptyResponseRule(codes: emptyResponseCodes, methods: emptyRequestMethods)
        guard type(of: dataPreprocessor) == PassthroughPreprocessor.self else {
            return .parsing(rule, dataPreprocessor, empty: { Data() }, parse: { _, data in data })
        }
        return rule.isDefault ? defaultData : handingOver(rule)
    }
}

/// The body as received, subject to a rule for empty bodies.
private func handingOver(_ rule: EmptyResponseRule) -> DataResponseSerializer<Data> {
    .parsing(rule, .passthrough, handsOver: true, empty: { Data() }, parse: { _, data in data })
}

extension DataResponseSerializerProtocol where Self == DataResponseSerializer<String> {
    /// The body as text, in the response's encoding.
    public static var string: DataResponseSerializer<String> { defaultString }

    /// The body as text, without its byte order mark.
    ///
    /// The encoding is the given one, otherwise that of the `charset` parameter of `Content-Type`, by the labels of the WHATWG Encoding
    /// standard. Without a charset that is known it is that of the byte order mark, otherwise UTF-8 if the bytes are valid UTF-8, otherwise
    /// ISO-8859-1. JSON that is valid UTF-8 is UTF-8 whatever the charset (RFC 8259 section 11). A body that is invalid in its encoding is
    /// `stringSerializationFailed`, as is EUC-JP on a Linux whose C library cannot decode it.
    public static func string(
        encoding: String.Encoding? = nil, dataPreprocessor: any DataPreprocessor = .passthrough,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DataResponseSerializer<String> {
        .parsing(
            EmptyResponseRule(codes: emptyResponseCodes, methods: emptyRequestMethods), dataPreprocessor,
            empty: { "" },
            parse: { facts, data in
                let (text, tried) =
                    encoding.map { (Charset.decode(data, as: $0), $0) } ?? Charset.text(of: data, contentType: facts.contentType)
                if let text { return text }
                throw FirewheelError(.responseSerializationFailed(.stringSerializationFailed(tried)), responseData: data)
            })
    }
}

extension DataResponseSerializerProtocol {
    /// A value decoded from the body. If an empty body is allowed, it is the empty value of an ``EmptyResponse`` type, and
    /// `responseSerializationFailed(.invalidEmptyResponse)` for other types.
    ///
    /// Without a decoder, the ``SessionConfiguration/decoder`` of the request's session is used, or a `JSONDecoder` if you call the
    /// serializer yourself, without a session.
    public static func decodable<Value: Decodable & SendableMetatype>(
        of type: Value.Type = Value.self, decoder: (any DataDecoder)? = nil, dataPreprocessor: any DataPreprocessor = .passthrough,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DataResponseSerializer<Value> where Self == DataResponseSerializer<Value> {
        guard let decoder else {
            return DataResponseSerializer(decoding: { session in
                .decodable(
                    of: type, decoder: session.decoder, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                    emptyRequestMethods: emptyRequestMethods)
            })
        }
        return .parsing(
            EmptyResponseRule(codes: emptyResponseCodes, methods: emptyRequestMethods), dataPreprocessor,
            empty: EmptyResponseRule.emptyValue,
            parse: { facts, data in
                try parsing(data, or: .decodingFailed, as: FirewheelError.name(of: Value.self)) {
                    try decoder.decodeChecked(Value.self, from: data, contentType: facts.contentType)
                }
            })
    }
}

extension DataResponseSerializer {
    /// A serializer with the common first three steps and a custom parser.
    ///
    /// - Parameter takesSpaceAsEmpty: Whether a single space counts as an empty body: what Ruby on Rails used to send for one.
    package static func parsing(
        _ rule: EmptyResponseRule, _ preprocessor: any DataPreprocessor, handsOver: Bool = false, takesSpaceAsEmpty: Bool = false,
        empty: @escaping @Sendable () throws -> Value, parse: @escaping @Sendable (ResponseFacts, Data) throws -> Value
    ) -> DataResponseSerializer {
        DataResponseSerializer(handsOver: handsOver) { facts, data, error in
            Result {
                if let error { throw error }
                if let data, !data.isEmpty, !(takesSpaceAsEmpty && data.elementsEqual(CollectionOfOne(0x20))) {
                    return try parse(facts, preprocessed(data, by: preprocessor))
                }
                guard rule.allowsEmpty(facts) else { throw FirewheelError(.responseSerializationFailed(.inputDataNilOrZeroLength)) }
                return try empty()
            }
        }
    }
}

/// Preprocesses the body, with an error that differs from a parser's.
func preprocessed(_ data: Data, by preprocessor: any DataPreprocessor) throws -> Data {
    try parsing(data, or: .customSerializationFailed) { try preprocessor.preprocess(data) }
}

/// Parses a body, adding a reason and the body to an error.
func parsing<Value>(
    _ data: Data, or reason: FirewheelError.ResponseSerializationFailureReason, as type: @autoclosure () -> String? = nil,
    _ parse: () throws -> Value
) throws -> Value {
    do {
        return try parse()
    } catch {
        throw FirewheelError(.responseSerializationFailed(reason), detail: type(), underlyingError: error, responseData: data)
    }
}
