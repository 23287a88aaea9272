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
    /// Returns the request to send instead. Called once for each attempt, including retries, but not for redirects.
    ///
    /// - Parameters:
    ///   - urlRequest: The caller's request, with the changes of preceding adapters. Each attempt starts again with the caller's request.
    ///     The session's headers are added afterwards, unless it has the same fields.
    ///   - context: The state of the request: `retryCount` is 0 in the first attempt, and `headers` are the session's.
    /// - Throws: Any error: the attempt fails with ``FirewheelError`` of kind `requestAdaptationFailed`, with it as `underlyingError`.
    ///   Retriers are called for that as for any other failure.
    func adapt(_ urlRequest: URLRequest, for context: RequestContext) async throws -> URLRequest
}

/// Decides whether to retry a failed request.
public protocol RequestRetrier: Sendable {
    /// Decides about a failure of building the request, adapting it, the exchange, validation or a response serializer.
    ///
    /// Not called for a cancelled request, or after a downloaded file has been moved to its destination.
    ///
    /// - Parameters:
    ///   - request: The state of the request: the number of retries, the `URLRequest` sent, and the response, if any.
    ///   - error: The attempt's error: a ``FirewheelError``, or the error of a response serializer.
    func retry(_ request: RequestContext, dueTo error: any Error) async -> RetryResult
}

/// The decision of a ``RequestRetrier``.
public enum RetryResult: Sendable {
    /// Retry at once.
    case retry
    /// Retry after a delay in seconds. 0, negative numbers and NaN mean at once.
    case retryWithDelay(TimeInterval)
    /// Leave the decision to the next retrier. Without one the request fails with its error.
    case doNotRetry
    /// Fail the request without calling other retriers, with ``FirewheelError`` of kind `requestRetryFailed`: this error is its
    /// `underlyingError`, and the request's error its `originalError`.
    case doNotRetryWithError(any Error)
}

/// A ``RequestAdapter`` and a ``RequestRetrier`` in one. The default implementations do nothing.
public protocol RequestInterceptor: RequestAdapter, RequestRetrier {}

extension RequestInterceptor {
    /// Returns the request unchanged.
    public func adapt(_ urlRequest: URLRequest, for context: RequestContext) async throws -> URLRequest { urlRequest }

    /// Returns `.doNotRetry`.
    public func retry(_ request: RequestContext, dueTo error: any Error) async -> RetryResult { .doNotRetry }
}

/// An interceptor that knows whether it adapts requests. If none does, the engine need not build a `URLRequest` to adapt.
protocol OptionalAdapter {
    var adaptsNothing: Bool { get }
}

extension RequestAdapter {
    /// Whether `adapt` can be skipped. Adapters of other types are always called.
    var isKnownToAdaptNothing: Bool { (self as? any OptionalAdapter)?.adaptsNothing ?? false }
}
