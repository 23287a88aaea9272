import Foundation

/// One exchange of a ``CachingTransport``: with the network, whose response is stored on the way, or with the cache.
///
/// A response of the cache can follow the exchange with the network, which has confirmed it or has failed. An exchange can also wait for
/// the response to an identical request.
final class CacheExchange: TransportReceiver {
    private enum Phase {
        /// It has not begun, or waits for another exchange.
        case waiting
        /// The thread with the network's events decides what follows.
        case changing
        case network(CacheExchangeState)
        /// The end of the network's response waits.
        case ending(HeldEnd)
        case playing(StoredPlayback)
        case over
    }

    private struct State {
        var phase = Phase.waiting
        var isPaused = false
        var isCancelled = false
        /// Whether identical requests wait for it.
        var leads = false
        /// The number of the alarm that is set to the deadline.
        var alarm: UInt64?
        var gate = AcknowledgmentGate()
        /// Where it goes on when it is resumed.
        var release: CacheExchangeState.Release?
        /// Whether the cache looks for a stored response, on another thread.
        var isLookedUp = false

        /// Goes on with a response, or with the network.
        mutating func go(_ next: Phase) {
            (phase, release, isLookedUp) = (next, nil, false)
        }
    }

    let request: TransportRequest
    let asked: CacheRequest
    /// What it shares with identical requests; nil if it does not wait for them, nor they for it.
    let flight: CacheFlight?
    private let receiver: any TransportReceiver
    private weak let transport: CachingTransport?
    private let cache: HTTPCache
    private let state = Locked(State())

    init(
        _ request: TransportRequest, _ asked: CacheRequest, _ receiver: any TransportReceiver, of transport: CachingTransport,
        flight: CacheFlight? = nil
    ) {
        self.request = request
        self.asked = asked
        self.receiver = receiver
        self.transport = transport
        self.flight = flight
        cache = transport.cache
    }

    /// Asks the network.
    ///
    /// - Parameters:
    ///   - candidate: The stored response that may be confirmed, or stand in for a failure.
    ///   - conditions: The fields that ask the network to confirm it; none to ask for a new response.
    func begin(candidate: CacheEntry?, conditions: [HTTPHeader]) {
        guard let transport else { return fail(Self.released) }
        let network = CacheExchangeState(
            request, asked, candidate: candidate, isConditional: !conditions.isEmpty, requestTime: cache.clock(), cache: cache,
            rule: transport.rule(for: request.id), makeWriter: { [weak self] in self?.makeWriter() })
        let (begins, isOver) = state.withLock { state in
            switch state.phase {
            case .waiting, .changing: break
            // It was answered, perhaps since it was to go on: two reasons for that may come at once.
            case .over, .playing: return (false, true)
            // It lands at its end.
            case .network, .ending: return (false, false)
            }
            // It has waited for another exchange, and was paused meanwhile.
            guard !state.isPaused else {
                (state.phase, state.release) = (.waiting, .toNetwork)
                return (false, true)
            }
            state.go(.network(network))
            return (true, false)
        }
        // Others do not wait for one that does not begin.
        if isOver { land(.again) }
        guard begins else { return }
        clearAlarm()
        var sent = request
        for field in conditions { sent.headers.update(field) }
        transport.base.start(sent, receiver: self)
        followCalls(transport.base)
    }

    private func makeWriter() -> CacheBodyWriter? { cache.makeWriter { [weak self] bytes in self?.settled(bytes) } }

    private static let released = TransportError.failed(.cancelled, "the transport was released")

    /// Repeats the calls that came before the transport knew the request.
    private func followCalls(_ base: any Transport) {
        var isPaused = false
        while true {
            let (isCancelled, wantsPause) = state.withLock { ($0.isCancelled, $0.isPaused) }
            if isCancelled { return base.cancel(request.id) }
            guard wantsPause != isPaused else { return }
            isPaused = wantsPause
            if isPaused { base.pause(request.id) } else { base.resume(request.id) }
        }
    }

    /// Hands over a response of the cache.
    ///
    /// - Parameter mayBlock: Whether that may happen on this thread.
    func play(_ answer: CachedAnswer, mayBlock: Bool = false) {
        let (id, source) = (request.id, answer.source)
        let playback = state.withLock { state -> StoredPlayback? in
            switch state.phase {
            case .waiting, .changing: break
            case .network, .ending, .playing, .over: return nil
            }
            let playback = StoredPlayback(
                answer, to: request, receiver, isPaused: state.isPaused, onWait: { [weak self] in self?.watchDeadline() },
                onFailure: { [weak self] in self?.load(insteadOf: source) ?? false }, onEnd: { [weak transport] in transport?.remove(id) })
            state.go(.playing(playback))
            return playback
        }
        // What it has found is there for the others, too.
        land(.toCache)
        guard let playback else { return }
        clearAlarm()
        playback.start(mayBlock: mayBlock)
    }

    /// Asks the network for a response whose body cannot be read.
    ///
    /// - Returns: Whether it may be asked.
    private func load(insteadOf source: ResponseSource) -> Bool {
        guard asked.mayAsk else { return false }
        switch source {
        // It was asked in vain.
        case .stale(_, because: .serverError), .stale(_, because: .unreachable): return false
        case .network, .cache, .revalidated, .stale: break
        }
        let isPlaying = state.withLock { state in
            guard case .playing = state.phase else { return false }
            state.phase = .changing
            return true
        }
        if isPlaying { begin(candidate: nil, conditions: []) }
        return isPlaying
    }

    func transportIsGone() {
        switch state.withLock({ $0.phase }) {
        case .waiting: fail(Self.released)
        case .playing(let playback): playback.fail(Self.released)
        case .ending(let end): end.fail(Self.released)
        // Its own transport ends it.
        case .changing, .network, .over: break
        }
    }

    // MARK: Identical requests

    /// Has identical requests wait for this one.
    func lead() { state.withLock { $0.leads = true } }

    /// Lets those go on that wait for this exchange.
    private func land(_ release: CacheExchangeState.Release) {
        guard let flight else { return }
        let leads = state.withLock { state in
            defer { state.leads = false }
            return state.leads
        }
        if leads { transport?.land(flight, release) }
    }

    /// Whether it still waits for a response of the cache.
    var isOpen: Bool {
        switch state.withLock({ $0.phase }) {
        case .waiting, .changing: true
        case .network, .ending, .playing, .over: false
        }
    }

    /// Handles that the cache looks for a stored response, on another thread.
    func waitForLookup() {
        state.withLock { $0.isLookedUp = true }
        wait()
    }

    /// Limits the time that the exchange waits for another one, or for the disk: as long as it would wait for a byte of the network. Then
    /// it is sent.
    func wait() {
        let patience = request.idleTimeout > 0 ? MonotonicInstant.now().advanced(by: request.idleTimeout) : nil
        watch(until: [patience, request.deadline].compactMap { $0 }.min())
    }

    /// Has the deadline end the exchange while it waits for the client.
    func watchDeadline() { watch(until: request.deadline) }

    private func watch(until instant: MonotonicInstant?) {
        guard let transport, let deadline = instant else { return }
        let number = transport.watch(self, until: deadline)
        let earlier = state.withLock { state in
            defer { state.alarm = number }
            return state.alarm
        }
        if let earlier { transport.unwatch(earlier) }
        // It may have ended in the meantime.
        if case .over = state.withLock({ $0.phase }) { ended() }
    }

    /// Handles that it has waited long enough.
    func rang() {
        let isLate = request.deadline.map { $0 <= .now() } ?? false
        let error = TransportError.failed(.timedOut, TimeoutWords.resource)
        let (phase, isPaused, isLookedUp) = state.withLock { ($0.phase, $0.isPaused, $0.isLookedUp) }
        switch phase {
        case .waiting where isLate: fail(error)
        // No other timeout runs.
        case .waiting where isPaused: wait()
        case .waiting:
            transport?.leave(self)
            // A disk that does not answer is not asked again.
            if isLookedUp { begin(candidate: nil, conditions: []) } else { release(.toNetwork) }
        case .playing(let playback): if isLate { playback.fail(error) } else { watchDeadline() }
        case .ending(let end): if isLate { end.fail(error, refusing: StoringQuestion.late) } else { watchDeadline() }
        case .changing, .network, .over: break
        }
    }

    /// Handles that the exchange has ended.
    func ended() {
        state.withLock { $0.phase = .over }
        clearAlarm()
    }

    private func clearAlarm() {
        if let alarm = state.withLock({ $0.alarm.take() }) { transport?.unwatch(alarm) }
    }

    /// Ends an exchange that does not go on.
    private func fail(_ error: TransportError) {
        let isFirst = state.withLock { state in
            switch state.phase {
            case .waiting, .changing: break
            case .network, .ending, .playing, .over: return false
            }
            state.phase = .over
            return true
        }
        guard isFirst else { return }
        transport?.leave(self)
        transport?.remove(request.id)
        land(.again)
        receiver.receive([.notSent(request.id, error)])
    }

    /// Goes on after the other exchange, once it is not paused.
    func release(_ release: CacheExchangeState.Release) {
        let goesOn = state.withLock { state in
            guard case .waiting = state.phase else { return false }
            if state.isPaused { state.release = release }
            return !state.isPaused
        }
        if goesOn { transport?.goOn(self, release) }
    }

    // MARK: Calls of the client

    /// The network's transport, if the exchange is with the network.
    private var network: (any Transport)? {
        if case .network = state.withLock({ $0.phase }) { return transport?.base }
        return nil
    }

    private var playback: StoredPlayback? {
        if case .playing(let playback) = state.withLock({ $0.phase }) { return playback }
        return nil
    }

    private var ending: HeldEnd? {
        if case .ending(let end) = state.withLock({ $0.phase }) { return end }
        return nil
    }

    func cancel() {
        let phase = state.withLock { state in
            state.isCancelled = true
            defer { state.phase = .over }
            return state.phase
        }
        switch phase {
        case .network: transport?.base.cancel(request.id)
        case .playing(let playback): playback.cancel()
        case .ending(let end): end.cancel()
        case .waiting: transport?.leave(self)
        case .changing, .over: break
        }
        ended()
        land(.again)
    }

    func pause() {
        state.withLock { $0.isPaused = true }
        playback?.pause()
        ending?.pause()
        network?.pause(request.id)
        // Others do not wait for a suspended request.
        land(.again)
    }

    func resume() {
        let release = state.withLock { state in
            state.isPaused = false
            return state.release.take()
        }
        if let release { return transport?.goOn(self, release) ?? () }
        playback?.resume()
        ending?.resume()
        network?.resume(request.id)
    }

    func acknowledge(_ bytes: Int) {
        playback?.acknowledge(bytes)
        guard let network else { return }
        let passed = state.withLock { $0.gate.acknowledge(bytes) }
        if passed > 0 { network.acknowledge(request.id, bytes: passed) }
    }

    /// Handles that bytes were written to the disk, or need not be.
    private func settled(_ bytes: Int) {
        let passed = state.withLock { $0.gate.settle(bytes) }
        if passed > 0 { network?.acknowledge(request.id, bytes: passed) }
    }

    func proceed(_ body: TransportRequest.HeldBody) {
        // A body that is stored is read, although the client does not want it: that of a redirect.
        let isKept = state.withLock { state in
            guard case .network(var network) = state.phase else { return false }
            state.phase = .over
            let isKept = network.decides(body)
            state.phase = .network(network)
            return isKept
        }
        playback?.proceed(body)
        network?.proceed(request.id, isKept ? .deliver : body)
        if isKept { limitDiscardedBody() }
    }

    /// A redirect is not followed later because its body is slow.
    private func limitDiscardedBody() {
        DispatchQueue.global().asyncAfter(deadline: .now() + CacheExchangeState.discardTime) { [weak self] in self?.giveUpDiscardedBody() }
    }

    private func giveUpDiscardedBody() {
        let end = state.withLock { state -> TransportEvent? in
            guard case .network(let network) = state.phase, let end = network.endOfDiscarded() else { return nil }
            state.phase = .over
            return end
        }
        guard let end else { return }
        transport?.remove(request.id)
        land(.toNetwork)
        transport?.base.cancel(request.id)
        receiver.receive([end])
    }

    // MARK: Events of the network

    func receive(_ events: [TransportEvent]) {
        let now = cache.clock()
        let (passed, follow, settled) = state.withLock { state -> ([TransportEvent], CacheExchangeState.FollowUp, Int) in
            guard case .network(var network) = state.phase else { return ([], .init(), 0) }
            // The only reference, so that collecting a body does not copy it.
            state.phase = .changing
            let passed = network.receive(events, now: now)
            let follow = network.takeFollowUp()
            let settled = state.gate.settle(follow.settled)
            if let question = follow.question, let end = passed.last {
                state.phase = .ending(hold(end, until: question, isPaused: state.isPaused))
            } else {
                state.phase = follow.isOver ? .over : follow.answer == nil && !follow.asksAgain ? .network(network) : .changing
            }
            return (passed, follow, settled)
        }
        follow.apply(to: cache)
        if follow.question != nil {
            if passed.count > 1 { receiver.receive(passed.dropLast()) }
            watchDeadline()
            return ending?.start() ?? ()
        }
        if let release = follow.release { land(release) }
        if follow.isOver { transport?.remove(request.id) }
        if !passed.isEmpty { receiver.receive(passed) }
        if follow.acknowledged + settled > 0 { transport?.base.acknowledge(request.id, bytes: follow.acknowledged + settled) }
        if follow.discardsHeld { transport?.base.proceed(request.id, .discard) }
        if follow.cancels { transport?.base.cancel(request.id) }
        if let answer = follow.answer { play(answer) }
        if follow.asksAgain { begin(candidate: nil, conditions: []) }
    }

    // MARK: Handlers

    /// Has the end of the response wait for a handler.
    private func hold(_ end: TransportEvent, until question: StoringQuestion, isPaused: Bool) -> HeldEnd {
        // Not of this exchange, which ends with its transport.
        let (id, receiver) = (request.id, receiver)
        return HeldEnd(
            end, until: question, isPaused: isPaused,
            onAnswer: { [weak self] follow in
                guard let self else { return }
                follow.apply(to: cache)
                if let release = follow.release { land(release) }
            },
            onEnd: { [weak transport] end in
                transport?.remove(id)
                receiver.receive([end])
            })
    }
}
