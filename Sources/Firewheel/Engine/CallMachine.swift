import Foundation

/// The trip of one request as a machine: its state and its legal moves, and no effects. Input in, action out; ``Call`` acts after the lock
/// is released.
///
/// ```
/// unstarted → building → adapting → exchanging ⇄ judging → collecting → validating → placing → serializing → over
///                ↑                                                          │                       │
///                └───────────── delaying ← deciding ←───────────────────────┴───────────────────────┘
/// ```
/// What fails before `validating` goes there too, with its error, and on to `deciding` if there are retriers. A cancel, the resource
/// timeout and the end of the session lead from every stage to `serializing` with an error, unless a downloaded file is in its place.
/// Nothing is published before `over`: a retry has nothing to take back.
///
/// This file is the caller's moves and the way out; `+Judging` is the way back, `+Ending` what comes after the exchange, `+Commands` what
/// the transport is told.
struct CallMachine: Sendable {
    enum Stage: Sendable, Equatable, CaseIterable {
        case unstarted
        /// The request is made from what the caller gave.
        case building
        /// Adapters change it.
        case adapting
        /// A hop is about to be started, or under way.
        case exchanging
        /// The caller's code decides about a head, and the body is held.
        case judging
        /// The sink takes in the last of the body.
        case collecting
        /// The response is validated, or an error is described.
        case validating
        /// Retriers decide about a failure.
        case deciding
        /// A retry waits for its time.
        case delaying
        /// The temporary file of a failed attempt is removed.
        case discarding
        /// A downloaded file is moved to its place.
        case placing
        case serializing
        /// The outcome is final.
        case over
    }

    /// The number of a step that runs outside of the machine. The result of a step that is no longer the current one is dropped.
    typealias StepID = UInt32

    /// What is to be done, after the lock is released.
    enum Action: Sendable {
        case nothing
        /// The first attempt: the request becomes known to the engine, and is made.
        case start(StepID, isAdapted: Bool, hasSteps: Bool)
        /// Make the request anew.
        case build(StepID, isAdapted: Bool)
        indirect case adapt(StepID, URLRequest, [any RequestInterceptor], RequestContext)
        /// Carry out the command, then ask for the next one with `didTell()`.
        case tell(Command, (any Transport)?)
        /// The request is suspended before the transport has it: only the resource timeout is watched.
        case hold
        case ask(StepID, @Sendable () async -> HopVerdict)
        indirect case askGates(StepID, [ResponseGate], ResponseHead, TargetURI)
        case collect(StepID, FileSink, createsFile: Bool)
        /// Add the request, response and body to the outcome's error.
        case describe(StepID, Outcome)
        case validate(StepID, Outcome, [Validator])
        indirect case decide(StepID, any Error, [any RequestInterceptor], RequestContext)
        case wait(until: MonotonicInstant)
        case discard(StepID, FileSink)
        case place(StepID, Outcome, FileSink)
        /// With a replacement the response is that error, and the serializer is not asked.
        case serialize(StepID, ResponseHandler, Outcome, replacement: (any Error)?)
        /// The outcome is final: responses go to their handlers, and all else is released.
        case deliver(FinalResponses)
        /// Handlers that came after the end.
        case serveLate([ResponseHandler], Outcome)
        case watchUnstarted
        case letGo(any Transport)
    }

    /// What happened while the request was suspended. It takes effect on resume.
    enum Kept: Sendable {
        indirect case verdict(HopVerdict)
        case gatesArePassed
        case decision(RetryResult)
        case delayIsOver
    }

    let id: UInt64
    let rules: SessionRules
    /// Whether the body goes to a file.
    let savesToFile: Bool
    /// Whose code makes the request.
    let sourceOwner: CodeOwner

    var state = Request.State.initialized
    var stage = Stage.unstarted
    var attempt = Attempt(number: 0)
    /// What the attempts that were retried came to, without their bodies.
    var earlier: [Outcome] = []
    var start: ClockReading?
    var options: RequestOptions
    /// nil where nobody listens.
    var observation: Observation?
    /// nil once it is not needed any more.
    var transport: (any Transport)?
    /// The task of the caller's async code, where there is any.
    var steps: AsyncSteps?
    /// How often the lock was taken for an input; for tests.
    var inputs = 0

    private var step: StepID = 0
    /// Whether an alarm is set, to be taken back at the end.
    var hasAlarm = false
    /// When a retry is due.
    var delayEnd: MonotonicInstant?
    var kept: Kept?
    /// What the attempt came to. Published once the stage is `over`.
    var outcome: Outcome?
    /// Whether a downloaded file is being moved to its destination, or is there. From then on nothing changes the outcome.
    var isPlaced = false
    /// Whether it was cut short: then it is not retried.
    var isInterrupted = false

    // The handlers, in their order. All are kept until the outcome is final, since a retry asks for all responses anew.
    var handlers: [ResponseHandler] = []
    /// The responses of the first of them.
    var made: [ResponseHandler.Made] = []
    /// The response about whose error retriers decide.
    var questioned: ResponseHandler.Made?
    /// Whether responses are on their way to handlers.
    var isServing = false

    // Commands that are due besides those for the current hop.
    var abandoned: TransportTaskID?
    var staleSinks: [FileSink] = []
    var isTelling = false

    /// What is kept no longer and may be the caller's, to be let go after the lock is released.
    var released: [any Sendable] = []

    init(
        id: UInt64, rules: SessionRules, savesToFile: Bool, sourceOwner: CodeOwner, options: RequestOptions = RequestOptions(),
        interceptor: (any RequestInterceptor)? = nil,
        transport: (any Transport)? = nil
    ) {
        self.id = id
        self.rules = rules
        self.savesToFile = savesToFile
        self.sourceOwner = sourceOwner
        self.options = options
        self.transport = transport
        if let interceptor { self.options.interceptors = [interceptor] }
        if !rules.session.listeners.isEmpty { observation = Observation(id: id, session: rules.session) }
    }

    mutating func nextStep() -> StepID {
        step &+= 1
        return step
    }

    /// Whether the result is that of the current step. True once for each step.
    mutating func takes(_ result: StepID) -> Bool {
        guard result == step else { return false }
        step &+= 1
        return true
    }

    func isCurrent(_ step: StepID) -> Bool { step == self.step }

    /// When the resource timeout is exceeded; nil: there is none.
    var deadline: MonotonicInstant? {
        let seconds = options.totalTimeout ?? rules.resourceTimeout
        guard seconds > 0, let start else { return nil }
        return start.instant.advanced(by: seconds)
    }

    /// The session's before the request's.
    var interceptors: [any RequestInterceptor] {
        guard rules.hasInterceptor, let session = rules.interceptor else { return options.interceptors }
        return [session] + options.interceptors
    }

    var hasInterceptors: Bool { rules.hasInterceptor || !options.interceptors.isEmpty }

    /// Whether async code of the caller's is part of the trip.
    var hasSteps: Bool { hasInterceptors || !options.responseGates.isEmpty || asksAboutRedirects }

    private var asksAboutRedirects: Bool {
        guard rules.hasRedirectHandler || options.redirectHandler != nil else { return false }
        return (redirectHandler as? Redirector)?.isFixed != true
    }

    /// The request's own, else the session's.
    var redirectHandler: (any RedirectHandler)? { options.redirectHandler ?? rules.redirectHandler }

    /// Sets an alarm for the resource timeout, or for an earlier instant.
    ///
    /// - Returns: When it is to ring; nil if never.
    mutating func setAlarm(by instant: MonotonicInstant?) -> MonotonicInstant? {
        guard stage != .over else { return nil }
        hasAlarm = true
        guard let deadline, let instant else { return instant ?? deadline }
        return min(deadline, instant)
    }

    // MARK: The caller's moves

    mutating func resume(now: ClockReading) -> Action {
        switch state {
        case .initialized, .suspended: break
        case .resumed, .cancelled, .finished: return .nothing
        }
        state = .resumed
        observation?.record(.resume)
        if stage == .unstarted {
            start = now
            return beginAttempt(number: 0, now: now.instant)
        }
        if let kept = kept.take() { return goOn(with: kept, now: now.instant) }
        return nextCommand()
    }

    mutating func suspend() -> Action {
        switch state {
        case .initialized, .resumed: break
        case .suspended, .cancelled, .finished: return .nothing
        }
        state = .suspended
        observation?.record(.suspend)
        return stage == .unstarted ? .nothing : nextCommand()
    }

    mutating func cancel(now: ClockReading) -> Action {
        switch state {
        case .initialized, .resumed, .suspended: break
        case .cancelled, .finished: return .nothing
        }
        state = .cancelled
        observation?.record(.cancel)
        return interrupt(with: FirewheelError(.explicitlyCancelled), now: now)
    }

    /// - Parameter now: Read if the handler starts the request.
    mutating func attach(_ handler: ResponseHandler, startsImmediately: Bool, now: () -> ClockReading) -> Action {
        handlers.append(handler)
        switch stage {
        case .unstarted:
            return startsImmediately && state == .initialized ? resume(now: now()) : .watchUnstarted
        case .over where !isServing:
            isServing = true
            return serveLate()
        default:
            return .nothing
        }
    }

    // MARK: build → adapt → hop

    mutating func beginAttempt(number: Int, now: MonotonicInstant) -> Action {
        attempt = Attempt(number: number, begun: now)
        stage = .building
        let isAdapted = hasInterceptors && interceptors.contains { !$0.isKnownToAdaptNothing }
        return number == 0 ? .start(nextStep(), isAdapted: isAdapted, hasSteps: hasSteps) : .build(nextStep(), isAdapted: isAdapted)
    }

    /// The request was made as the caller gave it: adapters are next.
    mutating func didMake(_ request: URLRequest, in step: StepID) -> Action {
        guard takes(step) else { return .nothing }
        stage = .adapting
        attempt.unadapted = request
        return .adapt(nextStep(), request, interceptors.filter { !$0.isKnownToAdaptNothing }, makeContext())
    }

    /// - Parameter initial: What was adapted, where there are adapters.
    mutating func didBuild(_ request: HopRequest, adapting initial: URLRequest?, in step: StepID, now: MonotonicInstant) -> Action {
        guard takes(step) else { return .nothing }
        if let initial { observation?.record(.adaptURLRequest(from: initial)) }
        return beginHop(attempt.number == 0 ? request : request.sharingBody(of: earlier.last?.hops.first?.request), now: now)
    }

    mutating func didFailToBuild(_ error: FirewheelError, in step: StepID) -> Action {
        guard takes(step) else { return .nothing }
        observation?.record(
            error.kind == .requestAdaptationFailed ? .failToAdaptURLRequest(error: error) : .failToCreateURLRequest(error: error))
        return endAttempt(makeOutcome(error: error))
    }

    mutating func beginHop(_ request: HopRequest, now: MonotonicInstant) -> Action {
        var request = request.fresh(idleTimeout: options.idleTimeout)
        prepare(&request)
        let hop = HopUnderWay(
            id: TransportTaskID(request: id, attempt: attempt.number, hop: attempt.hops.count), request: request, begun: now,
            holdsEveryHead: !options.responseGates.isEmpty)
        attempt.current = hop
        attempt.headReceived = nil
        stage = .exchanging
        recordBeginning(of: hop)
        return nextCommand()
    }

    private mutating func prepare(_ request: inout HopRequest) {
        let owner = HopOwner(first: attempt.hops.first?.request, credential: options.credential)
        for policy in rules.policies { policy.prepare(&request, of: owner) }
    }

    /// Has policies look again at a hop that was held.
    mutating func prepareAnew() {
        guard var request = attempt.current?.request.fresh(idleTimeout: options.idleTimeout) else { return }
        prepare(&request)
        attempt.current?.request = request
    }
}
