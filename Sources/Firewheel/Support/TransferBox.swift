/// Carries a value that need not be Sendable to the one place that will use it.
///
/// A response handler may take a value such as the `Any` of `responseJSON`. It is made on one thread and handed over, once, to the
/// handler on another.
struct TransferBox<Value>: @unchecked Sendable {
    // Sound because of how it is used: the value is made by the serializer for this one handler, put here, taken out by the handler's
    // queue and never touched by the library again. The queue's hand-over orders the two.
    let value: Value
}
