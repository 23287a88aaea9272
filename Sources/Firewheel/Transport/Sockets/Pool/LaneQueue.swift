/// What a transport keeps with a lane.
protocol LaneExtra {
    init()
    /// Whether the lane may be dropped.
    var isEmpty: Bool { get }
}

/// A queue of waiting requests: first-in first-out within a lane, round robin across lanes, with a limit of running ones per lane.
///
/// Requests wait here and not in libnghttp2, whose queue cannot be cancelled cheaply.
struct LaneQueue<Key: Hashable, Element, Extra: LaneExtra> {
    /// The requests with the same key. An element keeps its lane while it waits and runs, so that the key is looked up once.
    final class Lane {
        // Dynamic exclusivity checks are off: no access to a property overlaps with other code, and the checks would double the cost.
        let key: Key
        @exclusivity(unchecked) var extra = Extra()
        /// Whether it is the lane for its key. A lane that was dropped is not.
        @exclusivity(unchecked) fileprivate(set) var isListed = true
        @exclusivity(unchecked) fileprivate var limit: Int
        @exclusivity(unchecked) fileprivate var running = 0
        @exclusivity(unchecked) fileprivate var isInRing = false
        @exclusivity(unchecked) private var waiting: [Element] = []
        /// The index of the first waiting element. Removing from the front of the array each time would be quadratic as well.
        @exclusivity(unchecked) private var first = 0
        /// Waiting elements of lanes that lead to several hosts; nil if there never were any.
        @exclusivity(unchecked) private var hosts: HostTurns<Element>?
        /// The number of waiting elements that were abandoned.
        @exclusivity(unchecked) private var abandoned = 0
        /// The number of other waiting elements that are paused.
        @exclusivity(unchecked) private var paused = 0

        fileprivate init(key: Key, limit: Int) {
            self.key = key
            self.limit = limit
        }

        private var waitingCount: Int { waiting.count - first + (hosts?.count ?? 0) }
        fileprivate var isEmpty: Bool { first == waiting.count && hosts?.count ?? 0 == 0 }
        /// Whether an element waits that was neither abandoned nor paused.
        var hasWaiting: Bool { waitingCount > abandoned + paused }
        fileprivate var isReady: Bool { !isEmpty && running < limit }

        fileprivate func append(_ element: Element) {
            waiting.append(element)
        }

        fileprivate func append(_ element: Element, to host: TargetURI.Origin) {
            if hosts == nil { hosts = HostTurns() }
            hosts?.append(element, to: host)
        }

        fileprivate func putBack(_ element: Element) {
            if first > 0 {
                first -= 1
                waiting[first] = element
            } else {
                waiting.insert(element, at: 0)
            }
        }

        /// Counts an abandoned element. They are removed once they outnumber the others, which keeps the cost of each constant.
        fileprivate func noteAbandoned(_ isAbandoned: (Element) -> Bool) {
            abandoned += 1
            guard abandoned > 32, abandoned * 2 > waitingCount else { return }
            waiting.removeSubrange(..<first)
            waiting.removeAll(where: isAbandoned)
            hosts?.removeAll(where: isAbandoned)
            first = 0
            abandoned = 0
        }

        /// Records that one more of the waiting elements is paused, or one fewer.
        func notePaused(_ isPaused: Bool) { paused += isPaused ? 1 : -1 }

        fileprivate func noteSkipped() {
            running -= 1
            // Nothing is left of them with the last element.
            abandoned = max(0, abandoned - 1)
        }

        fileprivate func takeFirst() -> Element? {
            guard first < waiting.count else {
                guard let element = hosts?.popFirst() else { return nil }
                running += 1
                if isEmpty { abandoned = 0 }
                return element
            }
            let element = waiting[first]
            first += 1
            running += 1
            if first == waiting.count {
                waiting.removeAll(keepingCapacity: first <= 64)
                first = 0
                if isEmpty { abandoned = 0 }
            } else if first >= 1024, first * 2 >= waiting.count {
                waiting.removeFirst(first)
                first = 0
            }
            return element
        }
    }

    /// The number of lanes kept without waiting or running elements.
    private static var maximumIdleLanes: Int { 64 }

    private var lanes: [Key: Lane] = [:]
    /// The lanes with elements to start, in round-robin order.
    private var ring: [Lane] = []
    private var ringStart = 0
    private let defaultLimit: Int

    /// - Parameter limit: The most elements of a lane that run at once.
    init(limit: Int) {
        defaultLimit = limit
    }

    /// The lane for a key.
    mutating func lane(for key: Key) -> Lane {
        if let lane = lanes[key] { return lane }
        let lane = Lane(key: key, limit: defaultLimit)
        lanes[key] = lane
        return lane
    }

    mutating func enqueue(_ element: Element, in lane: Lane) {
        lane.append(element)
        joinRing(lane)
    }

    /// - Parameter host: Where the element leads. The lane leads to several hosts, which take turns in it.
    mutating func enqueue(_ element: Element, in lane: Lane, to host: TargetURI.Origin) {
        lane.append(element, to: host)
        joinRing(lane)
    }

    /// Whether ``next()`` may have an element.
    var hasNext: Bool { ringStart < ring.count }

    /// The next element that may run. It counts as running until ``finish(_:)``.
    mutating func next() -> Element? {
        while let lane = nextLane() {
            lane.isInRing = false
            guard lane.isReady, let element = lane.takeFirst() else { continue }
            joinRing(lane)
            return element
        }
        return nil
    }

    /// Takes the first waiting element of a lane, whatever its limit. It counts as running until ``finish(_:)``.
    mutating func takeFirst(of lane: Lane) -> Element? { lane.takeFirst() }

    private mutating func nextLane() -> Lane? {
        guard ringStart < ring.count else { return nil }
        let lane = ring[ringStart]
        ringStart += 1
        if ringStart == ring.count {
            ring.removeAll(keepingCapacity: true)
            ringStart = 0
        } else if ringStart >= 1024 {
            ring.removeFirst(ringStart)
            ringStart = 0
        }
        return lane
    }

    /// Counts an abandoned element of a lane. ``next()`` may still return it if its turn is near.
    ///
    /// - Parameter isAbandoned: Whether an element was abandoned.
    mutating func noteAbandoned(in lane: Lane, _ isAbandoned: (Element) -> Bool) {
        lane.noteAbandoned(isAbandoned)
        removeIfIdle(lane)
    }

    /// Records that an element that was taken is an abandoned one.
    mutating func skip(_ lane: Lane) {
        lane.noteSkipped()
        joinRing(lane)
        removeIfIdle(lane)
    }

    /// Records that an element of this lane no longer runs.
    mutating func finish(_ lane: Lane) {
        lane.running -= 1
        joinRing(lane)
        removeIfIdle(lane)
    }

    /// Drops a lane that nothing uses if there are many.
    mutating func removeIfIdle(_ lane: Lane) {
        guard lane.running == 0, lane.isEmpty, lane.extra.isEmpty, lanes.count > Self.maximumIdleLanes else { return }
        guard lanes[lane.key] === lane else { return }
        lanes[lane.key] = nil
        lane.isListed = false
    }

    /// Changes the limit of a lane, for example with the streams that an HTTP/2 server allows. Elements that run go on if it is lowered.
    mutating func setLimit(_ lane: Lane, to limit: Int) {
        lane.limit = limit
        joinRing(lane)
    }

    /// Puts a running element back in front of those that wait, and changes the limit, which may have let it run in vain.
    ///
    /// - Parameter isVain: Whether it could not run. Then nothing of the lane is tried again before it changes.
    mutating func putBack(_ element: Element, in lane: Lane, limit: Int, isVain: Bool = false) {
        lane.putBack(element)
        lane.running -= 1
        lane.limit = limit
        if !isVain { joinRing(lane) }
    }

    private mutating func joinRing(_ lane: Lane) {
        guard lane.isReady, !lane.isInRing else { return }
        lane.isInRing = true
        ring.append(lane)
    }
}
