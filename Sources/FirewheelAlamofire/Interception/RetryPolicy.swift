/// Retries idempotent requests after failures that are likely to be temporary, with exponentially growing delays.
///
/// A failure is retried if the request's method is in ``retryableHTTPMethods``, and either the status code of its response is in
/// ``retryableHTTPStatusCodes``, or the error is a `URLError`, or has one as its underlying error, whose code is in
/// ``retryableURLErrorCodes``. A status code alone is not a failure, unless `validate()` makes it one.
///
/// The rules and the delays are Alamofire's, so a `Retry-After` field has no effect. For that, for random delays and for a limit on the
/// retries of all requests together there is `AsyncInterceptor(Firewheel.RetryPolicy())`.
open class RetryPolicy: RequestInterceptor, @unchecked Sendable {
    // Sound because its stored properties are constants of Sendable types; a subclass declares what it adds.

    /// How often a request is retried: 2.
    public static let defaultRetryLimit: UInt = 2
    /// The base of the exponential delays: 2.
    public static let defaultExponentialBackoffBase: UInt = 2
    /// The first delay, in seconds: 0.5.
    public static let defaultExponentialBackoffScale: Double = 0.5
    /// The idempotent methods (RFC 9110 section 9.2.2): DELETE, GET, HEAD, OPTIONS, PUT and TRACE.
    public static let defaultRetryableHTTPMethods: Set<HTTPMethod> = [.delete, .get, .head, .options, .put, .trace]
    /// 408, 500, 502, 503 and 504.
    public static let defaultRetryableHTTPStatusCodes: Set<Int> = [408, 500, 502, 503, 504]
    /// Errors that another attempt may avoid. Not invalid URLs, rejected certificates, too many redirects or full disks.
    public static let defaultRetryableURLErrorCodes: Set<URLError.Code> = Firewheel.RetryPolicy.defaultURLErrorCodes

    /// How often a request is retried.
    public let retryLimit: UInt
    /// The base of the exponential delays. At least 2.
    public let exponentialBackoffBase: UInt
    /// The first delay, in seconds.
    public let exponentialBackoffScale: Double
    /// The methods that are retried.
    public let retryableHTTPMethods: Set<HTTPMethod>
    /// The status codes of failed requests that are retried.
    public let retryableHTTPStatusCodes: Set<Int>
    /// The error codes that are retried.
    public let retryableURLErrorCodes: Set<URLError.Code>

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - retryLimit: How often a request is retried, including retries for other retriers. Default: 2.
    ///   - exponentialBackoffBase: The delay is this to the power of the number of retries so far, times the scale. 0 and 1 count as 2;
    ///     Alamofire stops the program. Default: 2.
    ///   - exponentialBackoffScale: The first delay, in seconds. 0, negative numbers and NaN mean no delay. Default: 0.5.
    ///   - retryableHTTPMethods: The methods that are retried. Default: ``defaultRetryableHTTPMethods``.
    ///   - retryableHTTPStatusCodes: The status codes that are retried. Default: ``defaultRetryableHTTPStatusCodes``.
    ///   - retryableURLErrorCodes: The error codes that are retried. Default: ``defaultRetryableURLErrorCodes``.
    public init(
        retryLimit: UInt = RetryPolicy.defaultRetryLimit,
        exponentialBackoffBase: UInt = RetryPolicy.defaultExponentialBackoffBase,
        exponentialBackoffScale: Double = RetryPolicy.defaultExponentialBackoffScale,
        retryableHTTPMethods: Set<HTTPMethod> = RetryPolicy.defaultRetryableHTTPMethods,
        retryableHTTPStatusCodes: Set<Int> = RetryPolicy.defaultRetryableHTTPStatusCodes,
        retryableURLErrorCodes: Set<URLError.Code> = RetryPolicy.defaultRetryableURLErrorCodes
    ) {
        self.retryLimit = retryLimit
        self.exponentialBackoffBase = max(2, exponentialBackoffBase)
        self.exponentialBackoffScale = exponentialBackoffScale
        self.retryableHTTPMethods = retryableHTTPMethods
        self.retryableHTTPStatusCodes = retryableHTTPStatusCodes
        self.retryableURLErrorCodes = retryableURLErrorCodes
    }

    /// Retries the request after a delay if the limit is not reached and ``shouldRetry(request:dueTo:)`` returns true.
    open func retry(
        _ request: Request, for session: Session, dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void
    ) {
        let count = request.retryCount
        guard count < retryLimit, shouldRetry(request: request, dueTo: error) else { return completion(.doNotRetry) }
        completion(.retryWithDelay(pow(Double(exponentialBackoffBase), Double(count)) * exponentialBackoffScale))
    }

    /// Whether a failure is one that is retried, regardless of how often the request was retried.
    ///
    /// - Parameters:
    ///   - request: The request that has failed.
    ///   - error: The failure.
    open func shouldRetry(request: Request, dueTo error: any Error) -> Bool {
        guard let method = request.request?.method, retryableHTTPMethods.contains(method) else { return false }
        if let status = request.response?.statusCode, retryableHTTPStatusCodes.contains(status) { return true }
        return error.urlErrorCode.map(retryableURLErrorCodes.contains) ?? false
    }
}

extension Error {
    /// The code of a `URLError`, or of one that is the underlying error of an ``AFError``.
    var urlErrorCode: URLError.Code? { (self as? URLError ?? asAFError?.underlyingError as? URLError)?.code }
}

extension RequestRetrier where Self == RetryPolicy {
    /// A ``RetryPolicy`` with its defaults: two retries, after 0.5 s and 1 s, for idempotent methods.
    public static var retryPolicy: RetryPolicy { RetryPolicy() }

    /// A ``RetryPolicy``: see its initializer.
    public static func retryPolicy(
        retryLimit: UInt = RetryPolicy.defaultRetryLimit,
        exponentialBackoffBase: UInt = RetryPolicy.defaultExponentialBackoffBase,
        exponentialBackoffScale: Double = RetryPolicy.defaultExponentialBackoffScale,
        retryableHTTPMethods: Set<HTTPMethod> = RetryPolicy.defaultRetryableHTTPMethods,
        retryableHTTPStatusCodes: Set<Int> = RetryPolicy.defaultRetryableHTTPStatusCodes,
        retryableURLErrorCodes: Set<URLError.Code> = RetryPolicy.defaultRetryableURLErrorCodes
    ) -> RetryPolicy {
        RetryPolicy(
            retryLimit: retryLimit, exponentialBackoffBase: exponentialBackoffBase, exponentialBackoffScale: exponentialBackoffScale,
            retryableHTTPMethods: retryableHTTPMethods, retryableHTTPStatusCodes: retryableHTTPStatusCodes,
            retryableURLErrorCodes: retryableURLErrorCodes)
    }
}
