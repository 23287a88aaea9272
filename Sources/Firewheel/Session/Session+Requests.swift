import Foundation

// The forms in which a request is asked for: a URL with parameters by name, a URL with an encodable value, and a whole request. All others
// come down to these.
extension Session {
    /// Makes a request for a URL, with parameters by name.
    ///
    /// - Parameters:
    ///   - url: A `String`, `URL`, `URLComponents`, or a type of your own. A relative one is resolved against the session's `baseURL`.
    ///   - method: Default: GET.
    ///   - parameters: Default: none.
    ///   - encoding: How the parameters are put in. Default: nil, and they go URL-encoded into the query for GET, HEAD and DELETE, and
    ///     into the body for others, in the format that ``SessionConfiguration/parameterFormat`` says.
    ///   - headers: Set over the session's. Default: none.
    ///   - interceptor: Adapts and retries this request, after the session's. Default: nil.
    ///   - requestModifier: Changes the request before its parameters are encoded. Default: nil.
    /// - Returns: The request. What is wrong with it, it reports to its response handlers.
    public func request(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
        encoding: (any ParameterEncoding)? = nil,
        headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        dataRequest(source(url, method, parameters, encoding, headers, requestModifier), interceptor)
    }

    /// Makes a request for a URL, with an encodable value for parameters. The other parameters are as in the form with parameters by name.
    ///
    /// - Parameter encoder: How the value is put in. Default: nil, and it goes URL-encoded into the query for GET, HEAD and DELETE, and
    ///   into the body for others, in the format that ``SessionConfiguration/parameterFormat`` says.
    public func request<Value: Encodable & Sendable>(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Value?,
        encoder: (any ParameterEncoder)? = nil, headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        dataRequest(source(url, method, parameters, encoder, headers, requestModifier), interceptor)
    }

    /// Makes a request of a `URLRequest`, or of what makes one. The session's headers go with it unless it has its own of the same name.
    ///
    /// A body that was made with a deallocator of yours (`Data(bytesNoCopy:count:deallocator:)`) may be deallocated on any thread, the one
    /// that moves the bytes of all sessions included: a deallocator that takes its time has to hand the work to a queue.
    public func request(_ request: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil) -> DataRequest {
        dataRequest(.convertible(request), interceptor)
    }

    /// Makes a request, with parameters by name, whose response body goes to a file.
    ///
    /// - Parameter destination: Where the file is to go. Default: nil, and it stays in the temporary folder, then the caller's to move or
    ///   remove.
    public func download(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
        encoding: (any ParameterEncoding)? = nil,
        headers: HTTPHeaders? = nil, to destination: DownloadRequest.Destination? = nil, interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> DownloadRequest {
        downloadRequest(source(url, method, parameters, encoding, headers, requestModifier), to: destination, interceptor)
    }

    /// Makes a request, with an encodable value for parameters, whose response body goes to a file.
    public func download<Value: Encodable & Sendable>(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Value?,
        encoder: (any ParameterEncoder)? = nil, headers: HTTPHeaders? = nil,
        to destination: DownloadRequest.Destination? = nil, interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> DownloadRequest {
        downloadRequest(source(url, method, parameters, encoder, headers, requestModifier), to: destination, interceptor)
    }

    /// Makes a request of a `URLRequest`, or of what makes one, whose response body goes to a file.
    public func download(
        _ request: any URLRequestConvertible, to destination: DownloadRequest.Destination? = nil,
        interceptor: (any RequestInterceptor)? = nil
    ) -> DownloadRequest {
        downloadRequest(.convertible(request), to: destination, interceptor)
    }

    private func source(
        _ url: any URLConvertible, _ method: HTTPMethod, _ parameters: Parameters?, _ encoding: (any ParameterEncoding)?,
        _ headers: HTTPHeaders?,
        _ modifier: RequestModifier?
    ) -> RequestSource {
        // Without parameters the library's own encodings change nothing; one of the caller's own might.
        if parameters == nil, encoding.map({ type(of: $0) == URLEncoding.self || type(of: $0) == JSONEncoding.self }) ?? true {
            return .url(url, method: method, headers: headers, encode: nil, modifier: modifier)
        }
        let encoding = encoding ?? FormattedParameters(format: configuration.parameterFormat)
        return .url(url, method: method, headers: headers, encode: { try encoding.encode($0, with: parameters) }, modifier: modifier)
    }

    private func source<Value: Encodable & Sendable>(
        _ url: any URLConvertible, _ method: HTTPMethod, _ parameters: Value?, _ encoder: (any ParameterEncoder)?, _ headers: HTTPHeaders?,
        _ modifier: RequestModifier?
    ) -> RequestSource {
        let encoder = encoder ?? FormattedParameters(format: configuration.parameterFormat)
        return .url(url, method: method, headers: headers, encode: { try encoder.encode(parameters, into: $0) }, modifier: modifier)
    }
}
