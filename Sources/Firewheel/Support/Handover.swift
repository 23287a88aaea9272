/// Transfers a value to one other thread without leaving a reference behind, so that what the value retains is released there.
final class Handover<Value>: @unchecked Sendable {
    // Accessed only by `take`, which the receiving thread calls once.
    private var value: Value?

    init(_ value: Value) {
        self.value = value
    }

    func take() -> Value? { value.take() }
}
