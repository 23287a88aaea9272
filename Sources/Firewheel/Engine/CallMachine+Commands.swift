import Foundation

// Commands to the transport: each is the difference between the request's state and what the transport was last told. Only one thread at a
// time sends them, and asks for the next after each, so that their order is that of the states.
extension CallMachine {
    enum Command: Sendable {
        case start(HopUnderWay, deadline: MonotonicInstant?)
        case cancel(TransportTaskID)
        case pause(TransportTaskID)
        case resume(TransportTaskID)
        case proceed(TransportTaskID, TransportRequest.HeldBody)
        /// Removes a file that is no longer needed. This is not for the transport, but is due at the same time.
        case remove(StaleSink)
    }

    /// The next command, for a thread that has changed the state. None if another thread is sending: that one will ask again.
    mutating func nextCommand() -> Action {
        isTelling ? .nothing : takeCommand()
    }

    /// The next command, for the thread that has sent the last one.
    mutating func didTell() -> Action {
        isTelling = false
        return takeCommand()
    }

    private mutating func takeCommand() -> Action {
        guard let command = dueCommand() else {
            if stage == .over, let transport = transport.take() { return .letGo(transport) }
            guard attempt.current?.contact == .ready, state == .suspended || state == .initialized else { return .nothing }
            attempt.current?.wasHeld = true
            return state == .suspended ? .hold : .nothing
        }
        isTelling = true
        return .tell(command, transport)
    }

    private mutating func dueCommand() -> Command? {
        if let stale = staleSinks.popLast() { return .remove(stale) }
        if let id = abandoned.take() { return .cancel(id) }
        guard let contact = attempt.current?.contact, let id = attempt.current?.id else { return nil }
        switch (contact, state) {
        case (.ready, .resumed):
            if attempt.current?.wasHeld == true { prepareAnew() }
            attempt.current?.contact = .running
            recordTask(id)
            // Not a closure, which would copy the whole machine.
            guard let hop = attempt.current else { return nil }
            return .start(hop, deadline: deadline)
        case (.running, .suspended):
            attempt.current?.contact = .paused
            return .pause(id)
        case (.paused, .resumed):
            attempt.current?.contact = .running
            return .resume(id)
        case (.running, _), (.paused, _):
            guard let answer = attempt.current?.answer.take() else { return nil }
            return .proceed(id, answer)
        case (.ready, _):
            return nil
        }
    }
}

extension HopUnderWay {
    /// The hop as passed to the transport if it opens a WebSocket.
    func makeRequest(for offer: WebSocketOffer, _ rules: SessionRules, deadline: MonotonicInstant?) -> TransportRequest {
        var made = makeTransportRequest(rules, deadline: deadline)
        made.webSocket = offer
        // The body of a refusal has a limit of its own, and messages have theirs.
        made.maximumBodySize = nil
        made.cacheUse = nil
        return made
    }

    /// The hop as passed to the transport.
    func makeTransportRequest(_ rules: SessionRules, deadline: MonotonicInstant?) -> TransportRequest {
        var made = TransportRequest(
            id: id, method: request.method, target: request.target, headers: request.sentHeaders, delivery: delivery,
            heldHeads: holdsEveryHead ? .all : rules.heldHeads, idleTimeout: request.idleTimeout, connectTimeout: rules.connectTimeout,
            deadline: deadline, maximumBodySize: rules.maximumBodySize, allowsResend: request.method.isIdempotent)
        made.connectionWaitTimeout = rules.connectionWaitTimeout
        made.allowsQuietBody = allowsQuietBody
        made.waitsForConnectivity = rules.waitsForConnectivity
        made.decodesContent = request.decodesContent
        made.cacheUse = id.attempt == 0 ? request.cacheUse : request.cacheUse?.ofRetry
        if let routes = rules.routes { made.route = routes.route(to: request.target.origin) }
        if let portion = limits?.download.map(\.portion).min() { made.receiveWindow = min(made.receiveWindow, portion) }
        guard let source = request.bodySource else { return made }
        made.bodySource = source
        if let limiters = limits?.upload, !limiters.isEmpty {
            made.bodySource = .stream(LimitedBody(source: source, limiters: limiters))
            // A body that waits for its turn is not idle.
            made.connectTimeout = made.connectTimeout ?? made.idleTimeout
            if made.idleTimeout > 0 { made.idleTimeout = max(made.idleTimeout, 2 * RateLimiter.longestWait) }
        }
        made.reportsSent = reportsSent
        made.expectsContinue = request.expectsContinue(by: rules.expectsContinue)
        return made
    }
}
