import CMalloc
import Foundation
import Glibc

/// The resources that this process holds.
struct Sample {
    /// Resident memory in bytes, after the allocator has returned free memory.
    var memory: Int
    /// Allocated memory in bytes.
    var inUse: Int
    var descriptors: Int
    /// The names of the threads, in order.
    var threads: [String]

    static var now: Sample {
        let inUse = trim_and_count_in_use()
        let statm = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = statm?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        let threads = list("/proc/self/task").compactMap { try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8) }
        return Sample(
            memory: (pages ?? 0) * sysconf(Int32(_SC_PAGESIZE)), inUse: inUse, descriptors: list("/proc/self/fd").count,
            threads: threads.map { $0.trimmingCharacters(in: .newlines) }.sorted())
    }

    private static func list(_ folder: String) -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] }
}
