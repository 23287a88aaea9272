/// Where a cache keeps its responses: ``MemoryCacheStore`` and ``DiskCacheStore``.
protocol CacheStore: Sendable {
    /// The most bytes of one entry: a tenth of the capacity.
    var entryLimit: Int { get }
    /// About how many bytes the entries take.
    var size: Int { mutating get }
    /// The number of entries.
    var count: Int { mutating get }
    /// How many entries were removed to make room for others.
    var evictionCount: Int { get }

    /// The newest entry that a request may be answered with. It counts as used.
    mutating func entry(for request: CacheRequest) -> CacheEntry?
    /// Counts an entry as used, unless it is gone.
    mutating func noteUse(of entry: CacheEntry)
    /// The newest entry that a request may be answered with, without counting it as used.
    mutating func peek(for request: CacheRequest) -> CacheEntry?
    /// What is stored for a URL.
    mutating func variants(of key: String) -> [StoredResponse]
    /// Stores a response in place of those that the same request would have been answered with.
    ///
    /// - Returns: Why it was not stored; nil if it was.
    mutating func store(_ response: StoredResponse, _ body: CollectedBody, for request: CacheRequest) -> CacheStorability.Reason?
    /// Replaces the response of an entry, unless the entry is gone.
    mutating func replace(_ entry: CacheEntry, by response: StoredResponse)
    mutating func remove(_ entry: CacheEntry)
    /// Removes what the same request would have been answered with.
    mutating func removeAll(answering request: CacheRequest)
    /// Removes what is stored for a URL.
    mutating func removeAll(of key: String)
    /// - Returns: What was removed, to be released by a caller that holds no lock.
    mutating func removeAll() -> [CacheEntry]
    /// Counts some of what was stored before, to know how much it is.
    ///
    /// - Returns: Whether there is more to count.
    mutating func takeCensus() -> Bool
    /// A part of all entries, counted from 0, in no particular order; nil if there is no such part.
    mutating func entries(part: Int) -> [CacheSummary]?
}

/// An entry without its body.
struct CacheSummary: Sendable {
    let key: String
    let response: StoredResponse
    let bodyCount: Int
}
