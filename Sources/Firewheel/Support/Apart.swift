/// Keeps a large and rarely used value apart, so that what contains it stays small.
@propertyWrapper
struct Apart<Value: Sendable>: Sendable {
    private final class Box: Sendable {
        let value: Value

        init(_ value: Value) {
            self.value = value
        }
    }

    private var box: Box?

    init(wrappedValue: Value?) {
        box = wrappedValue.map(Box.init)
    }

    /// Whether there is a value: cheaper than a copy of it.
    var isThere: Bool { box != nil }

    var wrappedValue: Value? {
        get { box?.value }
        set { box = newValue.map(Box.init) }
    }
}
