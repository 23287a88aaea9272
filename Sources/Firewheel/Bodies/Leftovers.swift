import Foundation

/// Clears the temporary files of processes that died.
///
/// `Firewheel_<id>.lock` is locked by the process whose files are `Firewheel_<id>-<number>.tmp`, see ``TemporaryLease``. If the lock can be
/// taken, that process is gone. The lock's file lists the numbers of the files that are the caller's.
/// A copy on its way to a destination is `.Firewheel_<id>.copy`, which is locked itself.
enum Leftovers {
    /// The most bytes of a lock's file that are read. Beyond that, nothing of its process is removed.
    private static let marksLimit = 16 << 20

    static func lockName(_ id: String) -> String { "Firewheel_\(id).lock" }
    static func fileName(_ id: String, _ number: Int) -> String { "Firewheel_\(id)-\(number).tmp" }
    static func copyName(_ id: String) -> String { ".Firewheel_\(id).copy" }

    private struct Search: Hashable, Sendable {
        let folder: String
        let isForCopies: Bool
    }

    private static let searches = Locked<Set<Search>>([])

    /// Clears a folder on a thread that may block, at its first use in this process: as that of temporary files, or of copies.
    static func clearOnce(in folder: String, copies isForCopies: Bool) {
        guard searches.withLock({ $0.insert(Search(folder: folder, isForCopies: isForCopies)).inserted }) else { return }
        WorkerPool.shared.run { isForCopies ? clearCopies(in: folder) : clear(in: folder) }
    }

    /// Removes the files of processes that died from a folder. Anything that is not certainly such a file stays.
    static func clear(in folder: String) {
        let dead = names(in: folder).compactMap { id(of: $0, after: "Firewheel_", before: ".lock") }.compactMap { id in
            take("\(folder)/\(lockName(id))").map { (id, $0) }
        }
        guard !dead.isEmpty else { return }
        // Listed again with the locks held, because those processes may have created files before they died.
        let names = names(in: folder)
        for (id, lock) in dead {
            guard let marks = try? lock.contents(limit: marksLimit) else { continue }
            let kept = Set(marks.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) })
            let isClear = names.allSatisfy { name in
                guard let number = number(of: name, id), !kept.contains(number) else { return true }
                return remove("\(folder)/\(name)")
            }
            if isClear { remove(lock.path) }
        }
    }

    /// Removes the copies of processes that died from a folder.
    static func clearCopies(in folder: String) {
        for name in names(in: folder) where id(of: name, after: ".Firewheel_", before: ".copy") != nil {
            if let copy = take("\(folder)/\(name)") { remove(copy.path) }
        }
    }

    private static func names(in folder: String) -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] }

    private static func id(of name: String, after prefix: String, before suffix: String) -> String? {
        guard name.hasPrefix(prefix), name.hasSuffix(suffix), name.utf8.count == prefix.utf8.count + suffix.utf8.count + RandomName.length
        else { return nil }
        let id = name.dropFirst(prefix.count).dropLast(suffix.count)
        return RandomName.isValid(id) ? String(id) : nil
    }

    /// The number in a file's name, exactly as this library writes it.
    private static func number(of name: String, _ id: String) -> String? {
        guard name.hasPrefix("Firewheel_\(id)-"), name.hasSuffix(".tmp") else { return nil }
        let text = name.dropFirst("Firewheel_\(id)-".count).dropLast(".tmp".count)
        guard let number = Int(text), number > 0, fileName(id, number) == name else { return nil }
        return String(number)
    }

    /// Opens and locks a file of a process that died; nil if it is another's or in use.
    private static func take(_ path: String) -> OpenFile? {
        guard let file = try? OpenFile(path), let facts = try? file.facts(), FileLock.isOwn(facts), file.lock() else { return nil }
        return file
    }

    /// - Returns: Whether the file is gone, or not ours.
    @discardableResult
    private static func remove(_ path: String) -> Bool {
        guard FileLock.ownFile(path) != nil else { return true }
        return unlink(path) == 0 || errno == ENOENT
    }
}
