import Foundation

/// A simultaneous reading of the monotonic and the wall clock, taken once per request, so that instants convert to dates in the same order.
struct ClockReading: Sendable {
    let instant: MonotonicInstant
    /// Seconds since the reference date (1 January 2001, 00:00 UTC).
    let wall: TimeInterval

    static func now() -> ClockReading {
        ClockReading(instant: .now(), wall: Date.timeIntervalSinceReferenceDate)
    }

    /// The wall time of an instant, in seconds since the reference date.
    func wallTime(of other: MonotonicInstant) -> TimeInterval {
        other < instant ? wall - instant.seconds(since: other) : wall + other.seconds(since: instant)
    }

    /// The instant of a wall-clock date, assuming the clock was not set in the meantime. Clamped as in `advanced(by:)`.
    func instant(of date: Date) -> MonotonicInstant {
        let seconds = date.timeIntervalSinceReferenceDate - wall
        guard seconds < 0 else { return instant.advanced(by: seconds) }
        let nanoseconds = UInt64(min(-seconds, 3_155_760_000) * 1e9)
        return MonotonicInstant(nanoseconds: instant.nanoseconds - min(nanoseconds, instant.nanoseconds))
    }

    func date(of other: MonotonicInstant) -> Date {
        Date(timeIntervalSinceReferenceDate: wallTime(of: other))
    }
}
