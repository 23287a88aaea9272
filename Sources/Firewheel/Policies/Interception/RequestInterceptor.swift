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

/// A ``RequestAdapter`` and a ``RequestRetrier`` in one. A type that implements only one of the two methods has a default for the other,
/// which does nothing.
///
/// Alamofire 5's completion form is not called: `adapt(_:for:completion:)` and `retry(_:for:dueTo:completion:)`. A type that conforms to
/// this protocol with one of these, and without the async method in its place, does not compile: the compiler's message has the async
/// method's declaration.
public protocol RequestInterceptor: RequestAdapter, RequestRetrier {
    /// `Never`. Any other type means that a type implements `adapt` in Alamofire's completion form.
    associatedtype CompletionAdaptSession = Never
    /// `Never`. Any other type means that a type implements `retry` in Alamofire's completion form.
    associatedtype CompletionRetryRequest = Never
    /// `Never`. Any other type means that a type implements `retry` in Alamofire's completion form.
    associatedtype CompletionRetrySession = Never

    /// Do not implement this: it is never called. It tells the compiler that a type has Alamofire's form of
    /// ``RequestAdapter/adapt(_:for:)``.
    func adapt(
        _ urlRequest: URLRequest, for session: CompletionAdaptSession,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void)

    /// Do not implement this: it is never called. It tells the compiler that a type has Alamofire's form of
    /// ``RequestRetrier/retry(_:dueTo:)``.
    func retry(
        _ request: CompletionRetryRequest, for session: CompletionRetrySession, dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void)
}

extension RequestInterceptor where CompletionAdaptSession == Never {
    /// Returns the request unchanged.
    public func adapt(_ urlRequest: URLRequest, for context: RequestContext) async throws -> URLRequest { urlRequest }

    /// Cannot be called: nothing is a `Never`.
    public func adapt(_ urlRequest: URLRequest, for session: Never, completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void)
    {}
}

extension RequestInterceptor where CompletionRetryRequest == Never, CompletionRetrySession == Never {
    /// Returns `.doNotRetry`.
    public func retry(_ request: RequestContext, dueTo error: any Error) async -> RetryResult { .doNotRetry }

    /// Cannot be called: nothing is a `Never`.
    public func retry(
        _ request: Never, for session: Never, dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void
    ) {}
}

// What the compiler finds for a type with a completion form: the defaults above are not for it.
extension RequestInterceptor {
    @available(
        *, unavailable,
        message:
            "Firewheel never calls adapt(_:for:completion:). Implement the async form: func adapt(_ urlRequest: URLRequest, for context: RequestContext) async throws -> URLRequest"
    )
    public func adapt(_ urlRequest: URLRequest, for context: RequestContext) async throws -> URLRequest { urlRequest }

    @available(
        *, unavailable,
        message:
            "Firewheel never calls retry(_:for:dueTo:completion:). Implement the async form: func retry(_ request: RequestContext, dueTo error: any Error) async -> RetryResult"
    )
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
