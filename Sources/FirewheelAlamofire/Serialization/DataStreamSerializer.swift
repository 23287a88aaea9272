/// Makes an element from each piece of a streamed body.
public protocol DataStreamSerializer: Sendable {
    /// The type of the elements. It need not be Sendable for a handler, to which each is handed over.
    associatedtype SerializedObject

    /// Returns the element.
    ///
    /// - Parameter data: A piece of the body as it has arrived.
    /// - Throws: An ``AFError``, or any other error, which the handler gets as
    ///   `responseSerializationFailed(.customSerializationFailed(error:))`.
    func serialize(_ data: Data) throws -> SerializedObject
}

extension DataStreamSerializer {
    /// The element, or the error as Alamofire reports it.
    func result(of data: Data) -> Result<SerializedObject, AFError> {
        Result { try serialize(data) }.mapError { AFError(ofPipeline: $0) }
    }
}

/// Makes a decoded value from each piece.
public struct DecodableStreamSerializer<T: Decodable & SendableMetatype>: DataStreamSerializer {
    /// What decodes the pieces.
    public let decoder: any DataDecoder
    /// Applied to each piece first.
    public let dataPreprocessor: any DataPreprocessor
    private let engine: Firewheel.DataResponseSerializer<T>

    /// Creates a serializer.
    ///
    /// - Parameters:
    ///   - decoder: Default: a `JSONDecoder`.
    ///   - dataPreprocessor: Applied to each piece first. Default: none.
    public init(decoder: any DataDecoder = JSONDecoder(), dataPreprocessor: any DataPreprocessor = PassthroughPreprocessor()) {
        self.decoder = decoder
        self.dataPreprocessor = dataPreprocessor
        engine = .decodable(decoder: decoder, dataPreprocessor: dataPreprocessor)
    }

    public func serialize(_ data: Data) throws -> T {
        try engine.serializeResponse(nil, nil, data, nil).mapError { AFError(ofPipeline: $0) }.get()
    }
}

/// Passes each piece on as it is.
public struct PassthroughStreamSerializer: DataStreamSerializer {
    /// Creates a serializer.
    public init() {}

    public func serialize(_ data: Data) throws -> Data { data }
}

/// Makes text from each piece, as UTF-8. Bytes that are not UTF-8 become U+FFFD, and so do those of a character that lies in two pieces:
/// `responseStreamString` does not split it.
public struct StringStreamSerializer: DataStreamSerializer {
    /// Creates a serializer.
    public init() {}

    public func serialize(_ data: Data) throws -> String { String(decoding: data, as: UTF8.self) }
}

// MARK: - Leading-dot syntax

extension DataStreamSerializer {
    /// Makes a decoded value from each piece.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - decoder: Default: a `JSONDecoder`.
    ///   - dataPreprocessor: Applied to each piece first. Default: none.
    public static func decodable<T: Decodable & SendableMetatype>(
        of type: T.Type, decoder: any DataDecoder = JSONDecoder(), dataPreprocessor: any DataPreprocessor = PassthroughPreprocessor()
    ) -> Self where Self == DecodableStreamSerializer<T> {
        DecodableStreamSerializer<T>(decoder: decoder, dataPreprocessor: dataPreprocessor)
    }
}

extension DataStreamSerializer where Self == PassthroughStreamSerializer {
    /// Passes each piece on as it is.
    public static var passthrough: PassthroughStreamSerializer { PassthroughStreamSerializer() }
}

extension DataStreamSerializer where Self == StringStreamSerializer {
    /// Makes text from each piece, as UTF-8.
    public static var string: StringStreamSerializer { StringStreamSerializer() }
}
