import Firewheel

// The built-in serializers as the functions that serializers of one's own were made from. Their rules are Firewheel's: an empty body is an
// error unless the status is 204 or 205.
extension Request {
    /// The body, as a serializer of your own may want it.
    public static func serializeResponseData(response: HTTPURLResponse?, data: Data?, error: (any Error)?) -> Result<Data> {
        DataRequest.dataResponseSerializer().serializeResponse(nil, response, data, error)
    }

    /// The body as text.
    ///
    /// - Parameters:
    ///   - encoding: nil: the one that `Content-Type` names, else the byte order mark says, else ISO-8859-1.
    ///   - response: The response, which may name the encoding.
    ///   - data: The body.
    ///   - error: What went wrong before: the result is this failure, if there is one.
    public static func serializeResponseString(
        encoding: String.Encoding?, response: HTTPURLResponse?, data: Data?, error: (any Error)?
    ) -> Result<String> {
        DataRequest.stringResponseSerializer(encoding: encoding).serializeResponse(nil, response, data, error)
    }

    /// The JSON value of the body, as `JSONSerialization` makes it.
    public static func serializeResponseJSON(
        options: JSONSerialization.ReadingOptions, response: HTTPURLResponse?, data: Data?, error: (any Error)?
    ) -> Result<Any> {
        DataRequest.jsonResponseSerializer(options: options).serializeResponse(nil, response, data, error)
    }

    /// The property list of the body, XML or binary.
    public static func serializeResponsePropertyList(
        options: PropertyListSerialization.ReadOptions, response: HTTPURLResponse?, data: Data?, error: (any Error)?
    ) -> Result<Any> {
        DataRequest.propertyListResponseSerializer(options: options).serializeResponse(nil, response, data, error)
    }
}

extension DataRequest {
    /// Makes the body.
    public static func dataResponseSerializer() -> DataResponseSerializer<Data> { .data }

    /// Makes text of the body.
    ///
    /// - Parameter encoding: Default: the one that `Content-Type` names, else the byte order mark says, else ISO-8859-1.
    public static func stringResponseSerializer(encoding: String.Encoding? = nil) -> DataResponseSerializer<String> {
        .string(encoding: encoding)
    }

    /// Makes the JSON value of the body, as `JSONSerialization` does.
    public static func jsonResponseSerializer(
        options: JSONSerialization.ReadingOptions = .fragmentsAllowed
    ) -> DataResponseSerializer<Any> {
        .json(options: options)
    }

    /// Makes the property list of the body, XML or binary.
    public static func propertyListResponseSerializer(
        options: PropertyListSerialization.ReadOptions = []
    ) -> DataResponseSerializer<Any> {
        .propertyList(options: options)
    }
}

extension DownloadRequest {
    /// Makes the file's content.
    public static func dataResponseSerializer() -> DownloadResponseSerializer<Data> {
        DownloadResponseSerializer(DataRequest.dataResponseSerializer())
    }

    /// Makes text of the file's content.
    ///
    /// - Parameter encoding: Default: the one that `Content-Type` names, else the byte order mark says, else ISO-8859-1.
    public static func stringResponseSerializer(encoding: String.Encoding? = nil) -> DownloadResponseSerializer<String> {
        DownloadResponseSerializer(DataRequest.stringResponseSerializer(encoding: encoding))
    }

    /// Makes the JSON value of the file's content, as `JSONSerialization` does.
    public static func jsonResponseSerializer(
        options: JSONSerialization.ReadingOptions = .fragmentsAllowed
    ) -> DownloadResponseSerializer<Any> {
        DownloadResponseSerializer(DataRequest.jsonResponseSerializer(options: options))
    }

    /// Makes the property list of the file's content, XML or binary.
    public static func propertyListResponseSerializer(
        options: PropertyListSerialization.ReadOptions = []
    ) -> DownloadResponseSerializer<Any> {
        DownloadResponseSerializer(DataRequest.propertyListResponseSerializer(options: options))
    }
}
