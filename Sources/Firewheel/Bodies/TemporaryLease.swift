import Foundation

/// A set of temporary files in one folder that are known to be in use as long as a lock is held.
///
/// The lock is on a file beside them, so that a later process finds those of a process that died: see ``Leftovers``. It lasts as long as
/// one of them is the library's; then the lock's file is removed, and nothing of ours is left.
final class TemporaryLease: Sendable {
    private let folder: String
    private let id: String
    /// Holds the lock; nil if the file system has none. Then nothing is ever cleared.
    private let descriptor: Int32?
    private let lastNumber = Locked(0)

    private struct Known: Sendable {
        weak var lease: TemporaryLease?
    }

    /// The leases in use by folder.
    private static let known = Locked<[String: Known]>([:])

    /// The lease of a folder: the one in use, otherwise a new one.
    static func of(_ folder: String) throws -> TemporaryLease {
        if let lease = known.withLock({ $0[folder]?.lease }), !lease.isForgotten { return lease }
        let new = try TemporaryLease(folder)
        // Two threads may have made one each, and both are good.
        known.withLock { $0[folder] = Known(lease: new) }
        Leftovers.clearOnce(in: folder, copies: false)
        return new
    }

    private init(_ folder: String) throws {
        self.folder = folder
        for _ in 0..<10 {
            let id = RandomName.make()
            let (descriptor, path) = try TemporaryName.open(in: folder) { Leftovers.lockName(id) }
            if FileLock.take(descriptor) {
                (self.id, self.descriptor) = (id, descriptor)
                return
            }
            // A process that clears left-overs was faster, or there are no locks here.
            close(descriptor)
            unlink(path)
        }
        (id, descriptor) = (RandomName.make(), nil)
    }

    deinit {
        guard let descriptor else { return }
        unlink(path(Leftovers.lockName(id)))
        close(descriptor)
    }

    /// Whether somebody has removed the lock's file, as with its folder. Then no later process would clear what is in use here.
    private var isForgotten: Bool { descriptor != nil && access(path(Leftovers.lockName(id)), F_OK) != 0 && errno == ENOENT }

    private func path(_ name: String) -> String { folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)" }

    /// Creates a file, readable by its owner only, since others may share the folder.
    func makeFile() throws -> (TemporaryFile, OpenFile) {
        let number = nextNumber()
        let file = try OpenFile(in: folder) { Leftovers.fileName(id, number) }
        return (TemporaryFile(path: file.path, number: number, lease: self), file)
    }

    /// Takes a file of another folder on the same file system.
    func adopt(_ path: String) throws -> TemporaryFile {
        let number = nextNumber()
        let name = self.path(Leftovers.fileName(id, number))
        guard rename(path, name) == 0 else { throw POSIXError.of(errno, path: name) }
        return TemporaryFile(path: name, number: number, lease: self)
    }

    private func nextNumber() -> Int {
        lastNumber.withLock { last in
            last += 1
            return last
        }
    }

    /// Notes in the lock's file that a file is no longer the library's, so that no later process clears it.
    func release(_ number: Int) {
        guard let descriptor else { return }
        let mark = Data("\(number)\n".utf8)
        let isNoted = BlockedSignal.during(SIGXFSZ) { mark.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } == mark.count }
        // Without the note, the file is only safe if none of this lease are cleared.
        if !isNoted { unlink(path(Leftovers.lockName(id))) }
    }
}
