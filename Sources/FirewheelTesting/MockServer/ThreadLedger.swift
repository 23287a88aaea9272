/// Which of the server's threads run, and which has ended and is still to be joined. A plain value; the server keeps it in its lock.
///
/// Each thread that ends joins the one that ended before it. So at any time at most one is left to be joined, however many connections
/// there were.
struct ThreadLedger {
    private(set) var count = 0
    private var running: Set<UInt> = []
    private var ended: UInt?
    private(set) var isAbandoned = false

    var isEmpty: Bool { count == 0 }

    func isRunning(_ thread: UInt) -> Bool { running.contains(thread) }

    mutating func willStart() { count += 1 }

    mutating func didNotStart() { count -= 1 }

    mutating func didStart(_ thread: UInt) { running.insert(thread) }

    /// - Returns: A thread for the ending one to join, and whether nobody will join the ending one itself.
    mutating func didEnd(_ thread: UInt) -> (join: UInt?, detachesSelf: Bool) {
        count -= 1
        running.remove(thread)
        let previous = ended
        ended = isAbandoned ? nil : thread
        return (previous, isAbandoned)
    }

    /// The last thread, for the server to join.
    mutating func takeEnded() -> UInt? {
        defer { ended = nil }
        return ended
    }

    /// From now on nobody waits for the threads.
    mutating func abandon() { isAbandoned = true }
}
