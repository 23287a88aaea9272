import Dispatch
import Foundation

/// A point in time on the monotonic clock, which never goes back, whatever is done to the wall clock.
///
/// Only instants of one process can be compared: the clock counts from an arbitrary beginning.
public struct MonotonicInstant: Sendable, Comparable, Hashable {
    /// Nanoseconds since the clock's beginning, as in `DispatchTime.uptimeNanoseconds`.
    public var nanoseconds: UInt64

    /// The instant so many nanoseconds after the clock's beginning. ``now()`` is the present one.
    ///
    /// - Parameter nanoseconds: As in `DispatchTime.uptimeNanoseconds`.
    public init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    /// The instant at which it is called.
    public static func now() -> MonotonicInstant {
        MonotonicInstant(nanoseconds: DispatchTime.now().uptimeNanoseconds)
    }

    /// Whether the left instant is the earlier one.
    public static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// Seconds from `earlier` to this instant; 0 if `earlier` is in fact later.
    public func seconds(since earlier: MonotonicInstant) -> TimeInterval {
        nanoseconds > earlier.nanoseconds ? TimeInterval(nanoseconds - earlier.nanoseconds) / 1e9 : 0
    }

    /// The instant so many seconds later, kept within range: not a number and negative count as 0, and 100 years is the most.
    public func advanced(by seconds: TimeInterval) -> MonotonicInstant {
        let bounded = seconds > 0 ? min(seconds, 3_155_760_000) : 0
        let (sum, isTooLate) = nanoseconds.addingReportingOverflow(UInt64(bounded * 1e9))
        return MonotonicInstant(nanoseconds: isTooLate ? .max : sum)
    }
}
