import Foundation

/// What to conform a type of your own to that makes values of responses: one method serves data and, reading the file, downloads.
public protocol ResponseSerializer<SerializedObject>: DataResponseSerializerProtocol, DownloadResponseSerializerProtocol {
    // Said again because of two protocols that say it the compiler infers neither.
    associatedtype SerializedObject

    /// What ``serialize(request:response:data:error:)`` does to the bytes first, by calling its `preprocess`. Default: nothing.
    var dataPreprocessor: any DataPreprocessor { get }

    /// The status codes with which ``emptyResponseAllowed(forRequest:response:)`` allows an empty body. Default: 204, 205.
    var emptyResponseCodes: Set<Int> { get }

    /// The methods with which ``emptyResponseAllowed(forRequest:response:)`` allows an empty body. Default: HEAD.
    var emptyRequestMethods: Set<HTTPMethod> { get }

    /// Makes the value. The body is as received: preprocessing it, and asking whether it may be empty, is up to this method.
    ///
    /// - Parameter error: What went wrong before: transport, validation, cancel. Most rethrow it.
    /// - Throws: What the handler is to get, as it is.
    func serialize(request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?) throws -> SerializedObject
}

extension ResponseSerializer {
    public var dataPreprocessor: any DataPreprocessor { .passthrough }
    public var emptyResponseCodes: Set<Int> { EmptyResponseRule.defaultCodes }
    public var emptyRequestMethods: Set<HTTPMethod> { EmptyResponseRule.defaultMethods }

    /// Whether the response may have no body: by the status or by the request's method, either of which is enough.
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
