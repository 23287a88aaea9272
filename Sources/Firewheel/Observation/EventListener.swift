import Foundation

/// An event observer: a monitor, a closure of one request, or another product's observer of one request.
struct EventListener: Sendable {
    /// Runs work on the observer's queue; nil if it is called where the event occurs.
    let enqueue: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
    /// Whose code it may be that runs where the event occurs, or where the observer is released.
    let owner: CodeOwner
    /// Whether it is a monitor, which receives all events as long as the request exists.
    let isMonitor: Bool
    /// Whether it is removed after one event.
    var isOnce = false
    var hears: @Sendable (RequestEvent) -> Bool = { _ in true }
    /// What of a context is kept until the observer's turn.
    var reduced: @Sendable (RequestContext) -> RequestContext = { $0 }
    let call: @Sendable (RequestContext, RequestEvent) -> Void

    init(_ monitor: any EventMonitor) {
        isMonitor = true
        owner = .caller
        if let queue = monitor.declaredQueue {
            let turns = EventTurns(queue: queue)
            enqueue = { turns.async($0) }
        } else {
            let turns = DelegateQueue(label: "firewheel.events")
            enqueue = { turns.async($0) }
        }
        // A log of one line per request needs one event, and each event costs a turn on the queue.
        if let log = monitor as? LogEventMonitor {
            hears = log.hears
            reduced = { $0.keeping(bodyBytes: log.shownBodyBytes) }
        }
        call = { context, event in monitor.request(context, did: event) }
    }

    init(
        queue: DispatchQueue, isOnce: Bool = false, hears: @escaping @Sendable (RequestEvent) -> Bool,
        call: @escaping @Sendable (RequestContext, RequestEvent) -> Void
    ) {
        isMonitor = false
        owner = .caller
        enqueue = { queue.async(execute: $0) }
        self.isOnce = isOnce
        self.hears = hears
        self.call = call
    }

    init(_ observer: RequestObserver) {
        isMonitor = false
        owner = observer.holdsCallersObjects ? .caller : .library
        enqueue = nil
        hears = observer.hears
        call = observer.call
    }
}
