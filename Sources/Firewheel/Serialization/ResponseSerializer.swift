import Foundation

/// What to conform a type of your own to that makes values of responses: one method serves data and, reading the file, downloads.
public protocol ResponseSerializer<SerializedObject>: DataResponseSerializerProtocol, DownloadResponseSerializerProtocol {
    // Said again because of two protocols that say it the compiler infers neither.
    associatedtype SerializedObject

    /// Makes the value.
    ///
    /// - Parameter error: What went wrong before: transport, validation, cancel. Most rethrow it.
    /// - Throws: What the handler is to get, as it is.
    func serialize(request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?) throws -> SerializedObject
}

extension ResponseSerializer {
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
