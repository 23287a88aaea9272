import Dispatch
import Foundation

/// A point on the monotonic clock, in nanoseconds. It never goes back, whatever is done to the wall clock.
struct Instant: Sendable, Comparable, Hashable {
    var nanoseconds: UInt64

    static func now() -> Instant {
        Instant(nanoseconds: DispatchTime.now().uptimeNanoseconds)
    }

    static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// Seconds from `earlier` to this instant; 0 if `earlier` is in fact later.
    func seconds(since earlier: Instant) -> TimeInterval {
        nanoseconds > earlier.nanoseconds ? TimeInterval(nanoseconds - earlier.nanoseconds) / 1e9 : 0
    }

    /// The instant `seconds` later, kept within range: not a number and negative count as 0, and 100 years is the most.
    func advanced(by seconds: TimeInterval) -> Instant {
        let bounded = seconds > 0 ? min(seconds, 3_155_760_000) : 0
        return Instant(nanoseconds: nanoseconds &+ UInt64(bounded * 1e9))
    }
}

/// A pairing of the monotonic and the wall clock, taken once per request: instants become dates that are never out of order.
struct ClockReading: Sendable {
    let instant: Instant
    /// Seconds since the reference date (1 January 2001, 00:00 UTC).
    let wall: TimeInterval

    static func now() -> ClockReading {
        ClockReading(instant: .now(), wall: Date.timeIntervalSinceReferenceDate)
    }

    /// The wall time of an instant, in seconds since the reference date.
    func wallTime(of other: Instant) -> TimeInterval {
        other < instant ? wall - instant.seconds(since: other) : wall + other.seconds(since: instant)
    }

    /// The instant of a date that the wall clock said, if it was not set since.
    func instant(of date: Date) -> Instant {
        let seconds = date.timeIntervalSinceReferenceDate - wall
        if seconds >= 0 { return instant.advanced(by: seconds) }
        let nanoseconds = UInt64(min(-seconds, 3_155_760_000) * 1e9)
        return Instant(nanoseconds: instant.nanoseconds - min(nanoseconds, instant.nanoseconds))
    }

    func date(of other: Instant) -> Date {
        Date(timeIntervalSinceReferenceDate: wallTime(of: other))
    }
}
