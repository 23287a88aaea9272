// These members hide Firewheel's of the same signature in files that import this module, because Alamofire's throw `AFError`. The pipeline
// calls Firewheel's, and reports its errors as `AFError` as well.

extension URLEncoding {
    /// The request with the parameters in its query or body. nil leaves the request unchanged; an empty dictionary leaves its query
    /// unchanged.
    ///
    /// - Throws: ``AFError``: `parameterEncodingFailed` with `missingURL` if the request has no URL, `parameterEncoderFailed` if a value is
    ///   of an unsupported type, is NaN or infinite, or is nested more than 128 levels deep. An error of `urlRequest` is thrown unchanged.
    public func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
        let request = try urlRequest.asURLRequest()
        return try throwingAFError { try (self as any ParameterEncoding).encode(request, with: parameters) }
    }
}

extension JSONEncoding {
    /// Why a value cannot be written as JSON: the error in ``AFError/ParameterEncodingFailureReason/jsonEncodingFailed(error:)``.
    /// Alamofire's `invalidJSONObject` is `unknownType`, which names the type.
    public typealias Error = ParameterFailure

    /// The request with the parameters as its body, as `application/json` unless it has a Content-Type. nil leaves the request unchanged.
    ///
    /// - Throws: ``AFError`` of case `parameterEncodingFailed`: `missingURL` if the request has no URL, `jsonEncodingFailed` if a value is
    ///   of a type that JSON cannot represent, is NaN or infinite, or is nested more than 128 levels deep. An error of `urlRequest` is
    ///   thrown unchanged.
    public func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
        try encode(urlRequest, withJSONObject: parameters)
    }

    /// The request with any JSON value as its body: an array, a string or a number as well as a dictionary, for example from
    /// `JSONSerialization`. nil leaves the request unchanged.
    ///
    /// - Throws: As ``encode(_:with:)``.
    public func encode(_ urlRequest: any URLRequestConvertible, withJSONObject jsonObject: Any? = nil) throws -> URLRequest {
        let request = try urlRequest.asURLRequest()
        guard let jsonObject else { return request }
        return try throwingAFError { try encode(jsonObject: jsonObject, into: request) }
    }
}
