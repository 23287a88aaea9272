import Foundation

/// The trip of a request, from `resume()` to its handlers. Read this file first.
///
/// 1. `start`: the request's state machine says go.
/// 2. `build`: what the caller gave becomes a request that is checked and complete (``RequestBuilder``).
/// 3. `launch`: it gets an id, under which the registry knows it, and goes to the transport.
/// 4. The transport's events come to the delegate queue, where the registry finds the request (``TaskRegistry``).
/// 5. `hopEnded`: a redirect makes it go round again from 3.
/// 6. `complete`: collect, validate, place, then serialize and deliver (``RequestPipeline+Completion``).
///
/// Steps 1 to 3 run on the caller's thread unless they would run a user's code. Steps 4 to 6 run on the delegate queue, and serializers that
/// do any work off it.
final class RequestPipeline: RequestDriver, TransportReceiver {
    let delegateQueue: DelegateQueue
    let serializationQueue: DispatchQueue
    let registry: TaskRegistry
    // Written only where nobody else has this: when it is made, and when it goes.
    private(set) nonisolated(unsafe) var sessionFacts: SessionFacts

    private let builder: RequestBuilder
    private let configuration: SessionConfiguration
    private let preparationQueue = SerialQueue(label: "firewheel.preparation")
    /// nil once the session is gone, so that a request that is kept keeps no connection.
    private let transport: Locked<(any Transport)?>

    init(
        configuration: SessionConfiguration, transport: any Transport, delegateQueue: DispatchQueue?, serializationQueue: DispatchQueue?,
        eventMonitors: [any EventMonitor]
    ) {
        self.configuration = configuration
        sessionFacts = SessionFacts(baseURL: configuration.baseURL, headers: configuration.headers, monitors: eventMonitors)
        self.transport = Locked(transport)
        self.delegateQueue = DelegateQueue(label: "firewheel.delegate", target: delegateQueue)
        self.serializationQueue = serializationQueue ?? DispatchQueue(label: "firewheel.serialization", attributes: .concurrent)
        builder = RequestBuilder(configuration: configuration)
        registry = TaskRegistry(queue: self.delegateQueue)
    }

    /// The last to hold this may be the transport's thread, on which no user's code runs: what monitors hold goes on the delegate queue.
    deinit {
        guard !sessionFacts.listeners.isEmpty else { return }
        let last = Locked<SessionFacts?>(sessionFacts)
        sessionFacts = SessionFacts(baseURL: nil, headers: [:], monitors: [])
        delegateQueue.async {
            let facts = last.withLock { last in
                defer { last = nil }
                return last
            }
            withExtendedLifetime(facts) {}
        }
    }

    // MARK: Out

    func start(_ request: Request) {
        guard registry.admit(request) else { return fail(request, with: FirewheelError(.sessionInvalidated)) }
        if request.source.isSimple {
            build(request)
        } else {
            preparationQueue.async { self.build(request) }
        }
    }

    private func build(_ request: Request) {
        do {
            launch(request, try builder.build(request.source))
        } catch {
            request.didFailToBuild(error)
            fail(request, with: error as? FirewheelError ?? FirewheelError(.createURLRequestFailed, underlyingError: error))
        }
    }

    private func launch(_ request: Request, _ prepared: PreparedRequest) {
        if let attempt = request.beginAttempt(prepared) {
            handOver(attempt, of: request)
        } else if request.isHeld {
            watchHeld(request)
        } else if request.isCompleting {
            // It ended before it was admitted.
            delegateQueue.async { self.registry.remove(request) }
        }
    }

    /// Runs the clock for the whole resource while a suspended request is not with the transport, which runs it otherwise.
    private func watchHeld(_ request: Request) {
        guard let deadline = request.deadline(after: configuration.timeoutIntervalForResource) else { return }
        delegateQueue.async(at: DispatchTime(uptimeNanoseconds: deadline.nanoseconds)) { [weak self, weak request] in
            guard let self, let request, request.isHeld else { return }
            let reason = TransportFailure("the request took longer than it may as a whole")
            fail(request, with: FirewheelError(.transportFailed(.timedOut), underlyingError: reason))
        }
    }

    func watchUnstarted(_ request: Request) {
        if !registry.watch(request) { fail(request, with: FirewheelError(.sessionInvalidated)) }
    }

    private func handOver(_ attempt: Request.Mutable.Attempt, of request: Request) {
        guard let transport = currentTransport else { return }
        transport.start(transportRequest(attempt, of: request), receiver: self)
        switch request.didHandOver(attempt.id) {
        case .unchanged: break
        case .changed: reconcile(request)
        case .ended: transport.cancel(attempt.id)
        }
    }

    private func transportRequest(_ attempt: Request.Mutable.Attempt, of request: Request) -> TransportRequest {
        let prepared = attempt.request
        return TransportRequest(
            id: attempt.id, method: prepared.method, target: prepared.target, headers: prepared.headers, body: prepared.body,
            delivery: request.delivery, idleTimeout: prepared.idleTimeout, connectTimeout: configuration.connectTimeout,
            deadline: request.deadline(after: configuration.timeoutIntervalForResource),
            maximumBodySize: configuration.maximumResponseBodySize, allowsResend: prepared.method.isIdempotent)
    }

    // MARK: State

    /// On the delegate queue, so that two changes at once cannot reach the transport in the wrong order.
    func reconcile(_ request: Request) {
        delegateQueue.async {
            switch request.takeReconciliation() {
            case .nothing: break
            case .cancel(let id):
                if let id { self.currentTransport?.cancel(id) }
                self.complete(request, nil, error: FirewheelError(.explicitlyCancelled))
            case .pause(let id): self.currentTransport?.pause(id)
            case .resume(let id): self.currentTransport?.resume(id)
            case .handOver(let attempt): self.handOver(attempt, of: request)
            }
        }
    }

    func acknowledge(_ id: TransportTaskID, bytes: Int) {
        currentTransport?.acknowledge(id, bytes: bytes)
    }

    func fail(_ request: Request, with error: FirewheelError) {
        delegateQueue.async {
            if let id = request.runningTask { self.currentTransport?.cancel(id) }
            self.complete(request, nil, error: error)
        }
    }

    /// Ends every request: the session is gone.
    func invalidate() {
        let unstarted = registry.close()
        delegateQueue.async {
            // Not before: what has been asked of the transport until now, above all a cancel, is to reach it. It may live on without this session.
            let transport = self.transport.withLock { current in
                defer { current = nil }
                return current
            }
            for request in self.registry.all + unstarted {
                if let id = request.runningTask { transport?.cancel(id) }
                self.complete(request, nil, error: FirewheelError(.sessionInvalidated))
            }
        }
    }

    func closeIdleConnections() {
        currentTransport?.closeIdleConnections()
    }

    private var currentTransport: (any Transport)? { transport.withLock { $0 } }

    // MARK: Back

    /// On the transport's thread: one hop for a batch of events, and none for the one event that ends a plain request while nothing else is to be
    /// done. With one request at a time that hop would be a good part of its time.
    func receive(_ events: [TransportEvent]) {
        if events.count == 1, case .finished(let result) = events[0].kind, result.isFinal {
            var isHandled = false
            let isIdle = delegateQueue.runIfIdle {
                guard let request = self.registry.request(for: events[0].id), request.isPlain else { return }
                isHandled = true
                self.handle(events[0])
            }
            if isIdle, isHandled { return }
        }
        delegateQueue.async { events.forEach(self.handle) }
    }

    private func handle(_ event: TransportEvent) {
        // An event for a request that is gone, or for an earlier attempt of one, is too late and nothing more.
        guard let request = registry.request(for: event.id), request.isCurrent(event.id) else { return }
        switch event.kind {
        case .response(let head, let instant):
            request.didReceive(head, at: instant, discardsBody: RedirectPolicy.redirects(head))
        case .chunk(let data):
            if request.discardsBody {
                acknowledge(event.id, bytes: data.count)
            } else {
                request.receive(data, of: event.id)
            }
        case .finished(let result):
            hopEnded(request, result)
        }
    }

    /// A hop has ended: the next one follows, or the request is complete.
    private func hopEnded(_ request: Request, _ result: TransportResult) {
        delegateQueue.assertIsCurrent()
        guard let (prepared, redirects) = request.endAttempt(result) else { return }
        // Nobody wants the body of a redirect, however large.
        let isUnwanted = result.error == .bodyTooLarge && result.head.map(RedirectPolicy.redirects) == true
        if let error = result.error, !isUnwanted { return complete(request, result, error: FirewheelError(error)) }
        guard let head = result.head, RedirectPolicy.redirects(head) else { return complete(request, result, error: nil) }
        let decision = RedirectPolicy.decide(
            method: prepared.method, url: prepared.url, target: prepared.target, headers: prepared.headers, head: head,
            count: redirects)
        switch decision {
        case .stop: complete(request, result, error: nil)
        case .follow(let next): launch(request, prepared.redirected(to: next))
        case .fail(let code, let reason):
            complete(request, result, error: FirewheelError(.transportFailed(code), underlyingError: TransportFailure(reason)))
        }
    }
}

extension TransportResult {
    /// Whether no hop follows.
    fileprivate var isFinal: Bool { head.map { !RedirectPolicy.redirects($0) } ?? true }
}

extension FirewheelError {
    /// The error of a transport as the client reports it.
    init(_ error: TransportError) {
        switch error {
        case .failed(let code, let reason): self.init(.transportFailed(code), underlyingError: TransportFailure(reason))
        case .bodyTooLarge: self.init(.responseBodyTooLarge)
        }
    }
}
