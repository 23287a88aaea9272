/// What has timers on a loop.
protocol TimerOwner: AnyObject {
    /// The timer's instant has come. It is set no more.
    func timerFired()
    /// A turn of the loop took long: what is dated `start` may have happened as late as `end`.
    func wasHeldUp(since start: MonotonicInstant, until end: MonotonicInstant)
}

/// A timer of an object on a loop.
///
/// It may be set much earlier than its owner needs it, who then sets it again: a deadline that moves with every byte costs nothing until it
/// is looked at.
final class LoopTimer {
    /// nil once the owner needs the timer no more.
    fileprivate(set) unowned(unsafe) var owner: (any TimerOwner)?
    fileprivate var scheduled: MonotonicInstant?

    init(_ owner: any TimerOwner) {
        self.owner = owner
    }
}

/// The timers of a loop, the earliest first.
struct LoopTimers {
    private struct Entry: Comparable {
        let instant: MonotonicInstant
        let timer: LoopTimer

        /// Whether the timer has been set to another instant since, or cancelled.
        var isStale: Bool { timer.scheduled != instant }

        static func < (left: Entry, right: Entry) -> Bool { left.instant < right.instant }
        static func == (left: Entry, right: Entry) -> Bool { left.instant == right.instant }
    }

    private var entries = Heap<Entry>()
    private var staleCount = 0

    /// The number of entries, for tests.
    var count: Int { entries.count }

    /// Makes a timer fire at an instant, or earlier if it is set to an earlier one.
    mutating func set(_ timer: LoopTimer, by instant: MonotonicInstant) {
        if let scheduled = timer.scheduled {
            if scheduled <= instant { return }
            staleCount += 1
        }
        timer.scheduled = instant
        entries.insert(Entry(instant: instant, timer: timer))
        removeStale()
    }

    /// Ends a timer. Its owner may be released.
    mutating func end(_ timer: LoopTimer) {
        timer.owner = nil
        guard timer.scheduled != nil else { return }
        timer.scheduled = nil
        staleCount += 1
        removeStale()
    }

    /// Removes stale entries once they outnumber the others, which keeps the cost of each constant.
    private mutating func removeStale() {
        guard staleCount > 64, staleCount * 2 > entries.count else { return }
        entries.removeAll(where: \.isStale)
        staleCount = 0
    }

    /// When the next timer fires.
    mutating func next() -> MonotonicInstant? {
        while let first = entries.first {
            if !first.isStale { return first.instant }
            _ = entries.popFirst()
            staleCount -= 1
        }
        return nil
    }

    /// Calls a closure with each owner of a timer that is set.
    func forEachOwner(_ body: (any TimerOwner) -> Void) {
        for entry in entries.elements where !entry.isStale {
            if let owner = entry.timer.owner { body(owner) }
        }
    }

    /// Takes out the owner of a timer whose instant has come; nil if there is none.
    mutating func popDue(at now: MonotonicInstant) -> (any TimerOwner)? {
        while let next = next(), next <= now {
            guard let timer = entries.popFirst()?.timer else { return nil }
            timer.scheduled = nil
            if let owner = timer.owner { return owner }
        }
        return nil
    }
}
