import Foundation

/// The event observers of one request, and the events that they have not been told of yet. It exists only where there are observers.
///
/// It belongs to the request's state, so that events are recorded in the order in which the state changes; they are told after the lock has
/// been released, by one thread at a time, so that they keep it.
struct Observation: Sendable {
    struct PendingEvent: Sendable {
        let listener: EventListener
        let context: RequestContext
        let event: RequestEvent

        func hand() {
            listener.enqueue { listener.call(context, event) }
        }
    }

    /// What is to be told, and listeners that go with it.
    struct Batch: Sendable {
        let events: [PendingEvent]
        let dropped: [EventListener]
    }

    /// What is known of the request so far.
    var values = RequestContext.Values()
    private var retryCount = 0
    private let id: UInt64
    private let session: SessionFacts
    private var listeners: [EventListener]
    private var pending: [PendingEvent] = []
    /// Closures that are done, to be let go outside of the lock: they hold what they like.
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
    ///   - event: What it has missed and has to hear nevertheless.
    ///   - values: What is known by then: during a retry more than of its attempt.
    mutating func add(_ listener: EventListener, catchingUpOn event: RequestEvent? = nil, values: RequestContext.Values? = nil) {
        if let event {
            pending.append(PendingEvent(listener: listener, context: makeContext(values ?? self.values), event: event))
            if listener.isOnce { return }
        }
        if listener.isMonitor || !isOver { listeners.append(listener) }
    }

    /// What had happened when the first listener came.
    mutating func catchUp(values: RequestContext.Values, retryCount: Int, hasTask: Bool, hasFinalResponse: Bool, isOver: Bool) {
        self.values = values
        self.retryCount = retryCount
        self.hasTask = hasTask
        self.isOver = isOver
        self.hasFinalResponse = hasFinalResponse
    }

    /// Another attempt begins: nothing is known of it yet.
    mutating func beginRetry() {
        retryCount += 1
        values = RequestContext.Values()
        hasTask = false
        hasFinalResponse = false
    }

    /// The outcome is final. Closures get no more events, and are released, since they may hold the request itself.
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
            pending.append(PendingEvent(listener: listener, context: context, event: event))
            if listener.isOnce { isSomeoneDone = true }
        }
        if isSomeoneDone { drop { $0.isOnce && $0.hears(event) } }
    }

    /// The request to be sent has been built. Redirects are others, which `redirect` has told of.
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

    /// The attempt's exchanges are over, whether or not one was begun.
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

    /// - Parameter isFinal: Whether the outcome is, so that the response is that of a handler which came late.
    mutating func recordResponse(type: String, error: (any Error)?, isFinal: Bool) {
        if !isFinal, values.serializationError == nil { values.serializationError = error }
        record(.parseResponse(type: type, error: error))
    }

    /// What is to be told now; nil if there is nothing, or another thread is telling and goes on with it.
    mutating func startTelling() -> Batch? {
        guard !isTelling, !(pending.isEmpty && dropped.isEmpty) else { return nil }
        isTelling = true
        return takePending()
    }

    /// What has come meanwhile; nil if nothing has, and the telling is over.
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
        RequestContext(id: id, retryCount: retryCount, baseURL: session.baseURL, headers: session.headers, values: values)
    }
}

/// What listeners are told of a session, and who listens to all of its requests.
final class SessionFacts: Sendable {
    let baseURL: URL?
    let headers: HTTPHeaders
    let listeners: [EventListener]

    init(baseURL: URL?, headers: HTTPHeaders, monitors: [any EventMonitor]) {
        self.baseURL = baseURL
        self.headers = headers
        listeners = monitors.map(EventListener.init)
    }
}
