import Dispatch
import Foundation

/// A process's largest resident set, from /proc: a child's `ru_maxrss` is never below its parent's memory at the fork.
enum PeakMemory {
    /// Of this process, or of the program that it ran in its place.
    static var bytes: Int { tool.largest ?? read("self") ?? 0 }

    /// Follows the memory of `process` instead from now on, sampled every 5 ms while it runs.
    static func follow(_ process: Process) {
        let pid = String(process.processIdentifier)
        tool.note(read(pid))
        Thread.detachNewThread {
            while let bytes = read(pid) {
                tool.note(bytes)
                usleep(5_000)
            }
        }
    }

    private static let tool = Largest()

    /// nil for a process that has ended.
    private static func read(_ pid: String) -> Int? {
        guard let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let kibibytes = line.split(whereSeparator: { " \t".contains($0) }).dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        return kibibytes * 1024
    }

    private final class Largest: @unchecked Sendable {
        // Sound because `value` is touched under the lock only.
        private let lock = NSLock()
        private var value: Int?

        var largest: Int? { lock.withLock { value } }

        func note(_ bytes: Int?) {
            lock.withLock { value = [value, bytes].compactMap { $0 }.max() }
        }
    }
}
