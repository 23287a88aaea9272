// The built-in serializers as types. Each holds the engine's serializer of the same kind: (1) an earlier error is thrown; (2) an empty body
// is an empty value if the method or the status allows it, otherwise an error; (3) the body is preprocessed; (4) it is parsed.

/// A serializer for which the engine has one of its own, which needs no `URLRequest` and no `HTTPURLResponse`.
protocol BuiltInSerializer<SerializedObject>: ResponseSerializer {
    var engine: Firewheel.DataResponseSerializer<SerializedObject> { get }
}

extension BuiltInSerializer {
    /// What the engine's serializer makes, with errors as Alamofire reports them.
    func made(_ request: URLRequest?, _ response: HTTPURLResponse?, _ data: Data?, _ error: (any Error)?) throws -> SerializedObject {
        if let error { throw error }
        return try engine.serializeResponse(request, response, data, nil).mapError { AFError(ofPipeline: $0) }.get()
    }
}

/// Makes `Data` from a response.
public final class DataResponseSerializer: BuiltInSerializer {
    public let dataPreprocessor: any DataPreprocessor
    public let emptyResponseCodes: Set<Int>
    public let emptyRequestMethods: Set<HTTPMethod>
    let engine: Firewheel.DataResponseSerializer<Data>

    public func serialize(request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?) throws -> Data {
        try made(request, response, data, error)
    }

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: Applied to the body first. Default: none.
    ///   - emptyResponseCodes: The status codes with which the body may be empty. Default: 204, 205.
    ///   - emptyRequestMethods: The methods with which the body may be empty. Default: HEAD.
    public init(
        dataPreprocessor: any DataPreprocessor = DataResponseSerializer.defaultDataPreprocessor,
        emptyResponseCodes: Set<Int> = DataResponseSerializer.defaultEmptyResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = DataResponseSerializer.defaultEmptyRequestMethods
    ) {
        self.dataPreprocessor = dataPreprocessor
        self.emptyResponseCodes = emptyResponseCodes
        self.emptyRequestMethods = emptyRequestMethods
        engine = .data(
            dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods)
    }
}

/// Makes a `String` from a response.
public final class StringResponseSerializer: BuiltInSerializer {
    public let dataPreprocessor: any DataPreprocessor
    /// The encoding of the body; nil: the one that the response declares, otherwise that of the byte order mark, UTF-8, or ISO-8859-1.
    public let encoding: String.Encoding?
    public let emptyResponseCodes: Set<Int>
    public let emptyRequestMethods: Set<HTTPMethod>
    let engine: Firewheel.DataResponseSerializer<String>

    public func serialize(request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?) throws -> String {
        try made(request, response, data, error)
    }

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: Applied to the body first. Default: none.
    ///   - encoding: Default: nil, the one of `Content-Type`, otherwise of the byte order mark, otherwise UTF-8, otherwise ISO-8859-1.
    ///   - emptyResponseCodes: The status codes with which the body may be empty. Default: 204, 205.
    ///   - emptyRequestMethods: The methods with which the body may be empty. Default: HEAD.
    public init(
        dataPreprocessor: any DataPreprocessor = StringResponseSerializer.defaultDataPreprocessor, encoding: String.Encoding? = nil,
        emptyResponseCodes: Set<Int> = StringResponseSerializer.defaultEmptyResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = StringResponseSerializer.defaultEmptyRequestMethods
    ) {
        self.dataPreprocessor = dataPreprocessor
        self.encoding = encoding
        self.emptyResponseCodes = emptyResponseCodes
        self.emptyRequestMethods = emptyRequestMethods
        engine = .string(
            encoding: encoding, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
            emptyRequestMethods: emptyRequestMethods)
    }
}

/// Makes a JSON value of `JSONSerialization` from a response.
public final class JSONResponseSerializer: BuiltInSerializer {
    public let dataPreprocessor: any DataPreprocessor
    public let emptyResponseCodes: Set<Int>
    public let emptyRequestMethods: Set<HTTPMethod>
    /// How the body is read.
    public let options: JSONSerialization.ReadingOptions
    let engine: Firewheel.DataResponseSerializer<Any>

    public func serialize(request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?) throws -> Any {
        try made(request, response, data, error)
    }

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: Applied to the body first. Default: none.
    ///   - emptyResponseCodes: The status codes with which the body may be empty: the value is then `NSNull`. Default: 204, 205.
    ///   - emptyRequestMethods: The methods with which the body may be empty. Default: HEAD.
    ///   - options: Default: `.fragmentsAllowed`.
    public init(
        dataPreprocessor: any DataPreprocessor = JSONResponseSerializer.defaultDataPreprocessor,
        emptyResponseCodes: Set<Int> = JSONResponseSerializer.defaultEmptyResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = JSONResponseSerializer.defaultEmptyRequestMethods,
        options: JSONSerialization.ReadingOptions = .fragmentsAllowed
    ) {
        self.dataPreprocessor = dataPreprocessor
        self.emptyResponseCodes = emptyResponseCodes
        self.emptyRequestMethods = emptyRequestMethods
        self.options = options
        engine = .json(
            options: options, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
            emptyRequestMethods: emptyRequestMethods)
    }
}

/// Makes a decoded value from a response.
public final class DecodableResponseSerializer<T: Decodable & SendableMetatype>: BuiltInSerializer {
    public let dataPreprocessor: any DataPreprocessor
    /// What decodes the body.
    public let decoder: any DataDecoder
    public let emptyResponseCodes: Set<Int>
    public let emptyRequestMethods: Set<HTTPMethod>
    let engine: Firewheel.DataResponseSerializer<T>

    public func serialize(request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?) throws -> T {
        try made(request, response, data, error)
    }

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - dataPreprocessor: Applied to the body first. Default: none.
    ///   - decoder: Default: a `JSONDecoder`.
    ///   - emptyResponseCodes: The status codes with which the body may be empty, for an `EmptyResponse` type. Default: 204, 205.
    ///   - emptyRequestMethods: The methods with which the body may be empty. Default: HEAD.
    public init(
        dataPreprocessor: any DataPreprocessor = DecodableResponseSerializer.defaultDataPreprocessor,
        decoder: any DataDecoder = JSONDecoder(),
        emptyResponseCodes: Set<Int> = DecodableResponseSerializer.defaultEmptyResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = DecodableResponseSerializer.defaultEmptyRequestMethods
    ) {
        self.dataPreprocessor = dataPreprocessor
        self.decoder = decoder
        self.emptyResponseCodes = emptyResponseCodes
        self.emptyRequestMethods = emptyRequestMethods
        engine = .decodable(
            decoder: decoder, dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes,
            emptyRequestMethods: emptyRequestMethods)
    }
}

/// Makes the URL of a downloaded file from a response.
public struct URLResponseSerializer: DownloadResponseSerializerProtocol {
    /// Creates a serializer.
    public init() {}

    public func serializeDownload(request: URLRequest?, response: HTTPURLResponse?, fileURL: URL?, error: (any Error)?) throws -> URL {
        if let error { throw error }
        guard let fileURL else { throw AFError.responseSerializationFailed(reason: .inputFileNil) }
        return fileURL
    }
}

// MARK: - Leading-dot syntax

extension ResponseSerializer where Self == DataResponseSerializer {
    /// Makes `Data` from a response.
    public static var data: DataResponseSerializer { DataResponseSerializer() }

    /// Makes `Data` from a response.
    public static func data(
        dataPreprocessor: any DataPreprocessor = DataResponseSerializer.defaultDataPreprocessor,
        emptyResponseCodes: Set<Int> = DataResponseSerializer.defaultEmptyResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = DataResponseSerializer.defaultEmptyRequestMethods
    ) -> DataResponseSerializer {
        DataResponseSerializer(
            dataPreprocessor: dataPreprocessor, emptyResponseCodes: emptyResponseCodes, emptyRequestMethods: emptyRequestMethods)
    }
}

extension ResponseSerializer where Self == StringResponseSerializer {
    /// Makes a `String` from a response.
    public static var string: StringResponseSerializer { StringResponseSerializer() }

    /// Makes a `String` from a response.
    public static func string(
        dataPreprocessor: any DataPreprocessor = StringResponseSerializer.defaultDataPreprocessor, encoding: String.Encoding? = nil,
        emptyResponseCodes: Set<Int> = StringResponseSerializer.defaultEmptyResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = StringResponseSerializer.defaultEmptyRequestMethods
    ) -> StringResponseSerializer {
        StringResponseSerializer(
            dataPreprocessor: dataPreprocessor, encoding: encoding, emptyResponseCodes: emptyResponseCodes,
            emptyRequestMethods: emptyRequestMethods)
    }
}

extension ResponseSerializer {
    /// Makes a decoded value from a response.
    public static func decodable<T: Decodable & SendableMetatype>(
        of type: T.Type, dataPreprocessor: any DataPreprocessor = DecodableResponseSerializer<T>.defaultDataPreprocessor,
        decoder: any DataDecoder = JSONDecoder(),
        emptyResponseCodes: Set<Int> = DecodableResponseSerializer<T>.defaultEmptyResponseCodes,
        emptyRequestMethods: Set<HTTPMethod> = DecodableResponseSerializer<T>.defaultEmptyRequestMethods
    ) -> DecodableResponseSerializer<T> where Self == DecodableResponseSerializer<T> {
        DecodableResponseSerializer<T>(
            dataPreprocessor: dataPreprocessor, decoder: decoder, emptyResponseCodes: emptyResponseCodes,
            emptyRequestMethods: emptyRequestMethods)
    }
}

extension DownloadResponseSerializerProtocol where Self == URLResponseSerializer {
    /// Makes the URL of a downloaded file from a response.
    public static var url: URLResponseSerializer { URLResponseSerializer() }
}
