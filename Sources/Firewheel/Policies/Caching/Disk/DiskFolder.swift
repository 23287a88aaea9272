import Foundation

/// The files of a cache on disk, which several processes may share.
///
/// ```
/// <directory>/Firewheel-cache-1/            the 1 is the version of the format: others do not touch each other's
///     lock                                  see ``commit(_:)``
///     temporary/                            files that are being written; those of dead processes are cleared
///     00 … ff/<name>.head, <name>.body      the entries, by the last digits of their URL's hash
/// ```
/// An entry exists if it has a head. The body gets its name before the head, and loses it after it, so that a process which is killed
/// leaves no half entry, but at most a body that nothing refers to. Such ones are removed later.
final class DiskFolder: Sendable {
    /// What a file of an entry is.
    enum Part: String, Sendable {
        case head
        case body
    }

    /// The folder is another user's, who could read and change what is in it.
    struct BelongsToOther: Error {}

    static let shardCount = 256
    private static let rootName = "Firewheel-cache-1"

    let root: String
    /// Made once, because they are needed for each request.
    private let shardPaths: [String]
    private struct Open: Sendable {
        let lock: CommitLock
        /// Kept, so that each temporary file does not need a new one.
        let lease: TemporaryLease
    }

    private let open: Locked<Open>

    /// Opens the folder, and creates it if it is missing.
    ///
    /// - Throws: `POSIXError`, ``PlacementFailure``, or the error of Foundation.
    init(_ directory: URL) throws {
        let path = directory.path
        guard directory.isFileURL, !path.isEmpty, !path.utf8.contains(0) else { throw PlacementFailure.notAFolder }
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try Self.checkOwner(path, followsLinks: true)
        let root = (path.hasSuffix("/") ? path : path + "/") + Self.rootName
        self.root = root
        shardPaths = (0..<Self.shardCount).map { shard in "\(root)/\(shard < 16 ? "0" : "")\(String(shard, radix: 16))" }
        open = Locked(try Self.open(root))
    }

    private static func open(_ root: String) throws -> Open {
        try makeOwnFolder(root)
        try makeOwnFolder(root + "/temporary")
        return Open(lock: try CommitLock(root + "/lock"), lease: try TemporaryLease.of(root + "/temporary"))
    }

    // MARK: Folders

    private static func makeOwnFolder(_ path: String) throws {
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw POSIXError.of(errno, path: path) }
        try checkOwner(path, followsLinks: false)
        // Nobody else may read what is in it, whatever was there before.
        if chmod(path, 0o700) != 0 { throw POSIXError.of(errno, path: path) }
        if access(path, R_OK | W_OK | X_OK) != 0 { throw POSIXError.of(errno, path: path) }
    }

    /// - Throws: An error if the path is not a directory, or another user's.
    private static func checkOwner(_ path: String, followsLinks: Bool) throws {
        var facts = stat()
        guard (followsLinks ? stat(path, &facts) : lstat(path, &facts)) == 0 else { throw POSIXError.of(errno, path: path) }
        guard facts.st_mode & S_IFMT == S_IFDIR else { throw POSIXError.of(ENOTDIR, path: path) }
        guard facts.st_uid == geteuid() else { throw BelongsToOther() }
    }

    private func path(of shard: Int) -> String { shardPaths[shard] }

    func path(_ name: DiskName, _ part: Part) -> String { "\(path(of: name.key.shard))/\(name.text).\(part.rawValue)" }

    /// Creates a temporary file.
    func makeFile() throws -> (TemporaryFile, OpenFile) { try open.withLock(\.lease).makeFile() }

    /// Creates what somebody has removed.
    func restore() throws {
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let restored = try Self.open(root)
        open.withLock { $0 = restored }
    }

    // MARK: Shards

    /// What changes with a folder's names, if the clock of the file system is fine enough.
    struct Stamp: Sendable, Equatable {
        fileprivate let seconds: Int
        fileprivate let nanoseconds: Int
        fileprivate let number: UInt64

        /// Whether a later change has another stamp: the clock of a file system may stand still for some milliseconds.
        func isSettled(at now: timespec) -> Bool {
            let (elapsed, isTooMuch) = Int(now.tv_sec).subtractingReportingOverflow(seconds)
            // Some file systems have whole seconds only.
            guard !isTooMuch, elapsed < 3, nanoseconds != 0 else { return !isTooMuch && elapsed > 2 }
            return elapsed >= 0 && elapsed * 1_000_000_000 + Int(now.tv_nsec) - nanoseconds > 100_000_000
        }
    }

    /// nil if the shard has no folder.
    func stamp(of shard: Int) -> Stamp? {
        var facts = stat()
        guard lstat(path(of: shard), &facts) == 0 else { return nil }
        let modified = FileLock.modification(facts)
        return Stamp(seconds: Int(modified.tv_sec), nanoseconds: Int(modified.tv_nsec), number: UInt64(facts.st_ino))
    }

    /// The files of a shard; nil if they cannot be listed. Other files in its folder are removed.
    func list(_ shard: Int) -> (heads: Set<DiskName>, bodies: Set<DiskName>)? {
        let folder = path(of: shard)
        guard let stream = opendir(folder) else { return errno == ENOENT ? ([], []) : nil }
        defer { closedir(stream) }
        var (heads, bodies): (Set<DiskName>, Set<DiskName>) = ([], [])
        errno = 0
        while let entry = readdir(stream) {
            withUnsafeBytes(of: &entry.pointee.d_name) { name in
                let name = UnsafeRawBufferPointer(rebasing: name.prefix { $0 != 0 })
                switch DiskName.parse(name).map({ ($0.name, Part(rawValue: $0.suffix)) }) {
                case (let name, .head)? where name.key.shard == shard: heads.insert(name)
                case (let name, .body)? where name.key.shard == shard: bodies.insert(name)
                // unlink removes no folders.
                default: unlink("\(folder)/\(String(decoding: name, as: UTF8.self))")
                }
            }
            errno = 0
        }
        return errno == 0 ? (heads, bodies) : nil
    }

    /// The attributes of an entry's file; nil if it is gone.
    func facts(_ name: DiskName, _ part: Part) -> stat? { FileLock.ownFile(path(name, part)) }

    /// Removes bodies without heads: those that a process has left that was killed. Not while one gives an entry its names.
    func removeOrphans(in shard: Int) {
        open.withLock(\.lock).withExclusively {
            guard let (heads, bodies) = list(shard) else { return }
            for name in bodies.subtracting(heads) { unlink(path(name, .body)) }
        }
    }

    // MARK: Entries

    /// Gives the files of a new entry their names.
    func commit(_ name: DiskName, head: TemporaryFile, body: TemporaryFile) throws {
        try open.withLock(\.lock).withShared {
            if mkdir(path(of: name.key.shard), 0o700) != 0, errno != EEXIST { throw POSIXError.of(errno, path: root) }
            try move(body, to: path(name, .body))
            do {
                try move(head, to: path(name, .head))
            } catch {
                unlink(path(name, .body))
                throw error
            }
        }
    }

    /// Replaces the head of an entry.
    ///
    /// - Returns: Whether the entry still exists.
    func replaceHead(of name: DiskName, by head: TemporaryFile) throws -> Bool {
        try open.withLock(\.lock).withShared {
            guard facts(name, .head) != nil, facts(name, .body) != nil else { return false }
            try move(head, to: path(name, .head))
            // Another process may have removed it just now.
            if facts(name, .body) != nil { return true }
            unlink(path(name, .head))
            return false
        }
    }

    private func move(_ file: TemporaryFile, to path: String) throws {
        guard rename(file.url.path, path) == 0 else { throw POSIXError.of(errno, path: path) }
        file.didMove()
    }

    /// - Returns: Whether the entry is gone.
    @discardableResult
    func remove(_ name: DiskName) -> Bool {
        let isGone = unlink(path(name, .head)) == 0 || errno == ENOENT
        unlink(path(name, .body))
        // Another process may have replaced the head in between.
        unlink(path(name, .head))
        return isGone
    }

    /// Notes that an entry was used, for the processes that make room.
    func touch(_ name: DiskName) { utimes(path(name, .head), nil) }
}

/// A lock by which processes that give entries their names keep those away that remove what has only one of two names. Without locks in
/// the file system nothing is removed in that way.
private final class CommitLock: Sendable {
    private let descriptor: Int32

    /// How often the lock is tried, once in a millisecond. Who has it alone lists one folder meanwhile, unless it was stopped.
    private static let mostTries = 500

    init(_ path: String) throws {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw POSIXError.of(errno, path: path) }
    }

    deinit { close(descriptor) }

    func withShared<Result>(_ body: () throws -> Result) throws -> Result {
        var tries = 0
        while !FileLock.share(descriptor) {
            tries += 1
            guard tries < Self.mostTries else { throw POSIXError(.EBUSY) }
            usleep(1000)
        }
        defer { FileLock.release(descriptor) }
        return try body()
    }

    func withExclusively(_ body: () -> Void) {
        // It may be taken, although the file has no name any more.
        defer { FileLock.release(descriptor) }
        if FileLock.take(descriptor) { body() }
    }
}
