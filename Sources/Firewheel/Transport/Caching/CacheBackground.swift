import Foundation

/// Revalidates stored responses in the background (`stale-while-revalidate`, RFC 5861 section 3), one exchange at a time for each URL.
final class CacheBackground: Sendable {
    /// What a session does for its requests, and here without one.
    struct Rules: Sendable {
        /// Judges a server; nil if the transport judges alone.
        var judge: (@Sendable (ServerCertificates, TransportTaskID, @escaping @Sendable (TransportAnswer) -> Void) -> Void)?
        /// Stores the cookies of a response; nil if there are none.
        var storeCookies: (@Sendable (ResponseHead, TargetURI) -> Void)?
    }

    private let rules: Rules
    private let underWay = Locked<Set<String>>([])
    /// The most seconds that a revalidation takes.
    private static let longest: TimeInterval = 60
    /// Counted downwards, so that the numbers are no request's.
    private static let lastNumber = Locked(UInt64.max)

    init(_ rules: Rules) {
        self.rules = rules
    }

    func revalidate(
        _ entry: CacheEntry, for request: TransportRequest, over transport: any Transport, cache: HTTPCache, rule: StoringRule
    ) {
        // What is not stored need not be loaded.
        if case .none = rule { return }
        guard underWay.withLock({ $0.insert(entry.key).inserted }) else { return }
        let number = Self.lastNumber.withLock { number in
            number -= 1
            return number
        }
        var sent = request
        sent.id = TransportTaskID(request: number)
        // In pieces, so that a large body needs little memory on its way to the disk.
        sent.delivery = cache.isInMemory ? .whole : .chunks
        sent.heldHeads = .none
        sent.reportsSent = false
        sent.reportsInterim = false
        sent.waitsForConnectivity = false
        let latest = MonotonicInstant.now().advanced(by: Self.longest)
        sent.deadline = sent.deadline.map { min($0, latest) } ?? latest
        sent.maximumBodySize = cache.entryLimit
        // The whole response is stored, whatever the request asked for of it.
        sent.method = .get
        sent.headers.remove(name: "Range")
        let asked = CacheRequest(sent, mode: .rules)
        for field in entry.response.conditions { sent.headers.update(field) }
        let id = sent.id
        let state = CacheExchangeState(
            sent, asked, candidate: entry, isConditional: !entry.response.conditions.isEmpty, requestTime: cache.clock(), cache: cache,
            rule: rule,
            makeWriter: { [weak transport] in cache.makeWriter { [weak transport] bytes in transport?.acknowledge(id, bytes: bytes) } })
        transport.start(
            sent, receiver: Receiver(sent, state, transport, cache, self, storesCookies: request.cacheUse?.storesCookies == true))
    }

    private func ended(_ key: String) { underWay.withLock { _ = $0.remove(key) } }

    private final class Receiver: TransportReceiver {
        private let request: TransportRequest
        private let state: Locked<CacheExchangeState>
        // Retained until the end, so that a session that is released does not end it. The deadline limits that.
        private let transport: Locked<(any Transport)?>
        private let cache: HTTPCache
        private let background: CacheBackground
        private let storesCookies: Bool
        private let isOver = Locked(false)

        init(
            _ request: TransportRequest, _ state: CacheExchangeState, _ transport: any Transport, _ cache: HTTPCache,
            _ background: CacheBackground, storesCookies: Bool
        ) {
            self.request = request
            self.state = Locked(state)
            self.transport = Locked(transport)
            self.cache = cache
            self.background = background
            self.storesCookies = storesCookies
        }

        deinit { end() }

        /// Ends it once.
        ///
        /// - Parameter last: What is done before another revalidation of the URL may begin.
        private func end(_ last: () -> Void = {}) {
            let isFirst = isOver.withLock { isOver in
                defer { isOver = true }
                return !isOver
            }
            guard isFirst else { return }
            letGo()
            last()
            background.ended(request.target.string)
        }

        private func letGo() { _ = transport.withLock { $0.take() } }

        func receive(_ events: [TransportEvent]) {
            let now = cache.clock()
            for event in events {
                switch event.kind {
                case .question(.trust(let certificates)): judge(certificates)
                case .finished(let result):
                    if storesCookies, let head = result.head { background.rules.storeCookies?(head, request.target) }
                default: break
                }
            }
            let follow = state.withLock { state in
                _ = state.receive(events, now: now)
                return state.takeFollowUp()
            }
            follow.apply(to: cache, counts: false)
            if let question = follow.question { return ask(question) }
            let read = follow.acknowledged + follow.settled
            if read > 0 { transport.withLock { $0 }?.acknowledge(request.id, bytes: read) }
            if follow.cancels { transport.withLock { $0 }?.cancel(request.id) }
            if follow.isOver || follow.answer != nil || follow.asksAgain { end() }
        }

        /// Asks a handler whether the response is stored, until the deadline. Nothing else is asked about the URL in the background
        /// meanwhile.
        private func ask(_ question: StoringQuestion) {
            // The response is complete.
            letGo()
            let task = WorkerPool.makeTask { [self] in
                let follow = await question.answer()
                end { follow.apply(to: cache, counts: false) }
            }
            let rest = request.deadline.map { max(0, $0.seconds(since: .now())) } ?? CacheBackground.longest
            DispatchQueue.global().asyncAfter(deadline: .now() + rest) { [weak self] in
                guard let self else { return }
                end {
                    question.refusal(.handler(StoringQuestion.late)).apply(to: self.cache, counts: false)
                    // This runs the caller's cancellation handlers, which may block.
                    WorkerPool.shared.run { task.cancel() }
                }
            }
        }

        private func judge(_ certificates: ServerCertificates) {
            let id = request.id
            guard let judge = background.rules.judge else {
                transport.withLock { $0 }?.answer(
                    id, .refuse(.failed(.serverCertificateUntrusted, "nobody answers whether the server is trusted")))
                return
            }
            judge(certificates, id) { [weak self] in self?.transport.withLock { $0 }?.answer(id, $0) }
        }
    }
}
