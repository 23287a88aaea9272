import Foundation

/// Small entries of a cache on disk that were used lately, so that using one again needs no other thread and reads no file.
final class RecentEntries: Sendable {
    private struct Recent: Sendable {
        let entry: CacheEntry
        let stamp: DiskFolder.Stamp
        var noted: MonotonicInstant
    }

    private struct State: Sendable {
        var entries: [DiskName.Key: Recent] = [:]
        var size = 0
    }

    private let folder: DiskFolder
    private let state = Locked(State())

    /// The most bytes of all together.
    private static let most = 8 << 20
    /// The seconds after which another use is noted in the store.
    private static let interval: TimeInterval = 1

    init(_ folder: DiskFolder) {
        self.folder = folder
    }

    /// The entry for a request, if no process has changed the folder that it is in.
    ///
    /// - Returns: nil if the store is to be asked.
    func entry(for request: CacheRequest) -> (entry: CacheEntry, isToBeNoted: Bool)? {
        let key = DiskName.Key(request.key)
        guard let recent = state.withLock({ $0.entries[key] }), recent.entry.key == request.key, recent.entry.response.fits(request),
            folder.stamp(of: key.shard) == recent.stamp
        else { return nil }
        let now = MonotonicInstant.now()
        guard now.seconds(since: recent.noted) >= Self.interval else { return (recent.entry, false) }
        state.withLock { $0.entries[key]?.noted = now }
        return (recent.entry, true)
    }

    /// Keeps an entry that is the only one of its URL.
    ///
    /// - Parameter stamp: That of the folder in which it was found.
    func add(_ entry: CacheEntry, _ key: DiskName.Key, _ stamp: DiskFolder.Stamp) {
        let recent = Recent(entry: entry, stamp: stamp, noted: .now())
        let earlier = state.withLock { state -> [DiskName.Key: Recent] in
            var earlier: [DiskName.Key: Recent] = [:]
            if let same = state.entries[key] { state.size -= same.entry.size }
            if state.size + entry.size > Self.most { (earlier, state.entries, state.size) = (state.entries, [:], 0) }
            state.entries[key] = recent
            state.size += entry.size
            return earlier
        }
        withExtendedLifetime(earlier) {}
    }

    /// Forgets what was kept for a URL, because it has changed.
    func remove(_ key: DiskName.Key) {
        let removed = state.withLock { state -> Recent? in
            guard let removed = state.entries.removeValue(forKey: key) else { return nil }
            state.size -= removed.entry.size
            return removed
        }
        withExtendedLifetime(removed) {}
    }
}
