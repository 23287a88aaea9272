import Foundation

// The built-in serializers, applied to a downloaded file's content: the same names with the same options and the same rules, so that a
// leading dot finds them on a download too.

extension DownloadResponseSerializerProtocol where Self == DownloadResponseSerializer<Data> {
    /// The file's content.
    public static var data: DownloadResponseSerializer<Data> { DownloadResponseSerializer(.data) }

    /// The file's content, preprocessed, with rules of your own for where it may be empty.
    public static func data(
        dataPreprocessor: any DataPreprocessor = .passthrough, emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DownloadResponseSerializer<Data> {
        DownloadResponseSerializer(
            .data(dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods))
    }
}

extension DownloadResponseSerializerProtocol where Self == DownloadResponseSerializer<String> {
    /// The file's content as text, in the encoding that the response names.
    public static var string: DownloadResponseSerializer<String> { DownloadResponseSerializer(.string) }

    /// The file's content as text.
    ///
    /// - Parameter encoding: Default: the one that `Content-Type` names, else the byte order mark says, else ISO-8859-1.
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
    /// The JSON value of the file's content, as `JSONSerialization` makes it.
    public static var json: DownloadResponseSerializer<Any> { DownloadResponseSerializer(.json) }

    /// The JSON value of the file's content, as `JSONSerialization` makes it.
    ///
    /// - Parameters:
    ///   - options: Default: `.fragmentsAllowed`.
    ///   - removesKeysWithNullValues: Whether null members and elements are left out, at every level. Default: false.
    public static func json(
        options: JSONSerialization.ReadingOptions = .fragmentsAllowed, removesKeysWithNullValues: Bool = false,
        dataPreprocessor: any DataPreprocessor = .passthrough, emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DownloadResponseSerializer<Any> {
        DownloadResponseSerializer(
            .json(
                options: options, removesKeysWithNullValues: removesKeysWithNullValues, dataPreprocessor: dataPreprocessor,
                emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods))
    }

    /// The property list of the file's content, as `PropertyListSerialization` makes it: XML or binary.
    ///
    /// - Parameter options: Whether containers and strings are mutable. Default: none is.
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
    /// The JSON value of the file's content, with exact numbers, and Sendable.
    public static func jsonValue(
        dataPreprocessor: any DataPreprocessor = .passthrough, emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DownloadResponseSerializer<JSONValue> {
        DownloadResponseSerializer(
            .jsonValue(dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods)
        )
    }
}

extension DownloadResponseSerializerProtocol {
    /// A value decoded from the file's content.
    ///
    /// - Parameter decoder: Default: nil, and it is the ``SessionConfiguration/decoder`` of the session whose request this is given to.
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
