import Foundation

extension RetryPolicy {
    /// The idempotent methods (RFC 9110 section 9.2.2): DELETE, GET, HEAD, OPTIONS, PUT and TRACE as in Alamofire, and QUERY.
    public static let defaultMethods: Set<HTTPMethod> = [.delete, .get, .head, .options, .put, .query, .trace]

    /// 408, 500, 502, 503 and 504 as in Alamofire, and 429 (RFC 6585 section 4).
    public static let defaultStatusCodes: Set<Int> = [408, 429, 500, 502, 503, 504]

    /// Alamofire's list: errors that another attempt may avoid. Not invalid URLs, rejected certificates, too many redirects or full disks.
    public static let defaultURLErrorCodes: Set<URLError.Code> = [
        .backgroundSessionInUseByAnotherProcess, .backgroundSessionWasDisconnected, .badServerResponse, .callIsActive, .cannotConnectToHost,
        .cannotFindHost, .cannotLoadFromNetwork, .dataNotAllowed, .dnsLookupFailed, .downloadDecodingFailedMidStream,
        .downloadDecodingFailedToComplete, .internationalRoamingOff, .networkConnectionLost, .notConnectedToInternet,
        .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateNotYetValid, .timedOut,
    ]
}

extension RequestRetrier where Self == RetryPolicy {
    /// ``RetryPolicy`` with its defaults: two retries with backoff, for idempotent methods.
    public static var retryPolicy: RetryPolicy { RetryPolicy() }

    /// A ``RetryPolicy``: see its initializer.
    public static func retryPolicy(
        limit: Int = 2,
        backoff: RetryPolicy.Backoff = .exponential(),
        methods: Set<HTTPMethod> = RetryPolicy.defaultMethods,
        statusCodes: Set<Int> = RetryPolicy.defaultStatusCodes,
        urlErrorCodes: Set<URLError.Code> = RetryPolicy.defaultURLErrorCodes,
        honorsRetryAfter: Bool = true,
        maximumRetryAfter: TimeInterval = 60,
        budget: RetryBudget? = nil
    ) -> RetryPolicy {
        RetryPolicy(
            limit: limit, backoff: backoff, methods: methods, statusCodes: statusCodes, urlErrorCodes: urlErrorCodes,
            honorsRetryAfter: honorsRetryAfter, maximumRetryAfter: maximumRetryAfter, budget: budget)
    }
}

/// Retries requests whose connection was lost (`URLError.networkConnectionLost`), and no others.
public struct ConnectionLostRetryPolicy: RequestInterceptor, OptionalAdapter {
    private let policy: RetryPolicy

    /// Creates a policy with a given limit, delays and methods.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of retries of a request. 0 and negative numbers: none. Default: 2.
    ///   - backoff: The delay before each retry. Default: a random part of 0.5 s, 1 s, 2 s and so on, up to 30 s.
    ///   - methods: The methods that are retried. Default: ``RetryPolicy/defaultMethods``.
    public init(
        limit: Int = 2, backoff: RetryPolicy.Backoff = .exponential(), methods: Set<HTTPMethod> = RetryPolicy.defaultMethods
    ) {
        policy = RetryPolicy(
            limit: limit, backoff: backoff, methods: methods, statusCodes: [], urlErrorCodes: [.networkConnectionLost],
            honorsRetryAfter: false)
    }

    public func retry(_ request: RequestContext, dueTo error: any Error) async -> RetryResult {
        await policy.retry(request, dueTo: error)
    }

    var adaptsNothing: Bool { true }
}

extension RequestRetrier where Self == ConnectionLostRetryPolicy {
    /// ``ConnectionLostRetryPolicy`` with its defaults.
    public static var connectionLostRetryPolicy: ConnectionLostRetryPolicy { ConnectionLostRetryPolicy() }

    /// A ``ConnectionLostRetryPolicy``: see its initializer.
    public static func connectionLostRetryPolicy(
        limit: Int = 2, backoff: RetryPolicy.Backoff = .exponential(), methods: Set<HTTPMethod> = RetryPolicy.defaultMethods
    ) -> ConnectionLostRetryPolicy {
        ConnectionLostRetryPolicy(limit: limit, backoff: backoff, methods: methods)
    }
}
