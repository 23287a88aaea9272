import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A moment on the monotonic clock, which nobody can set.
struct Deadline {
    private let moment: TimeInterval

    /// - Parameter interval: Seconds from now. Less than zero and not-a-number are now; the most is ten years, so that no sum overflows.
    init(after interval: TimeInterval) {
        moment = Self.now + (interval > 0 ? min(interval, 315_360_000) : 0)
    }

    /// Seconds left, zero or less when it has passed.
    var remaining: TimeInterval { moment - Self.now }

    /// Whole milliseconds left for `poll`, rounded up so that waiting for it never ends early; at most a minute.
    var milliseconds: Int32 { Int32(min(max(remaining * 1000, 0), 60_000).rounded(.up)) }

    private static var now: TimeInterval {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return TimeInterval(time.tv_sec) + TimeInterval(time.tv_nsec) / 1_000_000_000
    }
}
