import Foundation

/// The protocol for custom serializers: one method handles data and, by reading the file, downloads.
public protocol ResponseSerializer<SerializedObject>: DataResponseSerializerProtocol, DownloadResponseSerializerProtocol {
    // Repeated, because the compiler does not infer it from two protocols that declare it.
    associatedtype SerializedObject

    /// Preprocesses the body; ``serialize(request:response:data:error:)`` must call its `preprocess`. Default: none.
    var dataPreprocessor: any DataPreprocessor { get }

    /// The status codes with which ``emptyResponseAllowed(forRequest:response:)`` allows an empty body. Default: 204, 205.
    var emptyResponseCodes: Set<Int> { get }

    /// The methods with which ``emptyResponseAllowed(forRequest:response:)`` allows an empty body. Default: HEAD.
    var emptyRequestMethods: Set<HTTPMethod> { get }

    /// Returns the value. The body is as received: this method must preprocess it, and check whether it may be empty.
    ///
    /// - Parameter error: The error of the transport, a validation or a cancellation. Most implementations rethrow it.
    /// - Throws: An error, which is passed to the handler unchanged.
    func serialize(request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?) throws -> SerializedObject
}

extension ResponseSerializer {
    public var dataPreprocessor: any DataPreprocessor { .passthrough }
    public var emptyResponseCodes: Set<Int> { EmptyResponseRule.defaultCodes }
    public var emptyRequestMethods: Set<HTTPMethod> { EmptyResponseRule.defaultMethods }

    /// Whether the response may have no body, by its status or by the request's method.
    public func emptyResponseAllowed(forRequest request: URLRequest?, response: HTTPURLResponse?) -> Bool {
        EmptyResponseRule(codes: emptyResponseCodes, methods: emptyRequestMethods).allowsEmpty(ResponseFacts(request, response))
    }

    public var serializeResponse: @Sendable (URLRequest?, HTTPURLResponse?, Data?, (any Error)?) -> Result<SerializedObject, any Error> {
        { request, response, data, error in
            Result { try serialize(request: request, response: response, data: data, error: error) }
        }
    }

    public var serializeDownloadResponse:
        @Sendable (URLRequest?, HTTPURLResponse?, URL?, (any Error)?) -> Result<SerializedObject, any Error>
    {
        DownloadResponseSerializer(DataResponseSerializer(self)).serializeDownloadResponse
    }
}
