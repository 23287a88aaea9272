/// Retries idempotent requests whose connection was lost (`URLError.networkConnectionLost`), and no others.
open class ConnectionLostRetryPolicy: RetryPolicy, @unchecked Sendable {
    // Sound like its base class.

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - retryLimit: How often a request is retried, including retries for other retriers. Default: 2.
    ///   - exponentialBackoffBase: The base of the exponential delays. 0 and 1 count as 2. Default: 2.
    ///   - exponentialBackoffScale: The first delay, in seconds. 0, negative numbers and NaN mean no delay. Default: 0.5.
    ///   - retryableHTTPMethods: The methods that are retried. Default: `RetryPolicy.defaultRetryableHTTPMethods`.
    public init(
        retryLimit: UInt = RetryPolicy.defaultRetryLimit,
        exponentialBackoffBase: UInt = RetryPolicy.defaultExponentialBackoffBase,
        exponentialBackoffScale: Double = RetryPolicy.defaultExponentialBackoffScale,
        retryableHTTPMethods: Set<HTTPMethod> = RetryPolicy.defaultRetryableHTTPMethods
    ) {
        super.init(
            retryLimit: retryLimit, exponentialBackoffBase: exponentialBackoffBase, exponentialBackoffScale: exponentialBackoffScale,
            retryableHTTPMethods: retryableHTTPMethods, retryableHTTPStatusCodes: [], retryableURLErrorCodes: [.networkConnectionLost])
    }
}

extension RequestRetrier where Self == ConnectionLostRetryPolicy {
    /// A ``ConnectionLostRetryPolicy`` with its defaults.
    public static var connectionLostRetryPolicy: ConnectionLostRetryPolicy { ConnectionLostRetryPolicy() }

    /// A ``ConnectionLostRetryPolicy``: see its initializer.
    public static func connectionLostRetryPolicy(
        retryLimit: UInt = RetryPolicy.defaultRetryLimit,
        exponentialBackoffBase: UInt = RetryPolicy.defaultExponentialBackoffBase,
        exponentialBackoffScale: Double = RetryPolicy.defaultExponentialBackoffScale,
        retryableHTTPMethods: Set<HTTPMethod> = RetryPolicy.defaultRetryableHTTPMethods
    ) -> ConnectionLostRetryPolicy {
        ConnectionLostRetryPolicy(
            retryLimit: retryLimit, exponentialBackoffBase: exponentialBackoffBase, exponentialBackoffScale: exponentialBackoffScale,
            retryableHTTPMethods: retryableHTTPMethods)
    }
}
