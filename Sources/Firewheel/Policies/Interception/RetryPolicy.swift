import Foundation

/// Retries idempotent requests after failures that are likely to be temporary: lost connections, timeouts, and status codes such as 503.
///
/// ```swift
/// let session = Session(interceptor: .retryPolicy)
/// HTTP.get("https://api.example.com/report").validate().interceptor(.retryPolicy(limit: 5))
/// ```
/// A failure is retried if the request's method is in `methods`, and either the response's status code is in `statusCodes`, or the error or
/// one of its underlying errors has a `URLError.Code` in `urlErrorCodes`. A status code alone is not a failure, unless `validate()` makes
/// it one. Cancelled requests are never retried.
public struct RetryPolicy: RequestInterceptor, OptionalAdapter {
    /// The maximum number of retries of a request, which is sent up to `limit` + 1 times. Never negative.
    public let limit: Int
    /// The delay before each retry.
    public let backoff: Backoff
    /// The methods that are retried.
    public let methods: Set<HTTPMethod>
    /// The status codes of failed requests that are retried.
    public let statusCodes: Set<Int>
    /// The error codes that are retried.
    public let urlErrorCodes: Set<URLError.Code>
    /// Whether a `Retry-After` field of a 413, 429 or 503 response can extend the delay.
    public let honorsRetryAfter: Bool
    /// The maximum `Retry-After` in seconds. If the server asks for more, the request is not retried.
    public let maximumRetryAfter: TimeInterval
    /// The limit on the retries of all requests together.
    public let budget: RetryBudget?

    /// Creates a policy with custom conditions. A failure is retried if the method is in `methods` and the status or error is in one of the
    /// other sets.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of retries of a request, including those of other retriers. 0 and negative numbers: none. Default: 2,
    ///     as in Alamofire.
    ///   - backoff: The delay before each retry. Default: a random part of 0.5 s, 1 s, 2 s and so on, up to 30 s.
    ///   - methods: The methods that are retried. Default: ``defaultMethods``, the idempotent ones.
    ///   - statusCodes: The status codes that are retried. Default: ``defaultStatusCodes``.
    ///   - urlErrorCodes: The error codes that are retried. Default: ``defaultURLErrorCodes``.
    ///   - honorsRetryAfter: Whether the `Retry-After` field of a 413, 429 or 503 response determines the delay if it is longer than
    ///     `backoff` (RFC 9110 section 10.2.3; RFC 6585 section 4). A date in the past counts as 0 s; an invalid value is ignored. Default:
    ///     true.
    ///   - maximumRetryAfter: The maximum `Retry-After` in seconds; beyond it the request is not retried. Negative numbers count as 0, NaN
    ///     as 60; infinity means no limit. Default: 60.
    ///   - budget: A limit on the retries of all requests together. Default: nil, no limit.
    public init(
        limit: Int = 2,
        backoff: Backoff = .exponential(),
        methods: Set<HTTPMethod> = RetryPolicy.defaultMethods,
        statusCodes: Set<Int> = RetryPolicy.defaultStatusCodes,
        urlErrorCodes: Set<URLError.Code> = RetryPolicy.defaultURLErrorCodes,
        honorsRetryAfter: Bool = true,
        maximumRetryAfter: TimeInterval = 60,
        budget: RetryBudget? = nil
    ) {
        self.limit = max(0, limit)
        self.backoff = backoff
        self.methods = methods
        self.statusCodes = statusCodes
        self.urlErrorCodes = urlErrorCodes
        self.honorsRetryAfter = honorsRetryAfter
        self.maximumRetryAfter = maximumRetryAfter.isNaN ? 60 : max(0, maximumRetryAfter)
        self.budget = budget
    }

    /// Returns the request unchanged, and counts it in the budget, if there is one.
    public func adapt(_ urlRequest: URLRequest, for context: RequestContext) async throws -> URLRequest {
        if context.retryCount == 0 { budget?.recordFirstAttempt() }
        return urlRequest
    }

    public func retry(_ request: RequestContext, dueTo error: any Error) async -> RetryResult {
        var generator = SystemRandomNumberGenerator()
        let failure = RetryableFailure(request, error)
        guard let delay = delay(beforeRetrying: failure, now: Date(), using: &generator) else { return .doNotRetry }
        // Checked last, so that only actual retries are counted.
        if let budget, !budget.takeRetry() { return .doNotRetry }
        return delay > 0 ? .retryWithDelay(delay) : .retry
    }

    /// A budget must see every first attempt.
    var adaptsNothing: Bool { budget == nil }
}

// MARK: - Decision

/// The input of a ``RetryPolicy``.
struct RetryableFailure: Sendable {
    /// nil if no request was built.
    var method: HTTPMethod?
    /// The methods of followed redirects: a caller's handler may have changed a GET to a POST.
    var redirectedMethods: [HTTPMethod] = []
    var statusCode: Int?
    /// The field's value as received.
    var retryAfter: String?
    var urlErrorCode: URLError.Code?
    var isCancelled = false
    var retryCount = 0
}

extension RetryableFailure {
    init(_ context: RequestContext, _ error: any Error) {
        // Values of a context are built on access, so each is read once.
        var response = context.response
        // A proxy that refuses to connect may do so for a moment, as a server may.
        if case .proxyConnectFailed? = (error as? FirewheelError)?.kind { response = (error as? FirewheelError)?.response }
        self.init(
            method: context.request?.method,
            redirectedMethods: context.metrics?.transactionMetrics.dropFirst().compactMap { $0.request.method } ?? [],
            statusCode: response?.statusCode,
            retryAfter: response?.headers.singleton("Retry-After"), urlErrorCode: FirewheelError.urlErrorCode(of: error),
            isCancelled: FirewheelError.isCancellation(error), retryCount: context.retryCount)
    }
}

extension RetryPolicy {
    /// The seconds to wait before another attempt; nil for no retry.
    ///
    /// - Parameters:
    ///   - now: The wall-clock time, for dates in `Retry-After`.
    ///   - generator: The random numbers for the backoff's jitter.
    func delay(beforeRetrying failure: RetryableFailure, now: Date, using generator: inout some RandomNumberGenerator) -> TimeInterval? {
        guard !failure.isCancelled, max(0, failure.retryCount) < limit else { return nil }
        guard let method = failure.method, methods.contains(method), failure.redirectedMethods.allSatisfy(methods.contains) else {
            return nil
        }
        let hasStatus = failure.statusCode.map(statusCodes.contains) ?? false
        let hasCode = failure.urlErrorCode.map(urlErrorCodes.contains) ?? false
        guard hasStatus || hasCode else { return nil }
        let delay = backoff.delay(retryCount: failure.retryCount, using: &generator)
        guard let asked = retryAfter(of: failure, now: now) else { return delay }
        return asked > maximumRetryAfter ? nil : max(delay, asked)
    }

    private func retryAfter(of failure: RetryableFailure, now: Date) -> TimeInterval? {
        guard honorsRetryAfter, let status = failure.statusCode, Self.retryAfterStatusCodes.contains(status) else { return nil }
        return failure.retryAfter.flatMap { RetryAfter.seconds($0, now: now) }
    }

    /// The status codes for which HTTP defines the field: RFC 9110 sections 15.5.14 and 15.6.4, RFC 6585 section 4.
    private static let retryAfterStatusCodes: Set<Int> = [413, 429, 503]
}
