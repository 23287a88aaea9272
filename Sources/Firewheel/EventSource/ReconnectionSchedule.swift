import Foundation

/// Decides, when a connection of an event source has ended, whether and when the next one is made.
struct ReconnectionSchedule: Sendable {
    /// How a connection ended.
    struct Ending: Sendable {
        /// nil if the response was complete.
        var error: (any Error)?
        /// How long it was open, in seconds; nil if the server did not accept it.
        var openSeconds: TimeInterval?
        /// Whether it brought an event.
        var hasDelivered = false
        /// The last reconnection time that the server has sent.
        var retry: Duration?
    }

    enum Decision: Sendable {
        /// Connect again after these seconds.
        case wait(TimeInterval)
        /// Do not connect again. The error is nil if the server wanted it so.
        case stop((any Error)?)
    }

    /// The longest delay in seconds: a day.
    private static let longest: TimeInterval = 86_400
    /// The shortest delay that a server can ask for, so that `retry: 0` makes no storm of connections.
    static let shortest: TimeInterval = 0.5
    /// After a connection that was open for that long the delay starts again.
    private static let lasting: TimeInterval = 60

    private let policy: EventSource.Reconnection
    /// The failures in a row.
    private var failures = 0
    /// The connections in a row that brought nothing.
    private var fruitless = 0

    init(_ policy: EventSource.Reconnection) {
        self.policy = policy
    }

    /// - Parameters:
    ///   - now: The wall-clock time, for dates in `Retry-After`.
    ///   - random: From 0 to 1.
    mutating func decide(_ ending: Ending, now: Date, random: Double) -> Decision {
        if let error = ending.error {
            if Self.status(error) == 204 { return .stop(nil) }
            guard policy.rule != .never, isTemporary(Self.cause(of: error), wasOpen: ending.openSeconds != nil) else { return .stop(error) }
        } else if policy.rule == .never {
            return .stop(nil)
        }
        if ending.openSeconds == nil {
            if let limit = policy.limit, failures >= limit { return .stop(ending.error) }
            failures += 1
        } else {
            failures = 0
        }
        if ending.hasDelivered || (ending.openSeconds ?? 0) >= Self.lasting { fruitless = 0 } else { fruitless += 1 }
        let least = max(delay(ending.retry), Self.retryAfter(ending.error.map(Self.cause), now: now))
        // The jitter comes on top, because a delay that the server asks for is not shortened.
        return .wait(min(least * (1 + 0.2 * random), Self.longest))
    }

    private func delay(_ retry: Duration?) -> TimeInterval {
        let asked = retry.map { max(Self.shortest, $0 / .seconds(1)) } ?? policy.delay
        var delay = asked
        if fruitless > 1 {
            // A delay of 0 must grow, too.
            delay = max(asked, min(policy.maximumDelay, max(asked, Self.shortest) * pow(2, Double(min(fruitless - 1, 60)))))
        }
        return delay
    }

    static func bounded(_ seconds: TimeInterval) -> TimeInterval {
        seconds > 0 ? min(seconds, longest) : 0
    }

    // MARK: Errors

    /// What made an interceptor fail, which may use the network itself; the error itself if it is another.
    private static func cause(of error: any Error) -> any Error {
        guard let failure = error as? FirewheelError, let cause = failure.underlyingError else { return error }
        switch failure.kind {
        case .requestAdaptationFailed, .requestRetryFailed, .authenticationFailed: return Self.cause(of: cause)
        default: return error
        }
    }

    /// Whether another attempt may succeed.
    private func isTemporary(_ cause: any Error, wasOpen: Bool) -> Bool {
        if let status = Self.status(cause) {
            // For browsers a proxy that does not connect is a network error.
            if policy.rule == .standard { return Self.isOfProxy(cause) }
            return status == 408 || status == 429 || (500..<600).contains(status)
        }
        guard let code = Self.networkCode(cause) else { return false }
        // Whatever ends a connection that was accepted is a lost connection.
        return wasOpen || Self.temporaryCodes.contains(code)
    }

    private static func networkCode(_ cause: any Error) -> URLError.Code? {
        guard let failure = cause as? FirewheelError else { return FirewheelError.urlErrorCode(of: cause) }
        switch failure.kind {
        case .transportFailed(let code): return code
        case .authenticationFailed(.refreshTimedOut): return .timedOut
        default: return nil
        }
    }

    /// Those that may be of use to retry, and a response that is not HTTP, which a proxy may send for a moment. A certificate with a wrong
    /// date is rejected for longer than that.
    private static let temporaryCodes = RetryPolicy.defaultURLErrorCodes.union([.cannotParseResponse])
        .subtracting([.serverCertificateHasBadDate, .serverCertificateNotYetValid])

    /// The status of a server that has refused the request, or of a proxy that has refused to connect to it.
    private static func status(_ error: any Error) -> Int? {
        switch (error as? FirewheelError)?.kind {
        case .responseValidationFailed(.unacceptableStatusCode(let status)), .proxyConnectFailed(let status): status
        default: nil
        }
    }

    private static func isOfProxy(_ error: any Error) -> Bool {
        if case .proxyConnectFailed? = (error as? FirewheelError)?.kind { true } else { false }
    }

    /// The seconds that a refused request was asked to wait (RFC 9110 section 10.2.3); 0 if it was not.
    private static func retryAfter(_ error: (any Error)?, now: Date) -> TimeInterval {
        guard let error = error as? FirewheelError, status(error) != nil,
            let text = error.response?.headers.singleton("Retry-After")
        else { return 0 }
        return min(RetryAfter.seconds(text, now: now) ?? 0, longest)
    }
}
