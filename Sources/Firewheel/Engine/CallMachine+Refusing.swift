import Foundation

// Responses that are refused at their head: the error gets the beginning of the body, in which the server says why.
extension CallMachine {
    /// Reads the beginning of a refused response's body.
    ///
    /// - Parameter end: The end of the hop, if it is already known.
    mutating func refuse(with error: FirewheelError, end: TransportResult?, now: MonotonicInstant) -> Action {
        attempt.collected = attempt.collected.map(RefusedBody.beginning)
        stage = .exchanging
        let action = waitForRefusedBody(error, now: now)
        if let end { return endHop(end) }
        if isHeld { attempt.current?.answer = .deliver }
        return action
    }

    /// Gives a refused body its time, which begins anew when a suspended request resumes.
    mutating func waitForRefusedBody(_ error: FirewheelError, now: MonotonicInstant) -> Action {
        let idle = attempt.current?.request.idleTimeout ?? 0
        let until = now.advanced(by: idle > 0 ? min(idle, RefusedBody.patience) : RefusedBody.patience)
        attempt.current?.verdict = .refuse(error, until: until)
        return .wait(until: until)
    }

    /// Keeps a piece of a refused body, up to the limit. False if that is reached, or if nothing but the request's own body goes on.
    mutating func keepRefused(_ piece: Data) -> Bool {
        var kept = attempt.collected.take() ?? Data()
        kept.append(piece.prefix(max(0, RefusedBody.limit - kept.count)))
        defer { attempt.collected = kept }
        if case .stream = attempt.current?.request.bodySource, let head = attempt.current?.head, !isDecoded(head),
            let length = head.bodyLength, kept.count >= length
        {
            return false
        }
        return kept.count < RefusedBody.limit
    }

    /// Ends the exchange of a refused response: there is enough of its body, or its time is over.
    mutating func endRefusedBody(of hop: TransportTaskID, now: MonotonicInstant) -> Action {
        guard attempt.current?.id == hop, let error = attempt.current?.refusal?.error else { return .nothing }
        let body = attempt.collected.take()
        abandonHop(now: now)
        guard state != .suspended else {
            kept = .refusal(error, body)
            return .nothing
        }
        return endExchange(body: body, error: error)
    }
}

/// How much of the body of a refused response is read for its error.
enum RefusedBody {
    /// In bytes.
    static let limit = 65_536
    /// In seconds; less if the idle timeout is.
    static let patience: TimeInterval = 5

    static func beginning(of body: Data) -> Data { body.count > limit ? Data(body.prefix(limit)) : body }
}
