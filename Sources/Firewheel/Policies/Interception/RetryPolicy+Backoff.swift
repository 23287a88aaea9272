import Foundation

extension RetryPolicy {
    /// How long to wait before each retry. No delay is longer than 100 years.
    public enum Backoff: Sendable, Equatable {
        /// `base` to the power of the number of retries so far, times `scale`: 0.5 s, 1 s, 2 s and so on with the defaults.
        ///
        /// - Parameters:
        ///   - base: Below 1, and not a number, count as 1: the delay stays the same. Default: 2.
        ///   - scale: The delay of the first retry in seconds. Negative, and not a number, count as 0: no delay. Default: 0.5.
        ///   - cap: The longest delay in seconds. Negative, and not a number, count as 0; infinity is no bound. Default: 30.
        ///   - jitter: Whether to wait a random part of that, from nothing to all of it, so that many clients do not come back at the same
        ///     moment. Default: true.
        case exponential(base: Double = 2, scale: TimeInterval = 0.5, cap: TimeInterval = 30, jitter: Bool = true)
        /// The same number of seconds each time. Negative, and not a number, count as 0: no delay.
        case constant(TimeInterval)
    }
}

extension RetryPolicy.Backoff {
    /// The seconds to wait after so many retries: from 0 to 100 years.
    func delay(retryCount: Int, using generator: inout some RandomNumberGenerator) -> TimeInterval {
        switch self {
        case .constant(let seconds):
            return Self.bounded(seconds)
        case .exponential(let base, let scale, let cap, let jitter):
            let scale = Self.bounded(scale)
            // Where this overflows it is infinite, which the cap bounds; a scale of 0 would make it not a number.
            let growth = scale > 0 ? pow(base > 1 ? base : 1, Double(max(0, retryCount))) * scale : 0
            let delay = min(Self.bounded(growth), Self.bounded(cap))
            return jitter && delay > 0 ? TimeInterval.random(in: 0...delay, using: &generator) : delay
        }
    }

    private static let longest: TimeInterval = 3_155_760_000

    private static func bounded(_ seconds: TimeInterval) -> TimeInterval {
        seconds > 0 ? min(seconds, longest) : 0
    }
}
