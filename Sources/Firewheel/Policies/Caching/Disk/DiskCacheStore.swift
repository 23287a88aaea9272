import Foundation

/// Stored responses in a folder, of which those go first that were not used for the longest time. Used on one queue, because it reads and
/// writes files.
struct DiskCacheStore: CacheStore {
    private let folder: DiskFolder
    /// Also asked without the store.
    let recent: RecentEntries
    private let capacity: Int
    private let clientLifetime: TimeInterval?
    /// Entries whose bodies turned out to be damaged while they were read, on any thread. They are removed at the next occasion.
    private let damaged = DamagedNames()
    private var index = DiskIndex()
    /// Heads that were read, so that they are not read for each request.
    private var heads: [DiskName: DiskRecord] = [:]
    private var headBytes = 0
    /// Entries whose files could not be removed, as on a disk that has become read-only. They are not used any more, and it is tried again
    /// whenever their shard is listed.
    private var removed: Set<DiskName> = []
    /// When an entry was last used, in nanoseconds since 1970.
    private var latestUse: Int64 = 0
    private(set) var evictionCount = 0
    /// The bytes that were stored since all shards were looked at.
    private var storedSinceRefresh = 0
    /// Whether all shards have been looked at.
    private var isCounted = false

    /// The most bytes of heads in memory.
    private static let mostHeadBytes = 16 << 20
    /// The most entries of one URL, since each request is compared with all of them.
    private static let mostVariants = 64
    /// Bodies of at most this size are kept in memory while they are handed over.
    private static let mostInMemory = CacheFile.blockSize
    /// Bodies of at most this size are compared with their checksums before they are used. Damage of others is seen while they are read.
    private static let mostVerified = 8 << 20
    /// The nanoseconds for which the use of an entry is not noted on the disk again.
    private static let useInterval: Int64 = 60_000_000_000

    init(_ folder: DiskFolder, capacity: Int, clientLifetime: TimeInterval?) {
        self.folder = folder
        recent = RecentEntries(folder)
        self.capacity = max(0, capacity)
        self.clientLifetime = clientLifetime
    }

    var entryLimit: Int { capacity / 10 }

    var size: Int {
        mutating get {
            refreshAll()
            makeRoom()
            return index.size
        }
    }

    var count: Int {
        mutating get {
            refreshAll()
            makeRoom()
            return index.count
        }
    }

    // MARK: Listings

    private static func now() -> timespec {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return now
    }

    /// A time in nanoseconds since 1970. Files may have any.
    private static func nanoseconds(_ time: timespec) -> Int64 {
        max(0, min(Int64(time.tv_sec), 8_000_000_000)) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// The time of a use: later than all others, also after the clock went back.
    private mutating func nextUse() -> Int64 {
        latestUse = max(latestUse + 1, Self.nanoseconds(Self.now()))
        return latestUse
    }

    /// Reads the names in a shard, if they may have changed.
    ///
    /// - Parameter isLenient: Whether to trust a stamp that is so young that a later change may have the same one.
    private mutating func refresh(_ shard: Int, isLenient: Bool = false) {
        let stamp = folder.stamp(of: shard)
        guard index.isOutdated(shard, stamp) else { return }
        let now = Self.now()
        if isLenient, !index.hasChanged(shard, stamp), stamp?.isSettled(at: now) == false { return }
        guard let (heads, bodies) = folder.list(shard) else { return index.couldNotList(shard) }
        var isSettled = stamp?.isSettled(at: now) != false
        for name in removed where name.key.shard == shard && folder.remove(name) { removed.remove(name) }
        if !bodies.isSubset(of: heads), !folder.removeOrphans(in: shard) { isSettled = false }
        // Another process may have replaced them.
        for name in index.names(in: shard) { self.heads[name] = nil }
        let (folder, capacity) = (folder, capacity)
        var latest = latestUse
        index.update(shard, heads.subtracting(removed), stamp: stamp, isSettled: isSettled) { name in
            guard let head = folder.facts(name, .head), let body = folder.facts(name, .body),
                head.st_size <= DiskRecord.mostBytes, body.st_size <= capacity
            else {
                folder.remove(name)
                return nil
            }
            var lastUse = Self.nanoseconds(FileLock.modification(head))
            if lastUse > Self.nanoseconds(now) {
                // The clock has gone back. Otherwise this would count as used last for as long.
                folder.touch(name)
                lastUse = Self.nanoseconds(now)
            }
            latest = max(latest, lastUse)
            return DiskIndex.Item(size: Int(head.st_size) + Int(body.st_size), lastUse: lastUse)
        }
        latestUse = latest
    }

    private mutating func refreshAll() {
        for shard in 0..<DiskFolder.shardCount { refresh(shard) }
        storedSinceRefresh = 0
        isCounted = true
    }

    mutating func takeCensus() -> Bool {
        guard !isCounted, let shard = index.nextUnlisted else { return false }
        refresh(shard)
        isCounted = index.nextUnlisted == nil
        // The capacity may have been larger before.
        if isCounted { makeRoom() }
        return !isCounted
    }

    /// Changes the files of a shard, and knows the changes as its own.
    private mutating func change<Result>(_ shard: Int, _ body: (DiskFolder) throws -> Result) rethrows -> Result {
        let before = folder.stamp(of: shard)
        defer { index.changed(shard, from: before, to: folder.stamp(of: shard)) }
        return try body(folder)
    }

    // MARK: Looking up

    mutating func entry(for request: CacheRequest) -> CacheEntry? {
        guard let (name, entry) = find(request) else { return nil }
        noteUse(name)
        if case .data = entry.body, index.names(of: name.key).count == 1, let stamp = index.settledStamp(of: name.key.shard) {
            recent.add(entry, name.key, stamp)
        }
        return entry
    }

    mutating func noteUse(of entry: CacheEntry) {
        if let name = entry.name { noteUse(name) }
    }

    private mutating func noteUse(_ name: DiskName) {
        guard let item = index.item(name) else { return }
        let use = nextUse()
        // Processes that make room look at the time of the file.
        if use - item.lastUse > Self.useInterval { folder.touch(name) }
        index.used(name, at: use)
    }

    mutating func peek(for request: CacheRequest) -> CacheEntry? { find(request)?.entry }

    private mutating func find(_ request: CacheRequest) -> (name: DiskName, entry: CacheEntry)? {
        for name in damaged.take() { removeFiles(name) }
        let key = DiskName.Key(request.key)
        refresh(key.shard, isLenient: true)
        if let found = findListed(key, request) { return found }
        refresh(key.shard)
        return findListed(key, request)
    }

    private mutating func findListed(_ key: DiskName.Key, _ request: CacheRequest) -> (name: DiskName, entry: CacheEntry)? {
        let fitting = records(of: key).filter { $0.record.key == request.key && $0.record.response.fits(request) }
        for (name, record) in fitting.sorted(by: { $0.record.isNewer(than: $1.record) }) {
            if let entry = open(name, record) { return (name, entry) }
        }
        return nil
    }

    /// The heads that have a key. Files that are not heads are removed.
    private mutating func records(of key: DiskName.Key) -> [(name: DiskName, record: DiskRecord)] {
        index.names(of: key).compactMap { name in record(name).map { (name, $0) } }
    }

    private mutating func record(_ name: DiskName) -> DiskRecord? {
        if let head = heads[name] { return head }
        do {
            let file = try OpenFile(folder.path(name, .head))
            let facts = try file.facts()
            guard FileLock.isOwn(facts), facts.st_size <= DiskRecord.mostBytes else { throw DiskRecord.Invalid() }
            let bytes = try file.read(at: 0, count: Int(facts.st_size))
            let record = try DiskRecord(bytes, clientLifetime: clientLifetime)
            guard DiskName.Key(record.key) == name.key else { throw DiskRecord.Invalid() }
            note(record, name, bytes.count)
            return record
        } catch {
            discard(name, after: error)
            return nil
        }
    }

    private mutating func note(_ record: DiskRecord, _ name: DiskName, _ count: Int) {
        recent.remove(name.key)
        // Objects take more than the file. Those that are removed in the meantime still count, which only forgets the rest earlier.
        headBytes += 512 + 2 * count
        if headBytes > Self.mostHeadBytes { (heads, headBytes) = ([:], 512 + 2 * count) }
        heads[name] = record
    }

    /// The entry with its body. An invalid one is removed.
    private mutating func open(_ name: DiskName, _ record: DiskRecord) -> CacheEntry? {
        do {
            let damaged = damaged
            let file = try CacheFile(folder.path(name, .body), count: record.bodyCount, checksums: record.checksums) { damaged.add(name) }
            if file.count <= Self.mostInMemory {
                return CacheEntry(key: record.key, response: record.response, body: .data(try file.read(0..<file.count)), name: name)
            }
            if file.count <= Self.mostVerified { try file.verify() }
            return CacheEntry(key: record.key, response: record.response, body: CacheBody(file), name: name)
        } catch {
            discard(name, after: error)
            return nil
        }
    }

    /// Removes an entry that cannot be read, unless the system is short of something.
    private mutating func discard(_ name: DiskName, after error: any Error) {
        if !CacheFile.isPassing(error) { removeFiles(name) }
    }

    mutating func variants(of key: String) -> [StoredResponse] {
        let hash = DiskName.Key(key)
        refresh(hash.shard)
        return records(of: hash).filter { $0.record.key == key }.map(\.record.response)
    }

    /// Those of one shard, so that requests need not wait for all.
    mutating func entries(part shard: Int) -> [CacheSummary]? {
        guard shard < DiskFolder.shardCount else { return nil }
        refresh(shard)
        return index.names(in: shard).compactMap { name in
            record(name).map { CacheSummary(key: $0.key, response: $0.response, bodyCount: $0.bodyCount) }
        }
    }

    // MARK: Changing

    mutating func store(_ response: StoredResponse, _ body: CollectedBody, for request: CacheRequest) -> CacheStorability.Reason? {
        do {
            do {
                return try store(response, write(body), for: request)
            } catch let error as POSIXError where error.code == .ENOENT {
                try folder.restore()
                guard case .memory = body else { return refuse(request, "the cache's directory was removed meanwhile") }
                return try store(response, write(body), for: request)
            }
        } catch {
            return refuse(request, FirewheelError.words(of: error))
        }
    }

    private mutating func refuse(_ request: CacheRequest, _ words: String) -> CacheStorability.Reason {
        removeAll(answering: request)
        return .disk(words)
    }

    mutating func removeAll(answering request: CacheRequest) {
        for name in names(answering: request) { removeFiles(name) }
    }

    /// The entries with a key that are unwanted, and those whose heads cannot be read now.
    private mutating func names(of key: DiskName.Key, where isUnwanted: (DiskRecord) -> Bool) -> [DiskName] {
        refresh(key.shard)
        return index.names(of: key).filter { name in record(name).map(isUnwanted) ?? true }
    }

    private mutating func store(
        _ response: StoredResponse, _ written: CacheBodyWriter.Written, for request: CacheRequest
    ) throws -> CacheStorability.Reason? {
        let key = DiskName.Key(request.key)
        let name = DiskName(of: key)
        let earlier = names(answering: request)
        let record = DiskRecord(key: request.key, response: response, bodyCount: written.count, checksums: written.checksums)
        let head = try record.encoded()
        let size = head.count + written.count
        guard size <= entryLimit else {
            for name in earlier { removeFiles(name) }
            return .tooLarge
        }
        let headFile = try write(head)
        try change(key.shard) { try $0.commit(name, head: headFile, body: written.file) }
        for name in earlier { removeFiles(name) }
        index.add(name, DiskIndex.Item(size: size, lastUse: nextUse()))
        storedSinceRefresh += size
        note(record, name, head.count)
        limitVariants(of: key, but: name)
        makeRoom(but: name)
        return nil
    }

    private func write(_ body: CollectedBody) throws -> CacheBodyWriter.Written {
        switch body {
        case .disk(let writer): return try writer.finish()
        case .memory(let data):
            var checksums = BlockChecksums()
            checksums.add(data)
            return CacheBodyWriter.Written(file: try write(data), count: data.count, checksums: checksums.values)
        }
    }

    private func write(_ data: Data) throws -> TemporaryFile {
        let (temporary, file) = try folder.makeFile()
        try file.write(data)
        try file.close()
        return temporary
    }

    /// The entries that a request would have been answered with.
    private mutating func names(answering request: CacheRequest) -> [DiskName] {
        names(of: DiskName.Key(request.key)) { $0.key == request.key && $0.response.selectors.match(request.headers) }
    }

    private mutating func limitVariants(of key: DiskName.Key, but newest: DiskName) {
        var names = index.names(of: key).subtracting([newest])
        while names.count >= Self.mostVariants, let oldest = names.min(by: { lastUse($0) < lastUse($1) }) {
            removeFiles(oldest)
            names.remove(oldest)
        }
    }

    private func lastUse(_ name: DiskName) -> Int64 { index.item(name)?.lastUse ?? 0 }

    private mutating func makeRoom(but newest: DiskName? = nil) {
        guard isCounted else { return }
        // Other processes store, too.
        if storedSinceRefresh > capacity / 16 { refreshAll() }
        while index.size > capacity, let name = index.leastRecentlyUsed(), name != newest {
            // Another process may have used it.
            if let facts = folder.facts(name, .head), Self.nanoseconds(FileLock.modification(facts)) > lastUse(name) {
                index.used(name, at: Self.nanoseconds(FileLock.modification(facts)))
                continue
            }
            removeFiles(name)
            evictionCount += 1
        }
    }

    mutating func replace(_ entry: CacheEntry, by response: StoredResponse) {
        guard let name = entry.name else { return }
        guard let old = record(name) else { return removeFiles(name) }
        let record = DiskRecord(key: entry.key, response: response, bodyCount: old.bodyCount, checksums: old.checksums)
        guard let head = try? record.encoded(), let file = try? write(head),
            let isReplaced = try? change(name.key.shard, { try $0.replaceHead(of: name, by: file) }), isReplaced
        else {
            // What is stored would be used as if the server had not said something newer.
            return removeFiles(name)
        }
        note(record, name, head.count)
        index.resized(name, to: head.count + record.bodyCount)
    }

    mutating func remove(_ entry: CacheEntry) {
        if let name = entry.name { removeFiles(name) }
    }

    mutating func removeAll(of key: String) {
        for name in names(of: DiskName.Key(key), where: { $0.key == key }) { removeFiles(name) }
    }

    mutating func removeAll() -> [CacheEntry] {
        refreshAll()
        for name in index.names { removeFiles(name) }
        return []
    }

    private mutating func removeFiles(_ name: DiskName) {
        heads[name] = nil
        recent.remove(name.key)
        index.remove(name)
        let isGone = change(name.key.shard) { $0.remove(name) }
        if !isGone { removed.insert(name) }
    }
}

/// The names of entries that were found to be damaged.
private final class DamagedNames: Sendable {
    private let names = Locked<Set<DiskName>>([])

    func add(_ name: DiskName) { names.withLock { _ = $0.insert(name) } }

    func take() -> Set<DiskName> {
        names.withLock { names in
            defer { names = [] }
            return names
        }
    }
}

extension DiskRecord {
    fileprivate func isNewer(than other: DiskRecord) -> Bool { response.freshness.responseTime > other.response.freshness.responseTime }
}
