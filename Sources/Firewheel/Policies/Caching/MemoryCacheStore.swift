import Foundation

/// Stored responses in memory, of which those go first that were not used for the longest time.
struct MemoryCacheStore: CacheStore {
    /// The most bytes of all entries.
    let capacity: Int
    private(set) var size = 0
    private(set) var count = 0
    private(set) var evictionCount = 0

    /// An entry, and the number of its last use.
    private struct Slot: Sendable {
        let entry: CacheEntry
        var use: UInt64
    }

    /// The entries of each URL, the newest last.
    private var slots: [String: [Slot]] = [:]
    /// The uses in order. Those that are not an entry's last one are skipped.
    private var uses = Fifo<(key: String, use: UInt64)>()
    private var lastUse: UInt64 = 0

    /// The most entries of one URL, since each request is compared with all of them.
    private static let mostVariants = 64

    init(capacity: Int) {
        self.capacity = max(0, capacity)
    }

    /// The most bytes of one entry: a tenth of the capacity.
    var entryLimit: Int { capacity / 10 }

    /// The newest entry that a request may be answered with. It counts as used.
    mutating func entry(for request: CacheRequest) -> CacheEntry? {
        guard let index = slots[request.key]?.lastIndex(where: { $0.entry.response.fits(request) }) else { return nil }
        use(request.key, index)
        return slots[request.key]?[index].entry
    }

    mutating func noteUse(of entry: CacheEntry) {
        if let index = slots[entry.key]?.firstIndex(where: { $0.entry === entry }) { use(entry.key, index) }
    }

    private mutating func use(_ key: String, _ index: Int) {
        lastUse += 1
        slots[key]?[index].use = lastUse
        noteUse(of: key)
    }

    /// The newest entry that a request may be answered with, without counting it as used.
    func peek(for request: CacheRequest) -> CacheEntry? {
        slots[request.key]?.last { $0.entry.response.fits(request) }?.entry
    }

    /// What is stored for a URL.
    func variants(of key: String) -> [StoredResponse] { slots[key]?.map(\.entry.response) ?? [] }

    /// Stores an entry in place of those that the same request would have been answered with. One that is too large is not stored.
    mutating func store(_ entry: CacheEntry, for request: CacheRequest) {
        removeAll(answering: request)
        guard entry.size <= entryLimit else { return }
        if let variants = slots[entry.key], variants.count >= Self.mostVariants { remove(variants[0].entry) }
        lastUse += 1
        slots[entry.key, default: []].append(Slot(entry: entry, use: lastUse))
        noteUse(of: entry.key)
        size += entry.size
        count += 1
        makeRoom()
    }

    mutating func store(_ response: StoredResponse, _ body: CollectedBody, for request: CacheRequest) -> CacheStorability.Reason? {
        guard case .memory(let data) = body else { return nil }
        let entry = CacheEntry(key: request.key, response: response, body: .data(data))
        store(entry, for: request)
        return entry.size > entryLimit ? .tooLarge : nil
    }

    private mutating func noteUse(of key: String) {
        uses.append((key, lastUse))
        if uses.count > 64 + 4 * (count + 1) { forgetEarlierUses() }
    }

    private mutating func makeRoom() {
        while size > capacity, let (key, use) = uses.popFirst() {
            guard let slot = slots[key]?.first(where: { $0.use == use }) else { continue }
            remove(slot.entry)
            evictionCount += 1
        }
    }

    /// Replaces an entry, unless it is gone.
    mutating func replace(_ entry: CacheEntry, by new: CacheEntry) {
        guard let index = slots[entry.key]?.firstIndex(where: { $0.entry === entry }), let use = slots[entry.key]?[index].use else {
            return
        }
        slots[entry.key]?[index] = Slot(entry: new, use: use)
        size += new.size - entry.size
        makeRoom()
    }

    mutating func replace(_ entry: CacheEntry, by response: StoredResponse) { replace(entry, by: entry.replacing(response)) }

    mutating func remove(_ entry: CacheEntry) {
        removeAll(of: entry.key) { $0 === entry }
    }

    mutating func removeAll(of key: String) { removeAll(of: key) { _ in true } }

    mutating func removeAll(answering request: CacheRequest) {
        removeAll(of: request.key) { $0.response.selectors.match(request.headers) }
    }

    private mutating func removeAll(of key: String, where isUnwanted: (CacheEntry) -> Bool) {
        guard let variants = slots[key] else { return }
        let kept = variants.filter { !isUnwanted($0.entry) }
        slots[key] = kept.isEmpty ? nil : kept
        count -= variants.count - kept.count
        size -= variants.reduce(0) { $0 + $1.entry.size } - kept.reduce(0) { $0 + $1.entry.size }
    }

    /// - Returns: What was removed, to be released by a caller that holds no lock.
    mutating func removeAll() -> [CacheEntry] {
        let removed = slots.values.flatMap { $0.map(\.entry) }
        (slots, uses, size, count) = ([:], Fifo(), 0, 0)
        return removed
    }

    func takeCensus() -> Bool { false }

    func entries(part: Int) -> [CacheSummary]? {
        guard part == 0 else { return nil }
        return slots.values.joined().map { CacheSummary(key: $0.entry.key, response: $0.entry.response, bodyCount: $0.entry.body.count) }
    }

    /// The number of remembered uses; for tests.
    var usesCount: Int { uses.count }

    private mutating func forgetEarlierUses() {
        let current = slots.mapValues { Set($0.map(\.use)) }
        uses.removeAll { current[$0.key]?.contains($0.use) != true }
    }
}
