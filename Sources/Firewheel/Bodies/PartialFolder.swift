import Foundation

/// The folder of partial files: those of downloads that can be resumed, by this process or a later one.
///
/// It is this user's alone. A file in it is found by its id, 128 random bits, and nothing else of the resume data leads to a path. Its
/// files are not cleared with the left-overs of dead processes.
struct PartialFolder: Sendable {
    let path: String

    /// - Parameter temporary: The folder for temporary files. Others may share it, so the name has the user's id.
    init(in temporary: String) {
        path = (temporary.hasSuffix("/") ? temporary : temporary + "/") + "firewheel-partial-\(geteuid())"
    }

    func path(_ id: String) -> String { "\(path)/\(id)" }

    /// Creates an empty file, in the folder that is created if needed.
    func create(_ id: String) throws -> OpenFile {
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw POSIXError.of(errno, path: path) }
        return try withFolder { folder in
            let descriptor = openat(folder, try checked(id), O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw POSIXError.of(errno, path: path(id)) }
            let file = OpenFile(path(id), owning: descriptor)
            guard DescriptorReserve.isKept(behind: descriptor) else {
                unlinkat(folder, id, 0)
                throw POSIXError.of(EMFILE, path: path(id))
            }
            // Kept for as long as the file is open, so that nobody else goes on with it.
            _ = file.isInUse
            return file
        }
    }

    /// Opens a file to go on with it.
    ///
    /// - Parameter count: How many bytes it must have at least.
    /// - Throws: `POSIXError`: `EBUSY` if it is open elsewhere or cannot be locked, `ENOENT` if it is not there, `EINVAL` if it is shorter
    ///   or not a file of ours.
    func reopen(_ id: String, count: Int64) throws -> OpenFile {
        try withFolder { folder in
            // Non-blocking, because opening a FIFO would wait.
            let descriptor = openat(folder, try checked(id), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { throw POSIXError.of(errno, path: path(id)) }
            let file = OpenFile(path(id), owning: descriptor)
            guard DescriptorReserve.isKept(behind: descriptor) else { throw POSIXError.of(EMFILE, path: path(id)) }
            guard Self.isFree(file) else { throw POSIXError.of(EBUSY, path: path(id)) }
            let facts = try file.facts()
            // Whoever held the lock before may have moved the file to its destination.
            guard FileLock.isOwn(facts), Int64(facts.st_size) >= count, FileLock.ownFile(path(id))?.st_ino == facts.st_ino else {
                throw POSIXError.of(EINVAL, path: path(id))
            }
            return file
        }
    }

    /// Tries for a second. Between fork and exec a child process has copies of all descriptors, and a copy keeps the lock of a file that
    /// was closed meanwhile.
    private static func isFree(_ file: OpenFile) -> Bool {
        for _ in 0..<100 {
            if !file.isInUse { return true }
            usleep(10_000)
        }
        return !file.isInUse
    }

    /// Whether the error of `reopen` says that the file is gone, in use or not ours. Other errors say nothing about it.
    static func saysUnusable(_ code: POSIXErrorCode) -> Bool {
        switch code {
        case .ENOENT, .EBUSY, .EINVAL, .ELOOP, .ENOTDIR, .EISDIR, .ENXIO, .EACCES, .EPERM: true
        default: false
        }
    }

    func remove(_ id: String) {
        _ = try? withFolder { folder in unlinkat(folder, try checked(id), 0) }
    }

    /// An id is checked when resume data is read; here it is also what keeps a path out.
    private func checked(_ id: String) throws -> String {
        guard RandomName.isValid(id) else { throw POSIXError.of(EINVAL, path: path) }
        return id
    }

    /// Opens the folder, so that what was checked is also what is used.
    private func withFolder<Result>(_ body: (Int32) throws -> Result) throws -> Result {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else { throw POSIXError.of(errno, path: path) }
        defer { close(folder) }
        var facts = stat()
        guard fstat(folder, &facts) == 0 else { throw POSIXError.of(errno, path: path) }
        // Others could learn the ids, or replace the files, and so decide what a download goes on with.
        guard facts.st_uid == geteuid(), facts.st_mode & 0o077 == 0 else { throw POSIXError.of(EACCES, path: path) }
        return try body(folder)
    }
}
