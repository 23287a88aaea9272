import Foundation

/// A lock by which processes that give entries their names keep those away that remove what has only one of two names. Without locks in
/// the file system nothing is removed in that way.
final class CommitLock: Sendable {
    private let descriptor: Int32

    /// How often the lock is tried, once in a millisecond. Who has it alone lists one folder meanwhile, unless it was stopped.
    private static let mostTries = 500
    /// Whether the last attempt was in vain. Then one try is enough until it is free again: a process that was stopped holds up one write.
    private let isHeldUp = Locked(false)

    /// Waits for a millisecond.
    private let pause: @Sendable () -> Void

    /// - Parameter pause: Waits between two tries. Replaced in tests.
    init(_ path: String, pause: @escaping @Sendable () -> Void = { usleep(1000) }) throws {
        self.pause = pause
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw POSIXError.of(errno, path: path) }
    }

    deinit { close(descriptor) }

    func withShared<Result>(_ body: () throws -> Result) throws -> Result {
        var tries = 0
        while !FileLock.share(descriptor) {
            tries += 1
            guard tries < Self.mostTries, !isHeldUp.withLock(\.self) else {
                isHeldUp.withLock { $0 = true }
                throw POSIXError(.EBUSY)
            }
            pause()
        }
        isHeldUp.withLock { $0 = false }
        defer { FileLock.release(descriptor) }
        return try body()
    }

    /// - Returns: Whether the lock was free.
    func withExclusively(_ body: () -> Void) -> Bool {
        // It may be taken, although the file has no name any more.
        defer { FileLock.release(descriptor) }
        guard FileLock.take(descriptor) else { return false }
        body()
        return true
    }
}
