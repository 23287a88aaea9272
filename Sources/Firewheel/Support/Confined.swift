/// A value that belongs to one serial queue.
final class Confined<Value>: @unchecked Sendable {
    // Sound because the value is only touched by `with`, which ends the program unless it runs on the queue.
    private var value: Value
    private let queue: SerialQueue

    init(_ value: Value, to queue: SerialQueue) {
        self.value = value
        self.queue = queue
    }

    func with<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        queue.assertIsCurrent()
        return try body(&value)
    }
}
