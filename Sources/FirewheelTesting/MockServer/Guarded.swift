import Foundation

/// A value in a lock, with a way to wait for a change of it.
///
/// `Mutex` needs macOS 15 and cannot be waited on, hence `NSCondition`. Closures run under the lock: they only read and change the value,
/// and never call a user's code.
///
/// Unchecked: `state` is private and only ever touched between `lock` and `unlock` of `condition`.
final class Guarded<State>: @unchecked Sendable {
    private let condition = NSCondition()
    private var state: State

    init(_ state: State) { self.state = state }

    /// Reads or changes something nobody waits for.
    func with<Result>(_ body: (inout State) -> Result) -> Result {
        condition.lock()
        defer { condition.unlock() }
        return body(&state)
    }

    /// Changes something, and wakes those who wait.
    func change<Result>(_ body: (inout State) -> Result) -> Result {
        condition.lock()
        defer { condition.unlock() }
        let result = body(&state)
        condition.broadcast()
        return result
    }

    /// Waits until `body` returns a value.
    ///
    /// - Parameter timeout: Seconds; nil waits without end.
    /// - Returns: Nil if the time is over.
    func wait<Result>(timeout: TimeInterval?, _ body: (inout State) -> Result?) -> Result? {
        let deadline = timeout.map(Deadline.init(after:))
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let result = body(&state) { return result }
            guard let deadline else {
                condition.wait()
                continue
            }
            // The condition counts by the wall clock, which can be set: short turns keep the monotonic deadline in charge.
            let rest = deadline.remaining
            guard rest > 0 else { return nil }
            _ = condition.wait(until: Date(timeIntervalSinceNow: min(rest, 0.5)))
        }
    }
}
