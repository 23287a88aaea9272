import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

// The steps are those of Firewheel's built-in serializers: an earlier error is the result, an empty body has no value, the body is
// preprocessed, and then read.

extension DataResponseSerializerProtocol where Self == DataResponseSerializer<XMLParser> {
    /// A parser of the body: `xml()` with the defaults.
    public static var xml: DataResponseSerializer<XMLParser> { .xml() }

    /// A parser of the body that is ready to run: set its `delegate`, which it does not retain, and call `parse()`, once.
    ///
    /// Whether the body is well-formed is known only after `parse()`. A body that is refused as unsafe, that has an unsupported encoding or
    /// no element, or on Linux a malformed DTD, is `responseSerializationFailed(.xmlSerializationFailed)` with an ``XMLFailure``. The
    /// parser loads no external entities.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: Transforms the body before it is read. Default: `.passthrough`, no change.
    ///   - emptyResponseCodes: The status codes with which an empty body is `invalidEmptyResponse`; otherwise it is
    ///     `inputDataNilOrZeroLength`. Default: 204, 205.
    ///   - emptyRequestMethods: The methods with which it is. Default: HEAD.
    public static func xml(
        dataPreprocessor: any DataPreprocessor = .passthrough, emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DataResponseSerializer<XMLParser> {
        .reading(dataPreprocessor, emptyResponseCodes, emptyRequestMethods) { try $0.parser() }
    }
}

extension DownloadResponseSerializerProtocol where Self == DownloadResponseSerializer<XMLParser> {
    /// A parser of the file's content.
    public static var xml: DownloadResponseSerializer<XMLParser> { .xml() }

    /// A parser of the file's content that is ready to run: set its `delegate`, which it does not retain, and call `parse()`, once.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: Transforms the content before it is read. Default: `.passthrough`, no change.
    ///   - emptyResponseCodes: The status codes with which an empty file is `invalidEmptyResponse`. Default: 204, 205.
    ///   - emptyRequestMethods: The methods with which it is. Default: HEAD.
    public static func xml(
        dataPreprocessor: any DataPreprocessor = .passthrough, emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
        emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
    ) -> DownloadResponseSerializer<XMLParser> {
        DownloadResponseSerializer(
            .xml(dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods))
    }
}

#if os(macOS) || os(Linux)
    extension DataResponseSerializerProtocol where Self == DataResponseSerializer<XMLDocument> {
        /// The body as a tree.
        public static var xmlDocument: DataResponseSerializer<XMLDocument> { .xmlDocument() }

        /// The body as a tree. A body that is not well-formed, or refused as unsafe, is
        /// `responseSerializationFailed(.xmlSerializationFailed)` with an ``XMLFailure``.
        ///
        /// - Parameters:
        ///   - options: Options of `XMLDocument`. External entities and DTDs are never loaded, whatever they say; on Linux
        ///     `documentValidate` is an error. Default: none.
        ///   - dataPreprocessor: Transforms the body before it is read. Default: `.passthrough`, no change.
        ///   - emptyResponseCodes: The status codes with which an empty body is `invalidEmptyResponse`; otherwise it is
        ///     `inputDataNilOrZeroLength`. Default: 204, 205.
        ///   - emptyRequestMethods: The methods with which it is. Default: HEAD.
        public static func xmlDocument(
            options: XMLNode.Options = [], dataPreprocessor: any DataPreprocessor = .passthrough,
            emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
            emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
        ) -> DataResponseSerializer<XMLDocument> {
            .reading(dataPreprocessor, emptyResponseCodes, emptyRequestMethods) { try $0.document(options: options) }
        }
    }

    extension DownloadResponseSerializerProtocol where Self == DownloadResponseSerializer<XMLDocument> {
        /// The file's content as a tree.
        public static var xmlDocument: DownloadResponseSerializer<XMLDocument> { .xmlDocument() }

        /// The file's content as a tree.
        ///
        /// - Parameters:
        ///   - options: Options of `XMLDocument`. External entities and DTDs are never loaded, whatever they say; on Linux
        ///     `documentValidate` is an error. Default: none.
        ///   - dataPreprocessor: Transforms the content before it is read. Default: `.passthrough`, no change.
        ///   - emptyResponseCodes: The status codes with which an empty file is `invalidEmptyResponse`. Default: 204, 205.
        ///   - emptyRequestMethods: The methods with which it is. Default: HEAD.
        public static func xmlDocument(
            options: XMLNode.Options = [], dataPreprocessor: any DataPreprocessor = .passthrough,
            emptyResponseCodes: Set<Int> = EmptyResponseRule.defaultCodes,
            emptyRequestMethods: Set<HTTPMethod> = EmptyResponseRule.defaultMethods
        ) -> DownloadResponseSerializer<XMLDocument> {
            DownloadResponseSerializer(
                .xmlDocument(
                    options: options, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
                    emptyRequestMethods: emptyRequestMethods))
        }
    }
#endif

extension DataResponseSerializer {
    /// A serializer with the common steps, which reads the body once the guard accepts it.
    static func reading(
        _ preprocessor: any DataPreprocessor, _ codes: Set<Int>, _ methods: Set<HTTPMethod>,
        _ read: @escaping @Sendable (XMLGuard) throws -> Value
    ) -> DataResponseSerializer {
        .parsing(
            EmptyResponseRule(codes: codes, methods: methods), preprocessor,
            empty: EmptyResponseRule.emptyValue,
            parse: { facts, data in
                do {
                    return try read(XMLGuard(data, contentType: facts.contentType))
                } catch {
                    throw FirewheelError(
                        .responseSerializationFailed(.xmlSerializationFailed), detail: "\(error)", underlyingError: error,
                        responseData: data)
                }
            })
    }
}
