import Foundation

extension RetryPolicy {
    /// The delay before each retry. At most 100 years.
    public enum Backoff: Sendable, Equatable {
        /// `base` to the power of the number of retries so far, times `scale`: 0.5 s, 1 s, 2 s and so on with the defaults.
        ///
        /// - Parameters:
        ///   - base: Numbers below 1 and NaN count as 1: a constant delay. Default: 2.
        ///   - scale: The delay of the first retry in seconds. Negative numbers and NaN count as 0: no delay. Default: 0.5.
        ///   - cap: The maximum delay in seconds. Negative numbers and NaN count as 0; infinity means no limit. Default: 30.
        ///   - jitter: Whether the delay is a random part of that, so that many clients do not retry at the same moment. Default: true.
        case exponential(base: Double = 2, scale: TimeInterval = 0.5, cap: TimeInterval = 30, jitter: Bool = true)
        /// A constant delay in seconds. Negative numbers and NaN count as 0: no delay.
        case constant(TimeInterval)
    }
}

extension RetryPolicy.Backoff {
    /// The delay in seconds after that many retries: from 0 to 100 years.
    func delay(retryCount: Int, using generator: inout some RandomNumberGenerator) -> TimeInterval {
        switch self {
        case .constant(let seconds):
            return Self.bounded(seconds)
        case .exponential(let base, let scale, let cap, let jitter):
            let scale = Self.bounded(scale)
            // An overflow is infinite, and limited by the cap; a scale of 0 would make it NaN.
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
