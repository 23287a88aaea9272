import Foundation

/// A ``RequestAdapter`` that calls a closure.
///
/// ```swift
/// let session = Session(interceptor: .adapter { request, context in
///     request.headers.update(.authorization(bearerToken: try await tokens.current()))
/// })
/// ```
public struct Adapter: RequestInterceptor {
    private let change: @Sendable (inout URLRequest, RequestContext) async throws -> Void

    /// Creates an adapter that calls a closure for each attempt.
    ///
    /// - Parameter adapt: Changes the request in place. See ``RequestAdapter/adapt(_:for:)`` for when it is called and what it may throw.
    public init(_ adapt: @escaping @Sendable (inout URLRequest, RequestContext) async throws -> Void) {
        change = adapt
    }

    public func adapt(_ urlRequest: URLRequest, for context: RequestContext) async throws -> URLRequest {
        var request = urlRequest
        try await change(&request, context)
        return request
    }
}

extension RequestAdapter where Self == Adapter {
    /// An adapter that calls a closure, which changes the request in place.
    public static func adapter(using adapt: @escaping @Sendable (inout URLRequest, RequestContext) async throws -> Void) -> Adapter {
        Adapter(adapt)
    }
}

/// A ``RequestRetrier`` that calls a closure.
///
/// ```swift
/// let session = Session(interceptor: .retrier { context, error in
///     context.retryCount < 3 && error.asFirewheelError?.isConnectivity == true ? .retryWithDelay(1) : .doNotRetry
/// })
/// ```
public struct Retrier: RequestInterceptor, OptionalAdapter {
    private let decide: @Sendable (RequestContext, any Error) async -> RetryResult

    /// Creates a retrier that calls a closure for each failure.
    ///
    /// - Parameter retry: Decides what to do about a failure. See ``RequestRetrier/retry(_:dueTo:)`` for when it is called.
    public init(_ retry: @escaping @Sendable (RequestContext, any Error) async -> RetryResult) {
        decide = retry
    }

    public func retry(_ request: RequestContext, dueTo error: any Error) async -> RetryResult { await decide(request, error) }

    var adaptsNothing: Bool { true }
}

extension RequestRetrier where Self == Retrier {
    /// A retrier that calls a closure.
    public static func retrier(using retry: @escaping @Sendable (RequestContext, any Error) async -> RetryResult) -> Retrier {
        Retrier(retry)
    }
}
