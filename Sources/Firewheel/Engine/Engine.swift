import Foundation

/// What the calls of a session have in common: its rules, its queues, and the registry by which the transport's events find their call.
///
/// Requests keep it, never the session. It does not keep the transport: session and unfinished requests do, so that the transport goes with
/// the last of them.
final class Engine: TransportReceiver {
    // Written only where nobody else has this: when it is made, and when it goes.
    @exclusivity(unchecked) private(set) nonisolated(unsafe) var rules: SessionRules
    let builder: RequestBuilder
    let delegateQueue: DelegateQueue
    /// nil: serializers run on threads of the library's own.
    let serializationQueue: DispatchQueue?
    let registry: TaskRegistry
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

    /// The last to hold this may be the transport's thread, on which no caller's code runs: what monitors, interceptors and the decoder
    /// hold goes on the delegate queue.
    deinit {
        let last = Handover(rules)
        rules = SessionRules()
        delegateQueue.async { _ = last.take() }
    }

    /// The session is gone: what has a handler and was never started ends, everything else goes on.
    func sessionIsGone() {
        for call in registry.endSession(closes: false) { call.endUnstarted() }
    }

    /// No more requests start.
    ///
    /// - Parameter cancelling: Whether those under way end, too.
    func invalidate(cancelling: Bool) {
        for call in registry.endSession(closes: true) { call.endUnstarted() }
        guard cancelling else { return }
        for entry in registry.all { entry.call.end(with: FirewheelError(.sessionInvalidated)) }
    }

    // MARK: The transport's events

    /// On the transport's thread: one change of thread for a batch of events, and none for the one event that ends a request if the
    /// delegate queue is idle and only the library's own code is left to run. With one request at a time a change of thread is a good part
    /// of its time.
    func receive(_ events: [TransportEvent]) {
        if events.count == 1, case .finished(let result) = events[0].kind {
            let id = events[0].id
            if delegateQueue.runIfIdle({ self.registry.call(for: id.request)?.endsHere(result, of: id) ?? false }) { return }
        }
        delegateQueue.async {
            // Events for a request that is gone are dropped.
            for event in events { self.registry.call(for: event.id.request)?.receive(event) }
        }
    }
}
