import Foundation

/// The state machine of one request: its state and legal transitions, without effects. ``Call`` performs the returned actions after
/// releasing the lock.
///
/// ```
/// unstarted → building → adapting → exchanging ⇄ judging → collecting → validating → placing → serializing → over
///                ↑                                                          │                       │
///                └───────────── delaying ← deciding ←───────────────────────┴───────────────────────┘
/// ```
/// A failure before `validating` also leads there, with its error, and on to `deciding` if there are retriers. Cancellation, the resource
/// timeout and the end of the session lead from every stage to `serializing` with an error, unless a downloaded file is complete.
/// Nothing is published before `over`, so a retry has nothing to take back.
///
/// This file has the caller's operations and the outgoing request; `+Judging` has response heads, `+Refusing` those that are refused,
/// `+Ending` what follows the exchange, and `+Commands` the commands to the transport.
struct CallMachine: Sendable {
    enum Stage: Sendable, Equatable, CaseIterable {
        case unstarted
        /// The request is being built from the caller's values.
        case building
        /// Adapters are changing it.
        case adapting
        /// A hop is in flight, or about to be started.
        case exchanging
        /// The caller's code is deciding about a response head, while the body is held.
        case judging
        /// The sink is taking in the rest of the body.
        case collecting
        /// The response is being validated, or its error described.
        case validating
        /// Retriers are deciding about a failure.
        case deciding
        /// A retry is waiting for its delay.
        case delaying
        /// The partial file of an earlier attempt or process is being opened.
        case reopening
        /// The file of a failed attempt is being removed, or closed to be resumed later.
        case discarding
        /// A downloaded file is being moved to its destination.
        case placing
        case serializing
        /// The outcome is final.
        case over
    }

    /// The number of a step that runs outside the machine. A result with another number than the current one's is dropped.
    typealias StepID = UInt32

    /// What to do after the lock is released.
    enum Action: Sendable {
        case nothing
        /// The first attempt: register the request with the engine, and build it.
        case start(StepID, CodingPreference, isAdapted: Bool, hasSteps: Bool)
        /// Build the request again.
        case build(StepID, CodingPreference, isAdapted: Bool)
        indirect case adapt(StepID, CodingPreference, URLRequest, [any RequestInterceptor], RequestContext)
        /// Send the command, then ask for the next one with `didTell()`.
        case tell(Command, (any Transport)?)
        /// The request was suspended before the transport received it: only watch the resource timeout.
        case hold
        case ask(StepID, @Sendable () async -> HopVerdict)
        indirect case askGates(StepID, [ResponseGate], ResponseHead, TargetURI, HeadValidation?)
        /// Wait until the readers of the body have consumed it.
        case drain(StepID, StreamSink, isComplete: Bool)
        case collect(StepID, FileSink, FileSink.Preparation?, createsFile: Bool)
        /// Add the request, response and body to the outcome's error.
        case describe(StepID, Outcome)
        case validate(StepID, Outcome, [Validator])
        indirect case decide(StepID, any Error, [any RequestInterceptor], RequestContext)
        /// Set the alarm, and ask for commands.
        case wait(until: MonotonicInstant)
        /// Open the partial file that the attempt goes on with.
        case reopen(StepID, FileSink)
        case discard(StepID, StaleSink)
        /// Leave the partial file for resuming.
        case leave(StepID, FileSink)
        case place(StepID, Outcome, FileSink)
        /// If there is a replacement, the response is that error and the serializer is not called.
        case serialize(StepID, ResponseHandler, Outcome, replacement: (any Error)?)
        /// The outcome is final: pass responses to their handlers and release everything else.
        case deliver(FinalResponses)
        /// Serve handlers that were attached after the end.
        case serveLate([ResponseHandler], Outcome)
        case watchUnstarted
        case letGo(any Transport)
    }

    /// The validation of a response whose body is handed over as it arrives: it takes place before that.
    struct HeadValidation: Sendable {
        let validators: [Validator]
        /// The outcome so far.
        let outcome: Outcome
    }

    /// An input that arrived while the request was suspended. It takes effect on resume.
    enum Kept: Sendable {
        indirect case verdict(HopVerdict)
        indirect case refusal(FirewheelError, Data?)
        case gatesArePassed
        case decision(RetryResult)
        case delayIsOver
    }

    let id: UInt64
    let rules: SessionRules
    /// Whether the body goes to a file.
    let savesToFile: Bool
    /// Where the body goes as it arrives; nil if it is collected.
    let stream: StreamSink?
    /// Whether only a 101 is the response that was asked for.
    let opensWebSocket: Bool
    /// Whose code builds the request.
    let sourceOwner: CodeOwner

    var state = Request.State.initialized
    var stage = Stage.unstarted
    var attempt = Attempt(number: 0)
    /// The outcomes of retried attempts, without bodies.
    var earlier: [Outcome] = []
    var start: ClockReading?
    var options: RequestOptions
    /// nil without observers.
    var observation: Observation?
    /// nil once it is no longer needed.
    var transport: (any Transport)?
    /// Whether the caller goes on with a download.
    let isResumed: Bool
    /// Whether the bytes of that download have their content codings.
    private let resumesEncoded: Bool
    /// The partial file of an earlier attempt or process; nil if there is none, or if the attempt goes on with it. While another file takes
    /// its place, it stays until that one can be resumed or is complete.
    @Apart var resumption: Resumption?
    /// Whether `cancel` is to leave a partial file.
    var producesResumeData = false
    /// nil if nobody watches how far the request is.
    var progress: RequestProgress?
    /// The task of the caller's async code, if any.
    var steps: AsyncSteps?
    /// The number of inputs, each of which takes the lock; for tests.
    var inputs = 0

    private var step: StepID = 0
    /// The request that waits for its partial file.
    private var reopened: HopRequest?
    /// Whether an alarm is set that must be cleared at the end.
    var hasAlarm = false
    /// When a retry is due.
    var delayEnd: MonotonicInstant?
    var kept: Kept?
    /// The attempt's outcome. Published once the stage is `over`.
    var outcome: Outcome?
    /// Whether a downloaded file is being moved to its destination or kept, or is there. From then on only a retry changes the outcome.
    var isPlaced = false
    /// Whether that file has no destination, so that a retry may download it again.
    var isKept = false
    /// Whether the request was cancelled or timed out: then it is not retried.
    var isInterrupted = false

    // The handlers in order. All are kept until the outcome is final, because a retry makes all responses again.
    var handlers: [ResponseHandler] = []
    /// The responses made so far, for the first handlers.
    var made: [ResponseHandler.Made] = []
    /// The response whose error retriers are deciding about.
    var questioned: ResponseHandler.Made?
    /// Whether handlers are being called.
    var isServing = false

    // Commands that are due in addition to those for the current hop.
    var abandoned: TransportTaskID?
    var staleSinks: [StaleSink] = []
    var isTelling = false

    /// Dropped values that may be the caller's, to be released after the lock is.
    var released: [any Sendable] = []

    init(
        id: UInt64, rules: SessionRules, savesToFile: Bool, stream: StreamSink? = nil, opensWebSocket: Bool = false, sourceOwner: CodeOwner,
        options: RequestOptions = RequestOptions(),
        interceptor: (any RequestInterceptor)? = nil,
        transport: (any Transport)? = nil, resumption: Resumption? = nil
    ) {
        self.id = id
        self.rules = rules
        self.savesToFile = savesToFile
        self.stream = stream
        self.opensWebSocket = opensWebSocket
        self.sourceOwner = sourceOwner
        self.options = options
        self.transport = transport
        self.resumption = resumption
        isResumed = resumption != nil
        resumesEncoded = resumption?.data.isEncoded == true
        if !rules.validators.isEmpty, self.options.validatesAsSession { self.options.validators = rules.validators }
        if let interceptor { self.options.interceptors = [interceptor] }
        if !rules.session.listeners.isEmpty { observation = Observation(id: id, session: rules.session) }
    }

    mutating func nextStep() -> StepID {
        step &+= 1
        return step
    }

    /// Whether the result is that of the current step. True at most once per step.
    mutating func takes(_ result: StepID) -> Bool {
        guard result == step else { return false }
        step &+= 1
        return true
    }

    func isCurrent(_ step: StepID) -> Bool { step == self.step }

    /// When the resource timeout is exceeded; nil without one.
    var deadline: MonotonicInstant? {
        let seconds = options.totalTimeout ?? rules.resourceTimeout
        guard seconds > 0, let start else { return nil }
        return start.instant.advanced(by: seconds)
    }

    /// All interceptors, the session's first.
    var interceptors: [any RequestInterceptor] {
        guard rules.hasInterceptor, let session = rules.interceptor else { return options.interceptors }
        return [session] + options.interceptors
    }

    var hasInterceptors: Bool { rules.hasInterceptor || !options.interceptors.isEmpty }

    /// Whether any async code of the caller's takes part.
    var hasSteps: Bool { hasInterceptors || !options.responseGates.isEmpty || stream != nil || asksHandlers }

    private var asksHandlers: Bool {
        if !rules.hasHandlers, options.redirectHandler == nil, options.cachedResponseHandler == nil { return false }
        if let handler = redirectHandler, (handler as? Redirector)?.isFixed != true { return true }
        guard rules.hasCache, let handler = cachedResponseHandler else { return false }
        return (handler as? ResponseCacher)?.isFixed != true
    }

    /// The request's own, otherwise the session's.
    var redirectHandler: (any RedirectHandler)? {
        options.redirectHandler ?? rules.redirectHandler
    }

    /// The request's own, otherwise the session's.
    var cachedResponseHandler: (any CachedResponseHandler)? {
        options.cachedResponseHandler?.handler ?? rules.cachedResponseHandler
    }

    /// Sets an alarm for the resource timeout, or for the given instant if that is earlier.
    ///
    /// - Returns: When it is to fire; nil if no alarm was set.
    mutating func setAlarm(by instant: MonotonicInstant?) -> MonotonicInstant? {
        guard stage != .over else { return nil }
        hasAlarm = true
        guard let deadline, let instant else { return instant ?? deadline }
        return min(deadline, instant)
    }

    // MARK: Caller's operations

    mutating func resume(now: ClockReading) -> Action {
        switch state {
        case .initialized, .suspended: break
        case .resumed, .cancelled, .finished: return .nothing
        }
        let isFirst = start == nil
        state = .resumed
        observation?.record(.resume)
        if isFirst { start = now }
        if stage == .unstarted {
            return beginAttempt(number: 0, now: now.instant)
        }
        // Prepared, but still being built: there is nothing to send, but the resource timeout begins.
        if isFirst, attempt.current == nil { return .hold }
        if let kept = kept.take() { return goOn(with: kept, now: now.instant) }
        if let refusal = attempt.current?.refusal { return waitForRefusedBody(refusal.error, now: now.instant) }
        return nextCommand()
    }

    /// Begins the first attempt without sending it, which waits for `resume`. Until then there is no start, and so no resource timeout.
    mutating func prepare(now: ClockReading) -> Action {
        guard stage == .unstarted, state == .initialized else { return .nothing }
        return beginAttempt(number: 0, now: now.instant)
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

    mutating func cancel(
        producesResumeData: Bool = false, with error: FirewheelError = FirewheelError(.explicitlyCancelled), now: ClockReading
    ) -> Action {
        switch state {
        case .initialized, .resumed, .suspended: break
        case .cancelled, .finished: return .nothing
        }
        self.producesResumeData = producesResumeData
        state = .cancelled
        observation?.record(.cancel)
        return interrupt(with: error, now: now)
    }

    /// - Parameter now: Evaluated only if the handler starts the request.
    mutating func attach(_ handler: ResponseHandler, startsImmediately: Bool, now: () -> ClockReading) -> Action {
        handlers.append(handler)
        switch stage {
        case .over:
            guard !isServing else { return .nothing }
            isServing = true
            return serveLate()
        case _ where state == .initialized && options.startsImmediately ?? startsImmediately:
            return resume(now: now())
        case .unstarted:
            return .watchUnstarted
        default:
            return .nothing
        }
    }

    // MARK: build → adapt → hop

    mutating func beginAttempt(number: Int, now: MonotonicInstant) -> Action {
        attempt = Attempt(number: number, begun: now)
        stage = .building
        let isAdapted = hasInterceptors && interceptors.contains { !$0.isKnownToAdaptNothing }
        return number == 0
            ? .start(nextStep(), codings, isAdapted: isAdapted, hasSteps: hasSteps) : .build(nextStep(), codings, isAdapted: isAdapted)
    }

    /// Resume data says itself whether its bytes are decoded, and all attempts do the same. A partial file of this request is never mixed
    /// either, whatever the option says by now.
    private var codings: CodingPreference {
        guard options.decodesContent ?? rules.decodesContent, !resumesEncoded, resumption?.data.isEncoded != true else { return .asSent }
        return savesToFile ? .identity : .decodable
    }

    /// Handles that the caller's request was built: adapters are next.
    mutating func didMake(_ request: URLRequest, in step: StepID) -> Action {
        guard takes(step) else { return .nothing }
        stage = .adapting
        attempt.unadapted = request
        return .adapt(nextStep(), codings, request, interceptors.filter { !$0.isKnownToAdaptNothing }, makeContext())
    }

    /// - Parameter initial: The request before adaptation; nil without adapters.
    mutating func didBuild(_ request: HopRequest, adapting initial: URLRequest?, in step: StepID, now: MonotonicInstant) -> Action {
        guard takes(step) else { return .nothing }
        if let initial { observation?.record(.adaptURLRequest(from: initial)) }
        var request = attempt.number == 0 ? request : request.sharingBody(of: earlier.last?.hops.first?.request)
        // A server may answer before it has read the body, and without ever asking for it.
        if stream != nil, !request.headers.contains(name: "Expect") { request = request.withoutExpectation() }
        // Which part is asked for is never the caller's to say, also if it is the whole.
        if isResumed { request = request.withoutRange() }
        let url = resumableURL(of: request)
        resumption?.willRequest(url)
        guard let resumption else { return beginHop(request, now: now) }
        guard resumption.isOpen else {
            stage = .reopening
            reopened = request
            return .reopen(nextStep(), resumption.sink)
        }
        return beginHop(request.resuming(resumption), now: now)
    }

    /// Handles that the partial file was opened. If it cannot be used, the download begins at the first byte.
    mutating func didReopen(_ result: FileSink.Reopening, in step: StepID, now: MonotonicInstant) -> Action {
        guard takes(step), let request = reopened.take() else { return .nothing }
        switch result {
        case .opened: resumption?.isOpen = true
        case .unusable: dropResumption()
        case .failed(let error): return endAttempt(makeOutcome(error: error))
        }
        return beginHop(resumption.map(request.resuming) ?? request, now: now)
    }

    mutating func didFailToBuild(_ error: FirewheelError, in step: StepID) -> Action {
        guard takes(step) else { return .nothing }
        observation?.record(
            error.kind == .requestAdaptationFailed ? .failToAdaptURLRequest(error: error) : .failToCreateURLRequest(error: error))
        if let refused = error.request { attempt.unadapted = refused }
        return endAttempt(makeOutcome(error: error))
    }

    private static let withoutLimit = FirewheelError.transportFailed(
        .resourceUnavailable, "the messages of a WebSocket cannot be sent with a limit of bandwidth; leave the upload's as it is by default"
    )
    private static let withoutCache = FirewheelError.transportFailed(
        .resourceUnavailable, "cache(maxStale:onlyIfCached:) needs a cache, and the session has none")

    mutating func beginHop(_ request: HopRequest, now: MonotonicInstant) -> Action {
        if request.isSpent { return endExchange(body: nil, error: FirewheelError(.uploadBodyFailed(.notRepeatable))) }
        var request = request.fresh(idleTimeout: options.idleTimeout)
        if !options.cacheLimits.isEmpty {
            guard request.cacheUse != nil else { return endExchange(body: nil, error: Self.withoutCache) }
            request = request.asking(options.cacheLimits.directives)
        }
        prepare(&request)
        let limits = rules.limits.isEmpty && options.limits.isEmpty ? nil : rules.limits.adding(options.limits)
        if opensWebSocket, limits?.upload.isEmpty == false { return endExchange(body: nil, error: Self.withoutLimit) }
        let comesInPieces = savesToFile || stream != nil || progress != nil || limits?.download.isEmpty == false
        let hop = HopUnderWay(
            id: TransportTaskID(request: id, attempt: attempt.number, hop: attempt.hops.count), request: request, begun: now,
            // What follows a useless answer to a range may be the whole rest of the file.
            holdsEveryHead: !options.responseGates.isEmpty || stream != nil || resumption != nil,
            delivery: comesInPieces ? .chunks : .whole, allowsQuietBody: options.allowsQuietBody,
            // Somebody may ask later how much of a large body is sent.
            reportsSent: progress != nil || request.bodySource.map { $0.length ?? .max > 65_536 } ?? false,
            goesOn: resumption.map { !$0.asksForAll && $0.data.rangeStart != nil } ?? false, limits: limits)
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

    /// Lets policies prepare a held hop again.
    mutating func prepareAnew() {
        guard var request = attempt.current?.request.fresh(idleTimeout: options.idleTimeout) else { return }
        prepare(&request)
        attempt.current?.request = request
    }
}
