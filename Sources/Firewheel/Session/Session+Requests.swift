import Foundation

// The primary ways to create a request: a URL with named parameters, a URL with an encodable value, and a complete request. All others use
// these.
extension Session {
    /// Creates a request for a URL with named parameters.
    ///
    /// - Parameters:
    ///   - url: A `String`, `URL`, `URLComponents`, or a custom type. A relative URL is resolved against the session's `baseURL`.
    ///   - method: Default: GET.
    ///   - parameters: Default: none.
    ///   - encoding: How the parameters are encoded. Default: nil: URL-encoded in the query for GET, HEAD and DELETE, and for other methods
    ///     in the body, in the format of ``SessionConfiguration/parameterFormat``.
    ///   - headers: Override the session's fields of the same name. Default: none.
    ///   - interceptor: Adapts and retries this request, after the session's interceptor. Default: nil.
    ///   - requestModifier: Changes the request before its parameters are encoded. Default: nil.
    /// - Returns: The request, which reports all errors to its response handlers.
    public func request(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
        encoding: (any ParameterEncoding)? = nil,
        headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        dataRequest(source(url, method, parameters, encoding, headers, requestModifier), interceptor)
    }

    /// Creates a request for a URL with an encodable value as parameters. The other arguments are as in the form with named parameters.
    ///
    /// - Parameters:
    ///   - url: A relative URL is resolved against the session's `baseURL`.
    ///   - method: Default: GET.
    ///   - parameters: The value to encode; nil for none.
    ///   - encoder: How the value is encoded. Default: nil: URL-encoded in the query for GET, HEAD and DELETE, and for other methods in the
    ///     body, in the format of ``SessionConfiguration/parameterFormat``.
    ///   - headers: Override the session's fields of the same name. Default: none.
    ///   - interceptor: Adapts and retries this request, after the session's interceptor. Default: nil.
    ///   - requestModifier: Changes the request before its parameters are encoded. Default: nil.
    public func request<Value: Encodable & Sendable>(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Value?,
        encoder: (any ParameterEncoder)? = nil, headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        dataRequest(source(url, method, parameters, encoder, headers, requestModifier), interceptor)
    }

    /// Creates a request from a `URLRequest`, or from a value that creates one. The session's headers are added unless it has the same
    /// fields.
    ///
    /// A body with a custom deallocator (`Data(bytesNoCopy:count:deallocator:)`) may be deallocated on any thread, including the transport
    /// thread of all sessions: a slow deallocator must dispatch its work to a queue.
    public func request(_ request: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil) -> DataRequest {
        dataRequest(.convertible(request), interceptor)
    }

    /// Creates a request with named parameters whose response body is written to a file.
    ///
    /// - Parameters:
    ///   - url: A relative URL is resolved against the session's `baseURL`.
    ///   - method: Default: GET.
    ///   - parameters: Default: none.
    ///   - encoding: Default: URL-encoded, in the query for GET, HEAD and DELETE and in the body for other methods.
    ///   - headers: Override the session's fields of the same name. Default: none.
    ///   - destination: Where the file is moved. Default: nil: it stays in the temporary folder until the caller moves or removes it.
    ///   - interceptor: Adapts and retries this request, after the session's interceptor. Default: nil.
    ///   - requestModifier: Changes the request before its parameters are encoded. Default: nil.
    public func download(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
        encoding: (any ParameterEncoding)? = nil,
        headers: HTTPHeaders? = nil, to destination: DownloadRequest.Destination? = nil, interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> DownloadRequest {
        downloadRequest(source(url, method, parameters, encoding, headers, requestModifier), to: destination, interceptor)
    }

    /// Creates a request with an encodable value as parameters whose response body is written to a file.
    public func download<Value: Encodable & Sendable>(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Value?,
        encoder: (any ParameterEncoder)? = nil, headers: HTTPHeaders? = nil,
        to destination: DownloadRequest.Destination? = nil, interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> DownloadRequest {
        downloadRequest(source(url, method, parameters, encoder, headers, requestModifier), to: destination, interceptor)
    }

    /// Creates a request from a `URLRequest`, or from a value that creates one, whose response body is written to a file.
    public func download(
        _ request: any URLRequestConvertible, to destination: DownloadRequest.Destination? = nil,
        interceptor: (any RequestInterceptor)? = nil
    ) -> DownloadRequest {
        downloadRequest(.convertible(request), to: destination, interceptor)
    }

    func source(
        _ url: any URLConvertible, _ method: HTTPMethod, _ parameters: Parameters?, _ encoding: (any ParameterEncoding)?,
        _ headers: HTTPHeaders?,
        _ modifier: RequestModifier?
    ) -> RequestSource {
        // Without parameters the library's encodings change nothing, but the caller's might.
        if parameters == nil, encoding.map({ type(of: $0) == URLEncoding.self || type(of: $0) == JSONEncoding.self }) ?? true {
            return .url(url, method: method, headers: headers, encode: nil, modifier: modifier)
        }
        let encoding = encoding ?? FormattedParameters(format: configuration.parameterFormat)
        return .url(url, method: method, headers: headers, encode: { try encoding.encode($0, with: parameters) }, modifier: modifier)
    }

    func source<Value: Encodable & Sendable>(
        _ url: any URLConvertible, _ method: HTTPMethod, _ parameters: Value?, _ encoder: (any ParameterEncoder)?, _ headers: HTTPHeaders?,
        _ modifier: RequestModifier?
    ) -> RequestSource {
        let encoder = encoder ?? FormattedParameters(format: configuration.parameterFormat)
        return .url(url, method: method, headers: headers, encode: { try encoder.encode(parameters, into: $0) }, modifier: modifier)
    }
}
