import Dispatch
import Foundation

/// A point in time on the monotonic clock, which never goes back, even if the wall clock is set.
///
/// Only instants of the same process are comparable, because the clock's origin is arbitrary.
public struct MonotonicInstant: Sendable, Comparable, Hashable {
    /// Nanoseconds since the clock's origin, as in `DispatchTime.uptimeNanoseconds`.
    public var nanoseconds: UInt64

    /// Creates the instant a number of nanoseconds after the clock's start. ``now()`` is the current one.
    ///
    /// - Parameter nanoseconds: As in `DispatchTime.uptimeNanoseconds`.
    public init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    /// The current instant.
    public static func now() -> MonotonicInstant {
        MonotonicInstant(nanoseconds: DispatchTime.now().uptimeNanoseconds)
    }

    /// Whether the left instant is the earlier one.
    public static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// Seconds from `earlier` to this instant; 0 if `earlier` is later.
    public func seconds(since earlier: MonotonicInstant) -> TimeInterval {
        nanoseconds > earlier.nanoseconds ? TimeInterval(nanoseconds - earlier.nanoseconds) / 1e9 : 0
    }

    /// The instant that many seconds later. NaN and negative numbers count as 0, and the maximum is 100 years.
    public func advanced(by seconds: TimeInterval) -> MonotonicInstant {
        let bounded = seconds > 0 ? min(seconds, 3_155_760_000) : 0
        let (sum, isTooLate) = nanoseconds.addingReportingOverflow(UInt64(bounded * 1e9))
        return MonotonicInstant(nanoseconds: isTooLate ? .max : sum)
    }
}
