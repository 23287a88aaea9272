import Foundation

// Requests whose response body is handed over as it arrives. Each option that is not listed is as that of `request`.
extension Session {
    /// Creates a request with named parameters whose response body is handed over as it arrives.
    ///
    /// - Parameters:
    ///   - url: A relative URL is resolved against the session's `baseURL`.
    ///   - method: Default: GET.
    ///   - parameters: Default: none.
    ///   - encoding: Default: URL-encoded, in the query for GET, HEAD and DELETE and in the body for other methods.
    ///   - headers: Override the session's fields of the same name. Default: none.
    ///   - automaticallyCancelOnStreamError: Whether an element that cannot be made, such as a line that is not the expected JSON, ends the
    ///     request with its error. Default: false, with which the handler gets the error and the elements that follow.
    ///   - interceptor: Adapts and retries this request, after the session's interceptor. Default: nil.
    ///   - requestModifier: Changes the request before its parameters are encoded. Default: nil.
    public func streamRequest(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
        encoding: (any ParameterEncoding)? = nil, headers: HTTPHeaders? = nil, automaticallyCancelOnStreamError: Bool = false,
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataStreamRequest {
        streamRequest(source(url, method, parameters, encoding, headers, requestModifier), automaticallyCancelOnStreamError, interceptor)
    }

    /// Creates a request with an encodable value as parameters whose response body is handed over as it arrives.
    public func streamRequest<Value: Encodable & Sendable>(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Value?,
        encoder: (any ParameterEncoder)? = nil, headers: HTTPHeaders? = nil, automaticallyCancelOnStreamError: Bool = false,
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> DataStreamRequest {
        streamRequest(source(url, method, parameters, encoder, headers, requestModifier), automaticallyCancelOnStreamError, interceptor)
    }

    /// Creates a request from a `URLRequest`, or from a value that creates one, whose response body is handed over as it arrives.
    public func streamRequest(
        _ request: any URLRequestConvertible, automaticallyCancelOnStreamError: Bool = false,
        interceptor: (any RequestInterceptor)? = nil
    ) -> DataStreamRequest {
        streamRequest(.convertible(request), automaticallyCancelOnStreamError, interceptor)
    }

    // MARK: Full duplex

    /// Creates a request that sends the elements of an async sequence while its response is handed over, which may begin before the last
    /// element (RFC 9112 section 9.3 allows that, RFC 9113 section 8.1 too). Not every server and proxy does so over HTTP/1.1.
    ///
    /// The sequence is iterated once: the body cannot be sent again after a redirect, a challenge or a retry. When the
    /// response has ended, the request ends as soon as its body has, or no byte of the body was sent for a second.
    ///
    /// - Parameters:
    ///   - url: A relative URL is resolved against the session's `baseURL`.
    ///   - body: The next element is asked for when the server has taken the one before.
    ///   - length: The number of bytes; any other is `uploadBodyFailed(.lengthMismatch)`. Default: nil, with which HTTP/1.1 sends it in
    ///     chunks (RFC 9112 section 7.1).
    ///   - method: Default: POST.
    ///   - headers: Override the session's fields of the same name. No `Content-Type` is added. Default: none.
    ///   - trailers: Fields that are sent behind the body (RFC 9110 section 6.5). Default: none.
    ///   - automaticallyCancelOnStreamError: Whether an element of the response that cannot be made ends the request. Default: false.
    ///   - interceptor: Adapts and retries this request, after the session's interceptor. Default: nil.
    ///   - requestModifier: Changes the request before it is sent. Default: nil.
    public func streamRequest<Body: AsyncSequence & Sendable>(
        _ url: any URLConvertible, uploading body: Body, length: Int64? = nil, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        trailers: HTTPHeaders? = nil, automaticallyCancelOnStreamError: Bool = false, interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> DataStreamRequest where Body.Element == Data {
        streamRequest(
            .upload(
                .url(url, method: method, headers: headers, encode: nil, modifier: requestModifier), Self.source(body, length, trailers)),
            automaticallyCancelOnStreamError, interceptor)
    }

    /// Creates a request that sends the elements of an async sequence while its response is handed over, from a `URLRequest` or a value
    /// that creates one. Its own body is ignored.
    public func streamRequest<Body: AsyncSequence & Sendable>(
        _ request: any URLRequestConvertible, uploading body: Body, length: Int64? = nil, trailers: HTTPHeaders? = nil,
        automaticallyCancelOnStreamError: Bool = false, interceptor: (any RequestInterceptor)? = nil
    ) -> DataStreamRequest where Body.Element == Data {
        streamRequest(
            .upload(.convertible(request), Self.source(body, length, trailers)), automaticallyCancelOnStreamError, interceptor)
    }
}
