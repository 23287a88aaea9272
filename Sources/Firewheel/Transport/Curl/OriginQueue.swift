/// Requests that wait for their turn: first-in first-out within one origin, round robin across origins, and no more running at once for
/// each than its limit.
///
/// They wait here and not in libcurl, whose own queue is quadratic in its length.
struct OriginQueue<Element> {
    /// The requests of one origin. An element keeps its lane while it waits and runs, so that the origin is looked up once.
    final class Lane {
        // Exclusivity is not checked at run time: no access to a property goes on while other code runs, and the checks cost as much as the
        // work.
        let origin: TargetURI.Origin
        @exclusivity(unchecked) fileprivate var limit: Int
        @exclusivity(unchecked) fileprivate var running = 0
        @exclusivity(unchecked) fileprivate var isInRing = false
        @exclusivity(unchecked) private var waiting: [Element] = []
        /// Index of the first element still waiting: removing from the front of the array each time would be quadratic too.
        @exclusivity(unchecked) private var first = 0
        /// How many of those that wait are not wanted any more.
        @exclusivity(unchecked) private var abandoned = 0

        fileprivate init(origin: TargetURI.Origin, limit: Int) {
            self.origin = origin
            self.limit = limit
        }

        fileprivate var isEmpty: Bool { first == waiting.count }
        fileprivate var isReady: Bool { !isEmpty && running < limit }

        fileprivate func append(_ element: Element) {
            waiting.append(element)
        }

        /// Says that one more of those that wait is not wanted. They go when they are more than the others, so that each costs little.
        fileprivate func noteAbandoned(_ isAbandoned: (Element) -> Bool) {
            abandoned += 1
            guard abandoned > 32, abandoned * 2 > waiting.count - first else { return }
            waiting.removeSubrange(..<first)
            waiting.removeAll(where: isAbandoned)
            first = 0
            abandoned = 0
        }

        fileprivate func takeFirst() -> Element {
            let element = waiting[first]
            first += 1
            running += 1
            if first == waiting.count {
                waiting.removeAll(keepingCapacity: first <= 64)
                first = 0
                abandoned = 0
            } else if first >= 1024, first * 2 >= waiting.count {
                waiting.removeFirst(first)
                first = 0
            }
            return element
        }
    }

    /// How many lanes are kept for origins that have nothing waiting or running.
    private static var maximumIdleLanes: Int { 64 }

    private var lanes: [TargetURI.Origin: Lane] = [:]
    /// Lanes with something to start, in the order of their turns.
    private var ring: [Lane] = []
    private var ringStart = 0
    private let defaultLimit: Int

    /// - Parameter limit: The most that run at once for one origin.
    init(limit: Int) {
        defaultLimit = limit
    }

    /// The lane of an origin.
    mutating func lane(for origin: TargetURI.Origin) -> Lane {
        if let lane = lanes[origin] { return lane }
        let lane = Lane(origin: origin, limit: defaultLimit)
        lanes[origin] = lane
        return lane
    }

    mutating func enqueue(_ element: Element, in lane: Lane) {
        lane.append(element)
        joinRing(lane)
    }

    /// Whether ``next()`` may have an element.
    var hasNext: Bool { ringStart < ring.count }

    /// The next element that may run. It counts as running until ``finish(_:)``.
    mutating func next() -> Element? {
        while let lane = nextLane() {
            lane.isInRing = false
            guard lane.isReady else { continue }
            let element = lane.takeFirst()
            joinRing(lane)
            return element
        }
        return nil
    }

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

    /// Says that an element which waits in this lane is not wanted any more. It may still be the ``next()`` one: its turn may be near.
    ///
    /// - Parameter isAbandoned: Whether an element is one of those.
    mutating func noteAbandoned(in lane: Lane, _ isAbandoned: (Element) -> Bool) {
        lane.noteAbandoned(isAbandoned)
        removeIfIdle(lane)
    }

    /// Says that an element of this lane no longer runs.
    mutating func finish(_ lane: Lane) {
        lane.running -= 1
        joinRing(lane)
        removeIfIdle(lane)
    }

    private mutating func removeIfIdle(_ lane: Lane) {
        guard lane.running == 0, lane.isEmpty, lanes.count > Self.maximumIdleLanes else { return }
        if lanes[lane.origin] === lane { lanes[lane.origin] = nil }
    }

    /// Raises the limit of an origin, as for one that turned out to speak HTTP/2.
    mutating func raiseLimit(_ lane: Lane, to limit: Int) {
        guard lane.limit < limit else { return }
        lane.limit = limit
        joinRing(lane)
    }

    /// Gives an origin the limit again that all have, as for one that speaks HTTP/2 no longer.
    func resetLimit(_ lane: Lane) {
        lane.limit = defaultLimit
    }

    private mutating func joinRing(_ lane: Lane) {
        guard lane.isReady, !lane.isInRing else { return }
        lane.isInRing = true
        ring.append(lane)
    }
}
