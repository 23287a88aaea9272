/// Waits for completion handlers, which may be called from any thread, more than once, or never.
enum Completion<Value: Sendable> {
    /// The value of the first call.
    ///
    /// - Parameters:
    ///   - cancelled: The value if the task is cancelled first, as that of a request that has ended is.
    ///   - released: The value if the completion handler is released before it was called. Default: as if cancelled.
    ///   - start: Starts the work and passes it the completion handler. Not called if the task has been cancelled.
    static func of(
        or cancelled: Value, ifReleased released: Value? = nil, _ start: (@escaping @Sendable (Value) -> Void) -> Void
    ) async -> Value {
        let outcome = OneShot<Value>()
        return await withTaskCancellationHandler {
            // Passed on without a variable, which would keep the handler alive.
            if !Task.isCancelled { start(reportingRelease(as: released ?? cancelled) { outcome.fulfill($0) }) }
            return await outcome.value
        } onCancel: {
            outcome.fulfill(cancelled)
        }
    }
}

/// A completion handler that passes its first call on, or a value when it is released uncalled. Nobody waits forever for one that code has
/// dropped, for example because the object that was to call it is gone.
func reportingRelease<Value: Sendable>(
    as released: Value, _ report: @escaping @Sendable (Value) -> Void
) -> @Sendable (Value) -> Void {
    let handler = ReportingHandler(released: released, report: once(report))
    return { handler.report($0) }
}

/// A completion handler that passes its first call on. Then it lets go of what it refers to, because code may keep it.
func once<Value: Sendable>(_ report: @escaping @Sendable (Value) -> Void) -> @Sendable (Value) -> Void {
    let unused = Locked<(@Sendable (Value) -> Void)?>(report)
    return { value in unused.withLock { $0.take() }?(value) }
}

private final class ReportingHandler<Value: Sendable>: Sendable {
    private let released: Value
    let report: @Sendable (Value) -> Void

    init(released: Value, report: @escaping @Sendable (Value) -> Void) {
        self.released = released
        self.report = report
    }

    deinit { report(released) }
}

/// Code of the program that was given a completion handler has released it without calling it.
struct UncalledCompletionError: Error, CustomStringConvertible, LocalizedError {
    /// The type with that code.
    let type: any Any.Type
    /// What was called.
    let method: String

    var description: String { "\(type) released the completion handler of \(method) without calling it" }
    var errorDescription: String? { description }
}
