import Foundation

// What is reported: outcomes, contexts, snapshots, and events, which are recorded together with the state changes they describe.
extension CallMachine {
    /// Mutating, to avoid copying the whole machine.
    mutating func makeOutcome(data: Data? = nil, temporaryURL: URL? = nil, error: (any Error)? = nil) -> Outcome {
        var times = AttemptTimes(start: start ?? .now())
        times.initialResponse = attempt.headReceived
        times.completed = attempt.completed
        return Outcome(
            hops: attempt.hops, unsent: attempt.hops.isEmpty ? attempt.unadapted : nil, data: data, temporaryURL: temporaryURL,
            error: error, times: times)
    }

    var snapshot: RequestSnapshot {
        var snapshot = RequestSnapshot(state: state, retryCount: attempt.number, start: start, hasTask: hasTask, isSettled: stage == .over)
        if stage != .collecting { snapshot.outcome = outcome }
        if stage == .over || state == .cancelled && isInterrupted { snapshot.error = outcome?.error }
        snapshot.resumeData = outcome?.resumeData ?? runningResumeData
        snapshot.earlier = earlier
        snapshot.requests = earlier.compactMap { $0.hops.first?.request } + (attempt.request.map { [$0] } ?? [])
        snapshot.lastHop = attempt.current?.request ?? attempt.hops.last?.request
        snapshot.finalHead = finalHead
        snapshot.lastHead = attempt.lastHead
        return snapshot
    }

    /// The final response, once its head has arrived: not a redirect that is, or may be, followed, or has failed.
    private var finalHead: (ResponseHead, TargetURI)? { attempt.hasFinalHead ? attempt.lastHead : nil }

    private var hasTask: Bool { !attempt.hops.isEmpty || attempt.current.map { $0.contact != .ready } ?? false }

    /// The current Foundation values, each built on first access. While a retry is being built, the request is that of the previous
    /// attempt.
    private var values: RequestContext.Values {
        var values = RequestContext.Values()
        // The last response head, even of a redirect: only an outcome is restricted to the final response.
        if let last = attempt.lastHead { values.response = Deferred { last.head.makeHTTPURLResponse(from: last.target) } }
        if let outcome, stage != .collecting {
            values.request = Deferred { outcome.request }
            if outcome.head != nil { values.response = Deferred { outcome.response } }
            values.metrics = Deferred { outcome.metrics }
            values.data = outcome.data
            if isPlaced { values.fileURL = outcome.file }
        } else if let request = attempt.request ?? earlier.last?.hops.first?.request {
            values.request = Deferred { request.makeURLRequest() }
        }
        return values
    }

    /// A context for the caller's code, independent of observers. Before a request has been built it holds the one that adapters are given.
    func makeContext() -> RequestContext {
        var values = values
        if attempt.request == nil, let unadapted = attempt.unadapted { values.request = Deferred { unadapted } }
        return RequestContext(
            id: id, retryCount: attempt.number, attemptStart: attempt.begun, baseURL: rules.session.baseURL,
            headers: rules.session.headers, values: values)
    }

    // MARK: Progress

    /// Who watches the response's body, and how much there will be of it; nil if nobody does.
    var watchedDownload: WatchedDownload? {
        // The body of a refused response is not what was asked for.
        guard let progress, attempt.current?.refusal == nil else { return nil }
        var watched = WatchedDownload(progress: progress.download)
        guard let head = attempt.lastHead?.head else { return watched }
        if attempt.rangeEnd != nil {
            watched.total = attempt.partial?.total
        } else if !isDecoded(head) {
            watched.total = head.bodyLength
        } else if let received = attempt.current?.receivedCoded, let length = head.bodyLength {
            // How large the decoded body is will be known at its end.
            (watched.coded, watched.total) = (received, length)
        }
        return watched
    }

    /// Whether a coding of the last response's body is undone.
    func isDecoded(_ head: ResponseHead) -> Bool {
        (attempt.current?.request ?? attempt.hops.last?.request)?.decodesContent != false && head.hasCodingToUndo
    }

    /// The bytes of the response's body that were received in pieces, with those that its file had before; 0 before the first of them.
    var received: Int64 {
        guard savesToFile else { return stream == nil ? Int64(attempt.collected?.count ?? 0) : attempt.streamed }
        // Bytes beyond the part that was announced do not count.
        return attempt.received > 0 ? min(attempt.offset + attempt.received, attempt.rangeEnd ?? .max) : 0
    }

    /// The same, once the outcome is final. The beginning of a refused body is not counted.
    var receivedInTheEnd: Int64 {
        savesToFile || stream != nil ? received : outcome?.data.map { Int64($0.count) } ?? received
    }

    /// Handles that bytes of the request's body were sent.
    ///
    /// - Returns: Who watches that; nil if nobody does, or if the hop has ended.
    mutating func didSend(_ count: Int64, of hop: TransportTaskID) -> TransferProgress? {
        guard attempt.current?.id == hop else { return nil }
        attempt.current?.sent = count
        return progress?.upload
    }

    // MARK: Events

    /// Records the start of a hop. The first of an attempt has the request as built, a further one the redirect's target.
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

    /// Records that a hop is given to the transport.
    mutating func recordTask(_ id: TransportTaskID) {
        observation?.recordTask(attempt: id.attempt, hop: id.hop)
    }

    /// Records that a hop waits for the network.
    mutating func waitsForConnectivity(_ hop: TransportTaskID) {
        guard attempt.current?.id == hop else { return }
        observation?.record(.waitForConnectivity)
    }

    mutating func recordFinalResponse() {
        attempt.hasFinalHead = true
        guard observation != nil, let last = attempt.lastHead else { return }
        observation?.recordFinalResponse { last.head.makeHTTPURLResponse(from: last.target) }
    }

    mutating func recordEnd(of outcome: Outcome) {
        guard observation != nil else { return }
        // Without the body, which a slow observer would keep.
        let measured = outcome.withoutBody()
        observation?.recordEnd(error: outcome.error, data: outcome.data) { measured.metrics }
    }

    mutating func recordRetry(after delay: TimeInterval) {
        guard observation != nil, let error = questioned?.error ?? outcome?.error else { return }
        observation?.record(.retry(delay: delay, error: error))
    }

    mutating func recordResponse(_ response: ResponseHandler.Made, of handler: ResponseHandler) {
        guard observation != nil else { return }
        observation?.recordResponse(type: "\(handler.valueType)", error: response.error, isFinal: stage == .over)
    }

    mutating func listen(_ listener: EventListener, missed: (RequestSnapshot) -> RequestEvent?) {
        if observation == nil, stage == .unstarted {
            // Nothing has happened yet.
            observation = Observation(id: id, session: rules.session)
            observation?.add(listener)
            return
        }
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
    /// The last response head, and the URL it came from.
    var lastHead: (head: ResponseHead, target: TargetURI)? {
        if let current { return current.head.map { ($0, current.request.target) } }
        guard let last = hops.last, let head = last.head else { return nil }
        return (head, last.request.target)
    }
}
