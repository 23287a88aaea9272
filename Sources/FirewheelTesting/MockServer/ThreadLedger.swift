/// The server's running threads, and the one that has ended and must be joined. A plain value, kept under the server's lock.
///
/// Each ending thread joins the one that ended before it. So at most one is left to be joined, for any number of connections.
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

    /// - Returns: A thread that the ending one must join, and whether the ending one must detach itself.
    mutating func didEnd(_ thread: UInt) -> (join: UInt?, detachesSelf: Bool) {
        count -= 1
        running.remove(thread)
        let previous = ended
        ended = isAbandoned ? nil : thread
        return (previous, isAbandoned)
    }

    /// The last ended thread, to be joined by the server.
    mutating func takeEnded() -> UInt? {
        defer { ended = nil }
        return ended
    }

    /// From now on nothing waits for the threads.
    mutating func abandon() { isAbandoned = true }
}
