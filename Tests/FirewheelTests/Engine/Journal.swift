import Firewheel
import Foundation
import Testing

@testable import FirewheelTesting

/// A list of entries that any thread may append to, in order.
final class Journal<Entry: Sendable>: Sendable {
    private let lock = NSLock()
    // Only touched while holding `lock`.
    private nonisolated(unsafe) var list: [Entry] = []

    var entries: [Entry] { lock.withLock { list } }
    var count: Int { lock.withLock { list.count } }

    func add(_ entry: Entry) { lock.withLock { list.append(entry) } }

    /// The entries, once there are this many. Throws after the time limit.
    func wait(for count: Int, seconds: Double = 60, _ location: SourceLocation = #_sourceLocation) async throws -> [Entry] {
        try await waitUntil("\(count) entries", seconds: seconds, location) { self.count >= count }
        return entries
    }
}

/// A wait that timed out.
struct WaitedInVain: Error {
    let what: String
}

/// Polls until a condition holds. Throws after a time limit that is long enough for slow machines.
func waitUntil(
    _ what: String, seconds: Double = 60, _ location: SourceLocation = #_sourceLocation, _ condition: @Sendable () -> Bool
) async throws {
    let deadline = DispatchTime.now() + seconds
    while !condition() {
        guard DispatchTime.now() < deadline else {
            Issue.record("waited \(seconds) seconds in vain for: \(what)", sourceLocation: location)
            throw WaitedInVain(what: what)
        }
        try await Task.sleep(nanoseconds: 1_000_000)
    }
}

/// Runs work on new threads at once and returns when all have ended. A thread that outlives the test would be reported by LeakSanitizer.
func onThreads(_ count: Int, _ work: @escaping @Sendable (Int) -> Void) async {
    let threads = Journal<UInt>()
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        let group = DispatchGroup()
        for index in 0..<count {
            group.enter()
            // The stack size of a main thread, so that deep nesting works as usual.
            let hasStarted = PlatformThread.start(name: "test", stackSize: 8 << 20) {
                threads.add(PlatformThread.current)
                work(index)
                group.leave()
            }
            if !hasStarted {
                Issue.record("no thread is left")
                group.leave()
            }
        }
        group.notify(queue: .global()) {
            threads.entries.forEach(PlatformThread.join)
            continuation.resume()
        }
    }
}

/// Runs a test once for each argument, all at once, and names the argument in its failures. For tests that mostly wait: with arguments of
/// its own, such a test would keep others from running (`Tests/TestWidth`).
func atOnce<Argument: Sendable>(_ arguments: [Argument], _ body: @escaping @Sendable (Argument) async throws -> Void) async throws {
    let test = try #require(Test.current)
    await withTaskGroup(of: Void.self) { group in
        for argument in arguments {
            group.addTask {
                let naming = IssueHandlingTrait.compactMapIssues { issue in
                    var issue = issue
                    issue.comments.append("with \(argument)")
                    return issue
                }
                do {
                    try await naming.provideScope(for: test, testCase: Test.Case.current) { try await body(argument) }
                } catch {
                    Issue.record(error, "with \(argument)")
                }
            }
        }
    }
}

extension DispatchQueue {
    /// Returns after all work that the queue had before.
    func drain() async {
        await withCheckedContinuation { continuation in
            async(flags: .barrier) { continuation.resume() }
        }
    }
}
