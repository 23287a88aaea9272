import Foundation

/// The pipeline of one request, from `resume()` to its handlers. Read this file first: ``perform(_:)`` shows all of it.
///
/// ```
/// attempt:  build → adapt → hop
/// hop:      policies prepare → the transport starts
/// head:     policies judge → body | discard and hop again | ask, and wait | read the beginning of the body, and fail
/// body:     the sink writes → acknowledge
/// end:      collect → validate → retry? → place → serialize → retry? → deliver
/// ```
/// ``CallMachine`` decides what comes next; this performs it and reports the result. A step with the caller's code runs on a thread that
/// may block, and its result is dropped if the request has ended in the meantime.
final class Call: RequestCall {
    typealias Action = CallMachine.Action
    typealias StepID = CallMachine.StepID

    let id: UInt64
    let engine: Engine
    let source: RequestSource
    /// The destination of a download's file; nil for the temporary directory.
    let destination: DownloadRequest.Destination?
    private let savesToFile: Bool
    /// Whose code runs when the request is built. Kept, because asking the source copies it.
    let sourceOwner: CodeOwner
    /// Where the body goes as it arrives; nil if it is collected.
    private let stream: StreamSink?
    /// nil unless the request opens a WebSocket.
    let channel: WebSocketChannel?
    private let machine: Locked<CallMachine>

    private static let lastID = Locked<UInt64>(0)

    init(engine: Engine, transport: any Transport, source: RequestSource, body: BodyKind, interceptor: (any RequestInterceptor)?) {
        id = Self.lastID.withLock { last in
            last += 1
            return last
        }
        self.engine = engine
        self.source = source
        sourceOwner = source.owner
        switch body {
        case .memory: (savesToFile, destination, stream, channel) = (false, nil, nil, nil)
        case .file(let destination): (savesToFile, self.destination, stream, channel) = (true, destination, nil, nil)
        case .stream(let sink): (savesToFile, destination, stream, channel) = (false, nil, sink, nil)
        case .webSocket(let channel): (savesToFile, destination, stream, self.channel) = (false, nil, channel.sink, channel)
        }
        machine = Locked(
            CallMachine(
                id: id, rules: engine.rules, savesToFile: savesToFile, stream: stream, opensWebSocket: channel != nil,
                sourceOwner: sourceOwner, interceptor: interceptor, transport: transport,
                resumption: Resumption(of: source, in: engine.rules.temporaryDirectory)))
    }

    var decoder: SessionDecoder { engine.rules.decoder }

    var serializationQueue: DispatchQueue? { engine.serializationQueue }

    // MARK: Pipeline

    func perform(_ first: consuming Action) {
        // Actions are consumed, so that what a handler captured is not released here.
        var action = consume first
        while true {
            switch consume action {
            case .nothing, .watchUnstarted: return
            case .letGo: return channel?.letGo() ?? ()
            case .start(let step, let codings, let isAdapted, _), .build(let step, let codings, let isAdapted):
                if sourceOwner == .caller {
                    return runCallersCode { self.perform(self.awaits(step) ? self.build(isAdapted, codings, step) : .nothing) }
                }
                action = build(isAdapted, codings, step)
            case .adapt(let step, let codings, let request, let adapters, let context):
                return ask { self.perform(await self.adapt(request, codings, with: adapters, context, step)) }
            case .tell(let command, let transport): action = tell(command, transport)
            case .hold: return setAlarm()
            case .ask(let step, let question): return ask { self.perform(await self.judge(question, step)) }
            case .askGates(let step, let gates, let head, let target, let validation):
                return ask { self.perform(await self.pass(gates, head.makeHTTPURLResponse(from: target), validation, step)) }
            case .drain(let step, let sink, let isComplete):
                // The transport watches the resource timeout until the end of the exchange, and a reader may take longer.
                setAlarm()
                return sink.finish(isComplete: isComplete) { self.goOn(self.did { $0.didDrain(in: step) }) }
            case .collect(let step, let sink, let preparation, let createsFile): return collect(sink, preparation, createsFile, step)
            case .describe(let step, let outcome):
                // Describing the error reads the file, which may block.
                if savesToFile { return WorkerPool.shared.run { self.goOn(self.describe(outcome, step)) } }
                action = describe(outcome, step)
            case .validate(let step, let outcome, let validators):
                if runsElsewhere(validators) { return runCallersCode { self.goOn(self.validate(outcome, validators, step)) } }
                action = validate(outcome, validators, step)
            case .decide(let step, let error, let retriers, let context):
                return ask { self.goOn(await self.decide(about: error, with: retriers, context, step)) }
            case .wait(let instant):
                setAlarm(by: instant)
                action = did { $0.nextCommand() }
            case .reopen(let step, let sink):
                return sink.reopen { result in self.goOn(self.did { $0.didReopen(result, in: step, now: .now()) }) }
            case .leave(let step, let sink): return sink.leave { count in self.goOn(self.did { $0.didLeave(count, in: step) }) }
            case .discard(let step, let stale): return stale.discard { self.goOn(self.did { $0.didDiscard(in: step) }) }
            case .place(let step, let outcome, let sink): return place(outcome, sink, step)
            case .serialize(let step, let handler, let outcome, let replacement):
                if handler.owner == .caller, replacement == nil { return serializeElsewhere(consume handler, outcome, step) }
                action = serialize(handler, outcome, replacement, step)
            case .deliver(let final): action = deliver(consume final)
            case .serveLate(let handlers, let outcome): return serveLate(handlers, outcome)
            }
        }
    }

    /// Performs the next action on the delegate queue.
    func goOn(_ action: Action) {
        if case .nothing = action { return }
        engine.delegateQueue.async { self.perform(action) }
    }

    /// Passes an input to the machine under the lock, then delivers the events it recorded to observers.
    func did<Result: Sendable>(_ input: (inout CallMachine) -> Result) -> Result {
        let (result, isObserved, isEmpty) = machine.withLock { machine in
            machine.inputs += 1
            return (input(&machine), machine.observation != nil, machine.released.isEmpty)
        }
        if !isEmpty { letGo() }
        if isObserved { tellEvents() }
        return result
    }

    /// Whether a step is still current. Checked before each call of the caller's code, which must not run for a request that has ended.
    func awaits(_ step: StepID) -> Bool { machine.withLock { $0.isCurrent(step) } }

    /// Releases what the machine dropped, outside its lock: this may run the caller's deinitializers.
    private func letGo() {
        let released = machine.withLock { machine in
            defer { machine.released = [] }
            return machine.released
        }
        withExtendedLifetime(released) {}
    }

    // MARK: Where steps run

    /// Whether validations may block: the caller's, and those that read a file.
    private func runsElsewhere(_ validators: [Validator]) -> Bool {
        if savesToFile { return true }
        for validator in validators where validator.owner == .caller { return true }
        return false
    }

    /// Runs a step with the caller's code, which may block.
    private func runCallersCode(_ step: @escaping @Sendable () -> Void) {
        setAlarm()
        WorkerPool.shared.run(step)
    }

    /// Runs an async step of the caller's code.
    private func ask(_ step: @escaping AsyncSteps.Step) {
        setAlarm()
        openSteps()?.run(step)
    }

    /// The task for the caller's async steps, created if needed. nil if the request has ended.
    private func openSteps() -> AsyncSteps? {
        if let steps = machine.withLock({ $0.steps }) { return steps }
        let new = AsyncSteps()
        let kept = machine.withLock { machine -> AsyncSteps? in
            if machine.steps == nil, machine.stage != .over, !machine.isInterrupted { machine.steps = new }
            return machine.steps
        }
        if kept !== new { new.end() }
        return kept
    }

    /// Sets the alarm to the resource timeout, or to the given instant if that is earlier.
    func setAlarm(by instant: MonotonicInstant? = nil) {
        guard let instant = machine.withLock({ $0.setAlarm(by: instant) }) else { return }
        engine.alarms.set(id, at: instant)
        // If the call ended before the alarm was set, it did not clear it.
        if machine.withLock({ $0.stage == .over }) { engine.alarms.clear(id) }
    }

    /// Which of the request's responses the session's cache stores.
    var storingRule: StoringRule {
        let (handler, context) = machine.withLock { machine -> ((any CachedResponseHandler)?, RequestContext?) in
            guard let handler = machine.cachedResponseHandler else { return (nil, nil) }
            return (handler, (handler as? ResponseCacher)?.isFixed == true ? nil : machine.makeContext())
        }
        guard let handler else { return .all }
        guard let context else {
            if case .doNotCache = (handler as? ResponseCacher)?.behavior { return .none }
            return .all
        }
        return .asking(CachedResponseInquiry(handler, context) { [weak self] step in self?.openSteps()?.run(step) })
    }

    // MARK: Caller's operations

    var state: Request.State { machine.withLock { $0.state } }

    var snapshot: RequestSnapshot { machine.withLock { $0.snapshot } }

    /// The number of inputs, each of which takes the lock; for tests.
    var inputs: Int { machine.withLock { $0.inputs } }

    func resume(_ request: Request) {
        begin(
            did { machine in
                let action = machine.resume(now: .now())
                let admission = admit(request, action)
                return (action, admission.isAdmitted, admission.living)
            }, request)
        followState()
    }

    func attach(_ handler: ResponseHandler, of request: Request) {
        let startsImmediately = engine.rules.startsImmediately
        begin(
            did { machine in
                let action = machine.attach(handler, startsImmediately: startsImmediately, now: ClockReading.now)
                // Counted at once: the handler that attaches this one has not returned, so a finishing session waits for both.
                if machine.stage == .over { engine.registry.expectDelivery() }
                let admission = admit(request, action)
                return (action, admission.isAdmitted, admission.living)
            }, request)
    }

    func putFirst(_ handler: ResponseHandler) -> Bool { did { $0.putFirst(handler) } }

    /// Registers a request with the engine under the lock: a started one until its outcome is final, and an unstarted one with a handler in
    /// case the session goes away.
    private func admit(_ request: Request, _ action: Action) -> (isAdmitted: Bool, living: [Request]) {
        switch action {
        case .start:
            return (engine.registry.admit(request, self), [])
        case .watchUnstarted:
            let (hasSession, living) = engine.registry.watch(request, self)
            return (hasSession, living)
        default:
            return (true, [])
        }
    }

    private func begin(_ first: consuming (action: Action, isAdmitted: Bool, living: [Request]), _ request: Request) {
        guard first.isAdmitted else {
            if case .watchUnstarted = first.action { return endUnstarted() }
            return end(with: FirewheelError(.sessionInvalidated))
        }
        // Created here so that the steps inherit the task-local values of the code that starts the request.
        if case .start(_, _, _, hasSteps: true) = first.action { _ = openSteps() }
        perform(first.action)
    }

    /// Ends a request that was never started, because its session is gone.
    func endUnstarted() {
        end { $0.stage == .unstarted ? $0.interrupt(with: FirewheelError(.sessionInvalidated), now: .now()) : .nothing }
    }

    func prepare(_ request: Request) {
        begin(
            did { machine in
                let action = machine.prepare(now: .now())
                let admission = admit(request, action)
                return (action, admission.isAdmitted, admission.living)
            }, request)
    }

    var companion: (any AnyObject & Sendable)? { machine.withLock { $0.options.companion } }

    func suspend() {
        perform(did { $0.suspend() })
        followState()
    }

    /// Has the body's readers wait while the request is suspended.
    private func followState() {
        stream?.follow { state == .suspended }
    }

    func cancel(producesResumeData: Bool = false) {
        end { $0.cancel(producesResumeData: producesResumeData, now: .now()) }
    }

    func cancel(with error: FirewheelError) {
        end { $0.cancel(with: error, now: .now()) }
    }

    /// Ends the request with an error of the session.
    func end(with error: FirewheelError) {
        end { $0.interrupt(with: error, now: .now()) }
    }

    /// Ends the request as the machine says. The registry does not know an unstarted request, so it is told that this one ends.
    private func end(_ interruption: (inout CallMachine) -> Action) {
        cutShort(
            did { machine in
                let wasUnstarted = machine.stage == .unstarted
                let action = interruption(&machine)
                if wasUnstarted, machine.stage != .unstarted { engine.registry.endsUnstarted(id) }
                return action
            })
    }

    func configure(_ change: (inout RequestOptions) -> Void) {
        did { machine in
            guard machine.stage != .over else { return }
            let earlier = (machine.options.redirectHandler, machine.options.cachedResponseHandler)
            change(&machine.options)
            if let redirect = earlier.0 { machine.released.append(redirect) }
            if let cachedResponse = earlier.1 { machine.released.append(cachedResponse) }
        }
    }

    func progress(_ make: () -> RequestProgress) -> RequestProgress {
        if let progress = machine.withLock({ $0.progress }) { return progress }
        let new = make()
        let (kept, isOver, outcome, hop, received, watched, offered) = machine.withLock { machine in
            let kept = machine.progress ?? new
            machine.progress = kept
            let isOver = machine.stage == .over
            return (
                kept, isOver, machine.outcome, machine.attempt.current, isOver ? machine.receivedInTheEnd : machine.received,
                machine.watchedDownload, machine.offered
            )
        }
        guard kept === new else { return kept }
        if isOver {
            kept.finish(outcome, received: received)
        } else {
            if let hop { kept.catchUp(on: hop.request, attempt: hop.id.attempt, sent: hop.sent) }
            if watched?.coded != nil {
                watched?.report(adding: 0)
            } else if received > 0 {
                kept.catchUp(on: received, of: watched?.total)
            } else if let offered {
                kept.offer(offered)
            }
        }
        return kept
    }

    func listen(_ listener: EventListener, missed: (RequestSnapshot) -> RequestEvent?) {
        did { $0.listen(listener, missed: missed) }
    }

    func report(_ event: @escaping @Sendable () -> Void) {
        let isPending = did { machine in
            machine.observation?.add(event)
            return machine.observation != nil
        }
        if !isPending { event() }
    }

    /// Tells the transport what it needs to know, and performs the rest of the pipeline.
    func cutShort(_ action: Action) {
        machine.withLock { $0.isInterrupted ? $0.steps.take() : nil }?.end()
        if let stream, machine.withLock({ $0.isInterrupted }) { stream.abandon() }
        perform(did { $0.nextCommand() })
        goOn(action)
    }

    // MARK: Events

    /// Handles an event of the transport, on the delegate queue.
    func receive(_ event: TransportEvent) {
        engine.delegateQueue.assertIsCurrent()
        switch event.kind {
        case .response(let head, let instant):
            let (action, isAbandoned) = did { machine in
                let action = machine.didReceive(head, at: instant, of: event.id)
                return (action, machine.abandoned != nil)
            }
            if isAbandoned { cutShort(action) } else { perform(action) }
        case .messages(let messages): receive(messages, of: event.id)
        case .webSocket(let webSocketEvent):
            if machine.withLock({ $0.attempt.current?.id == event.id }) { channel?.received(webSocketEvent) }
        case .chunk(let piece): receive(piece, encoded: event.encodedCount, of: event.id)
        case .interim: break
        case .waitingForConnectivity: did { $0.waitsForConnectivity(event.id) }
        case .sent(let count): reportSent(count, of: event.id)
        case .question(.trust(let certificates)): judge(certificates, of: event.id)
        case .finished(let result):
            let refusal = result.error == nil ? nil : engine.rules.trust?.end(event.id)
            if let channel, openedHead(of: event.id) != nil { channel.ended(result.error.map { FirewheelError($0) }) }
            perform(did { $0.didEnd(result, refusal: refusal, of: event.id) })
        }
    }

    /// Handles the end of the exchange on the transport's thread, if only library code remains to run.
    func endsHere(_ result: TransportResult, of hop: TransportTaskID) -> Bool {
        var isObserved = false
        let action = machine.withLock { machine -> Action? in
            guard machine.endsWithoutCallersCode(result) else { return nil }
            machine.inputs += 1
            isObserved = machine.observation != nil
            return machine.didEnd(result, of: hop)
        }
        guard let action else { return false }
        if isObserved { tellEvents() }
        perform(consume action)
        return true
    }

    /// Passes pieces of a stream to its readers on the transport's thread, if only library code remains to run. False if nothing was done.
    func passesOn(_ pieces: [TransportEvent]) -> Bool {
        // A `Progress` calls its observers where it is changed, and the end of a refused body may release what is the caller's.
        guard stream != nil, machine.withLock({ $0.progress == nil && $0.attempt.current?.refusal == nil }) else { return false }
        for piece in pieces { receive(piece) }
        return true
    }

    /// Handles an alarm: the resource timeout was exceeded, or a retry is due.
    func ring() {
        let (action, next) = did { $0.rang(now: .now()) }
        if let next { setAlarm(by: next) }
        cutShort(action)
    }

    private func judge(_ certificates: ServerCertificates, of hop: TransportTaskID) {
        guard let transport = machine.withLock({ $0.attempt.current?.id == hop ? $0.transport : nil }) else { return }
        guard let trust = engine.rules.trust else {
            // An unanswered exchange would stand still.
            return transport.answer(hop, .refuse(.failed(.serverCertificateUntrusted, "nobody answers whether the server is trusted")))
        }
        // A request that has ended meanwhile does not keep the transport.
        trust.judge(certificates, of: hop) { [weak transport] in transport?.answer(hop, $0) }
        // A cancel that has come in between has found nothing to end.
        if !machine.withLock({ $0.attempt.current?.id == hop }) { _ = trust.end(hop) }
    }

    func beginProgress(of hop: HopUnderWay) {
        machine.withLock { $0.progress }?.begin(hop.request, attempt: hop.id.attempt, goesOn: hop.goesOn)
    }

    private func reportSent(_ count: Int64, of hop: TransportTaskID) {
        machine.withLock { $0.didSend(count, of: hop) }?.report(count)
    }

    /// Passes messages of a WebSocket to its readers.
    private func receive(_ messages: [WebSocketMessage], of hop: TransportTaskID) {
        let (sink, transport, limiters) = machine.withLock { machine in
            let (sink, transport) = machine.didReceive(messages, of: hop)
            return (sink, transport, machine.attempt.current?.limits?.download)
        }
        guard let sink else { return }
        let bytes = messages.reduce(0) { $0 + $1.byteCount }
        sink.write(messages) { cost in
            guard let limiters, bytes > 0 else { return transport?.acknowledge(hop, bytes: cost) ?? () }
            RateLimiter.pass(bytes, through: limiters) { [weak transport] in transport?.acknowledge(hop, bytes: cost) }
        }
    }

    /// The head of the 101 that has opened the WebSocket of a hop; nil for another response.
    func openedHead(of hop: TransportTaskID) -> ResponseHead? {
        machine.withLock { machine in
            guard machine.attempt.hasOpened, machine.attempt.current?.id == hop else { return nil }
            return machine.attempt.current?.head
        }
    }

    /// - Parameter encoded: How many bytes of the coded body have been received so far; nil if it is not decoded.
    private func receive(_ piece: Data, encoded: Int64?, of hop: TransportTaskID) {
        let (use, transport, watched, limiters) = machine.withLock { machine in
            let (use, transport) = machine.didReceivePiece(piece, encoded: encoded, of: hop)
            return (use, transport, machine.watchedDownload, machine.attempt.current?.limits?.download)
        }
        let count = piece.count
        let goOn: @Sendable (Int) -> Void = { count in
            guard let limiters else { return transport?.acknowledge(hop, bytes: count) ?? () }
            // A request that has ended meanwhile does not keep the transport.
            RateLimiter.pass(count, through: limiters) { [weak transport] in transport?.acknowledge(hop, bytes: count) }
        }
        switch use {
        case .late: break
        case .drop: transport?.acknowledge(hop, bytes: count)
        case .enough: cutShort(did { $0.endRefusedBody(of: hop, now: .now()) })
        case .kept:
            watched?.report(adding: count)
            goOn(count)
        case .handOver(let sink):
            watched?.report(adding: count)
            sink.write(piece, consumed: goOn)
        case .excess: cutShort(did { $0.didFailToWrite(CallMachine.excess, of: hop, now: .now()) })
        case .write(let sink, let preparation):
            let fail: @Sendable (FirewheelError) -> Void = { error in
                self.cutShort(self.did { $0.didFailToWrite(error, of: hop, now: .now()) })
            }
            if let preparation {
                watched?.begin(at: preparation.offset)
                sink.prepare(preparation) { if let error = $0 { fail(error) } }
            }
            sink.write(piece) { error in
                if let error { return fail(error) }
                self.machine.withLock { $0.didWrite(count, of: hop) }
                watched?.report(adding: count)
                goOn(count)
            }
        }
    }

    /// Delivers recorded events to observers. Only one thread at a time does, which keeps them in order.
    private func tellEvents() {
        var next = machine.withLock { $0.observation?.startTelling() }
        while let batch = next {
            for event in batch.events { event.hand() }
            next = machine.withLock { $0.observation?.goOnTelling() }
        }
    }
}
