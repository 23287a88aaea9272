import Foundation

// How one request is adapted, retried, redirected and bounded. To be set before it starts: what comes later counts from the next time it is
// asked for.
extension Request {
    /// Adds an interceptor of this request, behind the session's and those added before.
    @discardableResult
    public func interceptor(_ interceptor: any RequestInterceptor) -> Self {
        configure { $0.interceptors.append(interceptor) }
    }

    /// Changes the request before each attempt. An error that the closure throws is `requestAdaptationFailed`, with it as
    /// `underlyingError`.
    ///
    /// - Parameter adapt: Gets the request without the session's headers, which are set afterwards where it has none of the name.
    @discardableResult
    public func adapt(_ adapt: @escaping @Sendable (inout URLRequest, RequestContext) async throws -> Void) -> Self {
        interceptor(Adapter(adapt))
    }

    /// Decides whether to try again after a failure of building, adapting, the transport, validation or a serializer. Never asked after a
    /// cancel, and not once a downloaded file is in its place.
    @discardableResult
    public func retry(_ decide: @escaping @Sendable (RequestContext, any Error) async -> RetryResult) -> Self {
        interceptor(Retrier(decide))
    }

    /// Decides about redirects of this request, in the place of the session's handler. Default: redirects are followed, 20 at most.
    @discardableResult
    public func redirect(using handler: any RedirectHandler) -> Self {
        configure { $0.redirectHandler = handler }
    }

    /// Sets limits of time for this request, in seconds. Fractions count; 0 is no limit, nil leaves the session's.
    ///
    /// - Parameters:
    ///   - idle: Without a byte in either direction, in the place of `SessionConfiguration.timeoutIntervalForRequest`.
    ///   - total: From the start of the request, retries and redirects included, in the place of `timeoutIntervalForResource`.
    @discardableResult
    public func timeout(idle: TimeInterval? = nil, total: TimeInterval? = nil) -> Self {
        configure { options in
            if let idle { options.idleTimeout = idle }
            if let total { options.totalTimeout = total }
        }
    }

    /// What is to become of a response whose head is there.
    public enum ResponseDisposition: Sendable, Hashable {
        /// Its body is read.
        case allow
        /// The request is cancelled: it ends with `explicitlyCancelled`, and no byte of the body is read.
        case cancel
    }

    /// Decides, once the head of the final response is there, whether its body is read. No byte of it is until the closure has returned.
    ///
    /// Asked in each attempt, not about redirects that are followed. The closures of one request are asked in their order, on no actor.
    @discardableResult
    public func onHTTPResponse(perform decide: @escaping @Sendable (HTTPURLResponse) async -> ResponseDisposition) -> Self {
        configure { $0.responseGates.append(decide) }
    }
}
