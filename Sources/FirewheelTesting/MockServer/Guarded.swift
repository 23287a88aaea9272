import Foundation

/// A value protected by a lock, with a way to wait for changes.
///
/// Uses `NSCondition`, because `Mutex` needs macOS 15 and cannot be waited on. Closures run under the lock: they must only read and change
/// the value, and never call the user's code.
///
/// `@unchecked` is sound because `state` is private and accessed only while `condition` is locked.
final class Guarded<State>: @unchecked Sendable {
    private let condition = NSCondition()
    private var state: State

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
        defer { condition.unlock() }
        let result = body(&state)
        condition.broadcast()
        return result
    }

    /// Waits until `body` returns a value.
    ///
    /// - Parameter timeout: In seconds; nil means no limit.
    /// - Returns: nil after the timeout.
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
            // The condition uses the wall clock, which can be set, so waiting in short intervals keeps the monotonic deadline.
            let rest = deadline.remaining
            guard rest > 0 else { return nil }
            _ = condition.wait(until: Date(timeIntervalSinceNow: min(rest, 0.5)))
        }
    }
}
