import Foundation

/// What the calls of a session share: rules, queues, and the registry that maps the transport's events to calls.
///
/// Requests retain it; it never retains the session or the transport. Session and unfinished requests retain the transport, which is
/// released with the last of them.
final class Engine: TransportReceiver {
    // Written only while nothing else has a reference: in the initializer and the deinitializer.
    @exclusivity(unchecked) private(set) nonisolated(unsafe) var rules: SessionRules
    let builder: RequestBuilder
    let delegateQueue: DelegateQueue
    /// The caller's queue for serializers; nil for the library's own threads.
    let serializationQueue: DispatchQueue?
    let registry: TaskRegistry
    let series = RequestSeriesRegistry()
    let alarms: Alarms

    init(configuration: SessionConfiguration, rules: SessionRules, delegateQueue: DispatchQueue?, serializationQueue: DispatchQueue?) {
        self.rules = rules
        self.serializationQueue = serializationQueue
        self.delegateQueue = DelegateQueue(label: "firewheel.delegate", target: delegateQueue)
        builder = RequestBuilder(configuration: configuration)
        let registry = TaskRegistry()
        self.registry = registry
        alarms = Alarms { id in registry.call(for: id)?.ring() }
    }

    /// The last release may happen on the transport's thread, which must not run the caller's code: so the delegate queue releases what
    /// monitors, interceptors and the decoder hold.
    deinit {
        let last = Handover(rules)
        rules = SessionRules()
        delegateQueue.async { _ = last.take() }
    }

    /// Handles the session's end: unstarted requests with handlers end, all others continue.
    func sessionIsGone() {
        for call in registry.endSession(closes: false) { call.endUnstarted() }
        registry.didDeliver()
    }

    /// Lets no more requests start.
    ///
    /// - Parameter cancelling: Whether running requests end, too.
    func invalidate(cancelling: Bool) {
        for call in registry.endSession(closes: true) { call.endUnstarted() }
        registry.didDeliver()
        if cancelling { for entry in registry.all { entry.call.end(with: FirewheelError(.sessionInvalidated)) } }
        series.end(with: FirewheelError(.sessionInvalidated), onlyBetweenRequests: !cancelling)
    }

    // MARK: The transport's events

    /// Called on the transport's thread. A batch of events costs one thread switch. A single event that ends a request, and pieces of a
    /// streamed body, cost none if the delegate queue is idle and only library code remains to run: the switch would be a large part of a
    /// short request's time, and of the time that a piece takes.
    func receive(_ events: [TransportEvent]) {
        if events.count == 1, case .finished(let result) = events[0].kind {
            let id = events[0].id
            if delegateQueue.runIfIdle({ self.registry.call(for: id.request)?.endsHere(result, of: id) ?? false }) { return }
        }
        if let id = Self.onlyPieces(events),
            delegateQueue.runIfIdle({ self.registry.call(for: id.request)?.passesOn(events) ?? false })
        {
            return
        }
        delegateQueue.async {
            // Events for a request that no longer exists are dropped.
            for event in events { self.registry.call(for: event.id.request)?.receive(event) }
        }
    }

    /// The exchange to which events belong that are all pieces of its body; nil for others.
    private static func onlyPieces(_ events: [TransportEvent]) -> TransportTaskID? {
        guard let id = events.first?.id else { return nil }
        for event in events {
            guard event.id == id else { return nil }
            switch event.kind {
            case .chunk, .messages, .webSocket: break
            default: return nil
            }
        }
        return id
    }
}
