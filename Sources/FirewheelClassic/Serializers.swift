import Firewheel

// The built-in serializers as the functions that custom serializers were built on. Firewheel's rules apply: an empty body is an error
// unless the status is 204 or 205.
extension Request {
    /// Serializes the body as data.
    public static func serializeResponseData(response: HTTPURLResponse?, data: Data?, error: (any Error)?) -> Result<Data> {
        DataRequest.dataResponseSerializer().serializeResponse(nil, response, data, error)
    }

    /// Serializes the body as text.
    ///
    /// - Parameters:
    ///   - encoding: nil means the encoding given by `Content-Type`, else by the byte order mark, else UTF-8, else ISO-8859-1.
    ///   - response: The response, which may name the encoding.
    ///   - data: The body.
    ///   - error: An earlier failure; if there is one, it is the result.
    public static func serializeResponseString(
        encoding: String.Encoding?, response: HTTPURLResponse?, data: Data?, error: (any Error)?
    ) -> Result<String> {
        DataRequest.stringResponseSerializer(encoding: encoding).serializeResponse(nil, response, data, error)
    }

    /// Serializes the body as a JSON value of `JSONSerialization`.
    public static func serializeResponseJSON(
        options: JSONSerialization.ReadingOptions, response: HTTPURLResponse?, data: Data?, error: (any Error)?
    ) -> Result<Any> {
        DataRequest.jsonResponseSerializer(options: options).serializeResponse(nil, response, data, error)
    }

    /// Serializes the body as a property list, XML or binary.
    public static func serializeResponsePropertyList(
        options: PropertyListSerialization.ReadOptions, response: HTTPURLResponse?, data: Data?, error: (any Error)?
    ) -> Result<Any> {
        DataRequest.propertyListResponseSerializer(options: options).serializeResponse(nil, response, data, error)
    }
}

extension DataRequest {
    /// A serializer for the body.
    public static func dataResponseSerializer() -> DataResponseSerializer<Data> { .data }

    /// A serializer for the body as text.
    ///
    /// - Parameter encoding: Default: the one of `Content-Type`, otherwise of the byte order mark, otherwise UTF-8, otherwise ISO-8859-1.
    public static func stringResponseSerializer(encoding: String.Encoding? = nil) -> DataResponseSerializer<String> {
        .string(encoding: encoding)
    }

    /// A serializer for the body as a JSON value of `JSONSerialization`.
    public static func jsonResponseSerializer(
        options: JSONSerialization.ReadingOptions = .fragmentsAllowed
    ) -> DataResponseSerializer<Any> {
        .json(options: options)
    }

    /// A serializer for the body as a property list, XML or binary.
    public static func propertyListResponseSerializer(
        options: PropertyListSerialization.ReadOptions = []
    ) -> DataResponseSerializer<Any> {
        .propertyList(options: options)
    }
}

extension DownloadRequest {
    /// A serializer for the file's content.
    public static func dataResponseSerializer() -> DownloadResponseSerializer<Data> {
        DownloadResponseSerializer(DataRequest.dataResponseSerializer())
    }

    /// A serializer for the file's content as text.
    ///
    /// - Parameter encoding: Default: the one of `Content-Type`, otherwise of the byte order mark, otherwise UTF-8, otherwise ISO-8859-1.
    public static func stringResponseSerializer(encoding: String.Encoding? = nil) -> DownloadResponseSerializer<String> {
        DownloadResponseSerializer(DataRequest.stringResponseSerializer(encoding: encoding))
    }

    /// A serializer for the file's content as a JSON value of `JSONSerialization`.
    public static func jsonResponseSerializer(
        options: JSONSerialization.ReadingOptions = .fragmentsAllowed
    ) -> DownloadResponseSerializer<Any> {
        DownloadResponseSerializer(DataRequest.jsonResponseSerializer(options: options))
    }

    /// A serializer for the file's content as a property list, XML or binary.
    public static func propertyListResponseSerializer(
        options: PropertyListSerialization.ReadOptions = []
    ) -> DownloadResponseSerializer<Any> {
        DownloadResponseSerializer(DataRequest.propertyListResponseSerializer(options: options))
    }
}
