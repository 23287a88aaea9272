/// The requests that are under way, by id: how an event of the transport finds its request.
///
/// It lives on the delegate queue. A request is admitted from any thread without a hop there: it is put on a list that the registry takes in
/// before it looks anything up, so it is known by the time the first event of it can come.
final class TaskRegistry: Sendable {
    private struct Incoming {
        var requests: [Request] = []
        /// Requests that nobody has started and that have handlers to be told when the session goes.
        var unstarted: [UInt64: WeakRequest] = [:]
        var isClosed = false
    }

    private struct WeakRequest: Sendable {
        weak var request: Request?
    }

    private let incoming = Locked(Incoming())
    private let active: Confined<[UInt64: Request], DelegateQueue>

    init(queue: DelegateQueue) {
        active = Confined([:], to: queue)
    }

    /// Takes a request in. False if the registry has been closed.
    func admit(_ request: Request) -> Bool {
        incoming.withLock { incoming in
            guard !incoming.isClosed else { return false }
            incoming.requests.append(request)
            if !incoming.unstarted.isEmpty { incoming.unstarted[request.id] = nil }
            return true
        }
    }

    /// Remembers a request that has not been started, without keeping it. False if the registry has been closed.
    func watch(_ request: Request) -> Bool {
        let (isOpen, living) = incoming.withLock { incoming -> (Bool, [Request]) in
            guard !incoming.isClosed else { return (false, []) }
            var living: [Request] = []
            // Those that were dropped are cleared out when there are as many again as were left last time.
            if incoming.unstarted.count >= 64, incoming.unstarted.count.nonzeroBitCount == 1 {
                living = incoming.unstarted.values.compactMap(\.request)
                incoming.unstarted = Dictionary(uniqueKeysWithValues: living.map { ($0.id, WeakRequest(request: $0)) })
            }
            incoming.unstarted[request.id] = WeakRequest(request: request)
            return (true, living)
        }
        // Whoever else held one may have let it go meanwhile: then it goes here, with what its handlers hold, and not under the lock.
        withExtendedLifetime(living) {}
        return isOpen
    }

    /// Takes no more requests in. Gives back those that were never started.
    func close() -> [Request] {
        incoming.withLock { incoming in
            incoming.isClosed = true
            defer { incoming.unstarted = [:] }
            return incoming.unstarted.values.compactMap(\.request)
        }
    }

    /// The request that an event is about.
    func request(for id: TransportTaskID) -> Request? {
        active.with { active in
            if let request = active[id.request] { return request }
            takeIn(&active)
            return active[id.request]
        }
    }

    /// Every request that is under way.
    var all: [Request] {
        active.with { active in
            takeIn(&active)
            return Array(active.values)
        }
    }

    func remove(_ request: Request) {
        active.with { active in
            if active.removeValue(forKey: request.id) != nil { return }
            takeIn(&active)
            active[request.id] = nil
        }
    }

    private func takeIn(_ active: inout [UInt64: Request]) {
        let requests = incoming.withLock { incoming in
            defer { incoming.requests.removeAll(keepingCapacity: true) }
            return incoming.requests
        }
        for request in requests { active[request.id] = request }
    }
}
