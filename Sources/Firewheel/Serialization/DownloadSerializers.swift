import Foundation

// The built-in serializers, applied to the content of a downloaded file, with the same names, options and rules, so that leading-dot syntax
// works for downloads too.

extension DownloadResponseSerializerProtocol where Self == DownloadResponseSerializer<Data> {
    /// The file's content.
    public static var data: DownloadResponseSerializer<Data> { DownloadResponseSerializer(.data) }

    /// The file's content after preprocessing, with custom rules for empty content.
    public static func data(
        dataPreprocessor: any DataPreprocessor = .passthrough, emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DownloadResponseSerializer<Data> {
        DownloadResponseSerializer(
            .data(dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods))
    }
}

extension DownloadResponseSerializerProtocol where Self == DownloadResponseSerializer<String> {
    /// The file's content as text, in the response's encoding.
    public static var string: DownloadResponseSerializer<String> { DownloadResponseSerializer(.string) }

    /// The file's content as text.
    ///
    /// - Parameters:
    ///   - encoding: Default: the encoding given by `Content-Type`, else by the byte order mark, else UTF-8, else ISO-8859-1.
    ///   - dataPreprocessor: Transforms the body before it is serialized. Default: `.passthrough`, no change.
    ///   - emptyResponseCodes: The status codes with which the body may be empty. Default: 204, 205.
    ///   - emptyRequestMethods: The methods with which the body may be empty. Default: HEAD.
    public static func string(
        encoding: String.Encoding? = nil, dataPreprocessor: any DataPreprocessor = .passthrough,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DownloadResponseSerializer<String> {
        DownloadResponseSerializer(
            .string(
                encoding: encoding, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods))
    }
}

extension DownloadResponseSerializerProtocol where Self == DownloadResponseSerializer<Any> {
    /// The file's content as a JSON value of `JSONSerialization`.
    public static var json: DownloadResponseSerializer<Any> { DownloadResponseSerializer(.json) }

    /// The file's content as a JSON value of `JSONSerialization`.
    ///
    /// - Parameters:
    ///   - options: Default: `.fragmentsAllowed`.
    ///   - removesKeysWithNullValues: Whether null members and elements are left out, at every level. Default: false.
    ///   - keepsNullsInArrays: Whether only null members are left out. Default: false.
    ///   - dataPreprocessor: Transforms the body before it is serialized. Default: `.passthrough`, no change.
    ///   - emptyResponseCodes: The status codes with which the body may be empty. Default: 204, 205.
    ///   - emptyRequestMethods: The methods with which the body may be empty. Default: HEAD.
    public static func json(
        options: JSONSerialization.ReadingOptions = .fragmentsAllowed, removesKeysWithNullValues: Bool = false,
        keepsNullsInArrays: Bool = false, dataPreprocessor: any DataPreprocessor = .passthrough,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DownloadResponseSerializer<Any> {
        DownloadResponseSerializer(
            .json(
                options: options, removesKeysWithNullValues: removesKeysWithNullValues, keepsNullsInArrays: keepsNullsInArrays,
                dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods))
    }

    /// The file's content as a property list of `PropertyListSerialization`: XML or binary.
    ///
    /// - Parameters:
    ///   - options: Whether containers and strings are mutable. Default: immutable.
    ///   - dataPreprocessor: Transforms the body before it is serialized. Default: `.passthrough`, no change.
    ///   - emptyResponseCodes: The status codes with which the body may be empty. Default: 204, 205.
    ///   - emptyRequestMethods: The methods with which the body may be empty. Default: HEAD.
    public static func propertyList(
        options: PropertyListSerialization.ReadOptions = [], dataPreprocessor: any DataPreprocessor = .passthrough,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DownloadResponseSerializer<Any> {
        DownloadResponseSerializer(
            .propertyList(
                options: options, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods))
    }
}

extension DownloadResponseSerializerProtocol where Self == DownloadResponseSerializer<JSONValue> {
    /// The file's content as a Sendable JSON value with exact numbers.
    ///
    /// - Parameters:
    ///   - removesKeysWithNullValues: Whether null members and elements are left out, at every level. Default: false.
    ///   - keepsNullsInArrays: Whether only null members are left out. Default: false.
    ///   - dataPreprocessor: Transforms the body before it is serialized. Default: `.passthrough`, no change.
    ///   - emptyResponseCodes: The status codes with which the body may be empty. Default: 204, 205.
    ///   - emptyRequestMethods: The methods with which the body may be empty. Default: HEAD.
    public static func jsonValue(
        removesKeysWithNullValues: Bool = false, keepsNullsInArrays: Bool = false,
        dataPreprocessor: any DataPreprocessor = .passthrough, emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DownloadResponseSerializer<JSONValue> {
        DownloadResponseSerializer(
            .jsonValue(
                removesKeysWithNullValues: removesKeysWithNullValues, keepsNullsInArrays: keepsNullsInArrays,
                dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods))
    }
}

extension DownloadResponseSerializerProtocol {
    /// A value decoded from the file's content.
    ///
    /// Without a decoder, the ``SessionConfiguration/decoder`` of the session is used whose request the serializer is attached to.
    public static func decodable<Value: Decodable & SendableMetatype>(
        of type: Value.Type = Value.self, decoder: (any DataDecoder)? = nil, dataPreprocessor: any DataPreprocessor = .passthrough,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DownloadResponseSerializer<Value> where Self == DownloadResponseSerializer<Value> {
        DownloadResponseSerializer(
            .decodable(
                of: type, decoder: decoder, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods))
    }

    /// Tries serializers in order on the file's content; the first value counts.
    public static func compound<Value>(
        _ serializers: [DataResponseSerializer<Value>], dataPreprocessor: any DataPreprocessor = .passthrough,
        emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DownloadResponseSerializer<Value> where Self == DownloadResponseSerializer<Value> {
        DownloadResponseSerializer(
            .compound(
                serializers, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                emptyRequestMethods: emptyRequestMethods))
    }
}
