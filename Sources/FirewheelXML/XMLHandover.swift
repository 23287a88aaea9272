import Foundation

/// A parser or a document on its way from the response to the task that awaits it. Both are classes that only one task may use at a time,
/// so the value can be taken once.
///
/// ```swift
/// let parser = try await HTTP.get("https://example.com/feed.xml").serializingXML().value.take()
/// ```
public final class XMLHandover<Value>: @unchecked Sendable {
    // Sound because the serializer puts in a value to which nothing else refers, and the lock lets one caller take it out.
    private let lock = NSLock()
    private var value: Value?

    init(_ value: sending Value) {
        self.value = value
    }

    /// Takes the value out.
    ///
    /// - Throws: ``XMLFailure`` with the reason `alreadyTaken`, from the second call on.
    public func take() throws -> sending Value {
        // Disconnected from this object, which no longer has it.
        nonisolated(unsafe) let taken = lock.withLock { value.take() }
        guard let taken else { throw XMLFailure(.alreadyTaken) }
        return taken
    }
}

extension XMLHandover: CustomReflectable {
    /// Empty, so that printing a response does not touch the value.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
