import Foundation

// Response heads: head → body, or another hop. Events of a hop that has ended are dropped.
extension CallMachine {
    /// Whether this end may be handled on the transport's thread: it is the exchange's last event, and only library code remains to run.
    func endsWithoutCallersCode(_ result: TransportResult) -> Bool {
        guard sourceOwner == .library, !hasSteps, !savesToFile, stream == nil else { return false }
        if let observation, observation.owner == .caller { return false }
        for validator in options.validators where validator.owner == .caller { return false }
        // The error may be one that the caller's evaluator threw.
        if result.error != nil, rules.trust != nil { return false }
        return result.head.map { !rules.heldHeads.contains($0.statusCode) } ?? true
    }

    mutating func didReceive(_ head: ResponseHead, at instant: MonotonicInstant, of hop: TransportTaskID) -> Action {
        guard attempt.current?.id == hop, attempt.current?.head == nil else { return .nothing }
        // The head may have waited for the delegate queue.
        return follow(judge(head, at: instant), end: nil, now: max(instant, .now()))
    }

    /// - Parameter refusal: That the hop's server was refused, which is the reason of the error that stands for it.
    mutating func didEnd(_ result: TransportResult, refusal: ServerRefusal? = nil, of hop: TransportTaskID) -> Action {
        guard attempt.current?.id == hop else { return .nothing }
        if let head = result.head, attempt.current?.head == nil {
            // The head arrives with the end if the response is small, or if the transport does not hold bodies.
            let verdict = judge(head, at: result.metrics.responseStart ?? result.metrics.end)
            guard case .pass = verdict, options.responseGates.isEmpty, !savesToFile, stream == nil else {
                return follow(verdict, end: result, now: result.metrics.end)
            }
            // The common case, handled here because passing the large result on would copy it.
            recordFinalResponse()
            attempt.current?.verdict = .deliver
            stage = .exchanging
            return endHop(result)
        }
        if result.error == nil, attempt.current?.isAsking == true {
            attempt.current?.end = .result(result)
            return .nothing
        }
        // A verdict kept while the request was suspended belongs to a hop that has now failed.
        if kept != nil { dropKept() }
        return endHop(result, refusal: refusal)
    }

    /// Passes the head to every policy; the first verdict other than `.pass` counts.
    private mutating func judge(_ head: ResponseHead, at instant: MonotonicInstant) -> HopVerdict {
        guard let request = attempt.current?.request else { return .pass }
        attempt.current?.head = head
        attempt.headReceived = instant
        if !head.mark.isNetwork { observation?.record(.didUseCache(head.mark.source)) }
        var verdict = HopVerdict.pass
        for policy in rules.policies {
            let next = policy.judge(head, of: request) { hopFacts }
            if case .pass = verdict { verdict = next }
        }
        if opensWebSocket, case .pass = verdict, head.statusCode != 101 {
            return .refuse(FirewheelError(.webSocketFailed(.handshakeRefused(status: head.statusCode))))
        }
        // A part would be taken for the whole. Which part a resumed download can use is judged with its file.
        if case .pass = verdict, head.isPart, resumption == nil, request.method != .head, !request.headers.contains(name: "Range") {
            return .fail(Self.unrequested)
        }
        return verdict
    }

    private var hopFacts: HopFacts {
        let handler = redirectHandler
        return HopFacts(
            owner: HopOwner(first: attempt.hops.first?.request, credential: options.credential),
            earlierRedirects: attempt.hops.count { $0.isRedirect }, redirectHandler: handler, context: handler.map { _ in makeContext() },
            opensWebSocket: opensWebSocket)
    }

    mutating func didJudge(_ verdict: HopVerdict, in step: StepID, now: MonotonicInstant) -> Action {
        guard takes(step) else { return .nothing }
        guard state != .suspended else {
            kept = .verdict(verdict)
            return .nothing
        }
        return goOn(with: verdict, now: now)
    }

    mutating func goOn(with verdict: HopVerdict, now: MonotonicInstant) -> Action { follow(verdict, end: takeEarlyEnd(), now: now) }

    /// Handles that all response gates have allowed the body to be read.
    mutating func didPassGates(in step: StepID) -> Action {
        guard takes(step) else { return .nothing }
        guard state != .suspended else {
            kept = .gatesArePassed
            return .nothing
        }
        return passGates()
    }

    /// Handles that a validator has rejected the response before its body was read.
    mutating func didRefuseHead(_ error: FirewheelError, in step: StepID, now: MonotonicInstant) -> Action {
        if isCurrent(step) { observation?.record(.validate(error: error)) }
        return didJudge(.refuse(error), in: step, now: now)
    }

    /// nil if the response is not validated at its head.
    private mutating func makeHeadValidation() -> HeadValidation? {
        guard stream != nil, !options.validators.isEmpty, let hop = attempt.current else { return nil }
        let metrics = TransportMetrics(start: hop.begun, end: attempt.headReceived ?? hop.begun)
        let last = Hop(request: hop.request, head: hop.head, isFinal: true, metrics: metrics)
        var times = AttemptTimes(start: start ?? .now())
        times.initialResponse = attempt.headReceived
        return HeadValidation(
            validators: options.reportingValidators, outcome: Outcome(hops: attempt.hops + [last], isUnread: true, times: times))
    }

    mutating func passGates() -> Action {
        if stream != nil, !options.validators.isEmpty { observation?.record(.validate(error: nil)) }
        attempt.current?.verdict = .deliver
        attempt.hasOpened = opensWebSocket
        return goOnWithHop(.deliver, end: takeEarlyEnd())
    }

    private mutating func takeEarlyEnd() -> TransportResult? {
        guard case .result(let result) = attempt.current?.end else { return nil }
        attempt.current?.end = nil
        return result
    }

    /// - Parameter end: The end of the hop, if it is already known.
    private mutating func follow(
        _ verdict: HopVerdict, end: TransportResult?, now: @autoclosure () -> MonotonicInstant
    ) -> Action {
        switch verdict {
        case .ask(let question):
            wait(.asking, end: end)
            return .ask(nextStep(), question)
        case .again(let next):
            attempt.current?.verdict = .leave(next)
            return goOnWithHop(.discard, end: end)
        case .fail(let error):
            attempt.current?.verdict = .fail(error)
            if end == nil, !isHeld {
                // The body is still arriving, and may be long.
                abandonHop(now: attempt.headReceived ?? .now())
                return endExchange(body: nil, error: error)
            }
            return goOnWithHop(.discard, end: end)
        case .refuse(let error) where attempt.current?.head?.statusCode == 101:
            // A WebSocket has no body that says why.
            return follow(.fail(error), end: end, now: now())
        case .refuse(let error):
            return refuse(with: error, end: end, now: now())
        case .pass:
            switch judgeFile() {
            case .pass: break
            case let other: return follow(other, end: end, now: now())
            }
            recordFinalResponse()
            let validation = makeHeadValidation()
            guard !options.responseGates.isEmpty || validation != nil, let last = attempt.lastHead else {
                attempt.current?.verdict = .deliver
                attempt.hasOpened = opensWebSocket
                return goOnWithHop(.deliver, end: end)
            }
            wait(.gated, end: end)
            return .askGates(nextStep(), options.responseGates, last.head, last.target, validation)
        }
    }

    private mutating func wait(_ verdict: HopUnderWay.Verdict, end: TransportResult?) {
        attempt.current?.verdict = verdict
        attempt.current?.end = end.map { .result($0) }
        stage = .judging
    }

    /// Applies the verdict: the hop ends now if its end has arrived; otherwise the transport is told what to do with the body.
    private mutating func goOnWithHop(_ answer: TransportRequest.HeldBody, end: TransportResult?) -> Action {
        stage = .exchanging
        if answer == .discard {
            attempt.collected = nil
            if let sink = attempt.sink.take() { staleSinks.append(StaleSink(sink)) }
        }
        if let end { return endHop(end) }
        guard attempt.current?.head != nil else { return .nothing }
        if isHeld { attempt.current?.answer = answer }
        return nextCommand()
    }

    /// Whether the transport is waiting for a decision about the body of the current response.
    var isHeld: Bool {
        guard let status = attempt.current?.head?.statusCode else { return false }
        return attempt.current?.holdsEveryHead == true || rules.heldHeads.contains(status)
    }

    /// What to do with a piece of the body.
    enum Piece: Sendable {
        /// It is written to a file, which is first prepared.
        case write(FileSink, FileSink.Preparation?)
        /// It is handed to the readers.
        case handOver(StreamSink)
        /// It is kept in memory.
        case kept
        /// It does not belong to the part that was announced.
        case excess
        /// The body is not needed, or enough of it is kept.
        case drop
        /// It completes the part of a refused body that is kept.
        case enough
        case late
    }

    /// - Parameter encoded: How many bytes of the coded body have been received so far; nil if it is not decoded.
    mutating func didReceivePiece(_ piece: Data, encoded: Int64? = nil, of hop: TransportTaskID) -> (Piece, (any Transport)?) {
        guard let current = attempt.current, current.id == hop else { return (.late, nil) }
        if let encoded { attempt.current?.receivedCoded = encoded }
        guard !current.discardsBody else { return (.drop, transport) }
        if current.refusal != nil { return (keepRefused(piece) ? .drop : .enough, transport) }
        if let stream {
            attempt.streamed += Int64(piece.count)
            return (.handOver(stream), transport)
        }
        guard savesToFile else {
            if attempt.collected == nil { attempt.collected = Data() }
            attempt.collected?.append(piece)
            return (.kept, transport)
        }
        let sink = attempt.sink ?? FileSink(in: rules.temporaryDirectory)
        attempt.sink = sink
        attempt.received += Int64(piece.count)
        if isOverlong {
            undoPart()
            return (.excess, transport)
        }
        return (.write(sink, takePreparation()), transport)
    }

    /// Handles messages of a WebSocket.
    ///
    /// - Returns: Who gets them; nil if nobody does.
    mutating func didReceive(_ messages: [WebSocketMessage], of hop: TransportTaskID) -> (StreamSink?, (any Transport)?) {
        guard attempt.current?.id == hop, attempt.hasOpened else { return (nil, nil) }
        attempt.streamed += Int64(messages.reduce(0) { $0 + $1.byteCount })
        return (stream, transport)
    }

    /// Handles that a piece is in the file.
    mutating func didWrite(_ count: Int, of hop: TransportTaskID) {
        if hop.attempt == attempt.number { attempt.written += Int64(count) }
    }

    /// Abandons the exchange because writing the body failed.
    mutating func didFailToWrite(_ error: FirewheelError, of hop: TransportTaskID, now: MonotonicInstant) -> Action {
        guard attempt.current?.id == hop else { return .nothing }
        abandonHop(now: now)
        return endExchange(body: nil, error: error)
    }

    mutating func abandonHop(now: MonotonicInstant) {
        guard let hop = attempt.current else { return }
        if hop.contact != .ready { abandoned = hop.id }
        // Its verdict, or a kept one, may contain a redirect handler's error.
        released.append(hop)
        dropKept()
        attempt.abandonHop(at: now)
    }

    mutating func endHop(_ result: TransportResult, refusal: ServerRefusal? = nil) -> Action {
        guard let hop = attempt.current.take() else { return .nothing }
        attempt.hops.append(
            Hop(
                request: hop.request, head: result.head ?? hop.head, isFinal: hop.hasFinalHead, trailers: result.trailers,
                metrics: result.metrics))
        attempt.completed = result.metrics.end
        switch hop.verdict {
        case .leave(let next): return beginHop(next, now: result.metrics.end)
        case .fail(let error): return endExchange(body: nil, error: error)
        case .refuse(let error, _):
            return endExchange(body: result.body.map(RefusedBody.beginning) ?? attempt.collected.take(), error: error)
        case .pending, .asking, .gated, .deliver:
            if result.error == nil, let error = lengthProblem { return endExchange(body: nil, error: error) }
            let error = result.error.map { Self.failure(hop.request, by: $0, refusal) }
            return endExchange(body: result.body ?? attempt.collected.take(), error: error)
        }
    }

    /// The client's error for a transport's error.
    private static func failure(_ request: HopRequest, by error: TransportError, _ refusal: ServerRefusal?) -> FirewheelError {
        if let refusal, refusal.answer == error { return refusal.error }
        return request.failure(by: error) ?? FirewheelError(error)
    }
}

extension FirewheelError {
    /// The client's error for a transport's error.
    init(_ error: TransportError) {
        switch error {
        case .failed(let code, let reason): self = .transportFailed(code, reason)
        case .bodyTooLarge: self.init(.responseBodyTooLarge)
        case .webSocketClosed(let code, let reason): self.init(.webSocketFailed(.closedByServer(code, reason: reason)))
        case .webSocketViolated(let code, let words): self.init(.webSocketFailed(.protocolViolated(code)), detail: words)
        case .bodyNotRepeatable(let reason): self.init(.uploadBodyFailed(.notRepeatable), detail: reason)
        case .proxyConnectFailed(let proxy, let head, let body, let reason):
            self.init(
                .proxyConnectFailed(status: head.statusCode), detail: reason, response: head.makeHTTPURLResponse(from: proxy),
                responseData: body)
        }
    }
}
