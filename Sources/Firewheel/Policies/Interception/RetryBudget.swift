import Foundation

/// Bounds the retries of many requests together, so that retries do not multiply the load on a server that fails most requests.
///
/// Within any `window` seconds, retries are at most `ratio` times the requests that were first sent in it, plus `minimumPerSecond` times
/// `window`. A retry beyond that does not take place, and its request fails with the error that it has. This is the retry budget of
/// Finagle, with its defaults.
///
/// ```swift
/// let session = Session(interceptor: .retryPolicy(budget: RetryBudget()))
/// ```
/// Give one budget to one ``RetryPolicy``, that of the session: it counts the requests that the policy adapts. In an ``Interceptor`` such a
/// policy belongs to `interceptors`; as one of `retriers` it sees no first attempts, and allows `minimumPerSecond` alone.
public final class RetryBudget: Sendable {
    private let tokens: Locked<RetryTokens>

    /// A budget that has seen no request yet: until some are sent, `minimumPerSecond` alone allows retries.
    ///
    /// - Parameters:
    ///   - ratio: How many retries each request adds to the budget: 0.2 is one for every five. Negative, and not a number, count as 0.
    ///     Default: 0.2.
    ///   - minimumPerSecond: How many retries a second are allowed to a program that sends few requests. Negative, and not a number, count
    ///     as
    ///     0. Default: 10.
    ///   - window: For how many seconds requests and retries count. From 1 to 3600; not a number counts as 10. Default: 10.
    public init(ratio: Double = 0.2, minimumPerSecond: Double = 10, window: TimeInterval = 10) {
        tokens = Locked(RetryTokens(ratio: ratio, minimumPerSecond: minimumPerSecond, window: window))
    }

    /// Adds a request that is sent for the first time.
    func recordFirstAttempt() {
        tokens.withLock { $0.recordFirstAttempt(at: .now()) }
    }

    /// Takes one retry from the budget; false if there is none left.
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
    /// The number of the newest slice since the clock's origin; its place is the remainder by the number of slices.
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
        // Infinity times 0 is not a number, and not more than anything.
        let allowed = (requests > 0 ? Double(requests) * ratio : 0) + reserve
        // A part of a millionth is what sums of fractions may be short of a whole.
        guard Double(retries + 1) <= allowed + 1e-6 else { return false }
        slices[index].retries += 1
        return true
    }

    private var index: Int { Int(newest % UInt64(slices.count)) }

    /// Forgets what is older than the window. An instant before the newest slice counts as in it.
    private mutating func advance(to now: MonotonicInstant) {
        let current = now.nanoseconds / sliceLength
        guard current > newest else { return }
        let steps = min(current - newest, UInt64(slices.count))
        newest = current
        for step in 0..<steps { slices[Int((current - step) % UInt64(slices.count))] = Slice() }
    }
}
