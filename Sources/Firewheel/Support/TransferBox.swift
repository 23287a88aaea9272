/// Carries a value that is not Sendable to the only place that uses it.
///
/// A response handler may take a value such as the `Any` of `responseJSON`. It is made on one thread and passed once to the handler on
/// another.
package struct TransferBox<Value>: @unchecked Sendable {
    // Sound because the serializer makes the value for one handler, whose queue takes it out, and the library never accesses it again. The
    // queue orders both accesses.
    package let value: Value

    package init(value: Value) {
        self.value = value
    }
}
