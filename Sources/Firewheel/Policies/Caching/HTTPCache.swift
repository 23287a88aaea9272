import Foundation

/// A private cache of responses (RFC 9111), for ``SessionConfiguration/cache``. Several sessions may share one if they act for the same
/// user: their cookies and client certificates do not keep their responses apart.
///
/// What may be stored and reused is decided by the responses and requests themselves, as RFC 9111 has it for a cache of one user.
/// ``DataResponse/source`` tells where a response comes from. In particular:
/// - Responses to GET are stored. A stored one also answers HEAD, and a `Range` of one part if it is complete, fresh and not encoded.
/// - Without `max-age` and `Expires`, a response is fresh for a tenth of the time since its `Last-Modified`, at most for a day, and not at
///   all if its URL has a query (section 4.2.2). The initializer's `defaultFreshness` replaces this.
/// - A response to a request with an `Authorization` field is used for requests with the same field. For others the server answers, unless
///   the response is `public`.
/// - A request's own conditional fields, such as `If-None-Match`, reach the server, and its 304 reaches the caller.
/// - A stale response stands in for a server that cannot be reached, if the response has `stale-if-error` (RFC 5861) or once had a time of
///   its own to be fresh, and does not forbid it by `no-cache` or `must-revalidate` (section 4.2.4). Errors of trust are not covered.
public final class HTTPCache: Sendable {
    private struct State {
        var store: MemoryCacheStore
        var statistics = Statistics()
        var invalidations = CacheInvalidations()
        var refusals = CacheRefusals()
    }

    private let state: Locked<State>
    /// Seconds since 1970.
    let clock: @Sendable () -> TimeInterval
    /// In seconds; nil for none.
    let defaultFreshness: TimeInterval?

    /// Creates an empty cache in memory.
    ///
    /// - Parameters:
    ///   - memoryCapacity: The most bytes that it takes. If it is full, the responses go first that were not used for the longest time. A
    ///     response larger than a tenth of it is not stored. Negative numbers count as 0. Default: 16 MiB.
    ///   - defaultFreshness: Seconds for which a response is fresh that does not say how long. Default: nil, for the guess of RFC 9111.
    public convenience init(memoryCapacity: Int = 16 << 20, defaultFreshness: TimeInterval? = nil) {
        self.init(memoryCapacity: memoryCapacity, defaultFreshness: defaultFreshness, clock: { Date().timeIntervalSince1970 })
    }

    /// - Parameter clock: The seconds since 1970.
    init(memoryCapacity: Int, defaultFreshness: TimeInterval? = nil, clock: @escaping @Sendable () -> TimeInterval) {
        state = Locked(State(store: MemoryCacheStore(capacity: memoryCapacity)))
        self.defaultFreshness = defaultFreshness
        self.clock = clock
    }

    /// The most bytes of one entry.
    var entryLimit: Int { state.withLock { $0.store.entryLimit } }

    // MARK: Responses

    /// The stored response that a request may be answered with.
    func entry(for request: CacheRequest) -> CacheEntry? { state.withLock { $0.store.entry(for: request) } }

    /// The number of invalidations so far, for ``store(_:for:since:)``.
    var invalidationNumber: UInt64 { state.withLock { $0.invalidations.number } }

    /// Stores the response of a request, unless its URL was invalidated or the cache emptied since the request was sent.
    ///
    /// - Parameter number: The ``invalidationNumber`` of that time.
    func store(_ entry: CacheEntry, for request: CacheRequest, since number: UInt64) {
        state.withLock { state in
            guard !state.invalidations.concern(entry.key, since: number) else { return }
            state.store.store(entry, for: request)
            state.refusals.remove(entry.key)
        }
    }

    /// Replaces an entry by its updated form, unless it is gone.
    func replace(_ entry: CacheEntry, by new: CacheEntry) { state.withLock { $0.store.replace(entry, by: new) } }

    /// Updates the stored response by one to HEAD, or removes it if that belongs to another representation (RFC 9111 section 4.3.5).
    func update(by head: ResponseHead, to request: CacheRequest, requestTime: TimeInterval, responseTime: TimeInterval) {
        state.withLock { state in
            // A response to HEAD tells nothing about what somebody else was sent.
            guard let entry = state.store.peek(for: request), entry.response.authorization == request.authorization else { return }
            let updated = entry.response.updated(
                by: head, to: request, requestTime: requestTime, responseTime: responseTime, clientLifetime: defaultFreshness)
            guard entry.response.head.statusCode == head.statusCode, entry.response.hasSameRepresentation(as: head), updated.isStorable
            else {
                return state.store.remove(entry)
            }
            state.store.replace(entry, by: CacheEntry(key: entry.key, response: updated, body: entry.body))
        }
    }

    func remove(_ entry: CacheEntry) { state.withLock { $0.store.remove(entry) } }

    /// Removes what is stored for a URL, and what is under way.
    func invalidate(_ key: String) {
        state.withLock { state in
            state.invalidations.add(key)
            state.store.removeAll(of: key)
        }
    }

    /// Notes why the response of a request is not stored, for ``explain(_:)``.
    func refuse(_ request: CacheRequest, _ reason: CacheStorability.Reason) {
        guard request.method == .get else { return }
        state.withLock { $0.refusals.add(request.key, reason) }
    }

    /// What is stored for the URL of a request, which of it fits, and why the last response was not stored.
    func facts(for request: CacheRequest) -> (entries: [CacheEntry], fitting: CacheEntry?, refusal: CacheStorability.Reason?) {
        state.withLock { state in
            (state.store.variants(of: request.key), state.store.peek(for: request), state.refusals.reason(for: request.key))
        }
    }

    func count(_ source: ResponseSource) { state.withLock { $0.statistics.count(source) } }

    // MARK: What one sees

    /// How many responses came from where since the cache was created, and what it holds.
    public var statistics: Statistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.entryCount = state.store.count
            statistics.byteCount = state.store.size
            statistics.evictionCount = state.store.evictionCount
            return statistics
        }
    }

    /// The stored responses, sorted by URL.
    public var entries: [Entry] {
        let entries = state.withLock { $0.store.entries }
        let now = clock()
        return entries.compactMap { Entry($0, now: now) }.sorted { $0.url.absoluteString < $1.url.absoluteString }
    }

    /// Removes the stored responses of a URL, whatever request fields they vary by. A response that is under way is not stored either.
    ///
    /// - Parameter url: An absolute URL. Its fragment is ignored. Others have no responses.
    public func remove(for url: URL) {
        if let target = TargetURI(url.absoluteString) { invalidate(target.string) }
    }

    /// Removes all responses. Those that are under way are not stored either.
    public func removeAll() {
        let removed = state.withLock { state in
            state.invalidations.addAll()
            // These are URLs of the same user.
            state.refusals = CacheRefusals()
            return state.store.removeAll()
        }
        withExtendedLifetime(removed) {}
    }
}
