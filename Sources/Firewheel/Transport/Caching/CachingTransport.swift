import Foundation

/// Answers requests from a cache where that is possible, and stores the responses of another transport.
///
/// It is a transport because the cache must see each request as it is sent, with its cookies and credentials, and each response of a chain
/// of redirects. Downloads and streams get bodies from the cache in the same way as from the network.
final class CachingTransport: Transport {
    let base: any Transport
    let cache: HTTPCache
    private let background: CacheBackground
    private let makeRule: @Sendable (TransportTaskID) -> StoringRule
    /// The exchanges that have not ended, but for those that the cache is not concerned with.
    private let exchanges = Locked<[TransportTaskID: CacheExchange]>([:])

    /// The exchanges that wait for an identical one.
    private let flights = Locked<[CacheFlight: [CacheExchange]]>([:])
    /// The exchanges whose deadline is watched here, by the numbers of their alarms.
    private let watched: Locked<[UInt64: CacheExchange]>
    private let lastAlarm = Locked<UInt64>(0)
    private let alarms: Alarms

    /// - Parameter rule: Which responses of a request are stored, asked when it is sent. Default: all that may be.
    init(
        over base: any Transport, cache: HTTPCache, background: CacheBackground,
        rule: @escaping @Sendable (TransportTaskID) -> StoringRule = { _ in .all }
    ) {
        makeRule = rule
        self.base = base
        self.cache = cache
        self.background = background
        let watched = Locked<[UInt64: CacheExchange]>([:])
        self.watched = watched
        alarms = Alarms { number in watched.withLock { $0.removeValue(forKey: number) }?.rang() }
    }

    deinit {
        let left = exchanges.withLock { exchanges in
            defer { exchanges = [:] }
            return exchanges.values.map(\.self)
        }
        watched.withLock { $0 = [:] }
        for exchange in left { exchange.transportIsGone() }
    }

    func start(_ request: TransportRequest, receiver: any TransportReceiver) {
        if request.cacheUse?.mode == .storedOnly, request.method != .get, request.method != .head {
            return play(CachedAnswer(unsatisfiableBy: .storedOnly), to: request, CacheRequest(request, mode: .storedOnly), receiver)
        }
        guard request.method == .get || request.method == .head, let use = request.cacheUse else {
            guard !request.method.isSafe else { return base.start(request, receiver: receiver) }
            return base.start(request, receiver: InvalidatingReceiver(request.target, cache, for: receiver))
        }
        let asked = CacheRequest(request, mode: use.mode)
        if let decided = decideAtOnce(asked) {
            let (decision, entry) = revised(decided, asked, request)
            if let answer = answer(decision, entry, asked, request) { return play(answer, to: request, asked, receiver) }
            let exchange = enter(request, asked, receiver, use)
            if isFirst(exchange) { exchange.begin(candidate: entry, conditions: decision.conditions) } else { exchange.wait() }
        } else {
            // It joins the others before it looks, because they may end meanwhile.
            let exchange = enter(request, asked, receiver, use)
            guard isFirst(exchange) else { return exchange.wait() }
            look(for: exchange)
        }
    }

    private func enter(
        _ request: TransportRequest, _ asked: CacheRequest, _ receiver: any TransportReceiver, _ use: CacheUse
    ) -> CacheExchange {
        let exchange = CacheExchange(request, asked, receiver, of: self, flight: CacheFlight(request, asked, use))
        exchanges.withLock { $0[request.id] = exchange }
        return exchange
    }

    /// Looks for a stored response of an exchange that has begun, and plays it. Without one the network is asked.
    ///
    /// The store's queue is left before that, because what follows may run a caller's code, which may ask the cache.
    private func look(for exchange: CacheExchange) {
        let (cache, asked) = (cache, exchange.asked)
        if let decided = decideAtOnce(asked) { return goOn(exchange, decided, mayBlock: false) }
        // A disk may not answer.
        exchange.waitForLookup()
        cache.run(
            { Self.decide(asked, cache) },
            then: { [weak self] decided in self?.goOn(exchange, decided, mayBlock: true) })
    }

    /// - Parameter mayBlock: Whether this is a thread of the library's that may wait for a caller's code.
    private func goOn(_ exchange: CacheExchange, _ decided: (CacheDecision, CacheEntry?), mayBlock: Bool) {
        // It may have ended, or have waited long enough. Then this lets others go on that wait for it.
        guard exchange.isOpen else { return exchange.begin(candidate: nil, conditions: []) }
        let (decision, entry) = revised(decided, exchange.asked, exchange.request)
        if let answer = answer(decision, entry, exchange.asked, exchange.request) { return exchange.play(answer, mayBlock: mayBlock) }
        exchange.begin(candidate: entry, conditions: decision.conditions)
    }

    private func play(
        _ answer: CachedAnswer, to request: TransportRequest, _ asked: CacheRequest, _ receiver: any TransportReceiver
    ) {
        if case .data(let data) = answer.body, request.takesAtOnce(answer) {
            return receiver.receive([answer.finished(request.id, whole: data)])
        }
        let exchange = CacheExchange(request, asked, receiver, of: self)
        exchanges.withLock { $0[request.id] = exchange }
        exchange.play(answer)
    }

    /// nil if files have to be read before.
    private func decideAtOnce(_ asked: CacheRequest) -> (CacheDecision, CacheEntry?)? {
        guard !cache.isInMemory, asked.mayUseStored else { return Self.decide(asked, cache) }
        return cache.recentEntry(for: asked).map { (CacheDecision(asked, entry: $0, now: cache.clock()), $0) }
    }

    private static func decide(_ asked: CacheRequest, _ cache: HTTPCache) -> (CacheDecision, CacheEntry?) {
        let entry = asked.mayUseStored ? cache.entry(for: asked) : nil
        return (CacheDecision(asked, entry: entry, now: cache.clock()), entry)
    }

    /// The decision for a request whose response is not stored: it asks the server itself, in place of a revalidation in the background.
    private func revised(
        _ decided: (CacheDecision, CacheEntry?), _ asked: CacheRequest, _ request: TransportRequest
    ) -> (CacheDecision, CacheEntry?) {
        guard case .stored(.stale(_, because: .revalidating)) = decided.0, asked.mayAsk, let entry = decided.1,
            case .none = rule(for: request.id)
        else {
            return decided
        }
        let conditions = asked.method == .get && asked.range == nil ? entry.response.conditions : []
        return (conditions.isEmpty ? .network : .conditional(conditions), entry)
    }

    /// The answer of the cache; nil if the network is to be asked.
    private func answer(
        _ decision: CacheDecision, _ entry: CacheEntry?, _ asked: CacheRequest, _ request: TransportRequest
    ) -> CachedAnswer? {
        if decision == .unsatisfiable { return CachedAnswer(unsatisfiableBy: asked.mode) }
        guard case .stored(let source) = decision, let entry, let answer = CachedAnswer(entry, to: asked, source: source) else {
            return nil
        }
        cache.count(source)
        if case .stale(_, .revalidating) = source, asked.mayAsk {
            background.revalidate(entry, for: request, over: base, cache: cache, rule: rule(for: request.id))
        }
        return answer
    }

    // MARK: Identical requests

    /// Whether no identical request is under way. Otherwise the exchange waits for that one.
    private func isFirst(_ exchange: CacheExchange) -> Bool {
        guard let flight = exchange.flight else { return true }
        return flights.withLock { flights in
            guard flights[flight]?.append(exchange) == nil else { return false }
            exchange.lead()
            flights[flight] = []
            return true
        }
    }

    /// Lets the exchanges go on that have waited for another one.
    func land(_ flight: CacheFlight, _ release: CacheExchangeState.Release) {
        for exchange in flights.withLock({ $0.removeValue(forKey: flight) }) ?? [] { exchange.release(release) }
    }

    /// Goes on with an exchange that has waited for another one.
    func goOn(_ exchange: CacheExchange, _ release: CacheExchangeState.Release) {
        if case .again = release, !isFirst(exchange) { return }
        look(for: exchange)
    }

    /// Takes an exchange out of those that wait for another one.
    func leave(_ exchange: CacheExchange) {
        guard let flight = exchange.flight else { return }
        flights.withLock { $0[flight]?.removeAll { $0 === exchange } }
    }

    // MARK: Exchanges

    func rule(for id: TransportTaskID) -> StoringRule { makeRule(id) }

    func remove(_ id: TransportTaskID) {
        exchanges.withLock { $0.removeValue(forKey: id) }?.ended()
    }

    /// Sets an alarm to an exchange's deadline.
    ///
    /// - Returns: The number of the alarm.
    func watch(_ exchange: CacheExchange, until deadline: MonotonicInstant) -> UInt64 {
        let number = lastAlarm.withLock { number in
            number += 1
            return number
        }
        watched.withLock { $0[number] = exchange }
        alarms.set(number, at: deadline)
        return number
    }

    func unwatch(_ number: UInt64) {
        watched.withLock { _ = $0.removeValue(forKey: number) }
        alarms.clear(number)
    }

    private func exchange(_ id: TransportTaskID) -> CacheExchange? { exchanges.withLock { $0[id] } }

    // MARK: Calls for exchanges

    func cancel(_ id: TransportTaskID) {
        guard let exchange = exchanges.withLock({ $0.removeValue(forKey: id) }) else { return base.cancel(id) }
        exchange.cancel()
    }

    func pause(_ id: TransportTaskID) { exchange(id)?.pause() ?? base.pause(id) }

    func resume(_ id: TransportTaskID) { exchange(id)?.resume() ?? base.resume(id) }

    func proceed(_ id: TransportTaskID, _ body: TransportRequest.HeldBody) { exchange(id)?.proceed(body) ?? base.proceed(id, body) }

    func acknowledge(_ id: TransportTaskID, bytes: Int) { exchange(id)?.acknowledge(bytes) ?? base.acknowledge(id, bytes: bytes) }

    func answer(_ id: TransportTaskID, _ answer: TransportAnswer) { base.answer(id, answer) }

    func send(_ id: TransportTaskID, _ command: WebSocketCommand) { base.send(id, command) }

    func closeIdleConnections() { base.closeIdleConnections() }
}

extension CacheRequest {
    init(_ request: TransportRequest, mode: CacheUse.Mode) {
        self.init(
            method: request.method, target: request.target, headers: request.headers, hasBody: request.bodySource != nil, mode: mode,
            decodesContent: request.decodesContent)
    }
}

extension TransportRequest {
    /// The largest body that is handed over at once on the thread that asks for it. What follows, such as decoding, runs there, too.
    private static let mostAtOnce = 65_536

    /// Whether an answer needs no more than one event.
    fileprivate func takesAtOnce(_ answer: CachedAnswer) -> Bool {
        delivery == .whole && answer.body.count <= min(Self.mostAtOnce, maximumBodySize ?? .max)
            && !heldHeads.contains(answer.head.statusCode)
    }
}

extension CacheDecision {
    fileprivate var conditions: [HTTPHeader] {
        if case .conditional(let conditions) = self { return conditions }
        return []
    }
}
