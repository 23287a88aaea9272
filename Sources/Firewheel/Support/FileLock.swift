import Foundation

/// An advisory lock on a whole file (flock(2)), which the system releases when the process ends, however it ends.
///
/// It works between containers that share a folder, where process ids mean nothing. On network file systems without such locks between
/// hosts, hosts must not share a folder for temporary files.
enum FileLock {
    /// Takes the lock without waiting. False if another process, or another descriptor of this one, holds it, if the file has no name any
    /// more, or if the file system has no locks.
    static func take(_ descriptor: Int32) -> Bool {
        guard lock(descriptor) == 0 else { return false }
        // Whoever held the lock before may have removed the file, and then this lock protects nothing.
        var facts = stat()
        return fstat(descriptor, &facts) == 0 && facts.st_nlink == 1
    }

    /// Whether another process, or another descriptor of this one, holds the lock. Otherwise it is taken. A file system without locks
    /// cannot tell, so that this is true.
    static func isTaken(_ descriptor: Int32) -> Bool { lock(descriptor) != 0 }

    /// Takes the lock together with others that share it, without waiting. False only if somebody has it alone.
    static func share(_ descriptor: Int32) -> Bool {
        while flock(descriptor, LOCK_SH | LOCK_NB) != 0 {
            if errno != EINTR { return errno != EWOULDBLOCK }
        }
        return true
    }

    static func release(_ descriptor: Int32) { _ = flock(descriptor, LOCK_UN) }

    /// - Returns: 0, or an error number.
    private static func lock(_ descriptor: Int32) -> Int32 {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno != EINTR { return errno }
        }
        return 0
    }

    /// The attributes of a path, if it is a regular file of this user and neither a symbolic link nor has another name.
    static func ownFile(_ path: String) -> stat? {
        var facts = stat()
        guard lstat(path, &facts) == 0 else { return nil }
        return isOwn(facts) ? facts : nil
    }

    /// When the content was last changed.
    static func modification(_ facts: stat) -> timespec {
        #if canImport(Darwin)
            facts.st_mtimespec
        #else
            facts.st_mtim
        #endif
    }

    static func isOwn(_ facts: stat) -> Bool { facts.st_mode & S_IFMT == S_IFREG && facts.st_uid == geteuid() && facts.st_nlink == 1 }
}
