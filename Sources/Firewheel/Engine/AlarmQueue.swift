/// At which instants alarms are due, one for each id, in order: to set one, to clear one and to take one that is due cost no look at the
/// others.
struct AlarmQueue: Sendable {
    private struct Entry: Sendable, Comparable {
        let instant: MonotonicInstant
        let id: UInt64

        static func < (left: Entry, right: Entry) -> Bool {
            (left.instant, left.id) < (right.instant, right.id)
        }
    }

    private var instants: [UInt64: MonotonicInstant] = [:]
    /// Also has entries that were cleared or replaced, which are dropped when they come first, or when they are more than the others.
    private var entries = Heap<Entry>()

    /// When the next one is due.
    var next: MonotonicInstant? { entries.first?.instant }

    /// How many alarms are set.
    var count: Int { instants.count }

    /// How many entries are kept for them; for tests.
    var kept: Int { entries.count }

    /// Sets the alarm of an id, unless it is due by then anyway.
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

    /// Takes out the ids whose alarms are due, in the order of their instants.
    mutating func takeDue(at now: MonotonicInstant) -> [UInt64] {
        var due: [UInt64] = []
        while let first = entries.first, first.instant <= now {
            instants[first.id] = nil
            due.append(first.id)
            dropStale()
        }
        return due
    }

    /// The first entry is always one that counts.
    private mutating func dropStale() {
        if entries.count > 2 * instants.count + 64 {
            entries = Heap(instants.map { Entry(instant: $0.value, id: $0.key) })
        }
        while let first = entries.first, instants[first.id] != first.instant { _ = entries.popFirst() }
    }
}
