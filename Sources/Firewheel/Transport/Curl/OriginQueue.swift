/// Requests that wait for their turn: first-in first-out within one origin, round robin across origins, and no more running at once for
/// each than its limit.
///
/// They wait here and not in libcurl, whose own queue is quadratic in its length.
struct OriginQueue<Element> {
    private struct Lane {
        var waiting: [Element] = []
        /// Index of the first element still waiting: removing from the front of the array each time would be quadratic too.
        var first = 0
        var running = 0
        var limit: Int
        var isInRing = false

        var isEmpty: Bool { first == waiting.count }
        var isReady: Bool { !isEmpty && running < limit }

        mutating func takeFirst() -> Element? {
            isInRing = false
            guard isReady else { return nil }
            let element = waiting[first]
            first += 1
            running += 1
            if first == waiting.count {
                waiting.removeAll(keepingCapacity: first <= 64)
                first = 0
            } else if first >= 1024, first * 2 >= waiting.count {
                waiting.removeFirst(first)
                first = 0
            }
            return element
        }
    }

    private var lanes: [TargetURI.Origin: Lane] = [:]
    /// Origins with something to start, in the order of their turns.
    private var ring: [TargetURI.Origin] = []
    private var ringStart = 0
    private let defaultLimit: Int

    /// - Parameter limit: The most that run at once for one origin.
    init(limit: Int) {
        defaultLimit = limit
    }

    mutating func enqueue(_ element: Element, for origin: TargetURI.Origin) {
        lanes[origin, default: Lane(limit: defaultLimit)].waiting.append(element)
        joinRing(origin)
    }

    /// The next element that may run. It counts as running until ``finish(_:)``.
    mutating func next() -> Element? {
        guard ringStart < ring.count else { return nil }
        let origin = ring[ringStart]
        ringStart += 1
        if ringStart == ring.count {
            ring.removeAll(keepingCapacity: true)
            ringStart = 0
        }
        let element = lanes[origin]?.takeFirst()
        joinRing(origin)
        return element
    }

    /// Says that an element of this origin no longer runs.
    mutating func finish(_ origin: TargetURI.Origin) {
        guard let lane = lanes[origin] else { return }
        if lane.running <= 1, lane.isEmpty, lane.limit == defaultLimit {
            lanes[origin] = nil
        } else {
            lanes[origin]?.running -= 1
            joinRing(origin)
        }
    }

    /// Raises the limit of an origin, as for one that turned out to speak HTTP/2.
    mutating func raiseLimit(_ origin: TargetURI.Origin, to limit: Int) {
        guard let lane = lanes[origin], lane.limit < limit else { return }
        lanes[origin]?.limit = limit
        joinRing(origin)
    }

    private mutating func joinRing(_ origin: TargetURI.Origin) {
        guard let lane = lanes[origin], lane.isReady, !lane.isInRing else { return }
        lanes[origin]?.isInRing = true
        ring.append(origin)
    }
}
