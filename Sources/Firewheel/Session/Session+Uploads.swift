import Foundation

// Uploads of data, files, streams and async sequences. Each to a URL, or with a `URLRequest` whose body is ignored.
extension Session {
    /// Creates a request that sends data.
    ///
    /// - Parameters:
    ///   - data: The body.
    ///   - url: A relative URL is resolved against the session's `baseURL`.
    ///   - method: Default: POST.
    ///   - headers: Override the session's fields of the same name. No `Content-Type` is added. Default: none.
    ///   - interceptor: Adapts and retries this request, after the session's interceptor. Default: nil.
    ///   - requestModifier: Changes the request before it is sent. Default: nil.
    public func upload(
        _ data: Data, to url: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        upload(.data(data), url, method, headers, interceptor, requestModifier)
    }

    /// Creates a request that sends data, from a `URLRequest` or a value that creates one.
    public func upload(
        _ data: Data, with request: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil
    ) -> UploadRequest {
        upload(.data(data), request, interceptor)
    }

    /// Creates a request that sends a file, which is read while it is sent.
    ///
    /// - Parameters:
    ///   - file: The URL of a regular file. It must keep its length until it is sent: otherwise the request fails with
    ///     `uploadBodyFailed(.lengthMismatch)`.
    ///   - url: A relative URL is resolved against the session's `baseURL`.
    ///   - method: Default: POST.
    ///   - headers: Override the session's fields of the same name. No `Content-Type` is added. Default: none.
    ///   - interceptor: Adapts and retries this request, after the session's interceptor. Default: nil.
    ///   - requestModifier: Changes the request before it is sent. Default: nil.
    public func upload(
        _ file: URL, to url: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        upload(.file(file), url, method, headers, interceptor, requestModifier)
    }

    /// Creates a request that sends a file, from a `URLRequest` or a value that creates one.
    public func upload(
        _ file: URL, with request: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil
    ) -> UploadRequest {
        upload(.file(file), request, interceptor)
    }

    /// Creates a request that sends a stream, which is read on a thread of its own while it is sent, and closed in the end.
    ///
    /// - Parameters:
    ///   - stream: Can be read once only, so the body cannot be sent again.
    ///   - length: The number of bytes; more or fewer are `uploadBodyFailed(.lengthMismatch)`. Default: nil, with which HTTP/1.1 sends it
    ///     in chunks (RFC 9112 section 7.1).
    ///   - url: A relative URL is resolved against the session's `baseURL`.
    ///   - method: Default: POST.
    ///   - headers: Override the session's fields of the same name. No `Content-Type` is added. Default: none.
    ///   - trailers: Fields that are sent behind the body (RFC 9110 section 6.5). With them HTTP/1.1 sends the body in chunks. Default:
    ///     none.
    ///   - interceptor: Adapts and retries this request, after the session's interceptor. Default: nil.
    ///   - requestModifier: Changes the request before it is sent. Default: nil.
    public func upload(
        _ stream: sending InputStream, length: Int64? = nil, to url: any URLConvertible, method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil, trailers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        upload(Self.source(stream, length, trailers), url, method, headers, interceptor, requestModifier)
    }

    /// Creates a request that sends a stream, from a `URLRequest` or a value that creates one.
    public func upload(
        _ stream: sending InputStream, length: Int64? = nil, with request: any URLRequestConvertible, trailers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil
    ) -> UploadRequest {
        upload(Self.source(stream, length, trailers), request, interceptor)
    }

    /// Creates a request that sends the elements of an async sequence as they come. The next element is asked for when the server has taken
    /// the one before.
    ///
    /// - Parameters:
    ///   - body: Iterated once only, so the body cannot be sent again.
    ///   - length: The number of bytes; more or fewer are `uploadBodyFailed(.lengthMismatch)`. Default: nil, with which HTTP/1.1 sends it
    ///     in chunks (RFC 9112 section 7.1).
    ///   - url: A relative URL is resolved against the session's `baseURL`.
    ///   - method: Default: POST.
    ///   - headers: Override the session's fields of the same name. No `Content-Type` is added. Default: none.
    ///   - trailers: Fields that are sent behind the body (RFC 9110 section 6.5). With them HTTP/1.1 sends the body in chunks. Default:
    ///     none.
    ///   - interceptor: Adapts and retries this request, after the session's interceptor. Default: nil.
    ///   - requestModifier: Changes the request before it is sent. Default: nil.
    public func upload<Body: AsyncSequence & Sendable>(
        _ body: Body, length: Int64? = nil, to url: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        trailers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, requestModifier: RequestModifier? = nil
    ) -> UploadRequest where Body.Element == Data {
        upload(Self.source(body, length, trailers), url, method, headers, interceptor, requestModifier)
    }

    /// Creates a request that sends the elements of an async sequence, from a `URLRequest` or a value that creates one.
    public func upload<Body: AsyncSequence & Sendable>(
        _ body: Body, length: Int64? = nil, with request: any URLRequestConvertible, trailers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil
    ) -> UploadRequest where Body.Element == Data {
        upload(Self.source(body, length, trailers), request, interceptor)
    }

    private static func source(_ stream: sending InputStream, _ length: Int64?, _ trailers: HTTPHeaders?) -> UploadSource {
        .stream(UploadStream(stream, length: length, trailers: trailers ?? [:]), trailers: trailers ?? [:])
    }

    static func source<Body: AsyncSequence & Sendable>(
        _ body: Body, _ length: Int64?, _ trailers: HTTPHeaders?
    ) -> UploadSource where Body.Element == Data {
        .stream(UploadSequence(body, length: length, trailers: trailers ?? [:]), trailers: trailers ?? [:])
    }

    func upload(
        _ body: UploadSource, _ url: any URLConvertible, _ method: HTTPMethod, _ headers: HTTPHeaders?,
        _ interceptor: (any RequestInterceptor)?, _ modifier: RequestModifier?
    ) -> UploadRequest {
        uploadRequest(.upload(.url(url, method: method, headers: headers, encode: nil, modifier: modifier), body), interceptor)
    }

    func upload(
        _ body: UploadSource, _ request: any URLRequestConvertible, _ interceptor: (any RequestInterceptor)?
    ) -> UploadRequest {
        uploadRequest(.upload(.convertible(request), body), interceptor)
    }
}
