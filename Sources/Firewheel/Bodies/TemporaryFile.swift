import Foundation

/// The temporary file of a download or a form. It is removed with its last reference, unless it has been moved away or given to the caller.
package final class TemporaryFile: Sendable {
    package let url: URL
    private let number: Int
    /// Nil once the file is no longer the library's.
    private let lease: Locked<TemporaryLease?>

    init(path: String, number: Int, lease: TemporaryLease) {
        url = URL(fileURLWithPath: path, isDirectory: false)
        self.number = number
        self.lease = Locked(lease)
    }

    deinit {
        guard let lease = endLease() else { return }
        // The last reference may go anywhere, and removing a large file takes a while.
        WorkerPool.shared.run { [path = url.path] in
            unlink(path)
            // The lease must outlive the file.
            withExtendedLifetime(lease) {}
        }
    }

    /// Gives the file to the caller: nothing here removes it any more.
    func claim() {
        endLease()?.release(number)
    }

    /// The file has been moved to its destination, which may be where it was.
    func didMove() {
        guard let lease = endLease() else { return }
        var facts = stat()
        if lstat(url.path, &facts) == 0 { lease.release(number) }
    }

    func remove() {
        guard let lease = endLease() else { return }
        unlink(url.path)
        withExtendedLifetime(lease) {}
    }

    private func endLease() -> TemporaryLease? { lease.withLock { $0.take() } }
}
