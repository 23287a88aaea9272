import Firewheel

// What Alamofire 4 had as functions of its module: `Alamofire.request(…)` is `FirewheelClassic.request(…)`, or `request(…)` where nothing
// else has that name. Their result is not discardable: a request without a handler does not start.

/// Makes a request with `SessionManager.default`. It starts when its first response handler is attached, or with `resume()`.
///
/// - Parameters:
///   - url: A `String`, `URL`, `URLComponents`, or a type of your own.
///   - method: Default: GET.
///   - parameters: Default: none.
///   - encoding: How the parameters are put in. Default: nil, and they go URL-encoded into the query for GET, HEAD and DELETE, and into the
///     body for others.
///   - headers: Set over the session's. Default: none.
public func request(
    _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
    encoding: (any ParameterEncoding)? = nil, headers: HTTPHeaders? = nil
) -> DataRequest {
    SessionManager.default.request(url, method: method, parameters: parameters, encoding: encoding, headers: headers)
}

/// Makes a request of a `URLRequest`, or of what makes one, with `SessionManager.default`.
public func request(_ urlRequest: any URLRequestConvertible) -> DataRequest {
    SessionManager.default.request(urlRequest)
}

/// Makes a request with `SessionManager.default` whose response body goes to a file.
///
/// - Parameter destination: Where the file is to go. Default: nil, and it stays in the temporary folder, then the caller's to move or
///   remove.
public func download(
    _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
    encoding: (any ParameterEncoding)? = nil, headers: HTTPHeaders? = nil,
    to destination: DownloadRequest.DownloadFileDestination? = nil
) -> DownloadRequest {
    SessionManager.default.download(url, method: method, parameters: parameters, encoding: encoding, headers: headers, to: destination)
}

/// Makes a request of a `URLRequest`, or of what makes one, with `SessionManager.default`, whose response body goes to a file.
public func download(
    _ urlRequest: any URLRequestConvertible, to destination: DownloadRequest.DownloadFileDestination? = nil
) -> DownloadRequest {
    SessionManager.default.download(urlRequest, to: destination)
}
