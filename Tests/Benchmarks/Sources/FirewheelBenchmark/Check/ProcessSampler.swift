import Foundation

/// The maximum of what the kernel reports about this process, sampled every 10 ms.
final class ProcessSampler: @unchecked Sendable {
    // Sound because `most` and `isOver` are touched under the lock only.

    struct Facts: Codable {
        /// Resident memory.
        var bytes = 0
        var threads = 0
        /// Threads of the I/O loop.
        var loopThreads = 0

        static var now: Facts {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task"))?.compactMap {
                try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)
            }
            let statm = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
            let pages = statm?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
            return Facts(
                bytes: (pages ?? 0) * sysconf(Int32(_SC_PAGESIZE)), threads: names?.count ?? 0,
                loopThreads: names?.count { ["firewheel.loop\n", "firewheel.io\n"].contains($0) } ?? 0)
        }
    }

    private let lock = NSLock()
    private var most = Facts.now
    private var isOver = false

    init() {
        Thread.detachNewThread { [self] in
            while look() { usleep(10_000) }
        }
    }

    /// Stops sampling and returns the maxima.
    func end() -> Facts {
        lock.withLock {
            isOver = true
            return most
        }
    }

    private func look() -> Bool {
        let now = Facts.now
        return lock.withLock {
            most.bytes = max(most.bytes, now.bytes)
            most.threads = max(most.threads, now.threads)
            most.loopThreads = max(most.loopThreads, now.loopThreads)
            return !isOver
        }
    }
}
