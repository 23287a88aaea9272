import Foundation

/// Somebody who hears of events: a monitor, or a closure that was given to one request.
struct EventListener: Sendable {
    /// Where it is called.
    let queue: DispatchQueue
    /// Whether it is a monitor, which hears of everything for as long as the request is there.
    let isMonitor: Bool
    /// Whether it is done after one event.
    var isOnce = false
    var hears: @Sendable (RequestEvent) -> Bool = { _ in true }
    let call: @Sendable (RequestContext, RequestEvent) -> Void

    init(_ monitor: any EventMonitor) {
        isMonitor = true
        // A serial queue on top of the monitor's own, which may be concurrent: events keep their order.
        queue = SerialQueue(label: "firewheel.events", target: monitor.queue).queue
        call = { context, event in monitor.request(context, did: event) }
    }

    init(
        queue: DispatchQueue, isOnce: Bool = false, hears: @escaping @Sendable (RequestEvent) -> Bool,
        call: @escaping @Sendable (RequestContext, RequestEvent) -> Void
    ) {
        isMonitor = false
        self.queue = queue
        self.isOnce = isOnce
        self.hears = hears
        self.call = call
    }
}
