import Firewheel
import Foundation

/// The time since the last request was started. A body that waits for a 100 may be sent after a second without one: where a busy machine
/// has taken that long, its coming is no fault.
final class ContinueClock: Sendable {
    private let start = Guarded(MonotonicInstant.now())

    func restart() { start.with { $0 = MonotonicInstant.now() } }

    /// Whether that second may be over.
    var isOver: Bool { MonotonicInstant.now().seconds(since: start.with { $0 }) >= 0.9 }
}
