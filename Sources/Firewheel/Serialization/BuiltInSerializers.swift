import Foundation

// The built-in serializers. Each does the same in the same order, as Alamofire's do: (1) what went wrong before is the result; (2) an empty
// body is an empty value where the request's method or the status says that there is none, an error elsewhere; (3) the body is
// preprocessed; (4) it is parsed.
//
// They stand in extensions of the protocol so that a leading dot finds them: `.response(responseSerializer: .data)`.

extension DataResponseSerializer where Value == Data? {
    /// The body as it came.
    static var unserialized: DataResponseSerializer<Data?> { unserializedData }
}

// Made once, since most requests use them.
private let unserializedData = DataResponseSerializer<Data?>(handsOver: true) { _, data, error in
    error.map { .failure($0) } ?? .success(data)
}
private let defaultData = handingOver(EmptyResponseRule(codes: EmptyResponseRule.defaultCodes, methods: EmptyResponseRule.defaultMethods))
private let defaultString = DataResponseSerializer<String>.string()

extension DataResponseSerializerProtocol where Self == DataResponseSerializer<Data> {
    /// The body. An empty one is empty data where it is allowed, `responseSerializationFailed(.inputDataNilOrZeroLength)` elsewhere.
    public static var data: DataResponseSerializer<Data> { defaultData }

    /// The body, preprocessed, with rules of your own for where it may be empty.
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

/// The body as it came, where it may be empty or is not.
private func handingOver(_ rule: EmptyResponseRule) -> DataResponseSerializer<Data> {
    .parsing(rule, .passthrough, handsOver: true, empty: { Data() }, parse: { _, data in data })
}

extension DataResponseSerializerProtocol where Self == DataResponseSerializer<String> {
    /// The body as text, in the encoding that the response names.
    public static var string: DataResponseSerializer<String> { defaultString }

    /// The body as text, without its byte order mark.
    ///
    /// The encoding is the given one, else the one that `charset` of `Content-Type` names. Of a body without a charset that is known the
    /// byte order mark counts, and without one it is ISO-8859-1. What is no text in its encoding is `stringSerializationFailed`; so is text
    /// in an encoding that Foundation does not have on the platform, EUC-JP on Linux.
    public static func string(
        encoding: String.Encoding? = nil, dataPreprocessor: any DataPreprocessor = .passthrough,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DataResponseSerializer<String> {
        .parsing(
            EmptyResponseRule(codes: emptyResponseCodes, methods: emptyRequestMethods), dataPreprocessor,
            empty: { "" },
            parse: { facts, data in
                let encoding = encoding ?? facts.contentType.flatMap(Charset.encoding) ?? Charset.byteOrderMark(of: data) ?? .isoLatin1
                if let text = Charset.decode(data, as: encoding) { return text }
                throw FirewheelError(.responseSerializationFailed(.stringSerializationFailed(encoding)), responseData: data)
            })
    }
}

extension DataResponseSerializerProtocol {
    /// A value decoded from the body. An empty one is the empty value of an ``EmptyResponse`` type where it is allowed,
    /// `responseSerializationFailed(.invalidEmptyResponse)` for other types.
    ///
    /// - Parameter decoder: Default: nil, and it is the ``SessionConfiguration/decoder`` of the session whose request this is given to.
    ///   Called by code of yours, which has no session, it is a `JSONDecoder`.
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
            parse: { _, data in
                try parsing(data, or: .decodingFailed) { try decoder.decodeChecked(Value.self, from: data) }
            })
    }
}

extension DataResponseSerializer {
    /// A serializer that does the first three steps as all do, and then parses.
    static func parsing(
        _ rule: EmptyResponseRule, _ preprocessor: any DataPreprocessor, handsOver: Bool = false,
        empty: @escaping @Sendable () throws -> Value, parse: @escaping @Sendable (ResponseFacts, Data) throws -> Value
    ) -> DataResponseSerializer {
        DataResponseSerializer(handsOver: handsOver) { facts, data, error in
            Result {
                if let error { throw error }
                if let data, !data.isEmpty { return try parse(facts, preprocessed(data, by: preprocessor)) }
                guard rule.allowsEmpty(facts) else { throw FirewheelError(.responseSerializationFailed(.inputDataNilOrZeroLength)) }
                return try empty()
            }
        }
    }
}

/// The body after a preprocessor, whose error is told from a parser's.
func preprocessed(_ data: Data, by preprocessor: any DataPreprocessor) throws -> Data {
    try parsing(data, or: .customSerializationFailed) { try preprocessor.preprocess(data) }
}

/// What a parser makes of a body, its error with a reason and the body.
func parsing<Value>(
    _ data: Data, or reason: FirewheelError.ResponseSerializationFailureReason, _ parse: () throws -> Value
) throws -> Value {
    do {
        return try parse()
    } catch {
        throw FirewheelError(.responseSerializationFailed(reason), underlyingError: error, responseData: data)
    }
}
