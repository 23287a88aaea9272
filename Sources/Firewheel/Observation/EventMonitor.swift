import Foundation

/// Sees what happens to requests: to all of a session (`Session.init(eventMonitors:)`), or to one (`Request.eventMonitor(_:)`).
///
/// ```swift
/// struct Logger: EventMonitor {
///     func request(_ context: RequestContext, did event: RequestEvent) {
///         if case .completeTask = event { print(context, context.metrics?.taskInterval.duration ?? 0) }
///     }
/// }
/// let session = Session(eventMonitors: [Logger()])
/// ```
/// It cannot change or hold up a request. Where there are no monitors they cost nothing. When session and requests are gone it is released
/// on the session's delegate queue or where the last of them went, not on a transport's thread.
public protocol EventMonitor: EventMonitorQueue {
    /// Where it is called. Read once, when the monitor is installed. The events of one request come in their order and one at a time,
    /// whatever kind of queue it is. Monitors on one serial queue are all told of an event, in the order in which they were installed,
    /// before any is told of the next. Default: nil, a queue of its own for each session or request that it is installed in.
    ///
    /// A property of type `DispatchQueue` does as well.
    var queue: DispatchQueue? { get }

    /// Takes note of an event. Values in the context are built when they are first looked at.
    func request(_ context: RequestContext, did event: RequestEvent)
}

extension EventMonitor {
    public var queue: DispatchQueue? { nil }

    /// The queue that the monitor declares, as optional or not; nil if it declares none.
    var declaredQueue: DispatchQueue? {
        if let queue { return queue }
        let queue: DispatchQueue = (self as any EventMonitorQueue).queue
        return queue === undeclaredQueue ? nil : queue
    }
}

/// The part of ``EventMonitor`` that takes in a queue declared as `DispatchQueue`. Conform to `EventMonitor`, not to this alone.
///
/// Swift matches such a property with no requirement of type `DispatchQueue?`, and would silently use the default in its place.
public protocol EventMonitorQueue: Sendable {
    /// See ``EventMonitor/queue``.
    var queue: DispatchQueue { get }
}

extension EventMonitorQueue {
    public var queue: DispatchQueue { undeclaredQueue }
}

/// Stands for the queue of a monitor that declares none as `DispatchQueue`. Nothing runs on it.
private let undeclaredQueue = DispatchQueue(label: "firewheel.events.undeclared")

/// A monitor from a closure.
public struct ClosureEventMonitor: EventMonitor {
    public let queue: DispatchQueue?
    private let perform: @Sendable (RequestContext, RequestEvent) -> Void

    /// - Parameters:
    ///   - queue: Where the closure is called. Default: nil, a queue of the monitor's own.
    ///   - perform: Called for every event.
    public init(queue: DispatchQueue? = nil, _ perform: @escaping @Sendable (RequestContext, RequestEvent) -> Void) {
        self.queue = queue
        self.perform = perform
    }

    public func request(_ context: RequestContext, did event: RequestEvent) { perform(context, event) }
}
