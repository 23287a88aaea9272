// These members hide Firewheel's of the same signature in files that import this module, because Alamofire's throw `AFError`. The pipeline
// calls Firewheel's, and reports its errors as `AFError` as well.

extension JSONParameterEncoder {
    /// The request with the parameters as its body, as `application/json` unless it has a Content-Type. nil leaves the request unchanged.
    ///
    /// The parameters' `encode(to:)` is called twice, first to find values that would make `JSONEncoder` overflow the stack or write
    /// invalid JSON.
    ///
    /// - Throws: ``AFError`` of case `parameterEncodingFailed`: `missingURL` if the request has no URL, `jsonEncodingFailed` with the
    ///   encoder's error, or if values are nested more than 128 levels deep.
    public func encode<P: Encodable>(_ parameters: P?, into request: URLRequest) throws -> URLRequest {
        guard let parameters else { return request }
        return try throwingAFError { try request.encodingJSON(parameters, with: encoder) }
    }
}

extension URLEncodedFormParameterEncoder {
    /// The request with the parameters in its query or body. nil leaves the request unchanged; parameters without values leave its query
    /// unchanged.
    ///
    /// - Throws: ``AFError`` of case `parameterEncoderFailed`: `missingRequiredComponent` if the request has no URL, `encoderFailed` with
    ///   the cause if the parameters have no keys, contain a number that is not finite, are nested more than 128 levels deep, or throw an
    ///   error.
    public func encode<P: Encodable>(_ parameters: P?, into request: URLRequest) throws -> URLRequest {
        guard let parameters else { return request }
        guard request.url != nil else { throw AFError.parameterEncoderFailed(reason: .missingRequiredComponent(.url)) }
        return try throwingAFError { try request.encodingForm(parameters, with: encoder, into: destination) }
    }
}

extension URLEncodedFormEncoder {
    /// Why a value cannot be written as a form, unless the value itself or a closure of the options threw. Alamofire's `invalidRootObject`
    /// is `rootNotKeyed`.
    public typealias Error = ParameterFailure

    /// The value as text: `a=1&b%5B%5D=2`. Empty if the value has no fields, or if all are nil.
    ///
    /// - Throws: `ParameterFailure` if the value has no keys (an array, a number), contains a number that is not finite or a date that the
    ///   `dateEncoding` cannot represent, or is nested more than 128 levels deep. An error of the value itself or of a closure of the
    ///   options is thrown unchanged.
    public func encode(_ value: some Encodable) throws -> String { try text(of: value) }

    /// The value as UTF-8 text, which is ASCII.
    ///
    /// - Throws: As the other `encode(_:)`.
    public func encode(_ value: some Encodable) throws -> Data { Data(try text(of: value).utf8) }
}
