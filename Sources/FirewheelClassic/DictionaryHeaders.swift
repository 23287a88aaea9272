import Firewheel

// A session's methods with header fields in a dictionary, as `HTTPHeaders` is here. Disfavored, so that a literal and nil are Firewheel's.
extension Session {
    /// Creates a request whose header fields are a dictionary.
    @_disfavoredOverload
    public func request(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: sending [String: Any]? = nil,
        encoding: (any ParameterEncoding)? = nil, headers: HTTPHeaders?
    ) -> DataRequest {
        request(url, method: method, parameters: parameters, encoding: encoding, headers: headers.fields)
    }

    /// Creates a request whose header fields are a dictionary, and whose response body is written to a file.
    @_disfavoredOverload
    public func download(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: sending [String: Any]? = nil,
        encoding: (any ParameterEncoding)? = nil, headers: HTTPHeaders?, to destination: DownloadRequest.DownloadFileDestination? = nil
    ) -> DownloadRequest {
        download(url, method: method, parameters: parameters, encoding: encoding, headers: headers.fields, to: destination)
    }

    /// Creates a request that sends data, and whose header fields are a dictionary.
    @_disfavoredOverload
    public func upload(
        _ data: Data, to url: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders?
    ) -> UploadRequest {
        upload(data, to: url, method: method, headers: headers.fields)
    }

    /// Creates a request that sends a file, and whose header fields are a dictionary.
    @_disfavoredOverload
    public func upload(
        _ fileURL: URL, to url: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders?
    ) -> UploadRequest {
        upload(fileURL, to: url, method: method, headers: headers.fields)
    }

    /// Creates a request that sends a stream, and whose header fields are a dictionary.
    @_disfavoredOverload
    public func upload(
        _ stream: sending InputStream, to url: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders?
    ) -> UploadRequest {
        upload(stream, to: url, method: method, headers: headers.fields)
    }
}

extension URLRequest {
    /// Creates a request with a URL, a method and header fields in a dictionary.
    ///
    /// - Throws: The error of the URL's `asURL()`.
    @_disfavoredOverload
    public init(url: any URLConvertible, method: HTTPMethod, headers: HTTPHeaders?) throws {
        try self.init(url: url, method: method, headers: headers.fields)
    }
}

extension HTTPHeaders? {
    /// The dictionary as Firewheel's list of fields.
    var fields: Firewheel.HTTPHeaders? { map(Firewheel.HTTPHeaders.init) }
}
