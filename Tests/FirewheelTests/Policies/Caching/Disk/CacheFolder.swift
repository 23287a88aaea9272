import Foundation

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

    private static func leftOver() throws -> CacheFolder {
        let folder = try CacheFolder()
        kept.withLock { $0.append(folder) }
        return folder
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
