/// What a process knows of the files of a cache on disk. It can always be made anew from them.
struct DiskIndex: Sendable {
    /// An entry.
    struct Item: Sendable {
        /// The bytes of its files.
        var size: Int
        /// When it was last used, in nanoseconds since 1970.
        var lastUse: Int64
    }

    private struct Shard: Sendable {
        var stamp: DiskFolder.Stamp?
        /// Whether a change since then would have changed the stamp.
        var isSettled = false
        var wasListed = false
        var names: [DiskName.Key: Set<DiskName>] = [:]
    }

    private var shards = [Shard](repeating: Shard(), count: DiskFolder.shardCount)
    private var items: [DiskName: Item] = [:]
    private(set) var size = 0
    /// The entries that were used the longest time ago, the first of them last. Some may have been used or removed since.
    private var oldest: [(lastUse: Int64, name: DiskName)] = []

    private static let mostOldest = 1024

    var count: Int { items.count }

    func names(of key: DiskName.Key) -> Set<DiskName> { shards[key.shard].names[key] ?? [] }

    func item(_ name: DiskName) -> Item? { items[name] }

    /// The stamp of a shard's folder that tells of every change since the shard was listed; nil if there is none.
    func settledStamp(of shard: Int) -> DiskFolder.Stamp? { shards[shard].isSettled ? shards[shard].stamp : nil }

    // MARK: Listings

    /// Whether the folder of a shard is to be listed: it has changed, or may have.
    func isOutdated(_ shard: Int, _ stamp: DiskFolder.Stamp?) -> Bool {
        !shards[shard].wasListed || shards[shard].stamp != stamp || (stamp != nil && !shards[shard].isSettled)
    }

    /// Whether a shard was never listed, or has changed for sure.
    func hasChanged(_ shard: Int, _ stamp: DiskFolder.Stamp?) -> Bool { !shards[shard].wasListed || shards[shard].stamp != stamp }

    /// The first shard that was never listed.
    var nextUnlisted: Int? { shards.firstIndex { !$0.wasListed } }

    /// Takes over the listing of a shard.
    ///
    /// - Parameters:
    ///   - stamp: From before the listing.
    ///   - facts: The size and the last use of an entry that is new here; nil if it is gone.
    mutating func update(
        _ shard: Int, _ listed: Set<DiskName>, stamp: DiskFolder.Stamp?, isSettled: Bool, facts: (DiskName) -> Item?
    ) {
        for (_, names) in shards[shard].names {
            for name in names where !listed.contains(name) { remove(name) }
        }
        for name in listed where items[name] == nil {
            if let item = facts(name) { add(name, item) }
        }
        shards[shard].stamp = stamp
        shards[shard].isSettled = isSettled
        shards[shard].wasListed = true
    }

    /// Notes that a shard cannot be listed now. What was known of it remains, and it is tried again.
    mutating func couldNotList(_ shard: Int) {
        shards[shard].isSettled = false
        shards[shard].wasListed = true
    }

    /// Takes over the stamp after a change of this process's own, if nobody else has changed the shard before.
    mutating func changed(_ shard: Int, from before: DiskFolder.Stamp?, to after: DiskFolder.Stamp?) {
        guard shards[shard].wasListed, shards[shard].stamp == before else { return }
        shards[shard].stamp = after
        shards[shard].isSettled = false
    }

    // MARK: Entries

    mutating func add(_ name: DiskName, _ item: Item) {
        remove(name)
        items[name] = item
        size += item.size
        shards[name.key.shard].names[name.key, default: []].insert(name)
    }

    mutating func remove(_ name: DiskName) {
        guard let item = items.removeValue(forKey: name) else { return }
        size -= item.size
        var names = shards[name.key.shard].names[name.key] ?? []
        names.remove(name)
        shards[name.key.shard].names[name.key] = names.isEmpty ? nil : names
    }

    mutating func used(_ name: DiskName, at instant: Int64) { items[name]?.lastUse = instant }

    mutating func resized(_ name: DiskName, to newSize: Int) {
        guard let old = items[name]?.size else { return }
        items[name]?.size = newSize
        size += newSize - old
    }

    var names: [DiskName] { Array(items.keys) }

    func names(in shard: Int) -> [DiskName] { shards[shard].names.values.flatMap(Array.init) }

    /// The entry that was not used for the longest time; nil if there is none.
    mutating func leastRecentlyUsed() -> DiskName? {
        while true {
            while let candidate = oldest.popLast() {
                if items[candidate.name]?.lastUse == candidate.lastUse { return candidate.name }
            }
            guard !items.isEmpty else { return nil }
            let sorted = items.map { (lastUse: $0.value.lastUse, name: $0.key) }.sorted { $0.lastUse < $1.lastUse }
            oldest = sorted.prefix(Self.mostOldest).reversed()
        }
    }
}
