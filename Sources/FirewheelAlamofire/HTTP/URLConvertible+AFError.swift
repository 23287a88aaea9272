// These members hide Firewheel's of the same signature in files that import this module, because Alamofire's throw `AFError`.

extension URLConvertible {
    /// The URL, with Alamofire's error in place of Firewheel's.
    func urlOrAFError() throws -> URL {
        do {
            return try asURL()
        } catch let error as FirewheelError {
            // The error of a text has the text as a person wrote it, with its `\(segment:)`.
            throw error.kind == .invalidURL && !(self is String) ? AFError.invalidURL(url: self) : AFError(error)
        }
    }
}

extension String {
    /// The URL. Invalid characters such as spaces are percent-encoded; what is already encoded stays as it is.
    ///
    /// - Throws: `AFError.invalidURL` with this text if Foundation cannot create a URL of it.
    public func asURL() throws -> URL { try urlOrAFError() }
}

extension URLComponents {
    /// The components' URL.
    ///
    /// - Throws: `AFError.invalidURL` with these components if they make no URL.
    public func asURL() throws -> URL { try urlOrAFError() }
}

extension URLRequestConvertible {
    /// The request, or nil if it cannot be made. `asURLRequest()` says why.
    public var urlRequest: URLRequest? { try? asURLRequest() }
}

extension URLRequest {
    /// Creates a request with a URL, a method and headers.
    ///
    /// - Throws: The error of the URL's `asURL()`: `AFError.invalidURL` for a text that is no URL.
    public init(url: any URLConvertible, method: HTTPMethod, headers: HTTPHeaders? = nil) throws {
        self.init(url: try url.urlOrAFError())
        self.method = method
        if let headers { self.headers = headers }
    }

    /// Checks the method and the body by the rules that apply to every request before it is sent. An empty body counts as none.
    ///
    /// - Throws: ``AFError``: `urlRequestValidationFailed` with the body of a GET (RFC 9110 section 9.3.1), and `createURLRequestFailed`
    ///   for what Alamofire does not check, which is the body of a HEAD and a method that is not a token (sections 9.3.2 and 9.1).
    public func validate() throws {
        do throws(FirewheelError) {
            try checkMethodAndBody()
        } catch {
            throw AFError(FirewheelError(error.kind, detail: error.detail, request: self))
        }
    }
}
