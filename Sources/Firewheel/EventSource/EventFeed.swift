import Foundation

/// The connections of an event source: it connects, reads, waits and connects again, driven by whoever asks for events.
final class EventFeed: RequestSeries, @unchecked Sendable {
    // Sound because `reading` is used only by who has taken `turn`, and everything else is constant or under a lock.

    /// What can be known and done at any time.
    private struct Status {
        var isClosed = false
        /// That of the last event that was handed over. The next connection sends the parser's, which counts events without data, too.
        var lastEventID: String?
        /// The request of the connection.
        var request: DataStreamRequest?
        /// The body of the connection, which says whether its events may be handed over.
        var tap: StreamTap?
        /// The delay before the next connection.
        var delay: Task<Void, any Error>?
        /// When the server accepted the connection, and the attempt of the request that is.
        var opening: (instant: MonotonicInstant, attempt: Int)?
        /// The error with which the source was closed, until it is thrown.
        var error: (any Error)?
        var hasStartedHandlers = false
        /// Makes the request of a connection with the last event ID, and retains the session; nil once the source is closed.
        var makeRequest: (@Sendable (String?) -> DataStreamRequest)?
    }

    /// What the one uses who asks for the next event.
    private struct Reading {
        var parser: EventStreamParser
        var schedule: ReconnectionSchedule
        /// The body of the connection.
        var body: StreamOf<Data>.AsyncIterator?
        /// Whether the connection has brought an event.
        var hasDelivered = false
        /// The seconds to wait before the next connection.
        var delay: TimeInterval?
    }

    /// What there is for who asks for the next event.
    private enum AtHand {
        case event(ServerSentEvent)
        /// No event has arrived.
        case nothing
        /// The source is closed.
        case end
    }

    let handlers = EventHandlers()
    private let clock: EventClock
    private let maximumEventSize: Int
    /// Of the session.
    private let registry: RequestSeriesRegistry
    private let status: Locked<Status>
    private let turn = AsyncLock()
    private var reading: Reading

    init(
        lastEventID: String?, maximumEventSize: Int, reconnection: EventSource.Reconnection, registry: RequestSeriesRegistry,
        clock: EventClock = .system,
        makeRequest: @escaping @Sendable (String?) -> DataStreamRequest
    ) {
        let lastEventID = lastEventID.flatMap { $0.isEmpty ? nil : $0 }
        self.maximumEventSize = max(0, maximumEventSize)
        self.clock = clock
        self.registry = registry
        status = Locked(Status(lastEventID: lastEventID, makeRequest: makeRequest))
        reading = Reading(
            parser: EventStreamParser(lastEventID: lastEventID, maximumEventSize: maximumEventSize),
            schedule: ReconnectionSchedule(reconnection))
    }

    var state: EventSource.State {
        let (isClosed, request, opening) = status.withLock { ($0.isClosed, $0.request, $0.opening) }
        if isClosed { return .closed }
        return opening.map { request?.isConnected(in: $0.attempt) == true } == true ? .open : .connecting
    }

    var lastEventID: String? { status.withLock { $0.lastEventID } }
    var isBetweenRequests: Bool { status.withLock { !$0.isClosed && $0.request == nil } }

    // MARK: Closing

    /// Ends the connection and everything that waits.
    ///
    /// - Parameter error: What the reader gets; nil for a plain end.
    func close(_ error: (any Error)? = nil) {
        let last = status.withLock { status in
            let last = status
            guard !status.isClosed else { return last }
            status.isClosed = true
            status.error = error
            // The last reference to the session or to a request is released outside the lock.
            (status.request, status.tap, status.delay, status.makeRequest) = (nil, nil, nil, nil)
            return last
        }
        // Who closes it first says why.
        guard !last.isClosed else { return }
        registry.remove(self)
        last.request?.cancel()
        last.delay?.cancel()
        handlers.closed(error)
    }

    /// Ends the source with its session's requests.
    func end(with error: FirewheelError) {
        let request = status.withLock { $0.request }
        close(error.adding(request: request?.request, response: request?.response))
    }

    /// Begins to read for the handlers.
    func startHandlers() {
        let isFirst = status.withLock { status in
            defer { status.hasStartedHandlers = true }
            return !status.hasStartedHandlers
        }
        guard isFirst else { return }
        Task {
            // What ends the source goes to the handlers of its end.
            while let event = try? await self.next(nil, handsOver: false) {
                await self.handlers.received(event) { self.permission(for: event, isLast: $0, orWake: $1) }
            }
        }
    }

    // MARK: Reading

    /// The next event; nil once the source is closed.
    ///
    /// - Parameter handsOver: Whether this hands the event over, and nobody else.
    func next(_ actor: isolated (any Actor)?, handsOver: Bool = true) async throws -> ServerSentEvent? {
        if turn.takeIfFree() {
            defer { turn.giveBack() }
            if !Task.isCancelled, reading.body?.source.isFlowing != false, case .event(let event) = try atHand(handsOver) { return event }
        }
        return try await withTaskCancellationHandler(
            operation: {
                await turn.take(actor)
                defer { turn.giveBack() }
                while true {
                    let isFlowing = await isFlowing(actor)
                    switch try atHand(handsOver, drops: !isFlowing) {
                    case .event(let event): return event
                    case .nothing: await goOn(actor)
                    case .end: return nil
                    }
                }
            },
            onCancel: { close(FirewheelError(.explicitlyCancelled)) }, isolation: actor)
    }

    /// Whether what the connection has brought may be delivered, and not that of a request that was cancelled. While it is suspended this
    /// waits.
    private func isFlowing(_ actor: isolated (any Actor)?) async -> Bool {
        guard let tap = reading.body?.source, !tap.isFlowing else { return true }
        return await tap.delivers(actor)
    }

    /// An event that has arrived, or the end. Throws what closed the source, once.
    ///
    /// - Parameter drops: Whether what has arrived is not delivered.
    private func atHand(_ handsOver: Bool, drops: Bool = false) throws -> AtHand {
        let (isClosed, error) = status.withLock { status in (status.isClosed, status.error.take()) }
        if let error { throw error }
        guard !isClosed else { return .end }
        guard !drops, let event = try parse() else { return .nothing }
        reading.hasDelivered = true
        // What has closed the source meanwhile is found out as above.
        guard !handsOver || handOver(event) else { return try atHand(handsOver) }
        return .event(event)
    }

    private func parse() throws -> ServerSentEvent? {
        do {
            return try reading.parser.next()
        } catch {
            let request = status.withLock { $0.request }
            let failure = FirewheelError(.responseStreamFailed(.eventTooLarge(limit: maximumEventSize)))
                .adding(request: request?.request, response: request?.response)
            close(failure)
            _ = status.withLock { $0.error.take() }
            throw failure
        }
    }

    /// Notes that an event is handed over. False if the source is closed: then it must not be.
    private func handOver(_ event: ServerSentEvent) -> Bool {
        status.withLock { status in
            guard !status.isClosed else { return false }
            status.lastEventID = event.id
            return true
        }
    }

    /// Whether a handler may be called with an event. The last one's call hands it over.
    private func permission(
        for event: ServerSentEvent, isLast: Bool, orWake wake: @escaping @Sendable () -> Void
    ) -> EventHandlers.Permission {
        let (isClosed, tap) = status.withLock { ($0.isClosed, $0.tap) }
        guard !isClosed else { return .refused }
        if let tap {
            guard let isFlowing = tap.delivers(orWake: wake) else { return .later }
            guard isFlowing else { return .refused }
        }
        let isPermitted = isLast ? handOver(event) : !status.withLock { $0.isClosed }
        return isPermitted ? .granted : .refused
    }

    /// Gets more of the body, or a new connection.
    private func goOn(_ actor: isolated (any Actor)?) async {
        if let delay = reading.delay.take() {
            await wait(delay, actor)
        } else if var body = reading.body.take() {
            do {
                if let piece = try await body.element(actor) {
                    reading.parser.append(piece)
                    reading.body = body
                } else {
                    ended(nil)
                }
            } catch {
                ended(error)
            }
        } else {
            connect()
        }
    }

    private func connect() {
        let makeRequest = status.withLock { $0.makeRequest }
        guard let request = makeRequest?(reading.parser.lastEventID) else { return }
        // Before it is known whether the source was closed, so that none that is closed stays there.
        registry.add(self)
        let isClosed = status.withLock { status in
            guard !status.isClosed else { return true }
            (status.request, status.opening) = (request, nil)
            return false
        }
        guard !isClosed else { return registry.remove(self) }
        reading.hasDelivered = false
        request.onHTTPResponse { [weak self, weak request] response in
            guard let self, let request else { return .cancel }
            await self.opened(request, response)
            return .allow
        }
        let body = request.streamTask().streamingData().makeAsyncIterator()
        reading.body = body
        status.withLock { if !$0.isClosed { $0.tap = body.source } }
        // The session may start requests only when it is told.
        request.resume()
    }

    /// Handles a response: the server may have accepted the connection. The body is not read before this returns.
    private func opened(_ request: DataStreamRequest, _ response: HTTPURLResponse) async {
        // The validator refuses any other.
        let type = response.headers.singleton("Content-Type")
        guard EventStreamHead.error(statusCode: response.statusCode, contentType: type) == nil else { return }
        let (attempt, now) = (request.retryCount, clock.now())
        let isCurrent = status.withLock { status in
            guard status.request === request else { return false }
            status.opening = (now, attempt)
            return true
        }
        guard isCurrent else { return }
        await handlers.opened(response) { [weak request] in request?.isConnected(in: attempt) == true }
    }

    /// Decides what follows a connection.
    private func ended(_ error: (any Error)?) {
        reading.parser.reset()
        let last = status.withLock { status in
            let last = status
            // The last reference to the request is released outside the lock.
            (status.request, status.tap) = (nil, nil)
            return last
        }
        guard !last.isClosed else { return }
        handlers.lost()
        // An earlier attempt's connection is not the one that has ended.
        let opening = last.opening.flatMap { $0.attempt == last.request?.retryCount ? $0 : nil }
        let ending = ReconnectionSchedule.Ending(
            error: error, openSeconds: opening.map { clock.now().seconds(since: $0.instant) }, hasDelivered: reading.hasDelivered,
            retry: reading.parser.retry)
        switch reading.schedule.decide(ending, now: Date(), random: clock.random()) {
        case .wait(let seconds): reading.delay = seconds
        case .stop(let error): close(error)
        }
    }

    private func wait(_ seconds: TimeInterval, _ actor: isolated (any Actor)?) async {
        let sleep = clock.sleep
        let delay = Task { try await sleep(seconds) }
        let isClosed = status.withLock { status in
            guard !status.isClosed else { return true }
            status.delay = delay
            return false
        }
        if isClosed { delay.cancel() }
        _ = await delay.result
        status.withLock { $0.delay = nil }
    }
}

extension DataStreamRequest {
    /// Whether an attempt's connection is there: it has not ended, and is not retried.
    fileprivate func isConnected(in attempt: Int) -> Bool {
        let snapshot = call.snapshot
        return snapshot.retryCount == attempt && snapshot.outcome == nil
    }
}

/// The time and the chance of event sources; tests have their own.
struct EventClock: Sendable {
    var now: @Sendable () -> MonotonicInstant
    var sleep: @Sendable (TimeInterval) async throws -> Void
    /// From 0 to 1.
    var random: @Sendable () -> Double

    static let system = EventClock(
        now: { .now() }, sleep: { try await Task.sleep(nanoseconds: UInt64($0 * 1e9)) }, random: { .random(in: 0...1) })
}
