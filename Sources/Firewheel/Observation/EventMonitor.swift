import Foundation

/// Observes the requests of a session (`Session.init(eventMonitors:)`), or one request (`Request.eventMonitor(_:)`).
///
/// ```swift
/// struct Logger: EventMonitor {
///     func request(_ context: RequestContext, did event: RequestEvent) {
///         if case .completeTask = event { print(context, context.metrics?.taskInterval.duration ?? 0) }
///     }
/// }
/// let session = Session(eventMonitors: [Logger()])
/// ```
/// It cannot change or delay a request. Without monitors there is no cost. A monitor is released after the session and its requests, on the
/// session's delegate queue or where the last of them was released, not on a transport's thread.
public protocol EventMonitor: EventMonitorQueue {
    /// The queue on which it is called. Read once, when the monitor is installed. The events of one request come in order and one at a time
    /// on any kind of queue. All monitors on one serial queue receive an event, in the order of installation, before any receives the next
    /// one. Default: nil, a private queue for each session or request that it is installed in.
    ///
    /// It may also be declared as `DispatchQueue`.
    var queue: DispatchQueue? { get }

    /// Receives an event. Values in the context are built on first access.
    func request(_ context: RequestContext, did event: RequestEvent)
}

extension EventMonitor {
    public var queue: DispatchQueue? { nil }

    /// The queue that the monitor declares, as an optional or not; nil if it declares none.
    var declaredQueue: DispatchQueue? {
        if let queue { return queue }
        let queue: DispatchQueue = (self as any EventMonitorQueue).queue
        return queue === undeclaredQueue ? nil : queue
    }
}

/// The part of ``EventMonitor`` that accepts a queue declared as `DispatchQueue`. Conform to `EventMonitor`, not to this alone.
///
/// Swift does not match such a property with a requirement of type `DispatchQueue?`, and would silently use the default instead.
public protocol EventMonitorQueue: Sendable {
    /// See ``EventMonitor/queue``.
    var queue: DispatchQueue { get }
}

extension EventMonitorQueue {
    /// A placeholder, on which nothing runs.
    public var queue: DispatchQueue { undeclaredQueue }
}

/// The placeholder for the queue of a monitor that declares none as `DispatchQueue`.
private let undeclaredQueue = DispatchQueue(label: "firewheel.events.undeclared")

/// A monitor that calls a closure.
public struct ClosureEventMonitor: EventMonitor {
    public let queue: DispatchQueue?
    private let perform: @Sendable (RequestContext, RequestEvent) -> Void

    /// Creates a monitor that calls a closure for every event.
    ///
    /// - Parameters:
    ///   - queue: The queue of the closure. Default: nil, a private queue.
    ///   - perform: Called for every event.
    public init(queue: DispatchQueue? = nil, _ perform: @escaping @Sendable (RequestContext, RequestEvent) -> Void) {
        self.queue = queue
        self.perform = perform
    }

    public func request(_ context: RequestContext, did event: RequestEvent) { perform(context, event) }
}
