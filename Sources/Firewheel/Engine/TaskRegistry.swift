/// The requests that are under way, by id: how an event of the transport finds its call. It keeps them until their outcome is final.
final class TaskRegistry: Sendable {
    struct Entry: Sendable {
        let request: Request
        let call: Call
    }

    private struct WeakEntry: Sendable {
        weak var request: Request?
        weak var call: Call?
    }

    private struct State {
        var active: [UInt64: Entry] = [:]
        /// Requests that nobody has started and that have handlers, to be told when the session goes.
        var unstarted: [UInt64: WeakEntry] = [:]
        /// Whether the session is there: without it no handler waits for a start that may never come.
        var hasSession = true
        /// Whether requests may still start.
        var isOpen = true
    }

    private let state = Locked(State())

    /// Takes a request in that starts. False if the session was invalidated.
    func admit(_ request: Request, _ call: Call) -> Bool {
        state.withLock { state in
            guard state.isOpen else { return false }
            state.active[call.id] = Entry(request: request, call: call)
            if !state.unstarted.isEmpty { state.unstarted[call.id] = nil }
            return true
        }
    }

    func call(for id: UInt64) -> Call? {
        state.withLock { $0.active[id]?.call }
    }

    /// Every request that is under way.
    var all: [Entry] {
        state.withLock { Array($0.active.values) }
    }

    /// - Returns: The request, to be let go outside of the lock.
    func remove(_ id: UInt64) -> Request? {
        state.withLock { $0.active.removeValue(forKey: id)?.request }
    }

    /// Remembers a request that has a handler and was not started, without keeping it.
    ///
    /// - Returns: False if the session is gone; and requests to be let go outside of all locks, since whoever else held one may have let it
    ///   go meanwhile.
    func watch(_ request: Request, _ call: Call) -> (hasSession: Bool, living: [Request]) {
        state.withLock { state in
            guard state.hasSession else { return (false, []) }
            var living: [Request] = []
            // Those that were dropped are cleared out when there are as many again as were left last time.
            if state.unstarted.count >= 64, state.unstarted.count.nonzeroBitCount == 1 {
                living = state.unstarted.values.compactMap(\.request)
                state.unstarted = Dictionary(uniqueKeysWithValues: living.map { ($0.id, state.unstarted[$0.id] ?? WeakEntry()) })
            }
            state.unstarted[call.id] = WeakEntry(request: request, call: call)
            return (true, living)
        }
    }

    /// The session is gone, or was invalidated.
    ///
    /// - Parameter closes: Whether no more requests may start.
    /// - Returns: Those that have handlers and were never started.
    func endSession(closes: Bool) -> [Call] {
        state.withLock { state in
            state.hasSession = false
            if closes { state.isOpen = false }
            defer { state.unstarted = [:] }
            return state.unstarted.values.compactMap(\.call)
        }
    }
}
