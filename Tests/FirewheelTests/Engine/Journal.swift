import Firewheel
import Foundation
import Testing

@testable import FirewheelTesting

/// What happened, in its order, written down from any thread.
final class Journal<Entry: Sendable>: Sendable {
    private let lock = NSLock()
    // Only touched while holding `lock`.
    private nonisolated(unsafe) var list: [Entry] = []

    var entries: [Entry] { lock.withLock { list } }
    var count: Int { lock.withLock { list.count } }

    func add(_ entry: Entry) { lock.withLock { list.append(entry) } }

    /// The entries, once there are this many; a failure if there are not within the time.
    func wait(for count: Int, seconds: Double = 60, _ location: SourceLocation = #_sourceLocation) async throws -> [Entry] {
        try await waitUntil("\(count) entries", seconds: seconds, location) { self.count >= count }
        return entries
    }
}

/// A failure that a test waited for in vain.
struct WaitedInVain: Error {
    let what: String
}

/// Waits until a condition holds, looking often; a failure if it does not within the time, which is long since machines are slow.
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

/// Runs work on so many threads of its own at once, and returns when all are gone. One that is still going while the process ends would leave behind what it
/// has with C's libraries, and LeakSanitizer would report that.
func onThreads(_ count: Int, _ work: @escaping @Sendable (Int) -> Void) async {
    let threads = Journal<UInt>()
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        let group = DispatchGroup()
        for index in 0..<count {
            group.enter()
            // The stack of a main thread: what runs here may nest as deeply as anywhere.
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

extension DispatchQueue {
    /// Returns when what had been put on the queue before has been done.
    func drain() async {
        await withCheckedContinuation { continuation in
            async(flags: .barrier) { continuation.resume() }
        }
    }
}
