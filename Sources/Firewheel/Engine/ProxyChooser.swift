import Foundation

/// Has the program choose the proxy of each request (``ProxyConfiguration/custom(_:)``) before a transport gets it.
final class ProxyChooser: Transport {
    typealias Choose = @Sendable (URL) async -> ProxyConfiguration

    /// A request whose proxy is being chosen, or that is being given to the transport.
    private struct Pending {
        let request: TransportRequest
        let receiver: any TransportReceiver
        /// By which its alarm is known.
        let number: UInt64
        var task: Task<Void, Never>?
        /// Since when the choice takes, without pauses.
        var begun: MonotonicInstant
        var isPaused = false
        /// What was chosen during a pause, which is passed on when the request is resumed.
        var choice: ProxyConfiguration?
        /// Whether the request is being given to the transport.
        var isChosen = false
        /// Calls for the transport that came meanwhile.
        var calls: [@Sendable (any Transport) -> Void] = []

        /// When the choice takes too long; nil for no limit.
        var end: MonotonicInstant? {
            let timeout = request.connectTimeout ?? request.idleTimeout
            guard timeout > 0, !isPaused else { return request.deadline }
            let end = begun.advanced(by: timeout)
            return request.deadline.map { min($0, end) } ?? end
        }
    }

    private struct State {
        var pending: [TransportTaskID: Pending] = [:]
        var ids: [UInt64: TransportTaskID] = [:]
        var lastNumber: UInt64 = 0

        mutating func remove(_ id: TransportTaskID) -> Pending? {
            guard let removed = pending.removeValue(forKey: id) else { return nil }
            ids[removed.number] = nil
            return removed
        }
    }

    private let transport: any Transport
    private let routes: RouteRules
    private let choose: Choose
    private let system = ProxyRules.system
    private let state: Locked<State>
    private let alarms: Alarms

    init(of transport: any Transport, routes: RouteRules, choose: @escaping Choose) {
        self.transport = transport
        self.routes = routes
        self.choose = choose
        let state = Locked(State())
        self.state = state
        let again = Locked<Weak<Alarms>>(Weak())
        alarms = Alarms { number in Self.ring(number, state, again) }
        again.withLock { [alarms] in $0.object = alarms }
    }

    deinit {
        let left = state.withLock { state in
            defer { state = State() }
            return state.pending.values.filter { !$0.isChosen }
        }
        for pending in left {
            pending.task.map(Self.cancel)
            pending.receiver.receive([.notSent(pending.request.id, .failed(.cancelled, "the transport was released"))])
        }
    }

    func start(_ request: TransportRequest, receiver: any TransportReceiver) {
        guard let url = URL(string: request.target.string) else {
            return receiver.receive([.notSent(request.id, .failed(.badURL, "Foundation does not take this URL"))])
        }
        let id = request.id
        let new: Pending = state.withLock { state in
            state.lastNumber += 1
            let new = Pending(request: request, receiver: receiver, number: state.lastNumber, begun: .now())
            state.ids[new.number] = id
            state.pending[id] = new
            return new
        }
        if let end = new.end { alarms.set(new.number, at: end) }
        let task = WorkerPool.makeTask { [weak self, choose] in
            let configuration = await choose(url)
            self?.chose(configuration, for: id, number: new.number)
        }
        let isOver = state.withLock { state in
            guard let pending = state.pending[id], pending.number == new.number else { return true }
            state.pending[id]?.task = task
            return false
        }
        if isOver { Self.cancel(task) }
    }

    private func chose(_ configuration: ProxyConfiguration, for id: TransportTaskID, number: UInt64) {
        let chosen = state.withLock { state -> Pending? in
            guard let pending = state.pending[id], pending.number == number, !pending.isChosen else { return nil }
            // The transport could send a request before it hears of the pause.
            guard !pending.isPaused else {
                state.pending[id]?.choice = configuration
                return nil
            }
            state.pending[id]?.isChosen = true
            return pending
        }
        guard let chosen else { return }
        alarms.clear(number)
        var request = chosen.request
        let origin = request.target.origin
        request.route = routes.route(to: origin, through: ProxyRules(configuration, system: system).proxy(for: origin))
        transport.start(request, receiver: chosen.receiver)
        // Calls that come meanwhile must not reach the transport before the request.
        while true {
            let calls = state.withLock { state -> [@Sendable (any Transport) -> Void] in
                guard let calls = state.pending[id]?.calls, !calls.isEmpty else {
                    _ = state.remove(id)
                    return []
                }
                state.pending[id]?.calls = []
                return calls
            }
            if calls.isEmpty { return }
            for call in calls { call(transport) }
        }
    }

    private static func ring(_ number: UInt64, _ state: Locked<State>, _ alarms: Locked<Weak<Alarms>>) {
        let now = MonotonicInstant.now()
        var next: MonotonicInstant?
        let late = state.withLock { state -> Pending? in
            guard let id = state.ids[number], let pending = state.pending[id], !pending.isChosen, let end = pending.end else { return nil }
            if end <= now { return state.remove(id) }
            next = end
            return nil
        }
        if let next { return alarms.withLock { $0.object }?.set(number, at: next) ?? () }
        guard let late else { return }
        late.task.map(cancel)
        let request = late.request
        let isDeadline = request.deadline.map { $0 <= now } ?? false
        let words =
            isDeadline
            ? TimeoutWords.resource
            : TimeoutWords.connecting(request.connectTimeout ?? request.idleTimeout, "choosing the proxy of the URL")
        late.receiver.receive([.notSent(request.id, .failed(.timedOut, words))])
    }

    /// Runs the caller's cancellation handlers, which may block.
    private static func cancel(_ task: Task<Void, Never>) { WorkerPool.shared.run { task.cancel() } }

    // MARK: Calls for the transport

    func cancel(_ id: TransportTaskID) {
        let cancelled = state.withLock { state -> (isPending: Bool, number: UInt64?, task: Task<Void, Never>?) in
            guard let pending = state.pending[id] else { return (false, nil, nil) }
            if pending.isChosen {
                state.pending[id]?.calls.append { $0.cancel(id) }
                return (true, nil, nil)
            }
            let removed = state.remove(id)
            return (true, removed?.number, removed?.task)
        }
        if !cancelled.isPending { transport.cancel(id) }
        if let number = cancelled.number { alarms.clear(number) }
        cancelled.task.map(Self.cancel)
    }

    func pause(_ id: TransportTaskID) { pass(id, isPaused: true) { $0.pause(id) } }

    func resume(_ id: TransportTaskID) { pass(id, isPaused: false) { $0.resume(id) } }

    func proceed(_ id: TransportTaskID, _ body: TransportRequest.HeldBody) { pass(id) { $0.proceed(id, body) } }

    func acknowledge(_ id: TransportTaskID, bytes: Int) { pass(id) { $0.acknowledge(id, bytes: bytes) } }

    func answer(_ id: TransportTaskID, _ answer: TransportAnswer) { pass(id) { $0.answer(id, answer) } }

    func send(_ id: TransportTaskID, _ command: WebSocketCommand) { pass(id) { $0.send(id, command) } }

    func closeIdleConnections() { transport.closeIdleConnections() }

    /// Passes a call on, at once or behind the start of its request.
    private func pass(_ id: TransportTaskID, isPaused: Bool? = nil, _ call: @escaping @Sendable (any Transport) -> Void) {
        let now = MonotonicInstant.now()
        let pending = state.withLock { state -> Pending? in
            guard state.pending[id] != nil else { return nil }
            state.pending[id]?.calls.append(call)
            if let isPaused {
                state.pending[id]?.isPaused = isPaused
                state.pending[id]?.begun = now
            }
            return state.pending[id]
        }
        guard let pending else { return call(transport) }
        guard isPaused == false, !pending.isChosen else { return }
        if let choice = pending.choice { return chose(choice, for: id, number: pending.number) }
        if let end = pending.end { alarms.set(pending.number, at: end) }
    }
}

/// A reference that does not keep its object.
private struct Weak<Object: AnyObject & Sendable>: Sendable {
    weak var object: Object?
}
