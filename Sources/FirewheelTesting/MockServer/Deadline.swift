import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// An instant on the monotonic clock.
struct Deadline {
    private let moment: TimeInterval

    /// - Parameter interval: Seconds from now. Negative numbers and NaN mean now; the maximum is ten years, so that no sum overflows.
    init(after interval: TimeInterval) {
        moment = Self.now + Self.bounded(interval)
    }

    /// The interval limited to between zero and ten years; zero for NaN.
    static func bounded(_ interval: TimeInterval) -> TimeInterval { interval > 0 ? min(interval, 315_360_000) : 0 }

    /// The remaining seconds; zero or less once the deadline has passed.
    var remaining: TimeInterval { moment - Self.now }

    /// The milliseconds left for `poll`, rounded up so that waiting never ends early; at most a minute.
    var milliseconds: Int32 { Int32(min(max(remaining * 1000, 0), 60_000).rounded(.up)) }

    private static var now: TimeInterval {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return TimeInterval(time.tv_sec) + TimeInterval(time.tv_nsec) / 1_000_000_000
    }
}
