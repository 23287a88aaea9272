import Foundation

// Adapting, retrying, redirecting and limiting one request. To be set before it starts: later changes apply from the next use on.
extension Request {
    /// Adds an interceptor to this request, after the session's and those added before.
    @discardableResult
    public func interceptor(_ interceptor: any RequestInterceptor) -> Self {
        configure { $0.interceptors.append(interceptor) }
    }

    /// Changes the request before each attempt. If the closure throws, the error is `requestAdaptationFailed`, with the closure's as
    /// `underlyingError`.
    ///
    /// - Parameter adapt: Gets the request without the session's headers, which are added afterwards unless it has the same fields.
    @discardableResult
    public func adapt(_ adapt: @escaping @Sendable (inout URLRequest, RequestContext) async throws -> Void) -> Self {
        interceptor(Adapter(adapt))
    }

    /// Decides whether to retry after a failure of building, adapting, the transport, validation or a serializer. Not called after a
    /// cancellation, or once a downloaded file has been moved to its destination.
    @discardableResult
    public func retry(_ decide: @escaping @Sendable (RequestContext, any Error) async -> RetryResult) -> Self {
        interceptor(Retrier(decide))
    }

    /// Decides about redirects of this request, instead of the session's handler. Default: up to 20 redirects are followed.
    @discardableResult
    public func redirect(using handler: any RedirectHandler) -> Self {
        configure { $0.redirectHandler = handler }
    }

    /// Decides which responses of this request the session's cache stores, and in which form, instead of the session's handler. To be set
    /// before the request starts. Default: those that may be stored. Without a cache (``SessionConfiguration/cache``) nothing is stored,
    /// and the handler is not asked.
    @discardableResult
    public func cacheResponse(using handler: any CachedResponseHandler) -> Self {
        configure { $0.cachedResponseHandler = OwnCachedResponseHandler(handler) }
    }

    /// Sets timeouts of this request, in seconds. Fractions count; 0 means no limit, nil the session's timeout.
    ///
    /// - Parameters:
    ///   - idle: The time without a byte in either direction, instead of `SessionConfiguration.timeoutIntervalForRequest`.
    ///   - total: The time from the start of the request, including retries and redirects, instead of `timeoutIntervalForResource`.
    @discardableResult
    public func timeout(idle: TimeInterval? = nil, total: TimeInterval? = nil) -> Self {
        configure { options in
            if let idle { options.idleTimeout = idle }
            if let total { options.totalTimeout = total }
        }
    }

    /// Sets whether the content codings of this request's responses are undone, instead of ``SessionConfiguration/decodesContent``.
    ///
    /// If false, the body is what the server has sent, with the codings that `Content-Encoding` names, and no `Accept-Encoding` is sent but
    /// the caller's own. To be set before the request starts. A download that is resumed from coded bytes is never decoded. URLSession
    /// always undoes the codings that it knows: see ``URLSessionTransport``.
    @discardableResult
    public func decodesContent(_ decodes: Bool) -> Self {
        configure { $0.decodesContent = decodes }
    }

    /// Sets what this request accepts of the session's cache (``SessionConfiguration/cache``), by directives in its `Cache-Control` field
    /// (RFC 9111 section 5.2.1). To be set before the request starts. Without a cache the request fails with
    /// `transportFailed(.resourceUnavailable)`.
    ///
    /// - Parameters:
    ///   - maxStale: The seconds that a stored response may be stale, `max-stale`. Fractions are dropped, negative numbers and NaN count as
    ///     0, and `.infinity` is any time. A response with `must-revalidate` is not used. Default: nil, a fresh response only.
    ///   - onlyIfCached: Whether the server is not asked: without a stored response that may be used, the response is a 504. Default:
    ///     false.
    @discardableResult
    public func cache(maxStale: TimeInterval? = nil, onlyIfCached: Bool = false) -> Self {
        configure { $0.cacheLimits = CacheLimits(maxStale: maxStale, onlyIfCached: onlyIfCached) }
    }

    /// Limits how fast this request's bodies are transferred, in bytes a second: averaged over some tenths of a second, from its next
    /// exchange on. The session's limit applies as well.
    ///
    /// - Parameters:
    ///   - upload: For the request's body. nil, and values below 1, mean no limit. Default: nil.
    ///   - download: For the response's body, after decoding. nil, and values below 1, mean no limit. Default: nil.
    @discardableResult
    public func bandwidth(upload: Int? = nil, download: Int? = nil) -> Self {
        configure { $0.limits = TransferLimits(Bandwidth(upload: upload, download: download)) }
    }

    /// What to do with a response after its head was received.
    public enum ResponseDisposition: Sendable, Hashable {
        /// Read the body.
        case allow
        /// Cancel the request: it ends with `explicitlyCancelled`, and the body is not read.
        case cancel
    }

    /// Decides, when the head of the final response has been received, whether to read its body. None of it is read before the closure
    /// returns.
    ///
    /// Called in each attempt, but not for redirects that are followed. The closures of one request are called in order, on no actor.
    @discardableResult
    public func onHTTPResponse(perform decide: @escaping @Sendable (HTTPURLResponse) async -> ResponseDisposition) -> Self {
        configure { $0.responseGates.append(decide) }
    }
}
