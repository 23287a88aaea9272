/// A queue that can assert that the current code runs on it.
protocol AssertableQueue: Sendable {
    /// Traps unless called on this queue. No input can cause this, only a mistake in the library.
    func assertIsCurrent()
}

extension SerialQueue: AssertableQueue {}
extension DelegateQueue: AssertableQueue {}
extension WorkerQueue: AssertableQueue {}

/// A value confined to one serial queue.
final class Confined<Value, Queue: AssertableQueue>: @unchecked Sendable {
    // Sound because the value is only accessed by `with`, which traps unless it runs on the queue.
    private var value: Value
    private let queue: Queue

    init(_ value: Value, to queue: Queue) {
        self.value = value
        self.queue = queue
    }

    func with<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        queue.assertIsCurrent()
        return try body(&value)
    }
}
