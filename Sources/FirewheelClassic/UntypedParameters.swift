import Firewheel

// Parameters of type `[String: Any]`, which Alamofire 4's `Parameters` was. In Swift 6 mode `sending` makes the compiler reject values that
// other code may still change while they are encoded.
extension Session {
    /// Creates a request for a URL with named parameters, whose values need not be Sendable.
    public func request(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: sending [String: Any]?,
        encoding: (any ParameterEncoding)? = nil, headers: HTTPHeaders? = nil
    ) -> DataRequest {
        request(url, method: method, parameters: handedOver(parameters), encoding: encoding, headers: headers)
    }

    /// Creates a request with named parameters, whose values need not be Sendable, and whose response body is written to a file.
    public func download(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: sending [String: Any]?,
        encoding: (any ParameterEncoding)? = nil, headers: HTTPHeaders? = nil,
        to destination: DownloadRequest.DownloadFileDestination? = nil
    ) -> DownloadRequest {
        download(url, method: method, parameters: handedOver(parameters), encoding: encoding, headers: headers, to: destination)
    }
}

/// Creates a request with `SessionManager.default` and named parameters, whose values need not be Sendable.
public func request(
    _ url: any URLConvertible, method: HTTPMethod = .get, parameters: sending [String: Any]?,
    encoding: (any ParameterEncoding)? = nil, headers: HTTPHeaders? = nil
) -> DataRequest {
    SessionManager.default.request(url, method: method, parameters: handedOver(parameters), encoding: encoding, headers: headers)
}

/// Converts the values to ``Parameters``.
private func handedOver(_ parameters: sending [String: Any]?) -> Parameters? {
    // `Sendable` is a marker protocol, so both types are the same at run time. `sending` guarantees that no other code has the values.
    unsafeBitCast(parameters, to: Parameters?.self)
}
