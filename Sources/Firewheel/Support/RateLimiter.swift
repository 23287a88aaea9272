import Dispatch

/// Spreads bytes over time, so that no more than a number of them pass in a second.
final class RateLimiter: Sendable {
    private static let queue = DispatchQueue(label: "firewheel.bandwidth")

    /// Bytes a second, at least 1.
    let rate: Int
    /// When all bytes so far have passed.
    private let free = Locked(MonotonicInstant(nanoseconds: 0))

    /// - Parameter rate: Bytes a second. nil, and values below 1, are no limit.
    init?(_ rate: Int?) {
        guard let rate, rate > 0 else { return nil }
        self.rate = rate
    }

    /// The bytes that pass in a tenth of a second: what is let through at once, so that transfers are smooth.
    var portion: Int { max(1, rate / 10) }

    /// The longest time in seconds for which bytes wait for others. A body that is smaller than a portion does not wait, so many of them
    /// would hold up a later one without end. Fifty transfers at once, each with a portion, keep to the limit.
    static let longestWait = 5.0

    /// When bytes that are transferred now have passed.
    func pass(_ count: Int, now: MonotonicInstant = .now()) -> MonotonicInstant {
        free.withLock { free in
            free = min(max(free, now), now.advanced(by: Self.longestWait)).advanced(by: Double(count) / Double(rate))
            return free
        }
    }

    /// Passes bytes through all of several limiters, and then continues, on any thread.
    static func pass(_ count: Int, through limiters: [RateLimiter], _ work: @escaping @Sendable () -> Void) {
        let now = MonotonicInstant.now()
        let due = limiters.map { $0.pass(count, now: now) }.max() ?? now
        guard due > now else { return work() }
        queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: due.nanoseconds), execute: work)
    }
}
