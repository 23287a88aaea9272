import Foundation

@testable import Firewheel

/// A random environment of a machine: the caller, the transport, the caller's closures and the clock. It responds at any time, also too
/// late, and records violations.
struct MachineWorld {
    enum Broken: Hashable {
        case deliveredTwice, commandOutOfOrder, toldTwiceAtOnce, sentWhileSuspended, sentAfterTheEnd, decidedAfterCancel,
            retriedAfterPlacing
        case stateLeftItsEnd, notDelivered, handlersNotServedInOrder, transportKept, fileKept
        case heldHeadNotAnswered, answeredWithoutAHold, wentOnWhileSuspended, wrongPartOfRefusedBody
    }

    private enum Contact { case running, paused, over }

    /// The transport's state of a hop.
    private struct Head {
        var holdsEvery: Bool
        var hasCome = false
        /// The transport waits for a decision about the body. Until then only a failure can arrive.
        var isHeld = false
    }

    var machine: CallMachine
    private(set) var broken: Set<Broken> = []
    private(set) var attempts = 0
    private(set) var isOver = false
    private(set) var heldHeads = 0
    /// How many refused bodies were as long as is kept of them.
    private(set) var refusedBodies = 0

    private var pending: [CallMachine.Action] = []
    private var hops: [TransportTaskID: Contact] = [:]
    private var heads: [TransportTaskID: Head] = [:]
    private var isTelling = false
    private var attached = 0
    private var putFirst = 0
    private let served = Served()
    private var now: MonotonicInstant
    private let deadline: MonotonicInstant
    private var endState: Request.State?
    private var hasCommitted = false
    /// The steps whose file is being moved or kept.
    private var committed: Set<CallMachine.StepID> = []
    /// Whether the download has no destination.
    private let isKept: Bool
    /// The sinks of downloads that have not been placed or removed.
    private var sinks: [FileSink] = []

    final class Served: Sendable {
        let numbers = Locked<[Int]>([])
    }

    /// - Parameter isResumed: Whether a download goes on with a partial file.
    init(savesToFile: Bool, hasRetriers: Bool, hasGates: Bool, hasValidators: Bool, isResumed: Bool, isKept: Bool) {
        self.isKept = isKept
        now = .now()
        deadline = now.advanced(by: 100)
        var options = RequestOptions()
        options.totalTimeout = 100
        if hasRetriers { options.interceptors = [Retrier { _, _ in .retry }, Adapter { _, _ in }] }
        if hasGates { options.redirectHandler = Redirector.modify { _, request, _ in request } }
        if hasGates { options.responseGates = [{ _ in .allow }] }
        if hasValidators { options.validators = [Validator(owner: .library, check: { _ in nil })] }
        let resumption = isResumed && savesToFile ? Self.resumption : nil
        machine = CallMachine(
            id: 1, rules: SessionRules(), savesToFile: savesToFile, sourceOwner: .library, options: options,
            transport: NoTransport(), resumption: resumption)
        if let resumption { sinks = [resumption.sink] }
    }

    private static var resumption: Resumption {
        let id = RandomName.make()
        let data = ResumeData(url: request.target, validator: .entityTag("\"1\""), total: 1000, count: 400, partial: id)
        return Resumption(data: data, sink: FileSink(.resumed(id, count: 400)), isOpen: false)
    }

    // MARK: Moves

    mutating func move(using generator: inout SeededGenerator) {
        switch Int.random(in: 0..<15, using: &generator) {
        case 0: note(machine.resume(now: clock))
        case 1: note(machine.suspend())
        case 2 where Int.random(in: 0..<6, using: &generator) == 0:
            let producesResumeData = Bool.random(using: &generator)
            if producesResumeData, machine.putFirst(handler(number: -putFirst - 1)) { putFirst += 1 }
            cutShort(machine.cancel(producesResumeData: producesResumeData, now: clock))
        case 3 where Int.random(in: 0..<12, using: &generator) == 0:
            cutShort(machine.interrupt(with: FirewheelError(.sessionInvalidated), now: clock))
        case 4 where attached < 4: attach()
        case 5: ring(after: Double.random(in: 0...2, using: &generator))
        case 6: note(machine.prepare(now: clock))
        default: answerAny(using: &generator)
        }
        watchState()
    }

    /// Commands first, as in a call.
    private mutating func cutShort(_ action: CallMachine.Action) {
        note(machine.nextCommand())
        note(action)
    }

    /// Runs the request to its end: everything pending is answered, and time passes.
    mutating func finish(using generator: inout SeededGenerator) {
        if attached == 0 { attach() }
        for _ in 0..<400 where !isOver || !pending.isEmpty {
            note(machine.resume(now: clock))
            if pending.isEmpty { ring(after: 5) } else { answerAny(using: &generator, mayRetry: false) }
            endRunningHop()
        }
        if !isOver { broken.insert(.notDelivered) }
        if served.numbers.withLock({ $0 }) != Array(-putFirst..<attached) { broken.insert(.handlersNotServedInOrder) }
        if machine.transport != nil { broken.insert(.transportKept) }
        if !sinks.isEmpty { broken.insert(.fileKept) }
        if heads.values.contains(where: \.isHeld) { broken.insert(.heldHeadNotAnswered) }
    }

    private var clock: ClockReading { ClockReading(instant: now, wall: 0) }

    private func handler(number: Int) -> ResponseHandler {
        let served = served
        return ResponseHandler(Int.self, owner: .library) { outcome, error, replacement in
            ResponseHandler.Made(error: replacement ?? error, delivery: .direct) { served.numbers.withLock { $0.append(number) } }
        }
    }

    private mutating func attach() {
        let handler = handler(number: attached)
        attached += 1
        note(machine.attach(handler, startsImmediately: true, now: { [clock] in clock }))
    }

    private mutating func ring(after seconds: Double) {
        now = now.advanced(by: seconds)
        guard now < deadline, machine.attempt.current?.refusal != nil else { return cutShort(machine.rang(now: clock).0) }
        decide { [clock] in $0.rang(now: clock).0 }
        note(machine.nextCommand())
    }

    private mutating func endRunningHop() {
        guard let hop = machine.attempt.current, hop.contact == .running, hop.answer == nil, machine.stage == .exchanging else { return }
        event(of: hop.id, .end(200))
    }

    // MARK: Answers

    private enum Event {
        case head(Int)
        case piece(Int)
        case end(Int)
        case failure
    }

    private mutating func event(of id: TransportTaskID, _ event: Event) {
        let metrics = TransportMetrics(start: now, end: now)
        let isHeld = heads[id]?.isHeld == true
        switch event {
        case .piece where isHeld, .end where isHeld: return
        case .head(let status):
            holdHead(status, of: id)
            note(machine.didReceive(Self.head(status), at: now, of: id))
        case .piece(let count):
            switch machine.didReceivePiece(Data(count: count), of: id).0 {
            case .write(let sink, _): keep(sink)
            case .enough:
                refusedBodies += 1
                if machine.attempt.collected?.count != RefusedBody.limit { broken.insert(.wrongPartOfRefusedBody) }
                decide { [now] in $0.endRefusedBody(of: id, now: now) }
                note(machine.nextCommand())
            default: break
            }
        case .end(let status):
            if hops[id] != nil { hops[id] = .over }
            let head = machine.attempt.current?.id == id ? machine.attempt.current?.head : nil
            note(machine.didEnd(TransportResult(head: head ?? Self.head(status), metrics: metrics), of: id))
        case .failure:
            if hops[id] != nil { hops[id] = .over }
            heads[id]?.isHeld = false
            note(machine.didEnd(TransportResult(error: .failed(.networkConnectionLost, ""), metrics: metrics), of: id))
        }
    }

    private mutating func holdHead(_ status: Int, of id: TransportTaskID) {
        guard hops[id] != .over, let head = heads[id], !head.hasCome else { return }
        heads[id]?.hasCome = true
        guard head.holdsEvery || machine.rules.heldHeads.contains(status) else { return }
        heads[id]?.isHeld = true
        heldHeads += 1
    }

    private mutating func keep(_ sink: FileSink) {
        if !sinks.contains(where: { $0 === sink }) { sinks.append(sink) }
    }

    private static func head(_ status: Int) -> ResponseHead {
        switch status {
        case 302: ResponseHead(statusCode: status, headers: ["Location": "/next"])
        case 206: ResponseHead(statusCode: status, headers: ["ETag": "\"1\"", "Content-Range": "bytes 399-999/1000"])
        // As of a server that has no validator.
        case 203: ResponseHead(statusCode: status)
        default: ResponseHead(statusCode: status, headers: ["ETag": "\"1\""])
        }
    }

    private mutating func answerAny(using generator: inout SeededGenerator, mayRetry: Bool = true) {
        // The transport, for a hop that it has or had.
        if let id = hops.keys.sorted(by: { ($0.attempt, $0.hop) < ($1.attempt, $1.hop) }).randomElement(using: &generator),
            Bool.random(using: &generator)
        {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<3: event(of: id, .head([200, 200, 203, 206, 302, 503].randomElement(using: &generator)!))
            case 3..<5: event(of: id, .piece([0, 40_000, 70_000, 70_000].randomElement(using: &generator)!))
            case 5..<9: event(of: id, .end([200, 203, 206, 302].randomElement(using: &generator)!))
            default: event(of: id, .failure)
            }
            return
        }
        guard let index = pending.indices.randomElement(using: &generator) else { return }
        let action = pending.remove(at: index)
        let isGood = Bool.random(using: &generator)
        let error = FirewheelError(.createURLRequestFailed)
        switch action {
        case .start(let step, _, let isAdapted, _), .build(let step, _, let isAdapted):
            if isGood, isAdapted { return note(machine.didMake(URLRequest(url: URL(string: "http://a.test/")!), in: step)) }
            note(isGood ? machine.didBuild(Self.request, adapting: nil, in: step, now: now) : machine.didFailToBuild(error, in: step))
        case .adapt(let step, _, let request, _, _):
            note(isGood ? machine.didBuild(Self.request, adapting: request, in: step, now: now) : machine.didFailToBuild(error, in: step))
        case .tell:
            isTelling = false
            note(machine.didTell())
        case .ask(let step, _):
            let verdicts: [HopVerdict] = [.pass, .pass, .again(Self.request), .again(Self.request), .fail(error), .refuse(error)]
            let verdict = verdicts[Int.random(in: 0..<6, using: &generator)]
            decide { [now] in $0.didJudge(verdict, in: step, now: now) }
        case .askGates(let step, _, _, _, _):
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: decide { [now] in $0.didJudge(.fail(error), in: step, now: now) }
            case 1..<4: decide { [now] in $0.didRefuseHead(error, in: step, now: now) }
            default: decide { $0.didPassGates(in: step) }
            }
        case .drain(let step, _, _): note(machine.didDrain(in: step))
        case .collect(let step, _, _, _):
            note(
                machine.didCollect(
                    URL(fileURLWithPath: "/tmp/x"), error: isGood ? nil : FirewheelError(.downloadedFileMoveFailed), in: step))
        case .describe(let step, let outcome): note(machine.didDescribe(outcome, in: step, now: { [now] in now }))
        case .validate(let step, let outcome, _):
            note(machine.didValidate(refused: isGood ? nil : outcome.with(error: error), in: step, now: { [now] in now }))
        case .decide(let step, _, _, _):
            let answers: [RetryResult] = mayRetry ? [.retry, .retryWithDelay(1), .doNotRetry, .doNotRetryWithError(error)] : [.doNotRetry]
            note(machine.didDecide(answers.randomElement(using: &generator)!, in: step, now: now))
        case .discard(let step, let stale):
            sinks.removeAll { $0 === stale.sink }
            note(machine.didDiscard(in: step))
        case .reopen(let step, _):
            let result: FileSink.Reopening = isGood ? .opened : Bool.random(using: &generator) ? .unusable(.ENOENT) : .failed(error)
            note(machine.didReopen(result, in: step, now: now))
        case .leave(let step, let sink):
            sinks.removeAll { $0 === sink }
            note(machine.didLeave(isGood ? 5 : nil, in: step))
        case .place(let step, let outcome, let sink):
            sinks.removeAll { $0 === sink }
            if committed.contains(step) { return note(machine.didPlace(outcome, in: step)) }
            // Silently if it is no longer wanted, as in the sink.
            guard machine.commitsToPlace(in: step, isKept: isKept) else { return }
            hasCommitted = !isKept
            // Something may happen before the file is there.
            pending.append(.place(step, outcome, sink))
            committed.insert(step)
        case .serialize(let step, let handler, let outcome, let replacement):
            let failure = isGood ? nil : outcome.error ?? FirewheelError(.responseSerializationFailed(.decodingFailed))
            let made = handler.respond(outcome, failure, replacement)
            note(machine.didSerialize(made, isReplaced: replacement != nil, in: step, now: { [now] in now }))
        case .deliver(let final):
            let responses = final.takeResponses()
            for response in responses.earlier { response.deliver() }
            responses.last?.deliver()
            note(machine.didDeliver())
        case .serveLate(let handlers, let outcome):
            for handler in handlers { handler.respond(outcome, outcome.error, nil).deliver() }
            note(machine.didDeliver())
        case .nothing, .hold, .wait, .watchUnstarted, .letGo: break
        }
    }

    /// A decision made while the request is suspended takes effect when it resumes.
    private mutating func decide(_ answer: (inout CallMachine) -> CallMachine.Action) {
        let stage = machine.stage
        let action = answer(&machine)
        if machine.state == .suspended, machine.stage != stage { broken.insert(.wentOnWhileSuspended) }
        note(action)
    }

    static let request = HopRequest(
        method: .get, url: "http://a.test/", target: TargetURI("http://a.test/")!, headers: [:], bodySource: nil, idleTimeout: 60)

    // MARK: Violations

    private mutating func note(_ action: CallMachine.Action) {
        switch action {
        case .nothing, .hold, .watchUnstarted, .letGo: return
        case .wait: return note(machine.nextCommand())
        case .start, .build:
            attempts += 1
            if hasCommitted { broken.insert(.retriedAfterPlacing) }
        case .tell(let command, _): note(command)
        case .collect(_, let sink, _, _): keep(sink)
        case .decide: if machine.state == .cancelled { broken.insert(.decidedAfterCancel) }
        case .deliver:
            if isOver { broken.insert(.deliveredTwice) }
            isOver = true
        default: break
        }
        pending.append(action)
    }

    private mutating func note(_ command: CallMachine.Command) {
        if isTelling { broken.insert(.toldTwiceAtOnce) }
        isTelling = true
        switch command {
        case .start(let request, _):
            if hops[request.id] != nil { broken.insert(.commandOutOfOrder) }
            if machine.state == .suspended || machine.state == .initialized { broken.insert(.sentWhileSuspended) }
            if isOver || machine.state == .cancelled { broken.insert(.sentAfterTheEnd) }
            hops[request.id] = .running
            heads[request.id] = Head(holdsEvery: request.holdsEveryHead)
        case .pause(let id): turn(id, from: .running, to: .paused)
        case .resume(let id):
            if machine.state == .suspended { broken.insert(.sentWhileSuspended) }
            turn(id, from: .paused, to: .running)
        case .cancel(let id):
            if hops[id] == nil { broken.insert(.commandOutOfOrder) }
            hops[id] = .over
            heads[id]?.isHeld = false
        case .proceed(let id, _):
            if hops[id] == nil { broken.insert(.commandOutOfOrder) }
            // The transport ignores it for a hop that has ended.
            if hops[id] != .over, heads[id]?.isHeld != true { broken.insert(.answeredWithoutAHold) }
            heads[id]?.isHeld = false
        case .remove(let stale): sinks.removeAll { $0 === stale.sink }
        }
    }

    private mutating func turn(_ id: TransportTaskID, from: Contact, to: Contact) {
        if hops[id] != from, hops[id] != .over { broken.insert(.commandOutOfOrder) }
        if hops[id] != .over { hops[id] = to }
    }

    private mutating func watchState() {
        if let endState, machine.state != endState { broken.insert(.stateLeftItsEnd) }
        if machine.state == .cancelled || machine.state == .finished { endState = machine.state }
    }
}

/// A transport that is never used.
private final class NoTransport: Transport {
    func start(_ request: TransportRequest, receiver: any TransportReceiver) {}
    func cancel(_ id: TransportTaskID) {}
    func pause(_ id: TransportTaskID) {}
    func resume(_ id: TransportTaskID) {}
    func proceed(_ id: TransportTaskID, _ body: TransportRequest.HeldBody) {}
    func acknowledge(_ id: TransportTaskID, bytes: Int) {}
}
