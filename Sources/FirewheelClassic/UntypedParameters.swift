import Firewheel

// Parameters of type `[String: Any]`, which Alamofire 4's `Parameters` was. In Swift 6 mode `sending` makes the compiler reject values that
// other code may still change while they are encoded.
extension Session {
    /// Creates a request for a URL with named parameters, whose values need not be Sendable.
    public func request(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: sending [String: Any]?,
        encoding: (any ParameterEncoding)? = nil, headers: Firewheel.HTTPHeaders? = nil
    ) -> DataRequest {
        request(url, method: method, parameters: handedOver(parameters), encoding: encoding, headers: headers)
    }

    /// Creates a request with named parameters, whose values need not be Sendable, and whose response body is written to a file.
    public func download(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: sending [String: Any]?,
        encoding: (any ParameterEncoding)? = nil, headers: Firewheel.HTTPHeaders? = nil,
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

/// Creates a request with `SessionManager.default` and named parameters, whose values need not be Sendable, and whose response body is
/// written to a file.
public func download(
    _ url: any URLConvertible, method: HTTPMethod = .get, parameters: sending [String: Any]?,
    encoding: (any ParameterEncoding)? = nil, headers: HTTPHeaders? = nil,
    to destination: DownloadRequest.DownloadFileDestination? = nil
) -> DownloadRequest {
    SessionManager.default.download(
        url, method: method, parameters: handedOver(parameters), encoding: encoding, headers: headers, to: destination)
}

/// Converts the values to ``Parameters``, which `sending` makes sound: no other code has them.
private func handedOver(_ parameters: sending [String: Any]?) -> Parameters? { borrowed(parameters) }

// MARK: - Encodings

// The built-in encodings read the values before they return and keep none, so other code may go on using them.
extension URLEncoding {
    /// The request with the parameters, whose values need not be Sendable, in its query or body.
    ///
    /// - Throws: As for `Parameters`.
    @_disfavoredOverload
    public func encode(_ urlRequest: any URLRequestConvertible, with parameters: [String: Any]?) throws -> URLRequest {
        try encode(urlRequest, with: borrowed(parameters))
    }
}

extension JSONEncoding {
    /// The request with the parameters, whose values need not be Sendable, as JSON in its body.
    ///
    /// - Throws: As for `Parameters`.
    @_disfavoredOverload
    public func encode(_ urlRequest: any URLRequestConvertible, with parameters: [String: Any]?) throws -> URLRequest {
        try encode(urlRequest, with: borrowed(parameters))
    }
}

extension PropertyListEncoding {
    /// The request with the parameters, whose values need not be Sendable, as a property list in its body.
    ///
    /// - Throws: As for `Parameters`.
    @_disfavoredOverload
    public func encode(_ urlRequest: any URLRequestConvertible, with parameters: [String: Any]?) throws -> URLRequest {
        try encode(urlRequest, with: borrowed(parameters))
    }
}

/// Converts the values to ``Parameters`` for a call that keeps none of them.
private func borrowed(_ parameters: [String: Any]?) -> Parameters? {
    // `Sendable` is a marker protocol, so both types are the same at run time.
    unsafeBitCast(parameters, to: Parameters?.self)
}
