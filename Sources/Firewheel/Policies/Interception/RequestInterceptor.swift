import Foundation

/// Changes requests before they are sent: adds a token, a signature, an identifier.
///
/// ```swift
/// struct BearerToken: RequestAdapter {
///     let token: String
///     func adapt(_ urlRequest: URLRequest, for context: RequestContext) async throws -> URLRequest {
///         var request = urlRequest
///         request.headers.update(.authorization(bearerToken: token))
///         return request
///     }
/// }
/// ```
public protocol RequestAdapter: Sendable {
    /// The request to send instead. It is called once for each attempt, the first and every retry, but not for redirects.
    ///
    /// - Parameters:
    ///   - urlRequest: The request as the caller described it, with the changes of the adapters before this one. Each attempt starts anew
    ///     from what the caller described. The session's headers are not in it: they are set afterwards where it has none of the name.
    ///   - context: What is known of the request: `retryCount` is 0 in the first attempt, and `headers` are the session's.
    /// - Throws: Any error: the attempt fails with ``FirewheelError`` of kind `requestAdaptationFailed`, whose `underlyingError` it is.
    ///   Retriers are asked about that as about any other failure.
    func adapt(_ urlRequest: URLRequest, for context: RequestContext) async throws -> URLRequest
}

/// Decides whether a request that has failed is sent again.
public protocol RequestRetrier: Sendable {
    /// What to do about a failure: of building the request, adapting it, the exchange, validation or a response serializer.
    ///
    /// It is not asked when a request was cancelled, nor when the failure came after a downloaded file had been moved to its destination.
    ///
    /// - Parameters:
    ///   - request: What is known of the request: how often it has been retried, the `URLRequest` that was sent, the response if there was
    ///     one.
    ///   - error: Why the attempt failed: a ``FirewheelError``, or what a response serializer returned.
    func retry(_ request: RequestContext, dueTo error: any Error) async -> RetryResult
}

/// What a ``RequestRetrier`` decides.
public enum RetryResult: Sendable {
    /// Send the request again at once.
    case retry
    /// Send the request again after so many seconds. 0 is at once, and so are negative delays and those that are not a number.
    case retryWithDelay(TimeInterval)
    /// Leave the decision to the next retrier. If there is none, the request fails with the error that it has.
    case doNotRetry
    /// Let the request fail, asking no other retrier, with ``FirewheelError`` of kind `requestRetryFailed`: this error is its
    /// `underlyingError`, and the one that the retrier was asked about its `originalError`.
    case doNotRetryWithError(any Error)
}

/// A ``RequestAdapter`` and a ``RequestRetrier`` in one. What a conforming type does not implement does nothing.
public protocol RequestInterceptor: RequestAdapter, RequestRetrier {}

extension RequestInterceptor {
    /// The request as it is.
    public func adapt(_ urlRequest: URLRequest, for context: RequestContext) async throws -> URLRequest { urlRequest }

    /// `.doNotRetry`.
    public func retry(_ request: RequestContext, dueTo error: any Error) async -> RetryResult { .doNotRetry }
}

/// An interceptor that knows whether it adapts requests. Where none does, the engine need not build a `URLRequest` to adapt.
protocol OptionalAdapter {
    var adaptsNothing: Bool { get }
}

extension RequestAdapter {
    /// Whether `adapt` may be left out. Adapters of other types are always called.
    var isKnownToAdaptNothing: Bool { (self as? any OptionalAdapter)?.adaptsNothing ?? false }
}
