/// Carries a value to one other thread, which takes it out: who handed it over keeps no reference, so that what the value holds is released
/// there.
final class Handover<Value>: @unchecked Sendable {
    // Only touched by `take`, which is called once, by the thread that this was handed to.
    private var value: Value?

    init(_ value: Value) {
        self.value = value
    }

    func take() -> Value? { value.take() }
}
