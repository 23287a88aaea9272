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
    private struct Facts {
        var statistics = Statistics()
        var invalidations = CacheInvalidations()
        var refusals = CacheRefusals()
    }

    private let facts = Locked(Facts())
    private let store: Locked<any CacheStore>
    /// Where the store is used; nil for one in memory, which is used at once.
    private let queue: WorkerQueue?
    private let waitingBytes = Locked(0)
    /// The folder of a cache on disk.
    private let folder: DiskFolder?
    /// Its entries that need not be read.
    private let recent: RecentEntries?
    /// Seconds since 1970.
    let clock: @Sendable () -> TimeInterval
    /// In seconds; nil for none.
    let defaultFreshness: TimeInterval?
    /// The most bytes of one entry.
    let entryLimit: Int

    /// Creates an empty cache in memory.
    ///
    /// - Parameters:
    ///   - memoryCapacity: The most bytes that it takes. If it is full, the responses go first that were not used for the longest time. A
    ///     response larger than a tenth of it is not stored. Negative numbers count as 0. Default: 16 MiB.
    ///   - defaultFreshness: Seconds for which a response is fresh that does not say how long. Default: nil, for the guess of RFC 9111.
    public convenience init(memoryCapacity: Int = 16 << 20, defaultFreshness: TimeInterval? = nil) {
        self.init(memoryCapacity: memoryCapacity, defaultFreshness: defaultFreshness, clock: Self.systemClock)
    }

    /// Opens a cache in a directory, or creates it. Several processes, and several caches of one, may use the directory at the same time.
    ///
    /// The files are in a subdirectory, and only their owner can read them. Credentials and cookies of requests are not among them, except
    /// as salted hashes; the URLs, the header fields of the responses and the bodies are. A file that is damaged, or not the cache's, is
    /// removed when it is found. If a response cannot be written, as on a full disk, it is not stored, and ``explain(_:)`` says why.
    ///
    /// Heads and small responses that were used lately are kept in memory, too: up to 24 MiB.
    ///
    /// A large body is read piece by piece while a stream or a download receives it. If more than 8 MiB were stored and a later piece turns
    /// out to be damaged, such a request fails with `transportFailed(.networkConnectionLost)`, and a retry asks the server.
    ///
    /// - Parameters:
    ///   - directory: It is created if it is missing. It must belong to the user of the process.
    ///   - capacity: The most bytes of the stored responses. If it is exceeded, the responses go first that were not used for the longest
    ///     time. A response larger than a tenth of it is not stored. What is being received comes in addition, and with several processes
    ///     a sixteenth for each. Negative numbers count as 0. Default: 256 MiB.
    ///   - defaultFreshness: Seconds for which a response is fresh that does not say how long. Default: nil, for the guess of RFC 9111.
    /// - Throws: ``FirewheelError`` of kind `cacheDirectoryFailed` if the directory cannot be created, read or written, belongs to another
    ///   user, or may be written to by every user.
    public convenience init(directory: URL, capacity: Int = 256 << 20, defaultFreshness: TimeInterval? = nil) throws {
        try self.init(directory: directory, capacity: capacity, defaultFreshness: defaultFreshness, clock: Self.systemClock)
    }

    private static let systemClock: @Sendable () -> TimeInterval = { Date().timeIntervalSince1970 }

    /// - Parameter clock: The seconds since 1970.
    init(memoryCapacity: Int, defaultFreshness: TimeInterval? = nil, clock: @escaping @Sendable () -> TimeInterval) {
        let memory = MemoryCacheStore(capacity: memoryCapacity)
        entryLimit = memory.entryLimit
        store = Locked(memory)
        (queue, folder, recent) = (nil, nil, nil)
        self.defaultFreshness = defaultFreshness
        self.clock = clock
    }

    /// - Parameter clock: The seconds since 1970.
    init(directory: URL, capacity: Int, defaultFreshness: TimeInterval? = nil, clock: @escaping @Sendable () -> TimeInterval) throws {
        let folder: DiskFolder
        do {
            folder = try DiskFolder(directory)
        } catch let error as DiskFolder.Unsafe {
            throw FirewheelError(.cacheDirectoryFailed, detail: "\(directory.path): \(error.words)")
        } catch {
            let place = directory.isFileURL ? directory.path : Redaction.url(directory.absoluteString)
            throw FirewheelError(.cacheDirectoryFailed, detail: place, underlyingError: error)
        }
        let disk = DiskCacheStore(folder, capacity: capacity, clientLifetime: defaultFreshness)
        entryLimit = disk.entryLimit
        store = Locked(disk)
        (queue, self.folder, recent) = (WorkerQueue(), folder, disk.recent)
        self.defaultFreshness = defaultFreshness
        self.clock = clock
        countFiles()
    }

    // MARK: Queue

    /// Whether the store is used at once.
    var isInMemory: Bool { queue == nil }

    /// Runs work that uses the store: at once if it is in memory, and otherwise on a thread that may block, in the order of these calls.
    func run(_ work: @escaping @Sendable () -> Void) {
        if let queue { queue.async(work) } else { work() }
    }

    /// The most bytes of bodies that wait for the disk.
    private static let mostWaiting = 64 << 20

    /// Counts bytes that wait for the disk, if they are few enough. For a cache in memory they are.
    func holds(_ bytes: Int) -> Bool {
        guard queue != nil, bytes > 0 else { return true }
        return waitingBytes.withLock { waiting in
            guard waiting == 0 || waiting + bytes <= Self.mostWaiting else { return false }
            waiting += bytes
            return true
        }
    }

    func releases(_ bytes: Int) {
        if queue != nil, bytes > 0 { waitingBytes.withLock { $0 -= bytes } }
    }

    /// Runs work that uses the store, as ``run(_:)`` does, and then goes on with something that may take long, or use the store itself.
    func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value, then rest: @escaping @Sendable (Value) -> Void) {
        if let queue { queue.async(work, then: rest) } else { rest(work()) }
    }

    /// What ``entry(for:)`` would return, of a cache on disk, if that is known without a wait.
    ///
    /// - Returns: nil if the store is to be asked.
    func recentEntry(for request: CacheRequest) -> CacheEntry? {
        // What waits may change it.
        guard let queue, queue.isIdle, let (entry, isToBeNoted) = recent?.entry(for: request) else { return nil }
        if isToBeNoted { run { [self] in store.withLock { $0.noteUse(of: entry) } } }
        return entry
    }

    /// Uses the store after all that was asked for before.
    private func wait<Result: Sendable>(for work: @escaping @Sendable (inout any CacheStore) -> Result) -> Result {
        guard let queue else { return store.withLock(work) }
        let (ended, result) = (DispatchSemaphore(value: 0), Locked<Result?>(nil))
        queue.async { [self] in
            let outcome = store.withLock(work)
            result.withLock { $0 = outcome }
            ended.signal()
        }
        ended.wait()
        return result.withLock(\.self) ?? store.withLock(work)
    }

    /// Counts the files of a cache on disk, piece by piece, so that requests need not wait for the end.
    private func countFiles() {
        queue?.async { [weak self] in
            if self?.store.withLock({ $0.takeCensus() }) == true { self?.countFiles() }
        }
    }

    /// Writes a body to the disk while it arrives; nil for a cache in memory.
    ///
    /// - Parameter onWritten: Called with the number of bytes of each piece that needs no more memory.
    func makeWriter(onWritten: @escaping @Sendable (Int) -> Void) -> CacheBodyWriter? {
        folder.map { folder in CacheBodyWriter(makeFile: { try folder.makeFile() }, onWritten: onWritten) }
    }

    // MARK: Responses, within `run`

    /// The stored response that a request may be answered with.
    func entry(for request: CacheRequest) -> CacheEntry? { withStore { $0.entry(for: request) } }

    private func withStore<Result: Sendable>(_ body: (inout any CacheStore) throws -> Result) rethrows -> Result {
        queue?.assertIsCurrent()
        return try store.withLock(body)
    }

    /// Stores the response of a request, unless its URL was invalidated or the cache emptied since the request was sent.
    ///
    /// - Parameter number: The ``invalidationNumber`` of that time.
    func store(_ response: StoredResponse, _ body: CollectedBody, for request: CacheRequest, since number: UInt64) {
        let refusal = withStore { store -> CacheStorability.Reason? in
            // An invalidation after this removes from the store what is stored now.
            guard !facts.withLock({ $0.invalidations.concern(request.key, since: number) }) else { return .invalidated }
            return store.store(response, body, for: request)
        }
        facts.withLock { facts in
            if let refusal { facts.refusals.add(request.key, refusal) } else { facts.refusals.remove(request.key) }
        }
    }

    /// Replaces the response of an entry, unless the entry is gone.
    func replace(_ entry: CacheEntry, by response: StoredResponse) { withStore { $0.replace(entry, by: response) } }

    /// Whether a response is stored that a request would be answered with, and that arrived after a point in time. One from the future, as
    /// after the clock was set back, does not count.
    func hasNewer(than responseTime: TimeInterval, answering request: CacheRequest) -> Bool {
        guard let stored = withStore({ $0.peek(for: request) })?.response.freshness.responseTime else { return false }
        return stored > responseTime && stored <= clock()
    }

    /// Updates the stored response by one to HEAD, or removes it if that belongs to another representation (RFC 9111 section 4.3.5).
    ///
    /// - Parameter stores: Whether it is updated. Otherwise it is only removed.
    func update(by head: ResponseHead, to request: CacheRequest, requestTime: TimeInterval, responseTime: TimeInterval, stores: Bool) {
        withStore { store in
            // A response to HEAD tells nothing about what somebody else was sent.
            guard let entry = store.peek(for: request), entry.response.isAuthorized(like: request) else { return }
            let updated = entry.response.updated(
                by: head, to: request, requestTime: requestTime, responseTime: responseTime, clientLifetime: defaultFreshness)
            guard entry.response.head.statusCode == head.statusCode, entry.response.hasSameRepresentation(as: head), updated.isStorable
            else {
                return store.remove(entry)
            }
            if stores { store.replace(entry, by: updated) }
        }
    }

    /// Handles that the response of a request is not stored because the disk is too slow. What is stored is no longer of use.
    func drop(_ request: CacheRequest) {
        removeAll(answering: request)
        refuse(request, .disk("too many responses wait for the disk"))
    }

    func remove(_ entry: CacheEntry) { withStore { $0.remove(entry) } }

    /// Removes what a request would be answered with.
    func removeAll(answering request: CacheRequest) { withStore { $0.removeAll(answering: request) } }

    // MARK: Responses, anywhere

    /// The number of invalidations so far, for ``store(_:_:for:since:)``.
    var invalidationNumber: UInt64 { facts.withLock { $0.invalidations.number } }

    /// Removes what is stored for a URL, and what is under way.
    func invalidate(_ key: String) {
        facts.withLock { $0.invalidations.add(key) }
        run { [self] in store.withLock { $0.removeAll(of: key) } }
    }

    /// Notes why the response of a request is not stored, for ``explain(_:)``.
    func refuse(_ request: CacheRequest, _ reason: CacheStorability.Reason) {
        guard request.method == .get else { return }
        facts.withLock { $0.refusals.add(request.key, reason) }
    }

    /// What is stored for the URL of a request, which of it fits, and why the last response was not stored.
    func facts(for request: CacheRequest) -> (stored: [StoredResponse], fitting: CacheEntry?, refusal: CacheStorability.Reason?) {
        let (stored, fitting) = wait { ($0.variants(of: request.key), $0.peek(for: request)) }
        return (stored, fitting, facts.withLock { $0.refusals.reason(for: request.key) })
    }

    func count(_ source: ResponseSource) { facts.withLock { $0.statistics.count(source) } }

    // MARK: What one sees

    /// How many responses came from where since the cache was created, and what it holds. For a cache on disk this reads the directory, and
    /// waits for what is being stored.
    public var statistics: Statistics {
        let (count, size, evictionCount) = wait { ($0.count, $0.size, $0.evictionCount) }
        var statistics = facts.withLock { $0.statistics }
        statistics.entryCount = count
        statistics.byteCount = size
        statistics.evictionCount = evictionCount
        return statistics
    }

    /// The stored responses, sorted by URL. For a cache on disk this reads all their heads.
    public var entries: [Entry] {
        var (entries, parts): ([CacheSummary], Int) = ([], 0)
        while true {
            let part = parts
            guard let more = wait(for: { $0.entries(part: part) }) else { break }
            entries += more
            parts += 1
        }
        let now = clock()
        return entries.compactMap { Entry($0, now: now) }.sorted { $0.url.absoluteString < $1.url.absoluteString }
    }

    /// Removes the stored responses of a URL, whatever request fields they vary by. A response that is under way is not stored either. See
    /// ``removeAll()`` for a cache on disk.
    ///
    /// - Parameter url: An absolute URL. Its fragment is ignored. Others have no responses.
    public func remove(for url: URL) {
        guard let target = TargetURI(url.absoluteString) else { return }
        invalidate(target.string)
        wait { _ in }
    }

    /// Removes all responses. Those that are under way in sessions with this cache are not stored either.
    ///
    /// A response whose file cannot be removed, as on a disk that has become read-only, is not used any more by this cache. Another one
    /// that is opened later may use it.
    public func removeAll() {
        facts.withLock { facts in
            facts.invalidations.addAll()
            // These are URLs of the same user.
            facts.refusals = CacheRefusals()
        }
        let removed = wait { $0.removeAll() }
        withExtendedLifetime(removed) {}
    }
}
