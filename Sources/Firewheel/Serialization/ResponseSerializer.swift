import Foundation

/// The protocol for custom serializers: one method handles data and, by reading the file, downloads.
public protocol ResponseSerializer<SerializedObject>: DataResponseSerializerProtocol, DownloadResponseSerializerProtocol {
    // Repeated here because both inherited protocols declare it, and the compiler then infers neither.
    /// The type of the value, the same for data and for downloads.
    associatedtype SerializedObject

    /// Preprocesses the body; ``serialize(request:response:data:error:)`` must call its `preprocess`. Default: none.
    var dataPreprocessor: any DataPreprocessor { get }

    /// The status codes with which ``emptyResponseAllowed(forRequest:response:)`` allows an empty body. Default: 204, 205.
    var emptyResponseCodes: Set<Int> { get }

    /// The methods with which ``emptyResponseAllowed(forRequest:response:)`` allows an empty body. Default: HEAD.
    var emptyRequestMethods: Set<HTTPMethod> { get }

    /// Returns the value. The body is as received: this method must preprocess it, and check whether it may be empty.
    ///
    /// - Parameters:
    ///   - request: The request as it was sent; nil if there was none yet.
    ///   - response: The response, if its head was received.
    ///   - data: The body, or the content of a downloaded file; nil if there is none.
    ///   - error: The failure before serialization: of transport or validation, or a cancellation. Most serializers rethrow it.
    /// - Throws: The error that the handler receives, unchanged.
    func serialize(request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?) throws -> SerializedObject

    /// Returns the value of a downloaded file. Default: reads the file into memory and calls ``serialize(request:response:data:error:)``
    /// with its content; if the file is missing or cannot be read, that method receives that error.
    ///
    /// A file in the temporary folder is the caller's after a success, to be moved or removed, whether or not this method reads it.
    ///
    /// - Parameters:
    ///   - request: The request as it was sent; nil if there was none yet.
    ///   - response: The response, if its head was received.
    ///   - fileURL: The downloaded file, at its destination if it has one; nil if there is none.
    ///   - error: The failure before serialization: of transport or validation, or a cancellation. Most serializers rethrow it.
    /// - Throws: The error that the handler receives, unchanged.
    func serializeDownload(request: URLRequest?, response: HTTPURLResponse?, fileURL: URL?, error: (any Error)?) throws -> SerializedObject
}

extension ResponseSerializer {
    /// ``PassthroughPreprocessor``, which changes nothing.
    public var dataPreprocessor: any DataPreprocessor { .passthrough }
    /// 204 (No Content) and 205 (Reset Content).
    public var emptyResponseCodes: Set<Int> { EmptyResponseRule.defaultCodes }
    /// HEAD.
    public var emptyRequestMethods: Set<HTTPMethod> { EmptyResponseRule.defaultMethods }

    /// Whether the response may have no body, by its status or by the request's method.
    public func emptyResponseAllowed(forRequest request: URLRequest?, response: HTTPURLResponse?) -> Bool {
        EmptyResponseRule(codes: emptyResponseCodes, methods: emptyRequestMethods).allowsEmpty(ResponseFacts(request, response))
    }

    /// Calls ``serialize(request:response:data:error:)`` with the body. The error it throws is the failure.
    public var serializeResponse: @Sendable (URLRequest?, HTTPURLResponse?, Data?, (any Error)?) -> Result<SerializedObject, any Error> {
        { request, response, data, error in
            Result { try serialize(request: request, response: response, data: data, error: error) }
        }
    }

    public func serializeDownload(
        request: URLRequest?, response: HTTPURLResponse?, fileURL: URL?, error: (any Error)?
    ) throws -> SerializedObject {
        try DownloadResponseSerializer(DataResponseSerializer(self)).serializeDownloadResponse(request, response, fileURL, error).get()
    }

    /// Calls ``serializeDownload(request:response:fileURL:error:)`` with the file. The error it throws is the failure.
    public var serializeDownloadResponse:
        @Sendable (URLRequest?, HTTPURLResponse?, URL?, (any Error)?) -> Result<SerializedObject, any Error>
    {
        { request, response, fileURL, error in
            Result { try serializeDownload(request: request, response: response, fileURL: fileURL, error: error) }
        }
    }
}
