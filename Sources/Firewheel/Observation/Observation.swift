import Foundation

/// The event observers of one request, and its undelivered events. Exists only if there are observers.
///
/// It is part of the request's state, so that events are recorded in the order of the state changes. They are delivered after the lock has
/// been released, by one thread at a time, which keeps their order.
struct Observation: Sendable {
    enum PendingEvent: Sendable {
        case event(EventListener, RequestContext, RequestEvent)
        /// An event of another product.
        case other(@Sendable () -> Void)

        func hand() {
            switch self {
            case .event(let listener, let context, let event):
                guard let enqueue = listener.enqueue else { return listener.call(context, event) }
                enqueue { listener.call(context, event) }
            case .other(let event):
                event()
            }
        }
    }

    /// Events to deliver, with observers to release.
    struct Batch: Sendable {
        let events: [PendingEvent]
        let dropped: [EventListener]
    }

    /// The current state of the request.
    var values = RequestContext.Values()
    private var retryCount = 0
    private let id: UInt64
    private let session: SessionFacts
    private var listeners: [EventListener]
    private var pending: [PendingEvent] = []
    /// Removed closures, to be released outside the lock because they may hold anything.
    private var dropped: [EventListener] = []
    private var isTelling = false
    private var hasTask = false
    private var hasFinalResponse = false
    private var isOver = false

    init(id: UInt64, session: SessionFacts) {
        self.id = id
        self.session = session
        listeners = session.listeners
    }

    /// - Parameters:
    ///   - event: An earlier event that it must still receive.
    ///   - values: The current values: during a retry these include more than those of its attempt.
    mutating func add(_ listener: EventListener, catchingUpOn event: RequestEvent? = nil, values: RequestContext.Values? = nil) {
        if let event {
            pending.append(.event(listener, makeContext(values ?? self.values), event))
            if listener.isOnce { return }
        }
        if listener.isMonitor || !isOver { listeners.append(listener) }
    }

    /// Adds an event of another product, which is delivered in turn.
    mutating func add(_ event: @escaping @Sendable () -> Void) {
        pending.append(.other(event))
    }

    /// Whose code may run where events are delivered.
    var owner: CodeOwner { CodeOwner.of(listeners.lazy.map(\.owner)) }

    /// Sets the state as of the addition of the first observer.
    mutating func catchUp(values: RequestContext.Values, retryCount: Int, hasTask: Bool, hasFinalResponse: Bool, isOver: Bool) {
        self.values = values
        self.retryCount = retryCount
        self.hasTask = hasTask
        self.isOver = isOver
        self.hasFinalResponse = hasFinalResponse
    }

    /// Begins another attempt, with no values yet.
    mutating func beginRetry() {
        retryCount += 1
        values = RequestContext.Values()
        hasTask = false
        hasFinalResponse = false
    }

    /// Removes closures when the outcome is final: they receive no more events and may retain the request.
    mutating func dropClosures() {
        drop { !$0.isMonitor }
        isOver = true
    }

    private mutating func drop(_ isDone: (EventListener) -> Bool) {
        dropped += listeners.filter(isDone)
        listeners.removeAll(where: isDone)
    }

    mutating func record(_ event: RequestEvent) {
        var isSomeoneDone = false
        for listener in listeners where listener.hears(event) {
            pending.append(.event(listener, listener.reduced(context), event))
            if listener.isOnce { isSomeoneDone = true }
        }
        if isSomeoneDone { drop { $0.isOnce && $0.hears(event) } }
    }

    /// Records that the request to send was built. Requests of redirects are not: `redirect` has reported them.
    mutating func recordCreation(_ makeRequest: @escaping @Sendable () -> URLRequest?) {
        values.request = Deferred(makeRequest)
        record(.createURLRequest)
    }

    mutating func recordTask(attempt: Int, hop: Int) {
        hasTask = true
        record(.createTask(attempt: attempt, hop: hop))
    }

    mutating func recordFinalResponse(_ makeResponse: @escaping @Sendable () -> HTTPURLResponse?) {
        guard !hasFinalResponse else { return }
        hasFinalResponse = true
        values.response = Deferred(makeResponse)
        record(.receiveResponse)
    }

    /// Records the end of the attempt's exchanges, if one was begun.
    mutating func recordEnd(error: (any Error)?, data: Data?, _ makeMetrics: @escaping @Sendable () -> TaskMetrics?) {
        guard hasTask else { return }
        values.metrics = Deferred(makeMetrics)
        values.data = data
        record(.gatherMetrics)
        record(.completeTask(error: error))
    }

    mutating func recordFile(_ file: URL) {
        values.fileURL = file
        record(.saveFile(file))
    }

    /// - Parameter isFinal: Whether the outcome is already final, so that the handler was attached after the end.
    mutating func recordResponse(type: String, error: (any Error)?, isFinal: Bool) {
        if !isFinal, values.serializationError == nil { values.serializationError = error }
        record(.parseResponse(type: type, error: error))
    }

    /// The events to deliver; nil if there are none, or if another thread is delivering and will continue with them.
    mutating func startTelling() -> Batch? {
        guard !isTelling, !(pending.isEmpty && dropped.isEmpty) else { return nil }
        isTelling = true
        return takePending()
    }

    /// The events recorded in the meantime; nil if there are none, which ends the delivery.
    mutating func goOnTelling() -> Batch? {
        guard pending.isEmpty, dropped.isEmpty else { return takePending() }
        isTelling = false
        return nil
    }

    private mutating func takePending() -> Batch {
        defer {
            pending = []
            dropped = []
        }
        return Batch(events: pending, dropped: dropped)
    }

    private var context: RequestContext { makeContext(values) }

    private func makeContext(_ values: RequestContext.Values) -> RequestContext {
        RequestContext(
            id: id, retryCount: retryCount, baseURL: session.baseURL, headers: session.headers, warning: session.warning, values: values)
    }
}

/// The facts about a session that observers receive, and the observers of all its requests.
final class SessionFacts: Sendable {
    let baseURL: URL?
    let headers: HTTPHeaders
    let listeners: [EventListener]
    /// What logs have to say about the session; nil once it has been said.
    let warning: Locked<String?>?

    init(baseURL: URL?, headers: HTTPHeaders, monitors: [any EventMonitor], warning: String? = nil) {
        self.warning = warning.map { Locked($0) }
        self.baseURL = baseURL
        self.headers = headers
        listeners = monitors.map(EventListener.init)
    }
}
