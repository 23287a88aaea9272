import Foundation
import Testing

@testable import Firewheel

/// A directory for caches, which is removed at the end of a test.
final class CacheFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("cache-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// A cache in the directory, or in memory. With `FIREWHEEL_CACHE_ON_DISK` in the environment none is in memory, so that all tests of
    /// the cache can be run with one on disk.
    static func cache(
        in folder: CacheFolder?, capacity: Int, defaultFreshness: TimeInterval? = nil, clock: @escaping @Sendable () -> TimeInterval
    ) -> HTTPCache {
        let isOnDisk = ProcessInfo.processInfo.environment["FIREWHEEL_CACHE_ON_DISK"] != nil
        guard let folder = folder ?? (isOnDisk ? try? CacheFolder.leftOver() : nil) else {
            return HTTPCache(memoryCapacity: capacity, defaultFreshness: defaultFreshness, clock: clock)
        }
        do {
            return try HTTPCache(directory: folder.url, capacity: capacity, defaultFreshness: defaultFreshness, clock: clock)
        } catch {
            fatalError("\(error)")
        }
    }

    private static let kept = Locked<[CacheFolder]>([])
    private static let removesKeptAtExit: Void = { atexit { CacheFolder.kept.withLock { $0 = [] } } }()

    private static func leftOver() throws -> CacheFolder {
        removesKeptAtExit
        let folder = try CacheFolder()
        kept.withLock { $0.append(folder) }
        return folder
    }

    /// Waits until the clock of the file system tells a change after this from one before it.
    func tick() async throws {
        let root = url.appendingPathComponent("Firewheel-cache-1")
        let latest = try FileManager.default.contentsOfDirectory(at: root, includingPropertiesForKeys: nil).compactMap(Self.changed).max()
        let file = url.appendingPathComponent("tick")
        defer { try? FileManager.default.removeItem(at: file) }
        try await waitUntil("the clock goes on") {
            try? FileManager.default.removeItem(at: file)
            guard (try? Data().write(to: file)) != nil, let now = Self.changed(file) else { return false }
            return latest.map { now > $0 } ?? true
        }
    }

    private static func changed(_ file: URL) -> Date? {
        try? FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate] as? Date
    }

    /// Has an entry's file look as if it had last been changed so many seconds ago.
    static func age(_ file: URL, by seconds: TimeInterval) throws {
        try FileManager.default.setAttributes([.modificationDate: Date() - seconds], ofItemAtPath: file.path)
    }

    /// All files, as paths below the directory.
    var files: [String] {
        let all = FileManager.default.enumerator(atPath: url.path)?.compactMap { $0 as? String } ?? []
        return all.filter { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: url.path + "/" + path, isDirectory: &isFolder) && !isFolder.boolValue
        }.sorted()
    }

    /// The files of entries with a suffix.
    func files(_ suffix: String) -> [URL] { files.filter { $0.hasSuffix(suffix) }.map { url.appendingPathComponent($0) } }

    /// Whether any file has these bytes.
    func contains(_ text: String) -> Bool {
        files.contains { (try? Data(contentsOf: url.appendingPathComponent($0)))?.range(of: Data(text.utf8)) != nil }
    }
}
