import Firewheel

// Alamofire 4's module-level functions: `Alamofire.request(…)` becomes `FirewheelClassic.request(…)`, or `request(…)` if unambiguous. Their
// result is not discardable, because a request without a handler does not start.

/// Creates a request with `SessionManager.default`. It starts when its first response handler is attached, or with `resume()`.
///
/// - Parameters:
///   - url: A `String`, `URL`, `URLComponents`, or a custom type.
///   - method: Default: GET.
///   - parameters: Default: none.
///   - encoding: How the parameters are encoded. Default: nil: URL-encoded in the query for GET, HEAD and DELETE, and in the body for other
///     methods.
///   - headers: Override the session's fields of the same name. Default: none.
public func request(
    _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
    encoding: (any ParameterEncoding)? = nil, headers: HTTPHeaders? = nil
) -> DataRequest {
    SessionManager.default.request(url, method: method, parameters: parameters, encoding: encoding, headers: headers)
}

/// Creates a request from a `URLRequest`, or from a value that creates one, with `SessionManager.default`.
public func request(_ urlRequest: any URLRequestConvertible) -> DataRequest {
    SessionManager.default.request(urlRequest)
}

/// Creates a request with `SessionManager.default` whose response body is written to a file.
///
/// - Parameters:
///   - url: A `String`, `URL`, `URLComponents`, or a custom type.
///   - method: Default: GET.
///   - parameters: Default: none.
///   - encoding: Default: URL-encoded, in the query for GET, HEAD and DELETE and in the body for other methods.
///   - headers: Override the session's fields of the same name. Default: none.
///   - destination: Where the file is moved. Default: nil: it stays in the temporary folder until the caller moves or removes it.
public func download(
    _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
    encoding: (any ParameterEncoding)? = nil, headers: HTTPHeaders? = nil,
    to destination: DownloadRequest.DownloadFileDestination? = nil
) -> DownloadRequest {
    SessionManager.default.download(url, method: method, parameters: parameters, encoding: encoding, headers: headers, to: destination)
}

/// Creates a request from a `URLRequest`, or from a value that creates one, with `SessionManager.default`, whose response body is written
/// to a file.
public func download(
    _ urlRequest: any URLRequestConvertible, to destination: DownloadRequest.DownloadFileDestination? = nil
) -> DownloadRequest {
    SessionManager.default.download(urlRequest, to: destination)
}
