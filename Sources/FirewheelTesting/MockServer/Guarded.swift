import Foundation

/// A value protected by a lock, with a way to wait for changes.
///
/// Uses `NSCondition`, because `Mutex` needs macOS 15 and cannot be waited on. Closures run under the lock: they must only read and change
/// the value, and never call the user's code.
///
/// `@unchecked` is sound because `state` is private and accessed only while `condition` is locked.
final class Guarded<State>: @unchecked Sendable {
    private struct Waiter {
        let id: Int
        /// Examines the state under the lock. Returns nil to continue waiting, or the action to perform after unlocking.
        let attempt: (inout State) -> (() -> Void)?
        /// Ends the wait without a value. Called after unlocking.
        let giveUp: ((any Error)?) -> Void
    }

    private let condition = NSCondition()
    private var state: State
    private var waiters: [Waiter] = []
    private var lastID = 0

    init(_ state: State) { self.state = state }

    /// Reads or changes the value without waking waiters.
    func with<Result>(_ body: (inout State) -> Result) -> Result {
        condition.lock()
        defer { condition.unlock() }
        return body(&state)
    }

    /// Changes the value and wakes all waiters.
    func change<Result>(_ body: (inout State) -> Result) -> Result {
        condition.lock()
        let result = body(&state)
        let wakes = serve()
        condition.unlock()
        for wake in wakes { wake() }
        return result
    }

    /// The number of waiters, for the server's own tests.
    var waiterCount: Int { with { _ in waiters.count } }

    private func serve() -> [() -> Void] {
        guard !waiters.isEmpty else { return [] }
        var wakes: [() -> Void] = []
        waiters.removeAll { waiter in
            guard let wake = waiter.attempt(&state) else { return false }
            wakes.append(wake)
            return true
        }
        return wakes
    }

    // MARK: - Blocking

    /// Blocks the thread until `body` returns a value.
    ///
    /// - Parameter timeout: In seconds; nil means no limit.
    /// - Returns: nil after the timeout.
    func wait<Result>(timeout: TimeInterval?, _ body: @escaping (inout State) -> Result?) -> Result? {
        let deadline = timeout.map(Deadline.init(after:))
        condition.lock()
        defer { condition.unlock() }
        if let result = body(&state) { return result }

        var result: Result?
        let id = newID()
        waiters.append(
            Waiter(
                id: id,
                attempt: { [condition] state in
                    result = body(&state)
                    guard result != nil else { return nil }
                    condition.broadcast()
                    return {}
                }, giveUp: { _ in }))
        while result == nil {
            guard let deadline else {
                condition.wait()
                continue
            }
            // The condition uses the wall clock, which can be set, so waiting in short intervals keeps the monotonic deadline.
            let rest = deadline.remaining
            guard rest > 0 else { break }
            _ = condition.wait(until: Date(timeIntervalSinceNow: min(rest, 0.5)))
        }
        waiters.removeAll { $0.id == id }
        return result
    }

    // MARK: - Suspending

    /// Suspends the task until `body` returns a value. No thread is blocked.
    ///
    /// - Parameter timeout: Seconds.
    /// - Returns: nil on timeout.
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func wait<Result: Sendable>(timeout: TimeInterval, _ body: @escaping @Sendable (inout State) -> Result?) async throws -> Result? {
        try Task.checkCancellation()
        let id = with { _ in newID() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enter(id, timeout, body, continuation)
                // The cancellation handler below may have run before the waiter was added.
                if Task.isCancelled { leave(id, CancellationError()) }
            }
        } onCancel: {
            leave(id, CancellationError())
        }
    }

    private func enter<Result: Sendable>(
        _ id: Int, _ timeout: TimeInterval, _ body: @escaping @Sendable (inout State) -> Result?,
        _ continuation: CheckedContinuation<Result?, any Error>
    ) {
        condition.lock()
        if let result = body(&state) {
            condition.unlock()
            return continuation.resume(returning: result)
        }
        // The timer runs on a Dispatch queue, which works even when all threads of the cooperative pool are blocked.
        let timer = DispatchSource.makeTimerSource(queue: .global())
        timer.setEventHandler { [weak self] in self?.leave(id, nil) }
        timer.schedule(deadline: .now() + Deadline.bounded(timeout))
        waiters.append(
            Waiter(
                id: id,
                attempt: { state in
                    guard let result = body(&state) else { return nil }
                    return {
                        timer.cancel()
                        continuation.resume(returning: result)
                    }
                },
                giveUp: { error in
                    timer.cancel()
                    if let error { continuation.resume(throwing: error) } else { continuation.resume(returning: nil) }
                }))
        condition.unlock()
        timer.activate()
    }

    /// Ends a task's wait, if it has not ended yet. nil as the error means a timeout.
    private func leave(_ id: Int, _ error: (any Error)?) {
        let waiter = with { _ -> Waiter? in
            guard let index = waiters.firstIndex(where: { $0.id == id }) else { return nil }
            return waiters.remove(at: index)
        }
        waiter?.giveUp(error)
    }

    /// Must be called under the lock.
    private func newID() -> Int {
        lastID += 1
        return lastID
    }
}
