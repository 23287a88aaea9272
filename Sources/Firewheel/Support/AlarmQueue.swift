/// A priority queue of alarms, at most one per id. Setting, clearing and taking an alarm do not scan the others.
struct AlarmQueue: Sendable {
    private struct Entry: Sendable, Comparable {
        let instant: MonotonicInstant
        let id: UInt64

        static func < (left: Entry, right: Entry) -> Bool {
            (left.instant, left.id) < (right.instant, right.id)
        }
    }

    private var instants: [UInt64: MonotonicInstant] = [:]
    /// Also contains cleared and replaced entries. They are dropped when they reach the front, or when they outnumber the others.
    private var entries = Heap<Entry>()

    /// The instant of the next alarm.
    var next: MonotonicInstant? { entries.first?.instant }

    /// The number of alarms.
    var count: Int { instants.count }

    /// The number of entries in the heap; for tests.
    var kept: Int { entries.count }

    /// Sets the alarm of an id, unless an earlier one is set.
    ///
    /// - Returns: Whether it was set.
    @discardableResult
    mutating func set(_ id: UInt64, at instant: MonotonicInstant) -> Bool {
        if let earlier = instants[id], earlier <= instant { return false }
        instants[id] = instant
        entries.insert(Entry(instant: instant, id: id))
        return true
    }

    mutating func clear(_ id: UInt64) {
        guard instants.removeValue(forKey: id) != nil else { return }
        dropStale()
    }

    /// Removes and returns the ids whose alarms are due, in order.
    mutating func takeDue(at now: MonotonicInstant) -> [UInt64] {
        var due: [UInt64] = []
        while let first = entries.first, first.instant <= now {
            instants[first.id] = nil
            due.append(first.id)
            dropStale()
        }
        return due
    }

    /// Keeps the invariant that the first entry is a valid one.
    private mutating func dropStale() {
        if entries.count > 2 * instants.count + 64 {
            entries = Heap(instants.map { Entry(instant: $0.value, id: $0.key) })
        }
        while let first = entries.first, instants[first.id] != first.instant { _ = entries.popFirst() }
    }
}
