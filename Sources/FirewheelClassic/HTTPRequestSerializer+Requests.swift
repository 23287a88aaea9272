import Firewheel

extension HTTPRequestSerializer {
    /// Creates a request with the settings, the header fields and encoded parameters.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - urlString: The URL. A session resolves a relative one against its `baseURL`.
    ///   - parameters: A dictionary with `String` keys or an `Encodable` value; in the formats `.json` and `.propertyList` also an array.
    ///     nil for none. With the format `.form` a body is still set then, an empty one.
    /// - Throws: `FirewheelError` of kind `invalidURL`, or as ``request(bySerializing:withParameters:)``.
    public func request(withMethod method: HTTPMethod, urlString: String, parameters: Any? = nil) throws -> URLRequest {
        try request(bySerializing: request(method, urlString), withParameters: parameters)
    }

    /// A copy of a request with encoded parameters, and the header fields that it does not have. The settings, such as ``timeoutInterval``,
    /// are not copied to it.
    ///
    /// A body has the Content-Type of its format, unless the request or the ``headers`` have one.
    ///
    /// - Parameters:
    ///   - request: The request, with any method.
    ///   - parameters: As in ``request(withMethod:urlString:parameters:)``.
    /// - Throws: `FirewheelError` of kind `parameterEncodingFailed` if the parameters cannot be encoded or the request has no URL. An
    ///   error of the ``queryStringSerialization`` is thrown unchanged.
    public func request(bySerializing request: URLRequest, withParameters parameters: Any?) throws -> URLRequest {
        guard request.url != nil else { throw FirewheelError(.parameterEncodingFailed(.missingURL)) }
        let serialized = addingHeaders(to: request)
        let method = (request.httpMethod ?? HTTPMethod.get.rawValue).uppercased()
        if methodsEncodingParametersInURI.contains(where: { $0.rawValue.uppercased() == method }) {
            return try serialized.addingToQuery(text(of: parameters, for: request) ?? "")
        }
        switch format {
        case .form: return try form(serialized, text(of: parameters, for: request) ?? "")
        case .json(let options): return try json(serialized, parameters, options)
        case .propertyList(let format): return try PropertyListEncoding(format: format).encode(serialized, withPropertyList: parameters)
        }
    }

    /// Creates a request and the multipart form that is its body, for `Session.upload(multipartFormData:with:usingThreshold:interceptor:)`.
    ///
    /// - Parameters:
    ///   - method: Any method but GET and HEAD, which have no body.
    ///   - urlString: The URL. A session resolves a relative one against its `baseURL`.
    ///   - parameters: Each value becomes a part, named as in a query but not escaped: `Data` as it is, null as an empty part, other values
    ///     as text. Default: nil, none.
    ///   - append: Appends further parts. Called at once.
    /// - Throws: `FirewheelError` of kind `urlRequestValidationFailed(.bodyDataInGETRequest)` or `(.bodyDataInHEADRequest)`, `invalidURL`,
    ///   or `parameterEncodingFailed` if the parameters cannot be encoded. A part that cannot be added is an error of the form.
    public func multipartFormRequest(
        withMethod method: HTTPMethod, urlString: String, parameters: Any? = nil, constructingBodyWith append: (MultipartFormData) -> Void
    ) throws -> (request: URLRequest, form: MultipartFormData) {
        switch method.rawValue.uppercased() {
        case HTTPMethod.get.rawValue: throw FirewheelError(.urlRequestValidationFailed(.bodyDataInGETRequest))
        case HTTPMethod.head.rawValue: throw FirewheelError(.urlRequestValidationFailed(.bodyDataInHEADRequest))
        default: break
        }
        var request = addingHeaders(to: try request(method, urlString))
        let form = MultipartFormData()
        request.headers.update(.contentType(form.contentType))
        if let parameters {
            for field in try Self.queryEncoding.fields(of: parameters) { form.append(try data(of: field.value), withName: field.key) }
        }
        append(form)
        return (request, form)
    }

    // MARK: Parts

    /// AFNetworking's rules: `key[nested]`, `key[]` for arrays, repeated keys for sets, bare keys for null.
    private static let queryEncoding = URLEncoding(nilEncoding: .bareKey)

    /// A request with the settings only.
    private func request(_ method: HTTPMethod, _ urlString: String) throws -> URLRequest {
        var request = try URLRequest(url: urlString, method: method)
        if let timeoutInterval { request.timeoutInterval = timeoutInterval }
        if let cachePolicy { request.cachePolicy = cachePolicy }
        if let httpShouldHandleCookies { request.httpShouldHandleCookies = httpShouldHandleCookies }
        if let networkServiceType { request.networkServiceType = networkServiceType }
        if let allowsCellularAccess { request.allowsCellularAccess = allowsCellularAccess }
        return request
    }

    private func addingHeaders(to request: URLRequest) -> URLRequest {
        var fields = request.headers
        let missing = headers.filter { fields[$0.name] == nil }
        guard !missing.isEmpty else { return request }
        for header in missing { fields.update(header) }
        var request = request
        request.headers = fields
        return request
    }

    private func text(of parameters: Any?, for request: URLRequest) throws -> String? {
        guard let parameters else { return nil }
        return try queryStringSerialization?(request, parameters) ?? Self.queryEncoding.text(of: parameters)
    }

    private func form(_ request: URLRequest, _ text: String) throws -> URLRequest {
        var request = request
        let body = try data(of: .text(text))
        if request.headers["Content-Type"] == nil { request.headers.update(.contentType("application/x-www-form-urlencoded")) }
        request.httpBody = body
        return request
    }

    private func json(_ request: URLRequest, _ parameters: Any?, _ options: JSONSerialization.WritingOptions) throws -> URLRequest {
        let encoded = try JSONEncoding(options: options).encode(request, withJSONObject: parameters)
        guard parameters != nil, !options.contains(.fragmentsAllowed) else { return encoded }
        let first = encoded.httpBody?.first
        guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
            throw FirewheelError(.parameterEncodingFailed(.jsonEncodingFailed), underlyingError: ParameterFailure.fragment)
        }
        return encoded
    }

    private func data(of value: FormField.Value) throws -> Data {
        switch value {
        case .absent: return Data()
        case .data(let data): return data
        case .text(let text):
            guard let data = text.data(using: stringEncoding) else {
                throw FirewheelError(
                    .parameterEncodingFailed(.urlEncodedFormEncodingFailed), underlyingError: ParameterFailure.notInStringEncoding)
            }
            return data
        }
    }
}
