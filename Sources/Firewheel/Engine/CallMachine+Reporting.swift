import Foundation

// What others are told of the trip: outcomes, contexts, snapshots, and the events that are recorded with the changes they tell of.
extension CallMachine {
    /// Mutating so that the whole machine, which is large, is not copied for it.
    mutating func makeOutcome(data: Data? = nil, temporaryURL: URL? = nil, error: (any Error)? = nil) -> Outcome {
        var times = AttemptTimes(start: start ?? .now())
        times.initialResponse = attempt.headReceived
        times.completed = attempt.completed
        return Outcome(hops: attempt.hops, data: data, temporaryURL: temporaryURL, error: error, times: times)
    }

    var snapshot: RequestSnapshot {
        var snapshot = RequestSnapshot(state: state, retryCount: attempt.number, start: start, hasTask: hasTask, isSettled: stage == .over)
        if stage != .collecting { snapshot.outcome = outcome }
        if stage == .over || state == .cancelled && isInterrupted { snapshot.error = outcome?.error }
        snapshot.earlier = earlier
        snapshot.requests = earlier.compactMap { $0.hops.first?.request } + (attempt.request.map { [$0] } ?? [])
        snapshot.finalHead = finalHead
        snapshot.lastHead = attempt.lastHead
        return snapshot
    }

    /// The final response, once its head has come: not a redirect that is followed, may be, or has failed.
    private var finalHead: (ResponseHead, TargetURI)? { attempt.hasFinalHead ? attempt.lastHead : nil }

    private var hasTask: Bool { !attempt.hops.isEmpty || attempt.current.map { $0.contact != .ready } ?? false }

    /// Foundation's values as they are now, each built when somebody looks at it. While a retry is being built the request is that of the
    /// attempt before.
    private var values: RequestContext.Values {
        var values = RequestContext.Values()
        // The head that came last, that of a redirect too: the response of an outcome is the final one.
        if let last = attempt.lastHead { values.response = Deferred { last.head.makeHTTPURLResponse(from: last.target) } }
        if let outcome, stage != .collecting {
            values.request = Deferred { outcome.request }
            if outcome.head != nil { values.response = Deferred { outcome.response } }
            values.metrics = Deferred { outcome.metrics }
        } else if let request = attempt.request ?? earlier.last?.hops.first?.request {
            values.request = Deferred { request.makeURLRequest() }
        }
        return values
    }

    /// For whoever needs one, whether or not anybody listens. Where no request has been built yet it has the one that adapters are given.
    func makeContext() -> RequestContext {
        var values = values
        if attempt.request == nil, let unadapted = attempt.unadapted { values.request = Deferred { unadapted } }
        return RequestContext(
            id: id, retryCount: attempt.number, attemptStart: attempt.begun, baseURL: rules.session.baseURL,
            headers: rules.session.headers, values: values)
    }

    // MARK: Events

    /// The first hop of an attempt is the request that was made, a further one where a redirect leads.
    mutating func recordBeginning(of hop: HopUnderWay) {
        guard observation != nil else { return }
        let request = hop.request
        if let last = attempt.hops.last {
            guard last.isRedirect, let next = request.makeURLRequest() else { return }
            observation?.values.response = Deferred { last.makeHTTPURLResponse() }
            observation?.record(.redirect(to: next))
        } else {
            observation?.recordCreation { request.makeURLRequest() }
        }
    }

    /// The transport is given a hop.
    mutating func recordTask(_ id: TransportTaskID) {
        observation?.recordTask(attempt: id.attempt, hop: id.hop)
    }

    mutating func recordFinalResponse() {
        attempt.hasFinalHead = true
        guard observation != nil, let last = attempt.lastHead else { return }
        observation?.recordFinalResponse { last.head.makeHTTPURLResponse(from: last.target) }
    }

    mutating func recordEnd(of outcome: Outcome) {
        guard observation != nil else { return }
        observation?.recordEnd(error: outcome.error) { outcome.metrics }
    }

    mutating func recordRetry(after delay: TimeInterval) {
        guard observation != nil, let error = questioned?.error ?? outcome?.error else { return }
        observation?.record(.retry(delay: delay, error: error))
    }

    mutating func recordResponse(_ response: ResponseHandler.Made, of handler: ResponseHandler) {
        guard observation != nil else { return }
        observation?.record(.parseResponse(type: "\(handler.valueType)", error: response.error))
    }

    mutating func listen(_ listener: EventListener, missed: (RequestSnapshot) -> RequestEvent?) {
        let (snapshot, values) = (snapshot, values)
        if observation == nil {
            var new = Observation(id: id, session: rules.session)
            new.catchUp(
                values: values, retryCount: snapshot.retryCount, hasTask: snapshot.hasTask,
                hasFinalResponse: snapshot.finalHead != nil,
                isOver: snapshot.isSettled)
            observation = new
        }
        observation?.add(listener, catchingUpOn: missed(snapshot), values: values)
    }
}

extension Attempt {
    /// The head that came last, and where from.
    var lastHead: (head: ResponseHead, target: TargetURI)? {
        if let current { return current.head.map { ($0, current.request.target) } }
        guard let last = hops.last, let head = last.head else { return nil }
        return (head, last.request.target)
    }
}
