/// A queue that can tell whether it is the one running.
protocol AssertableQueue: Sendable {
    /// Ends the program unless called on this queue. No data can reach this: only a mistake in the library's own code.
    func assertIsCurrent()
}

extension SerialQueue: AssertableQueue {}
extension DelegateQueue: AssertableQueue {}
extension WorkerQueue: AssertableQueue {}

/// A value that belongs to one serial queue.
final class Confined<Value, Queue: AssertableQueue>: @unchecked Sendable {
    // Sound because the value is only touched by `with`, which ends the program unless it runs on the queue.
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
