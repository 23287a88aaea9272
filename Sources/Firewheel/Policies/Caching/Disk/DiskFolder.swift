import Foundation

/// The files of a cache on disk, which several processes may share.
///
/// ```
/// <directory>/Firewheel-cache-1/            the 1 is the version of the format: others do not touch each other's
///     lock                                  see ``commit(_:head:body:)``
///     temporary/                            files that are being written; those of dead processes are cleared
///     00 … ff/<name>.head, <name>.body      the entries, by the last digits of their URL's hash
/// ```
/// An entry exists if it has a head. The body gets its name before the head, and loses it after it, so that a process which is killed
/// leaves no half entry, but at most a body that nothing refers to. Such bodies are removed later.
final class DiskFolder: Sendable {
    /// What a file of an entry is.
    enum Part: String, Sendable {
        case head
        case body
    }

    /// Why a folder is not used: others could read and change what is in it.
    enum Unsafe: Error {
        case belongsToOther
        case isWritableByAll

        var words: String {
            switch self {
            case .belongsToOther: "it belongs to another user"
            case .isWritableByAll: "every user may write to it"
            }
        }
    }

    static let shardCount = 256
    private static let rootName = "Firewheel-cache-1"

    private let directory: String
    let root: String
    /// Made once, because they are needed for each request.
    private let shardPaths: [String]
    private struct Open: Sendable {
        let lock: CommitLock
        /// Kept, so that each temporary file does not need a new one.
        let lease: TemporaryLease
    }

    private let opened: Locked<Open>

    /// Opens the folder, and creates it if it is missing.
    ///
    /// - Throws: `POSIXError`, ``PlacementFailure``, or the error of Foundation.
    init(_ directory: URL) throws {
        let path = directory.path
        guard directory.isFileURL, !path.isEmpty, !path.utf8.contains(0) else { throw PlacementFailure.notAFolder }
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        self.directory = path
        try Self.checkDirectory(path)
        let root = (path.hasSuffix("/") ? path : path + "/") + Self.rootName
        self.root = root
        shardPaths = (0..<Self.shardCount).map { shard in "\(root)/\(shard < 16 ? "0" : "")\(String(shard, radix: 16))" }
        opened = Locked(try Self.use(root))
    }

    private static func use(_ root: String) throws -> Open {
        try makeOwnFolder(root)
        _ = clear(root + "/temporary", forA: S_IFDIR)
        try makeOwnFolder(root + "/temporary")
        _ = clear(root + "/lock", forA: S_IFREG)
        return Open(lock: try CommitLock(root + "/lock"), lease: try TemporaryLease.of(root + "/temporary"))
    }

    // MARK: Folders

    private static func makeOwnFolder(_ path: String) throws {
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw POSIXError.of(errno, path: path) }
        try checkOwnFolder(path)
        // Nobody else may read what is in it, whatever was there before.
        if chmod(path, 0o700) != 0 { throw POSIXError.of(errno, path: path) }
        if access(path, R_OK | W_OK | X_OK) != 0 { throw POSIXError.of(errno, path: path) }
    }

    /// Removes what is in the place of a file or a folder of ours, such as a link, which may lead anywhere.
    ///
    /// - Returns: Whether the place was taken and is free now.
    private static func clear(_ path: String, forA type: mode_t) -> Bool {
        var facts = stat()
        guard lstat(path, &facts) == 0, facts.st_mode & S_IFMT != type else { return false }
        return facts.st_mode & S_IFMT == S_IFDIR ? rmdir(path) == 0 : unlink(path) == 0
    }

    /// Checks the caller's directory, which may be behind a link, and which other users may be able to read.
    private static func checkDirectory(_ path: String) throws {
        var facts = stat()
        guard stat(path, &facts) == 0 else { throw POSIXError.of(errno, path: path) }
        try checkOwner(facts, path)
        // They could put another folder in the place of ours.
        if facts.st_mode & S_IWOTH != 0, facts.st_mode & S_ISVTX == 0 { throw Unsafe.isWritableByAll }
    }

    private static func checkOwnFolder(_ path: String) throws {
        var facts = stat()
        guard lstat(path, &facts) == 0 else { throw POSIXError.of(errno, path: path) }
        try checkOwner(facts, path)
    }

    private static func checkOwner(_ facts: stat, _ path: String) throws {
        guard facts.st_mode & S_IFMT == S_IFDIR else { throw POSIXError.of(ENOTDIR, path: path) }
        guard facts.st_uid == geteuid() else { throw Unsafe.belongsToOther }
    }

    private func path(of shard: Int) -> String { shardPaths[shard] }

    func path(_ name: DiskName, _ part: Part) -> String { "\(path(of: name.key.shard))/\(name.text).\(part.rawValue)" }

    /// Creates a temporary file.
    func makeFile() throws -> (TemporaryFile, OpenFile) { try opened.withLock(\.lease).makeFile() }

    /// Creates what somebody has removed.
    func restore() throws {
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try Self.checkDirectory(directory)
        let restored = try Self.use(root)
        opened.withLock { $0 = restored }
    }

    // MARK: Shards

    /// What changes with a folder's names, if the clock of the file system is fine enough.
    struct Stamp: Sendable, Equatable {
        fileprivate let seconds: Int64
        fileprivate let nanoseconds: Int64
        fileprivate let number: UInt64

        /// Whether a later change has another stamp: the clock of a file system may stand still for some milliseconds.
        func isSettled(at now: timespec) -> Bool {
            let (elapsed, isTooMuch) = Int64(now.tv_sec).subtractingReportingOverflow(seconds)
            // Some file systems have whole seconds only.
            guard !isTooMuch, elapsed < 3, nanoseconds != 0 else { return !isTooMuch && elapsed > 2 }
            return elapsed >= 0 && elapsed * 1_000_000_000 + Int64(now.tv_nsec) - nanoseconds > 100_000_000
        }
    }

    /// nil if the shard has no folder.
    func stamp(of shard: Int) -> Stamp? {
        var facts = stat()
        guard lstat(path(of: shard), &facts) == 0 else { return nil }
        let modified = FileLock.modification(facts)
        return Stamp(seconds: Int64(modified.tv_sec), nanoseconds: Int64(modified.tv_nsec), number: UInt64(facts.st_ino))
    }

    /// The files of a shard; nil if they cannot be listed. Other files in its folder are removed, and so is what is not a folder.
    func list(_ shard: Int) -> (heads: Set<DiskName>, bodies: Set<DiskName>)? {
        let path = path(of: shard)
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return errno == ENOENT || Self.clear(path, forA: S_IFDIR) ? ([], []) : nil }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_uid == geteuid(), let stream = fdopendir(descriptor) else {
            close(descriptor)
            return nil
        }
        defer { closedir(stream) }
        var (heads, bodies): (Set<DiskName>, Set<DiskName>) = ([], [])
        errno = 0
        while let entry = readdir(stream) {
            withUnsafeBytes(of: &entry.pointee.d_name) { name in
                let text = UnsafeRawBufferPointer(rebasing: name.prefix { $0 != 0 })
                if text.allSatisfy({ $0 == UInt8(ascii: ".") }), text.count <= 2 { return }
                switch DiskName.parse(text).map({ ($0.name, Part(rawValue: $0.suffix)) }) {
                case (let name, .head)? where name.key.shard == shard: heads.insert(name)
                case (let name, .body)? where name.key.shard == shard: bodies.insert(name)
                default: if let start = name.bindMemory(to: CChar.self).baseAddress { unlinkat(descriptor, start, 0) }
                }
            }
            errno = 0
        }
        return errno == 0 ? (heads, bodies) : nil
    }

    /// The attributes of an entry's file; nil if it is gone.
    func facts(_ name: DiskName, _ part: Part) -> stat? { FileLock.ownFile(path(name, part)) }

    /// Removes bodies without heads: those that a process has left that was killed. Not while one gives an entry its names.
    ///
    /// - Returns: Whether it was possible.
    func removeOrphans(in shard: Int) -> Bool {
        opened.withLock(\.lock).withExclusively {
            guard let (heads, bodies) = list(shard) else { return }
            for name in bodies.subtracting(heads) { unlink(path(name, .body)) }
        }
    }

    // MARK: Entries

    /// Gives the files of a new entry their names.
    func commit(_ name: DiskName, head: TemporaryFile, body: TemporaryFile) throws {
        try opened.withLock(\.lock).withShared {
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
        try opened.withLock(\.lock).withShared {
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

    /// Notes that an entry is used now, for the processes that make room.
    func touch(_ name: DiskName) { utimes(path(name, .head), nil) }
}
