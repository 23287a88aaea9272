import Foundation
import Glibc

/// What this process holds.
struct Sample {
    var memory: Int
    var descriptors: Int
    /// The names of the threads, in order.
    var threads: [String]

    static var now: Sample {
        trim()
        let statm = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = statm?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        let threads = list("/proc/self/task").compactMap { try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8) }
        return Sample(
            memory: (pages ?? 0) * sysconf(Int32(_SC_PAGESIZE)), descriptors: list("/proc/self/fd").count,
            threads: threads.map { $0.trimmingCharacters(in: .newlines) }.sorted())
    }

    /// Gives back to the system what is free, which the allocator would keep for later.
    private static func trim() {
        typealias Trim = @convention(c) (Int) -> Int32
        guard let symbol = dlsym(nil, "malloc_trim") else { return }
        _ = unsafeBitCast(symbol, to: Trim.self)(0)
    }

    private static func list(_ folder: String) -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] }
}
