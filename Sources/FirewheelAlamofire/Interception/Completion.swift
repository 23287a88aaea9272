/// Waits for a completion handler, which may be called from any thread, more than once, or never.
final class Completion<Value: Sendable>: Sendable {
    private let continuation: Locked<CheckedContinuation<Value, Never>?>

    private init(_ continuation: CheckedContinuation<Value, Never>) {
        self.continuation = Locked(continuation)
    }

    /// Takes the first value; all others have no effect.
    private func fulfill(_ value: Value) {
        continuation.withLock { $0.take() }?.resume(returning: value)
    }

    /// - Parameters:
    ///   - cancelled: The value if the task is cancelled first, as that of a request that has ended is.
    ///   - start: Starts the work and passes it the completion handler.
    static func of(
        or cancelled: Value, _ start: @escaping @Sendable (@escaping @Sendable (Value) -> Void) -> Void
    ) async -> Value {
        let waiting = Locked<Completion?>(nil)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let completion = Completion(continuation)
                waiting.withLock { $0 = completion }
                if Task.isCancelled { return completion.fulfill(cancelled) }
                start { completion.fulfill($0) }
            }
        } onCancel: {
            waiting.withLock { $0 }?.fulfill(cancelled)
        }
    }
}
