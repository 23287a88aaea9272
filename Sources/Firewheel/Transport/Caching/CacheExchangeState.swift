import Foundation

/// What a ``CacheExchange`` does with the network's events, without effects but for the pieces that a ``CacheBodyWriter`` gets.
struct CacheExchangeState: Sendable {
    /// What is to be done after the lock is released.
    struct FollowUp: Sendable {
        /// The response of the cache that takes the network's place.
        var answer: CachedAnswer?
        var isOver = false
        /// Whether the network is asked once more, without conditions.
        var asksAgain = false
        /// Whether the rest of the exchange is not needed.
        var cancels = false
        /// Whether the transport holds a head that the client does not get.
        var discardsHeld = false
        /// Bytes that the client does not get.
        var acknowledged = 0
        /// Bytes that the client gets and that are not on their way to a disk.
        var settled = 0
        var changes: [Change] = []
        /// Where requests go on that have waited for this response.
        var release: Release?
        /// Asked before the client gets the end of the response.
        var question: StoringQuestion?
        /// A request, and when the head of its response arrived: nothing is changed if a later response to it is stored. A handler may have
        /// taken long.
        var unlessNewer: (request: CacheRequest, responseTime: TimeInterval)?

        /// Makes the changes. A lookup that begins after this call finds them.
        ///
        /// - Parameter counts: Whether it is the response to a request of the caller's.
        func apply(to cache: HTTPCache, counts: Bool = true) {
            guard !changes.isEmpty else { return }
            let bytes = changes.reduce(0) { $0 + $1.bytes }
            let isHeld = cache.holds(bytes)
            let changes = isHeld ? changes : changes.map(\.withoutBody)
            cache.run {
                if unlessNewer.map({ cache.hasNewer(than: $0.responseTime, answering: $0.request) }) != true {
                    Self.apply(changes, to: cache, counts: counts)
                }
                if isHeld { cache.releases(bytes) }
            }
        }

        private static func apply(_ changes: [Change], to cache: HTTPCache, counts: Bool) {
            for change in changes {
                switch change {
                case .store(let response, let body, let request, let number):
                    cache.store(response, body, for: request, since: number)
                case .replace(let entry, let response): cache.replace(entry, by: response)
                case .remove(let entry): cache.remove(entry)
                case .supersede(let request): cache.removeAll(answering: request)
                case .refuse(let request, let reason): cache.refuse(request, reason)
                case .updateForHead(let head, let request, let requestTime, let responseTime, let stores):
                    cache.update(by: head, to: request, requestTime: requestTime, responseTime: responseTime, stores: stores)
                case .count(let source): if counts { cache.count(source) }
                case .drop(let request): cache.drop(request)
                }
            }
        }
    }

    /// Where a request goes on that has waited for another one's response.
    enum Release: Sendable {
        /// The response is stored.
        case toCache
        /// The response is of no use for it.
        case toNetwork
        /// The other request was cancelled: the first of those that wait takes its place.
        case again
    }

    /// A change of the cache.
    enum Change: Sendable {
        case store(StoredResponse, CollectedBody, CacheRequest, since: UInt64)
        case replace(CacheEntry, by: StoredResponse)
        case remove(CacheEntry)
        /// The network has a newer response to the request, which is not stored.
        case supersede(CacheRequest)
        /// The response of the request is not stored.
        case refuse(CacheRequest, CacheStorability.Reason)
        case updateForHead(ResponseHead, CacheRequest, requestTime: TimeInterval, responseTime: TimeInterval, stores: Bool)
        case count(ResponseSource)
        /// The response of the request is not stored, because too many others wait for the disk.
        case drop(CacheRequest)

        /// The bytes that are kept in memory until the change is made.
        var bytes: Int {
            if case .store(_, .memory(let data), _, _) = self { return data.count }
            return 0
        }

        var withoutBody: Change {
            if case .store(_, .memory, let request, _) = self { return .drop(request) }
            return self
        }
    }

    /// What becomes of the network's response.
    private enum Use {
        /// Its head has not arrived.
        case unknown
        /// The client gets it.
        case passed
        /// It confirms the candidate.
        case confirms(ResponseHead)
        /// The candidate stands in for it.
        case replaced
    }

    private let request: TransportRequest
    private let asked: CacheRequest
    private let candidate: CacheEntry?
    private let isConditional: Bool
    private let requestTime: TimeInterval
    private let invalidationNumber: UInt64
    private let started = MonotonicInstant.now()
    private let clientLifetime: TimeInterval?
    private let entryLimit: Int
    private let isInMemory: Bool
    private let rule: StoringRule

    private var use = Use.unknown
    private var responseTime: TimeInterval = 0
    private var head: ResponseHead?
    /// The response that is stored if its body is complete; nil for one that is not stored.
    private var stored: StoredResponse?
    private var collected = Data()
    /// Writes the body to the disk while it arrives; nil if it is collected.
    private var writer: CacheBodyWriter?
    /// Returns nil for a cache in memory.
    private let makeWriter: @Sendable () -> CacheBodyWriter?
    /// Whether the client has yet to decide about the body behind the head.
    private var isHeld = false
    /// Whether the client does not want the body, which is stored all the same.
    private var isDiscarded = false
    private var followUp = FollowUp()

    /// The seconds that the body of a response may take that the client does not want. (OkHttp's `DISCARD_STREAM_TIMEOUT_MILLIS`.)
    static let discardTime: TimeInterval = 0.1
    /// The most bytes of such a body.
    private static let mostDiscarded = 65_536

    init(
        _ request: TransportRequest, _ asked: CacheRequest, candidate: CacheEntry?, isConditional: Bool, requestTime: TimeInterval,
        cache: HTTPCache, rule: StoringRule, makeWriter: @escaping @Sendable () -> CacheBodyWriter?
    ) {
        self.makeWriter = makeWriter
        self.request = request
        self.asked = asked
        self.candidate = candidate
        self.isConditional = isConditional
        self.requestTime = requestTime
        invalidationNumber = cache.invalidationNumber
        clientLifetime = cache.defaultFreshness
        entryLimit = cache.entryLimit
        isInMemory = cache.isInMemory
        self.rule = rule
    }

    /// Whether a handler decides about a response that may be stored.
    private var asksHandler: Bool {
        if case .asking = rule { true } else { false }
    }

    private var storesNothing: Bool {
        if case .none = rule { true } else { false }
    }

    /// Why a body of this size is not stored; nil if it is.
    private func refusal(of bodySize: Int) -> CacheStorability.Reason? {
        if bodySize > entryLimit { return .tooLarge }
        guard asksHandler, bodySize > ProposedResponse.mostBytes else { return nil }
        return .handler("its body is larger than 64 MiB, the most that a handler is asked about")
    }

    /// - Returns: The events that the client gets.
    mutating func receive(_ events: [TransportEvent], now: TimeInterval) -> [TransportEvent] {
        var passed: [TransportEvent] = []
        for event in events {
            switch event.kind {
            case .response(let head, _):
                receive(head, isHeld: request.heldHeads.contains(head.statusCode), now: now)
                if case .passed = use { passed.append(event) }
            case .chunk(let piece):
                guard case .passed = use else { break }
                let isWritten = collect(piece)
                if isDiscarded { followUp.acknowledged += piece.count } else { passed.append(event) }
                if !isWritten, !isDiscarded { followUp.settled += piece.count }
            case .finished(let result): finish(result, event, &passed, now: now)
            case .interim, .sent, .waitingForConnectivity, .question, .messages, .webSocket: passed.append(event)
            }
            if followUp.answer != nil || followUp.isOver { break }
        }
        return passed
    }

    mutating func takeFollowUp() -> FollowUp {
        defer { followUp = FollowUp() }
        return followUp
    }

    // MARK: Heads

    private mutating func receive(_ head: ResponseHead, isHeld: Bool, now: TimeInterval) {
        self.head = head
        responseTime = now
        if isConditional, head.statusCode == 304, candidate != nil {
            use = .confirms(head)
            followUp.discardsHeld = isHeld
            return
        }
        if Self.failures.contains(head.statusCode), let answer = standIn(after: .serverError, now: now, metrics: nil) {
            use = .replaced
            followUp.answer = answer
            followUp.release = .toNetwork
            followUp.changes.append(.count(answer.source))
            followUp.cancels = true
            return
        }
        use = .passed
        self.isHeld = isHeld
        let announced = head.headers.singleton("Content-Length").flatMap { Int($0) } ?? 0
        var storability = CacheStorability(head, to: asked)
        if case .storable = storability {
            if let reason = refusal(of: announced) { storability = .refused(reason) }
            if storesNothing { storability = .refused(.handler("its handler stores nothing")) }
        }
        switch storability {
        case .storable(let names):
            let response = StoredResponse(
                head, of: asked, varyingBy: names, requestTime: requestTime, responseTime: now, clientLifetime: clientLifetime)
            stored = response
            var isOfUse = false
            if case .stored = CacheDecision(asked, stored: response, now: now) { isOfUse = !isHeld }
            // A handler may make it fresh.
            if !isOfUse, isHeld || !asksHandler { followUp.release = .toNetwork }
        case .refused(let reason): refuse(reason)
        }
        // A newer representation that is not stored makes the stored one useless.
        if stored == nil, asked.mayStore, (200...299).contains(head.statusCode) { followUp.changes.append(.supersede(asked)) }
    }

    /// The statuses that `stale-if-error` means (RFC 5861 section 4).
    private static let failures: Set<Int> = [500, 502, 503, 504]

    private func standIn(after failure: ResponseSource.StaleReason, now: TimeInterval, metrics: TransportMetrics?) -> CachedAnswer? {
        guard let candidate, let source = CacheDecision.standIn(candidate.response, for: asked, after: failure, now: now) else {
            return nil
        }
        return CachedAnswer(candidate, to: asked, source: source, metrics: metrics)
    }

    // MARK: Bodies

    /// Handles the client's decision about the body behind the held head.
    ///
    /// - Returns: Whether a body that the client does not want is read all the same, to be stored.
    mutating func decides(_ body: TransportRequest.HeldBody) -> Bool {
        // Without a held head the call has no meaning.
        guard isHeld else { return false }
        isHeld = false
        isDiscarded = body == .discard && stored != nil
        return isDiscarded
    }

    /// The end for a client that does not want a body which takes too long. nil if it waits for something else.
    func endOfDiscarded() -> TransportEvent? {
        guard isDiscarded else { return nil }
        let result = TransportResult(head: head, metrics: TransportMetrics(start: started, end: .now()))
        return TransportEvent(id: request.id, kind: .finished(result))
    }

    private mutating func refuse(_ reason: CacheStorability.Reason) {
        writer?.discard()
        (stored, collected, writer) = (nil, Data(), nil)
        followUp.release = .toNetwork
        followUp.changes.append(.refuse(asked, reason))
    }

    /// - Returns: Whether the piece is on its way to the disk.
    private mutating func collect(_ piece: Data) -> Bool {
        guard stored != nil else { return false }
        let size = (writer?.count ?? collected.count) + piece.count
        let reason = isDiscarded && size > Self.mostDiscarded ? .tooLarge : refusal(of: size)
        if let reason {
            refuse(reason)
            followUp.changes.append(.supersede(asked))
            return false
        }
        // A handler needs it in memory.
        if writer == nil, !asksHandler { writer = makeWriter() }
        guard let writer else {
            collected.append(piece)
            return false
        }
        writer.append(piece)
        return true
    }

    // MARK: Ends

    private mutating func finish(_ result: TransportResult, _ event: TransportEvent, _ passed: inout [TransportEvent], now: TimeInterval) {
        if let head = result.head, case .unknown = use {
            receive(head, isHeld: false, now: now)
            followUp.cancels = false
        }
        // A request whose own time is up says nothing about the server.
        let isLate = request.deadline.map { $0 <= .now() } ?? false
        if case .unknown = use, let error = result.error, error.meansUnreachable, !isLate {
            followUp.answer = standIn(after: .unreachable, now: now, metrics: result.metrics)
            if let answer = followUp.answer {
                followUp.changes.append(.count(answer.source))
                followUp.release = .toNetwork
            }
        }
        if case .confirms(let newer) = use { confirm(by: newer, result.metrics, now: now) }
        if followUp.answer != nil || followUp.asksAgain { return }
        followUp.isOver = true
        followUp.release = .toNetwork
        if asked.mayUseStored { followUp.changes.append(.count(.network)) }
        if case .passed = use {
            if result.error == nil { keep(result) } else if stored != nil { refuse(.incomplete) }
        }
        guard isDiscarded else {
            passed.append(event)
            return
        }
        var withoutBody = result
        withoutBody.body = nil
        // The client does not care how the body ended.
        withoutBody.error = nil
        passed.append(TransportEvent(id: event.id, kind: .finished(withoutBody)))
    }

    private mutating func confirm(by newer: ResponseHead, _ metrics: TransportMetrics, now: TimeInterval) {
        guard let candidate else { return }
        guard !candidate.response.isContradicted(by: newer) else {
            followUp.changes.append(.remove(candidate))
            followUp.asksAgain = true
            return
        }
        let updated = candidate.response.updated(
            by: newer, to: asked, requestTime: requestTime, responseTime: responseTime, clientLifetime: clientLifetime)
        if !updated.isStorable {
            followUp.changes.append(.remove(candidate))
        } else if !storesNothing {
            followUp.changes.append(.replace(candidate, by: updated))
        }
        let source = ResponseSource.revalidated(age: updated.freshness.age(at: now))
        followUp.changes.append(.count(source))
        followUp.release = .toCache
        // Its proof belongs to this exchange.
        let proof = newer.headers.values(for: "Authentication-Info").map { HTTPHeader(name: "Authentication-Info", value: $0) }
        followUp.answer = CachedAnswer(
            candidate.replacing(updated), to: asked, source: source, setsCookies: newer.headers.contains(name: "Set-Cookie"),
            metrics: metrics, adding: proof)
    }

    /// Stores a complete response, or what a response to HEAD tells of the stored one.
    private mutating func keep(_ result: TransportResult) {
        guard let head else { return }
        if asked.method == .head, head.statusCode == 200 {
            followUp.changes.append(
                .updateForHead(head, asked, requestTime: requestTime, responseTime: responseTime, stores: !storesNothing))
        }
        guard let stored else { return }
        if case .asking(let inquiry) = rule { return propose(stored, head, result.body ?? collected, inquiry) }
        let body: CollectedBody = writer.map { .disk($0) } ?? .memory(result.body ?? collected)
        followUp.changes.append(.store(stored, body, asked, since: invalidationNumber))
        followUp.release = .toCache
    }

    private mutating func propose(_ stored: StoredResponse, _ head: ResponseHead, _ body: Data, _ inquiry: CachedResponseInquiry) {
        if let reason = refusal(of: body.count) {
            refuse(reason)
            return followUp.changes.append(.supersede(asked))
        }
        let response = ProposedResponse(
            head: head, body: body, stored: stored, request: asked, requestTime: requestTime, responseTime: responseTime,
            clientLifetime: clientLifetime, isInMemory: isInMemory)
        followUp.question = StoringQuestion(response: response, inquiry: inquiry, invalidationNumber: invalidationNumber)
        followUp.release = nil
    }
}

extension TransportError {
    /// Whether the server was not reached, or was lost before its response. Failures of TLS are not meant: a server that is not trusted was
    /// reached.
    var meansUnreachable: Bool {
        guard case .failed(let code, _) = self else { return false }
        switch code {
        case .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, .networkConnectionLost, .notConnectedToInternet, .timedOut:
            return true
        default: return false
        }
    }
}
