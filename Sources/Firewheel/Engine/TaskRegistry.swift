/// The requests that are under way, by id: how an event of the transport finds its request.
///
/// It lives on the delegate queue. A request is admitted from any thread without a hop there: it is put on a list that the registry takes in
/// before it looks anything up, so it is known by the time the first event of it can come.
final class TaskRegistry: Sendable {
    private struct Incoming {
        var requests: [Request] = []
        var isClosed = false
    }

    private let incoming = Locked(Incoming())
    private let active: Confined<[UInt64: Request]>

    init(queue: SerialQueue) {
        active = Confined([:], to: queue)
    }

    /// Takes a request in. False if the registry has been closed.
    func admit(_ request: Request) -> Bool {
        incoming.withLock { incoming in
            guard !incoming.isClosed else { return false }
            incoming.requests.append(request)
            return true
        }
    }

    /// Takes no more requests in.
    func close() {
        incoming.withLock { $0.isClosed = true }
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
