import Foundation

/// Limits the retries of many requests together, so that retries do not multiply the load on a server that fails most requests.
///
/// Within any `window` seconds there are at most `ratio` retries per first attempt, plus `minimumPerSecond` times `window`. Beyond that, a
/// request is not retried and fails with its error. This is the retry budget of Finagle, with its defaults.
///
/// ```swift
/// let session = Session(interceptor: .retryPolicy(budget: RetryBudget()))
/// ```
/// Use one budget in one ``RetryPolicy``, that of the session: it counts the requests that the policy adapts. In an ``Interceptor`` such a
/// policy belongs to `interceptors`; as one of `retriers` it sees no first attempts, and allows only `minimumPerSecond`.
public final class RetryBudget: Sendable {
    private let tokens: Locked<RetryTokens>

    /// Creates a budget without recorded requests: until some are sent, only `minimumPerSecond` allows retries.
    ///
    /// - Parameters:
    ///   - ratio: The retries that each request adds to the budget: 0.2 is one for every five. Negative numbers and NaN count as 0.
    ///     Default: 0.2.
    ///   - minimumPerSecond: The retries per second that are always allowed, for programs with few requests. Negative numbers and NaN count
    ///     as
    ///     0. Default: 10.
    ///   - window: The seconds for which requests and retries count, from 1 to 3600; NaN counts as 10. Default: 10.
    public init(ratio: Double = 0.2, minimumPerSecond: Double = 10, window: TimeInterval = 10) {
        tokens = Locked(RetryTokens(ratio: ratio, minimumPerSecond: minimumPerSecond, window: window))
    }

    /// Counts a first attempt.
    func recordFirstAttempt() {
        tokens.withLock { $0.recordFirstAttempt(at: .now()) }
    }

    /// Takes one retry from the budget; false if none is left.
    func takeRetry() -> Bool {
        tokens.withLock { $0.takeRetry(at: .now()) }
    }
}

/// The counts of a ``RetryBudget``, in ten slices of its window.
struct RetryTokens: Sendable {
    private struct Slice: Sendable {
        var requests = 0
        var retries = 0
    }

    private let ratio: Double
    private let reserve: Double
    private let sliceLength: UInt64
    private var slices: [Slice]
    /// The number of the newest slice since the clock's origin; its index is the remainder by the number of slices.
    private var newest: UInt64 = 0

    init(ratio: Double, minimumPerSecond: Double, window: TimeInterval, slices count: Int = 10) {
        let window = window.isNaN ? 10 : min(max(window, 1), 3600)
        self.ratio = ratio > 0 ? ratio : 0
        reserve = minimumPerSecond > 0 ? minimumPerSecond * window : 0
        slices = Array(repeating: Slice(), count: max(1, count))
        sliceLength = UInt64(window * 1e9) / UInt64(slices.count)
    }

    mutating func recordFirstAttempt(at now: MonotonicInstant) {
        advance(to: now)
        slices[index].requests += 1
    }

    mutating func takeRetry(at now: MonotonicInstant) -> Bool {
        advance(to: now)
        let requests = slices.reduce(0) { $0 + $1.requests }
        let retries = slices.reduce(0) { $0 + $1.retries }
        // Avoids infinity times 0, which is NaN.
        let allowed = (requests > 0 ? Double(requests) * ratio : 0) + reserve
        // A tolerance for rounding errors in sums of fractions.
        guard Double(retries + 1) <= allowed + 1e-6 else { return false }
        slices[index].retries += 1
        return true
    }

    private var index: Int { Int(newest % UInt64(slices.count)) }

    /// Drops what is older than the window. An instant before the newest slice counts as within it.
    private mutating func advance(to now: MonotonicInstant) {
        let current = now.nanoseconds / sliceLength
        guard current > newest else { return }
        let steps = min(current - newest, UInt64(slices.count))
        newest = current
        for step in 0..<steps { slices[Int((current - step) % UInt64(slices.count))] = Slice() }
    }
}
