import Firewheel

// Parameters in a variable of type `[String: Any]`, which Alamofire 4's `Parameters` was. Each is made for one request: `sending` has the
// compiler refuse, in Swift 6 mode, values that others may still change while they are encoded.
extension Session {
    /// Makes a request for a URL, with parameters by name whose values need not be Sendable, for this request alone.
    public func request(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: sending [String: Any]?,
        encoding: (any ParameterEncoding)? = nil, headers: HTTPHeaders? = nil
    ) -> DataRequest {
        request(url, method: method, parameters: handedOver(parameters), encoding: encoding, headers: headers)
    }

    /// Makes a request, with parameters by name whose values need not be Sendable, for this request alone, whose response body goes to a
    /// file.
    public func download(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: sending [String: Any]?,
        encoding: (any ParameterEncoding)? = nil, headers: HTTPHeaders? = nil,
        to destination: DownloadRequest.DownloadFileDestination? = nil
    ) -> DownloadRequest {
        download(url, method: method, parameters: handedOver(parameters), encoding: encoding, headers: headers, to: destination)
    }
}

/// Makes a request with `SessionManager.default`, with parameters by name whose values need not be Sendable, for this request alone.
public func request(
    _ url: any URLConvertible, method: HTTPMethod = .get, parameters: sending [String: Any]?,
    encoding: (any ParameterEncoding)? = nil, headers: HTTPHeaders? = nil
) -> DataRequest {
    SessionManager.default.request(url, method: method, parameters: handedOver(parameters), encoding: encoding, headers: headers)
}

/// The same values as ``Parameters``.
private func handedOver(_ parameters: sending [String: Any]?) -> Parameters? {
    // `Sendable` is a marker, so both are one type at run time. That the values are in nobody else's hands is what `sending` says.
    unsafeBitCast(parameters, to: Parameters?.self)
}
