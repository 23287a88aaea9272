import Foundation

// What follows the exchange: collect → validate → retry? → place → serialize → retry? → deliver. Also cancellation and timeouts.
extension CallMachine {
    // MARK: collect → validate

    mutating func endExchange(body data: Data?, error: FirewheelError?) -> Action {
        if let stream, error == nil || attempt.streamed > 0 || attempt.hasOpened {
            outcome = makeOutcome(error: error)
            stage = .collecting
            return .drain(nextStep(), stream, isComplete: error == nil)
        }
        guard savesToFile else { return endAttempt(makeOutcome(data: data, error: error)) }
        let hasResponse = error == nil && attempt.hops.last?.head != nil
        guard hasResponse || attempt.sink != nil else { return endAttempt(makeOutcome(data: data, error: error)) }
        let sink = attempt.sink ?? FileSink(in: rules.temporaryDirectory)
        attempt.sink = sink
        if let error { outcome = makeOutcome(error: error) }
        stage = .collecting
        // A response of which nothing was received leaves the file as it was.
        let preparation = error == nil || attempt.isOverlong ? takePreparation() : nil
        return .collect(nextStep(), sink, preparation, createsFile: hasResponse)
    }

    mutating func didCollect(_ file: URL?, error: FirewheelError?, in step: StepID) -> Action {
        guard takes(step) else { return .nothing }
        return endAttempt(makeOutcome(temporaryURL: file, error: outcome?.error ?? error))
    }

    /// Handles that the readers of the body have consumed it.
    mutating func didDrain(in step: StepID) -> Action {
        guard takes(step), let outcome else { return .nothing }
        return endAttempt(outcome)
    }

    /// Takes the outcome of the exchange: it is validated, or its error described.
    mutating func endAttempt(_ outcome: Outcome) -> Action {
        self.outcome = outcome
        stage = .validating
        recordEnd(of: outcome)
        if outcome.error != nil { return .describe(nextStep(), outcome) }
        // The head of a stream was validated when it came.
        if options.validators.isEmpty || outcome.head == nil || stream != nil { return place(outcome) }
        return .validate(nextStep(), outcome, options.reportingValidators)
    }

    /// - Parameter outcome: The outcome, with the request, response and body added to its error.
    mutating func didDescribe(_ outcome: Outcome, in step: StepID, now: () -> MonotonicInstant) -> Action {
        guard takes(step) else { return .nothing }
        return fail(outcome, now: now)
    }

    /// - Parameter refused: The outcome with the error of the failed validation; nil if all passed.
    mutating func didValidate(refused: Outcome?, in step: StepID, now: () -> MonotonicInstant) -> Action {
        guard takes(step), let outcome else { return .nothing }
        observation?.record(.validate(error: refused?.error))
        guard let refused else { return place(outcome) }
        attempt.isRefused = true
        return fail(refused, now: now)
    }

    // MARK: retry?

    /// Whether the request cannot be sent again, because its body was sent and cannot be produced again.
    private var isSpent: Bool { attempt.request?.isSpent == true }

    private func mayRetry(now: () -> MonotonicInstant) -> Bool {
        guard hasInterceptors else { return false }
        guard !isInterrupted, !isPlaced || isKept, attempt.streamed == 0, !attempt.hasOpened else { return false }
        return deadline.map { now() < $0 } ?? true
    }

    private mutating func fail(_ outcome: Outcome, now: () -> MonotonicInstant) -> Action {
        self.outcome = outcome
        guard let error = outcome.error, mayRetry(now: now) else { return giveUp(outcome) }
        stage = .deciding
        return .decide(nextStep(), error, interceptors, makeContext())
    }

    mutating func didDecide(_ answer: RetryResult, in step: StepID, now: MonotonicInstant) -> Action {
        guard takes(step) else { return .nothing }
        guard state != .suspended else {
            kept = .decision(answer)
            return .nothing
        }
        return goOn(with: .decision(answer), now: now)
    }

    mutating func goOn(with kept: Kept, now: MonotonicInstant) -> Action {
        switch kept {
        case .verdict(let verdict): return goOn(with: verdict, now: now)
        case .refusal(let error, let body): return endExchange(body: body, error: error)
        case .gatesArePassed: return passGates()
        case .decision(.retry) where isSpent, .decision(.retryWithDelay) where isSpent:
            return keepFailure(as: FirewheelError(.uploadBodyFailed(.notRepeatable)))
        case .decision(.retryWithDelay(let seconds)) where seconds > 0:
            let end = now.advanced(by: seconds)
            // The resource timeout would end the delay, so do not wait for it.
            if let deadline, deadline <= end { return keepFailure() }
            recordRetry(after: seconds)
            stage = .delaying
            delayEnd = end
            return .wait(until: end)
        case .decision(.retry), .decision(.retryWithDelay):
            recordRetry(after: 0)
            return startOver(now: now)
        case .delayIsOver:
            return startOver(now: now)
        case .decision(.doNotRetry):
            return keepFailure()
        case .decision(.doNotRetryWithError(let error)):
            return keepFailure(as: FirewheelError(.requestRetryFailed, underlyingError: error))
        }
    }

    /// Starts a retry: resets error, data and responses, and keeps the metrics.
    private mutating func startOver(now: MonotonicInstant) -> Action {
        // An attempt that sent nothing is not kept, so that endless retries of such attempts do not fill the memory.
        if let outcome, !outcome.hops.isEmpty { earlier.append(outcome.withoutBody()) }
        if !resumes(after: outcome?.error), let sink = attempt.sink.take() { staleSinks.append(StaleSink(sink)) }
        released += made
        if let question = questioned.take() { released.append(question) }
        // Errors and bodies may be the caller's objects, and the observation's values retain the outcome.
        if let outcome = outcome.take() { released.append(outcome) }
        released.append(attempt)
        if let facts = observation?.values { released.append(facts) }
        made = []
        (isPlaced, isKept) = (false, false)
        delayEnd = nil
        observation?.beginRetry()
        return beginAttempt(number: attempt.number + 1, now: now)
    }

    /// Makes the failure final, with the retrier's own error if it gave one.
    ///
    /// - Parameter reason: The error that takes the failure's place; nil for the failure itself.
    private mutating func keepFailure(as reason: FirewheelError? = nil) -> Action {
        let question = questioned.take()
        guard let outcome else { return .nothing }
        let failure = reason.map { error in
            let original = question?.error ?? outcome.error
            return (original.map { error.with(originalError: $0) } ?? error).adding(
                request: outcome.request, response: outcome.response,
                responseData: (original as? FirewheelError)?.responseData ?? outcome.data, decoder: rules.decoder)
        }
        guard let question else { return giveUp(failure.map { outcome.with(error: $0) } ?? outcome) }
        stage = .serializing
        guard let failure else { return keep(question) }
        released.append(question)
        return .serialize(nextStep(), handlers[made.count], outcome, replacement: failure)
    }

    /// Ends the last attempt: its file is removed before handlers are served.
    private mutating func giveUp(_ outcome: Outcome) -> Action {
        self.outcome = outcome.with(temporaryURL: nil, destinationURL: nil, error: outcome.error)
        return settleFile(after: outcome.error) ?? serve()
    }

    mutating func didDiscard(in step: StepID) -> Action {
        guard takes(step) else { return .nothing }
        return leaveResumption() ?? serve()
    }

    // MARK: place

    private mutating func place(_ outcome: Outcome) -> Action {
        guard let sink = attempt.sink, outcome.temporaryURL != nil else { return serve() }
        stage = .placing
        return .place(nextStep(), outcome, sink)
    }

    /// Whether the file is still needed. Asked right before the move, which cannot be undone.
    ///
    /// - Parameter isKept: Whether the file stays in the temporary folder, because the download has no destination.
    mutating func commitsToPlace(in step: StepID, isKept: Bool = false) -> Bool {
        guard isCurrent(step) else { return false }
        (isPlaced, self.isKept) = (true, isKept)
        return true
    }

    mutating func didPlace(_ outcome: Outcome, in step: StepID) -> Action {
        guard takes(step) else { return .nothing }
        self.outcome = outcome
        isPlaced = outcome.error == nil
        if !isPlaced { return giveUp(outcome) }
        // The sink has nothing more to do with the file.
        attempt.sink = nil
        attempt.partial = nil
        if let file = outcome.file { observation?.recordFile(file) }
        return removeResumption() ?? serve()
    }

    // MARK: serialize → retry? → deliver

    mutating func serve() -> Action {
        stage = .serializing
        return serializeNext()
    }

    private mutating func serializeNext() -> Action {
        guard let outcome, made.count < handlers.count else { return end(last: nil) }
        return .serialize(nextStep(), handlers[made.count], outcome, replacement: nil)
    }

    mutating func didSerialize(
        _ response: ResponseHandler.Made, isReplaced: Bool, in step: StepID, now: () -> MonotonicInstant
    ) -> Action {
        guard takes(step) else { return .nothing }
        // A replaced response was already recorded with the error that retriers were asked about.
        if !isReplaced { recordResponse(response, of: handlers[made.count]) }
        // If the outcome itself has an error, retriers were already asked about it.
        guard let error = response.error, outcome?.error == nil, !isReplaced, mayRetry(now: now) else { return keep(response) }
        questioned = response
        stage = .deciding
        return .decide(nextStep(), error, interceptors, makeContext())
    }

    private mutating func keep(_ response: ResponseHandler.Made) -> Action {
        guard made.count + 1 < handlers.count else { return end(last: response) }
        made.append(response)
        return serializeNext()
    }

    /// Publishes the final outcome.
    private mutating func end(last: ResponseHandler.Made?) -> Action {
        stage = .over
        _ = nextStep()
        isServing = true
        if state != .cancelled { state = .finished }
        observation?.record(.finish(error: outcome?.error))
        observation?.dropClosures()
        let isTold = !isTelling && abandoned == nil && staleSinks.isEmpty
        let final = FinalResponses(
            last: last, earlier: made, options: options, handlers: handlers, steps: steps.take(),
            transport: isTold ? transport.take() : nil, hasAlarm: hasAlarm, progress: progress.map { ($0, outcome, receivedInTheEnd) })
        attempt.sink = nil
        options = RequestOptions()
        handlers = []
        made = []
        return .deliver(final)
    }

    /// Continues with handlers that were attached while the others were called.
    mutating func didDeliver() -> Action {
        if !handlers.isEmpty { return serveLate() }
        isServing = false
        return nextCommand()
    }

    mutating func serveLate() -> Action {
        guard let outcome else { return .nothing }
        let late = handlers
        handlers = []
        return .serveLate(late, outcome)
    }

    // MARK: Cancellation and timeouts

    /// Ends the pipeline with an error at any stage. Responses already serialized, and a complete file, are kept.
    mutating func interrupt(with error: FirewheelError, now: ClockReading) -> Action {
        guard stage != .over, !isInterrupted, !isPlaced || isKept else { return .nothing }
        if isPlaced { return interruptRetry() }
        if stage == .serializing || questioned != nil { return interruptSerializing(with: error) }
        isInterrupted = true
        // A failure that is not retried already has its error.
        if stage == .discarding { return .nothing }
        dropKept()
        let failure = outcome?.error ?? attempt.current?.refusal?.error
        let error = failure.map { error.with(originalError: $0) } ?? error
        if start == nil { start = now }
        let isUnjudged = attempt.current != nil || outcome == nil || stage == .collecting
        abandonHop(now: now.instant)
        if attempt.completed == nil { attempt.completed = now.instant }
        let outcome = isUnjudged ? makeOutcome(error: error) : outcome.map { $0.with(error: error) } ?? makeOutcome(error: error)
        self.outcome = outcome
        stage = .validating
        if isUnjudged { recordEnd(of: outcome) }
        return .describe(nextStep(), outcome)
    }

    /// Keeps the responses already serialized and the one in progress. The others get the error.
    private mutating func interruptSerializing(with error: FirewheelError) -> Action {
        guard let outcome, outcome.error == nil else { return .nothing }
        self.outcome = outcome.with(error: error.adding(outcome))
        return interruptRetry()
    }

    /// Ends a wait for retriers, or for the delay of a retry. The response in question is kept as it is.
    private mutating func interruptRetry() -> Action {
        isInterrupted = true
        guard let question = questioned.take() else { return .nothing }
        // Drops the retriers' decision, or the delay.
        _ = nextStep()
        dropKept()
        stage = .serializing
        return keep(question)
    }

    mutating func dropKept() {
        if let kept = kept.take() { released.append(kept) }
        delayEnd = nil
    }

    /// Handles an alarm: the resource timeout was exceeded, or a retry is due.
    ///
    /// - Returns: The next action, and when to set the next alarm.
    mutating func rang(now: ClockReading) -> (Action, next: MonotonicInstant?) {
        guard stage != .over else { return (.nothing, nil) }
        if let deadline, deadline <= now.instant {
            // The transport itself enforces the deadline of a running exchange.
            if let hop = attempt.current, hop.contact != .ready, stage == .exchanging { return (.nothing, nil) }
            return (interrupt(with: .transportFailed(.timedOut, TimeoutWords.resource), now: now), nil)
        }
        if let hop = attempt.current, let until = hop.refusal?.until {
            if state == .suspended { return (.nothing, deadline) }
            guard until <= now.instant else { return (.nothing, next: deadline.map { min($0, until) } ?? until) }
            return (endRefusedBody(of: hop.id, now: now.instant), deadline)
        }
        guard stage == .delaying, kept == nil, let delayEnd else { return (.nothing, deadline) }
        guard delayEnd <= now.instant else { return (.nothing, next: deadline.map { min($0, delayEnd) } ?? delayEnd) }
        guard state != .suspended else {
            kept = .delayIsOver
            return (.nothing, deadline)
        }
        return (startOver(now: now.instant), deadline)
    }
}
