import Foundation

extension Request {
    /// A check of a response.
    struct Validator: Sendable {
        /// Whether it runs no code but the library's.
        let isOwn: Bool
        /// nil if the response passes.
        let check: @Sendable (Exchange) -> (any Error)?
    }

    /// All that changes in a request, in one lock.
    struct Mutable: Sendable {
        /// The attempt that is under way.
        struct Attempt: Sendable {
            let id: TransportTaskID
            let request: PreparedRequest
            let begun = MonotonicInstant.now()
            /// Whether the transport has been given it, so that it can be told of pauses and of a cancel.
            var isHandedOver = false
            /// Whether it waits for `resume()` to be given to the transport.
            var isHeld = false
            /// What the transport was last told.
            var isPaused = false
            var head: ResponseHead?
            /// Whether the body is that of a redirect, which nobody wants.
            var discardsBody = false
        }

        var life = RequestLife()
        var start: ClockReading?
        var headReceived: MonotonicInstant?
        var completed: MonotonicInstant?
        var attempts = 0
        var current: Attempt?
        var hops: [Hop] = []
        var validators: [Validator] = []
        /// Handlers still to be served, in order.
        var handlers: [ResponseHandler] = []
        var isServingHandlers = false
        /// The outcome, once settled.
        var exchange: Exchange?
        /// nil where nobody listens.
        var observation: Observation?

        /// The exchange under way as far as it has come, once the head of its response has.
        var currentHop: Hop? {
            guard let current, let head = current.head else { return nil }
            return Hop(request: current.request, head: head, metrics: TransportMetrics(start: current.begun, end: current.begun))
        }

        /// The exchange with the final response, once its head has come: not a redirect, unless that is what the request came to.
        var finalHop: Hop? {
            if let current { return current.discardsBody ? nil : currentHop }
            guard let last = hops.last, let head = last.head else { return nil }
            let isSettled = exchange.map { $0.error == nil } ?? false
            return RedirectPolicy.redirects(head) && !isSettled ? nil : last
        }

        /// What is wrong as of now: a cancel counts for what has not been serialized yet. A file that is in its place is there to stay.
        var currentError: (any Error)? {
            if let error = exchange?.error { return error }
            guard life.phase == .cancelled, exchange?.temporaryURL == nil else { return nil }
            return FirewheelError(.explicitlyCancelled, request: exchange?.request, response: exchange?.response)
        }
    }

    /// Changes the state, then tells those who listen what was recorded of it.
    func change<Result: Sendable>(_ body: (inout Mutable) -> Result) -> Result {
        let (result, isObserved) = mutable.withLock { state in (body(&state), state.observation != nil) }
        if isObserved { tellEvents() }
        return result
    }

    // MARK: Moves of the engine

    /// Makes the next attempt. nil if it may not go out now: the request has ended, or is suspended and keeps the attempt for `resume()`.
    func beginAttempt(_ prepared: PreparedRequest) -> Mutable.Attempt? {
        change { state in
            guard !state.life.isCompleting, state.life.phase != .cancelled else { return nil }
            var attempt = Mutable.Attempt(id: TransportTaskID(request: id, hop: state.attempts), request: prepared)
            attempt.isHeld = state.life.phase == .suspended
            state.attempts += 1
            state.current = attempt
            state.headReceived = nil
            state.recordBeginning(of: attempt)
            return attempt.isHeld ? nil : attempt
        }
    }

    /// What has become of a request while the transport was given an attempt.
    enum HandOver { case unchanged, changed, ended }

    func didHandOver(_ attempt: TransportTaskID) -> HandOver {
        mutable.withLock { state in
            if state.life.isCompleting { return .ended }
            // It may have gone out and come back with a redirect already.
            guard state.current?.id == attempt else { return .unchanged }
            state.current?.isHandedOver = true
            return state.life.phase == .resumed ? .unchanged : .changed
        }
    }

    /// What the transport has to be told, so that it knows the request's state.
    enum Reconciliation {
        case nothing
        case cancel(TransportTaskID?)
        case pause(TransportTaskID)
        case resume(TransportTaskID)
        case handOver(Mutable.Attempt)
    }

    func takeReconciliation() -> Reconciliation {
        change { state in
            if state.life.isCompleting { return .nothing }
            let current = state.current
            switch state.life.phase {
            case .cancelled:
                return .cancel(current?.isHandedOver == true ? current?.id : nil)
            case .suspended:
                guard let current, current.isHandedOver, !current.isPaused else { return .nothing }
                state.current?.isPaused = true
                return .pause(current.id)
            case .resumed:
                guard let current else { return .nothing }
                if current.isHeld {
                    state.current?.isHeld = false
                    state.observation?.recordTask(attempt: current.id.hop)
                    return .handOver(current)
                }
                guard current.isPaused else { return .nothing }
                state.current?.isPaused = false
                return .resume(current.id)
            case .initialized, .finished:
                return .nothing
            }
        }
    }

    /// The attempt that the transport has, if it has one.
    var runningTask: TransportTaskID? {
        mutable.withLock { $0.current?.isHandedOver == true ? $0.current?.id : nil }
    }

    /// Whether an event is of the attempt that is under way; others come too late.
    func isCurrent(_ task: TransportTaskID) -> Bool {
        mutable.withLock { $0.current?.id == task && !$0.life.isCompleting }
    }

    /// Whether its end runs none of a user's code: it was made of plain values, nobody listens, and no validation is the user's.
    var isPlain: Bool {
        source.isSimple && mutable.withLock { $0.observation == nil && $0.validators.allSatisfy(\.isOwn) }
    }

    func didReceive(_ head: ResponseHead, at instant: MonotonicInstant, discardsBody: Bool) {
        change { state in
            state.current?.head = head
            state.current?.discardsBody = discardsBody
            state.headReceived = instant
            if state.observation != nil, let hop = state.finalHop { state.observation?.recordFinalResponse { hop.makeHTTPURLResponse() } }
        }
    }

    var discardsBody: Bool { mutable.withLock { $0.current?.discardsBody == true } }

    /// Ends the attempt: its hop joins the others. Gives back what was sent.
    func endAttempt(_ result: TransportResult) -> (request: PreparedRequest, redirects: Int)? {
        mutable.withLock { state in
            guard let current = state.current else { return nil }
            state.current = nil
            state.hops.append(Hop(request: current.request, head: result.head, metrics: result.metrics))
            if state.headReceived == nil, result.head != nil {
                state.headReceived = result.metrics.responseStart ?? result.metrics.end
            }
            state.completed = result.metrics.end
            return (current.request, state.hops.count - 1)
        }
    }

    /// When the request will have taken too long as a whole, on the monotonic clock.
    ///
    /// - Parameter seconds: 0 and less, and what is no number, is no limit.
    func deadline(after seconds: TimeInterval) -> MonotonicInstant? {
        guard seconds > 0 else { return nil }
        return mutable.withLock { ($0.start ?? .now()).instant.advanced(by: seconds) }
    }

    /// Whether an attempt waits for `resume()` to be given to the transport.
    var isHeld: Bool { mutable.withLock { $0.current?.isHeld == true && !$0.life.isCompleting } }

    /// Whether its outcome has been settled, or is about to be.
    var isCompleting: Bool { mutable.withLock { $0.life.isCompleting } }

    // MARK: Completion

    /// What a request has come to when its exchange is over.
    struct Settlement {
        let error: FirewheelError?
        let validators: [Validator]
    }

    /// Settles the request. nil if it has been before: an outcome is settled once. A cancel that came first is the outcome.
    func beginCompletion(error: FirewheelError?) -> Settlement? {
        mutable.withLock { state in
            guard state.life.beginCompletion() else { return nil }
            if let current = state.current {
                // It did not come to an end by itself: what was sent is known, what came back is not.
                let metrics = TransportMetrics(start: current.begun, end: .now())
                state.hops.append(Hop(request: current.request, head: current.head, metrics: metrics))
                state.current = nil
            }
            if state.completed == nil || error != nil { state.completed = .now() }
            let isCancelled = state.life.phase == .cancelled
            return Settlement(
                error: isCancelled ? FirewheelError(.explicitlyCancelled) : error, validators: state.validators)
        }
    }

    /// Keeps the outcome.
    func settle(_ exchange: Exchange) {
        change { state in
            state.exchange = exchange
            // They are done, and may hold the request itself.
            state.validators = []
            state.recordOutcome(exchange)
        }
    }

    /// The handlers that are to be served now, with the outcome. nil if there are none, or some are being served.
    func takeHandlers() -> ([ResponseHandler], Exchange)? {
        mutable.withLock { state in
            guard let exchange = state.exchange, !state.isServingHandlers else { return nil }
            if state.handlers.isEmpty {
                state.life.finish()
                return nil
            }
            state.isServingHandlers = true
            defer { state.handlers = [] }
            return (state.handlers, exchange)
        }
    }

    /// Every response is made: the request is finished by the time its handlers run, unless more have come meanwhile.
    func willDeliver() {
        mutable.withLock { state in
            if state.handlers.isEmpty { state.life.finish() }
        }
    }

    /// True if more handlers have come meanwhile.
    func didDeliver() -> Bool {
        mutable.withLock { state in
            state.isServingHandlers = false
            return !state.handlers.isEmpty
        }
    }
}
