/// Makes a value from a response whose body is in memory.
public protocol DataResponseSerializerProtocol<SerializedObject>: Sendable {
    /// The type of the value. It need not be Sendable: it is handed to the handler that asked for it.
    associatedtype SerializedObject

    /// Returns the value.
    ///
    /// - Parameters:
    ///   - request: The request as it was sent; nil if there was none.
    ///   - response: The response, if its head was received.
    ///   - data: The body; nil if there is none.
    ///   - error: The failure before serialization: an ``AFError``. Most serializers rethrow it.
    /// - Throws: An ``AFError``, or any other error, which the handler gets as
    ///   `responseSerializationFailed(.customSerializationFailed(error:))`.
    func serialize(request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?) throws -> SerializedObject
}

/// Makes a value from a downloaded file.
public protocol DownloadResponseSerializerProtocol<SerializedObject>: Sendable {
    /// The type of the value. It need not be Sendable: it is handed to the handler that asked for it.
    associatedtype SerializedObject

    /// Returns the value: as ``DataResponseSerializerProtocol/serialize(request:response:data:error:)``, with the file in place of the
    /// body.
    func serializeDownload(request: URLRequest?, response: HTTPURLResponse?, fileURL: URL?, error: (any Error)?) throws -> SerializedObject
}

/// Makes a value from a response, in memory or, by reading its file, downloaded.
public protocol ResponseSerializer<SerializedObject>: DataResponseSerializerProtocol & DownloadResponseSerializerProtocol {
    /// Changes the body before it is parsed. Default: nothing.
    var dataPreprocessor: any DataPreprocessor { get }
    /// The methods with which an empty body is allowed. Default: HEAD.
    var emptyRequestMethods: Set<HTTPMethod> { get }
    /// The status codes with which an empty body is allowed. Default: 204, 205.
    var emptyResponseCodes: Set<Int> { get }
}

extension ResponseSerializer {
    /// Changes nothing.
    public static var defaultDataPreprocessor: any DataPreprocessor { PassthroughPreprocessor() }
    /// HEAD.
    public static var defaultEmptyRequestMethods: Set<HTTPMethod> { EmptyResponseRule.defaultMethods }
    /// 204 and 205.
    public static var defaultEmptyResponseCodes: Set<Int> { EmptyResponseRule.defaultCodes }

    public var dataPreprocessor: any DataPreprocessor { Self.defaultDataPreprocessor }
    public var emptyRequestMethods: Set<HTTPMethod> { Self.defaultEmptyRequestMethods }
    public var emptyResponseCodes: Set<Int> { Self.defaultEmptyResponseCodes }

    /// Whether the request's method allows an empty body; nil without a request.
    public func requestAllowsEmptyResponseData(_ request: URLRequest?) -> Bool? {
        request?.httpMethod.map { emptyRequestMethods.contains(HTTPMethod(rawValue: $0)) }
    }

    /// Whether the status allows an empty body; nil without a response.
    public func responseAllowsEmptyResponseData(_ response: HTTPURLResponse?) -> Bool? {
        response.map { emptyResponseCodes.contains($0.statusCode) }
    }

    /// Whether the method or the status allows an empty body.
    public func emptyResponseAllowed(forRequest request: URLRequest?, response: HTTPURLResponse?) -> Bool {
        requestAllowsEmptyResponseData(request) == true || responseAllowsEmptyResponseData(response) == true
    }
}

extension DownloadResponseSerializerProtocol where Self: DataResponseSerializerProtocol {
    /// Reads the file and serializes its content.
    public func serializeDownload(
        request: URLRequest?, response: HTTPURLResponse?, fileURL: URL?, error: (any Error)?
    ) throws -> Self.SerializedObject {
        if let error { throw error }
        guard let fileURL else { throw AFError.responseSerializationFailed(reason: .inputFileNil) }
        guard let data = try? Data(contentsOf: fileURL) else {
            throw AFError.responseSerializationFailed(reason: .inputFileReadFailed(at: fileURL))
        }
        return try serialize(request: request, response: response, data: data, error: nil)
    }
}

extension DataResponseSerializerProtocol {
    /// This serializer for the engine, which reports what it throws.
    var engineSerializer: Firewheel.DataResponseSerializer<SerializedObject> {
        if let builtIn = self as? any BuiltInSerializer<SerializedObject> { return builtIn.engine }
        return Firewheel.DataResponseSerializer { request, response, data, error in
            Result { try serialize(request: request, response: response, data: data, error: error.map { AFError(ofPipeline: $0) }) }
        }
    }
}

extension DownloadResponseSerializerProtocol {
    /// This serializer for the engine, which reports what it throws.
    var engineSerializer: Firewheel.DownloadResponseSerializer<SerializedObject> {
        if let builtIn = self as? any BuiltInSerializer<SerializedObject> { return Firewheel.DownloadResponseSerializer(builtIn.engine) }
        return Firewheel.DownloadResponseSerializer { request, response, fileURL, error in
            Result {
                try serializeDownload(request: request, response: response, fileURL: fileURL, error: error.map { AFError(ofPipeline: $0) })
            }
        }
    }
}
