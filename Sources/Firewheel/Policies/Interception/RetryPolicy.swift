import Foundation

/// Retries what may be repeated and is likely to succeed then: after lost connections, timeouts, and status codes such as 503.
///
/// ```swift
/// let session = Session(interceptor: .retryPolicy)
/// HTTP.get("https://api.example.com/report").validate().interceptor(.retryPolicy(limit: 5))
/// ```
/// A failure is retried if the request's method is in `methods`, and either the response's status code is in `statusCodes` or the error, or
/// one behind it, has a `URLError.Code` in `urlErrorCodes`. A status code alone is no failure: `validate()` makes it one. What was
/// cancelled is never retried.
public struct RetryPolicy: RequestInterceptor, OptionalAdapter {
    /// How often a request is retried at most, so that it is sent `limit` + 1 times. 0 if less was given.
    public let limit: Int
    /// How long to wait before each retry.
    public let backoff: Backoff
    /// The methods that are retried.
    public let methods: Set<HTTPMethod>
    /// The status codes that are retried, once the request has failed.
    public let statusCodes: Set<Int>
    /// The codes of errors that are retried.
    public let urlErrorCodes: Set<URLError.Code>
    /// Whether a `Retry-After` field of a response 413, 429 or 503 makes the delay longer.
    public let honorsRetryAfter: Bool
    /// The longest `Retry-After` in seconds that is waited for. If the server asks for more, the request is not retried.
    public let maximumRetryAfter: TimeInterval
    /// What bounds the retries of all requests together.
    public let budget: RetryBudget?

    /// A policy with conditions of your own. A failure is retried if its method is in `methods`, and its status or error in one of the
    /// other sets.
    ///
    /// - Parameters:
    ///   - limit: How often a request is retried at most. Retries that another retrier asked for count too. 0 and negative: never. Default:
    ///     2, as in Alamofire.
    ///   - backoff: How long to wait before each retry. Default: a random part of 0.5 s, 1 s, 2 s and so on, up to 30 s.
    ///   - methods: The methods that are retried. Default: ``defaultMethods``, those that may be repeated.
    ///   - statusCodes: The status codes that are retried. Default: ``defaultStatusCodes``.
    ///   - urlErrorCodes: The codes of errors that are retried. Default: ``defaultURLErrorCodes``.
    ///   - honorsRetryAfter: Whether to wait as long as the `Retry-After` field of a response 413, 429 or 503 says, where that is longer
    ///     than `backoff` (RFC 9110 section 10.2.3; RFC 6585 section 4). A date in the past counts as 0 s; what is neither seconds nor a
    ///     date is ignored. Default: true.
    ///   - maximumRetryAfter: The longest `Retry-After` in seconds that is waited for; above it the request is not retried. Negative counts
    ///     as 0, not a number as 60; infinity is no bound. Default: 60.
    ///   - budget: Bounds the retries of all requests together. Default: nil, no bound.
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

    /// The request as it is. It is counted in the budget, if there is one.
    public func adapt(_ urlRequest: URLRequest, for context: RequestContext) async throws -> URLRequest {
        if context.retryCount == 0 { budget?.recordFirstAttempt() }
        return urlRequest
    }

    public func retry(_ request: RequestContext, dueTo error: any Error) async -> RetryResult {
        var generator = SystemRandomNumberGenerator()
        let failure = RetryableFailure(request, error)
        guard let delay = delay(beforeRetrying: failure, now: Date(), using: &generator) else { return .doNotRetry }
        // Asked last, so that only retries which take place are counted.
        if let budget, !budget.takeRetry() { return .doNotRetry }
        return delay > 0 ? .retryWithDelay(delay) : .retry
    }

    /// With a budget it must see every first attempt.
    var adaptsNothing: Bool { budget == nil }
}

// MARK: - The decision

/// What a ``RetryPolicy`` goes by.
struct RetryableFailure: Sendable {
    /// nil if no request could be built.
    var method: HTTPMethod?
    /// Those with which redirects were followed: a handler of the caller's may have made a POST of a GET.
    var redirectedMethods: [HTTPMethod] = []
    var statusCode: Int?
    /// The field of the response as it is.
    var retryAfter: String?
    var urlErrorCode: URLError.Code?
    var isCancelled = false
    var retryCount = 0
}

extension RetryableFailure {
    init(_ context: RequestContext, _ error: any Error) {
        // Values of a context are built when they are looked at, so each is looked at once.
        let response = context.response
        self.init(
            method: context.request?.method,
            redirectedMethods: context.metrics?.transactionMetrics.dropFirst().compactMap { $0.request.method } ?? [],
            statusCode: response?.statusCode,
            retryAfter: response?.value(forHTTPHeaderField: "Retry-After"), urlErrorCode: FirewheelError.urlErrorCode(of: error),
            isCancelled: FirewheelError.isCancellation(error), retryCount: context.retryCount)
    }
}

extension RetryPolicy {
    /// The seconds to wait before another attempt, or nil if there should be none.
    ///
    /// - Parameters:
    ///   - now: The time of the wall clock, with which dates in `Retry-After` are compared.
    ///   - generator: Where the backoff's jitter comes from.
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

    /// The errors for which HTTP defines the field: RFC 9110 sections 15.5.14 and 15.6.4, RFC 6585 section 4.
    private static let retryAfterStatusCodes: Set<Int> = [413, 429, 503]
}
