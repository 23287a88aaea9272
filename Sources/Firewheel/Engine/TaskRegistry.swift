/// The running requests by id, by which the transport's events find their call. It retains each until its outcome is final.
final class TaskRegistry: DeliveryCounter {
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
        /// Unstarted requests with handlers, which must be ended with the session.
        var unstarted: [UInt64: WeakEntry] = [:]
        /// Requests that end without having run, and whose handlers are still to be called.
        var endingUnstarted: Set<UInt64> = []
        /// Whether the session exists: without it, no handler may wait for a start that never comes.
        var hasSession = true
        /// Whether requests may still start.
        var isOpen = true
        /// The number of handlers that are to be called, or have not returned.
        var delivering = 0
        /// Called when no request runs and no handler is left to be called.
        var waiting: [@Sendable () -> Void] = []

        /// Those who wait, if they need not wait any longer.
        mutating func takeWaiting() -> [@Sendable () -> Void] {
            guard active.isEmpty, endingUnstarted.isEmpty, delivering == 0 else { return [] }
            defer { waiting = [] }
            return waiting
        }
    }

    private let state = Locked(State())

    /// Registers a request that starts. False if the session was invalidated: the request then ends without having run.
    func admit(_ request: Request, _ call: Call) -> Bool {
        state.withLock { state in
            guard state.isOpen else {
                state.endingUnstarted.insert(call.id)
                return false
            }
            state.active[call.id] = Entry(request: request, call: call)
            if !state.unstarted.isEmpty { state.unstarted[call.id] = nil }
            return true
        }
    }

    func call(for id: UInt64) -> Call? {
        state.withLock { $0.active[id]?.call }
    }

    /// All running requests.
    var all: [Entry] {
        state.withLock { Array($0.active.values) }
    }

    /// Takes a request out whose outcome is final.
    ///
    /// - Parameter count: How often ``didDeliver()`` will be called.
    /// - Returns: The request, to be released outside the lock.
    func remove(_ id: UInt64, expecting count: Int) -> Request? {
        state.withLock { state in
            state.delivering += count
            if !state.endingUnstarted.isEmpty { state.endingUnstarted.remove(id) }
            return state.active.removeValue(forKey: id)?.request
        }
    }

    /// Registers a request that ends without having run, until ``remove(_:expecting:)``.
    func endsUnstarted(_ id: UInt64) {
        state.withLock { _ = $0.endingUnstarted.insert(id) }
    }

    /// Counts a handler that was attached after the end. ``didDeliver()`` will be called for it.
    func expectDelivery() {
        state.withLock { $0.delivering += 1 }
    }

    func didDeliver() {
        let ready = state.withLock { state in
            state.delivering -= 1
            return state.waiting.isEmpty ? [] : state.takeWaiting()
        }
        for done in ready { done() }
    }

    /// Calls a closure when no request runs and no handler is left to be called. To be called once no request can start any more.
    func whenFinished(_ done: @escaping @Sendable () -> Void) {
        let ready = state.withLock { state in
            state.waiting.append(done)
            return state.takeWaiting()
        }
        for done in ready { done() }
    }

    /// Registers an unstarted request with a handler, without retaining it.
    ///
    /// - Returns: False if the session is gone; and requests to be released outside all locks, because this may hold the last reference to
    ///   them by now.
    func watch(_ request: Request, _ call: Call) -> (hasSession: Bool, living: [Request]) {
        state.withLock { state in
            guard state.hasSession else { return (false, []) }
            var living: [Request] = []
            // Removes entries of released requests whenever the count has doubled.
            if state.unstarted.count >= 64, state.unstarted.count.nonzeroBitCount == 1 {
                living = state.unstarted.values.compactMap(\.request)
                state.unstarted = Dictionary(uniqueKeysWithValues: living.map { ($0.id, state.unstarted[$0.id] ?? WeakEntry()) })
            }
            state.unstarted[call.id] = WeakEntry(request: request, call: call)
            return (true, living)
        }
    }

    /// Handles that the session is gone or was invalidated. ``didDeliver()`` is to be called when the returned requests have been ended, so
    /// that others who wait for the session's handlers meanwhile wait for theirs.
    ///
    /// - Parameter closes: Whether no more requests may start.
    /// - Returns: Unstarted requests that have handlers.
    func endSession(closes: Bool) -> [Call] {
        state.withLock { state in
            state.hasSession = false
            if closes { state.isOpen = false }
            state.delivering += 1
            defer { state.unstarted = [:] }
            return state.unstarted.values.compactMap(\.call)
        }
    }
}
