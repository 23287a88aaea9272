import Foundation

// What the transport is told: always the difference between where the request is and what the transport was told last, so that commands leave in the
// order of the states whichever threads change them. One thread at a time tells, and asks again after each command.
extension CallMachine {
    enum Command: Sendable {
        /// Indirect because it is much larger than the others.
        indirect case start(TransportRequest)
        case cancel(TransportTaskID)
        case pause(TransportTaskID)
        case resume(TransportTaskID)
        case proceed(TransportTaskID, TransportRequest.HeldBody)
        /// Not the transport's, but due at the same time: a file that is not wanted any more.
        case remove(FileSink)
    }

    /// The next command, for a thread that has changed something. Nothing if another one is telling: it will ask again.
    mutating func nextCommand() -> Action {
        isTelling ? .nothing : takeCommand()
    }

    /// The next command, for the thread that has carried out the last one.
    mutating func didTell() -> Action {
        isTelling = false
        return takeCommand()
    }

    private mutating func takeCommand() -> Action {
        guard let command = dueCommand() else {
            if stage == .over, let transport = transport.take() { return .letGo(transport) }
            return attempt.current?.contact == .ready && !hasAlarm && state == .suspended ? .hold : .nothing
        }
        isTelling = true
        return .tell(command, transport)
    }

    private mutating func dueCommand() -> Command? {
        if let sink = staleSink.take() { return .remove(sink) }
        if let id = abandoned.take() { return .cancel(id) }
        guard let hop = attempt.current else { return nil }
        switch (hop.contact, state) {
        case (.ready, .resumed):
            attempt.current?.contact = .running
            recordTask(hop.id)
            return .start(makeTransportRequest(hop))
        case (.running, .suspended):
            attempt.current?.contact = .paused
            return .pause(hop.id)
        case (.paused, .resumed):
            attempt.current?.contact = .running
            return .resume(hop.id)
        default:
            guard hop.contact != .ready, let answer = attempt.current?.answer.take() else { return nil }
            return .proceed(hop.id, answer)
        }
    }

    private func makeTransportRequest(_ hop: HopUnderWay) -> TransportRequest {
        let request = hop.request
        var made = TransportRequest(
            id: hop.id, method: request.method, target: request.target, headers: request.sentHeaders, body: request.body,
            delivery: body.delivery, idleTimeout: options.idleTimeout ?? request.idleTimeout, connectTimeout: rules.connectTimeout,
            deadline: deadline, maximumBodySize: rules.maximumBodySize, allowsResend: request.method.isIdempotent)
        made.heldHeads = hop.heldHeads
        return made
    }
}
