/// The body of an upload that is not in memory.
protocol UploadBody: BodyStream {
    /// Why the body could not be read: the error of the reader that was made last, as requests report it. A transport's error has only its
    /// text.
    var failure: FirewheelError? { get }

    /// Whether a reader was ever made. A body that is not repeatable cannot be sent again from then on.
    var isUsed: Bool { get }
}

/// Whether readers of a body were made, and why the last one failed.
final class UploadRecord: Sendable {
    private struct State: Sendable {
        var readers = 0
        var failure: FirewheelError?
    }

    private let state = Locked(State())

    var failure: FirewheelError? { state.withLock { $0.failure } }

    var isUsed: Bool { state.withLock { $0.readers > 0 } }

    /// Counts a new reader, and forgets the failure of the one before.
    ///
    /// - Returns: What the reader calls if it fails, and whether it is the first. The failure of a reader that is no longer the last one is
    ///   dropped.
    func addReader() -> (onFailure: @Sendable (FirewheelError) -> Void, isFirst: Bool) {
        let number = state.withLock { state in
            state.readers += 1
            state.failure = nil
            return state.readers
        }
        let onFailure: @Sendable (FirewheelError) -> Void = { error in
            self.state.withLock { state in
                if state.readers == number { state.failure = state.failure ?? error }
            }
        }
        return (onFailure, number == 1)
    }
}

/// The reader of a body that was sent before and cannot be produced again.
final class UsedBodyReader: BodyReader {
    private let onFailure: @Sendable (FirewheelError) -> Void

    init(onFailure: @escaping @Sendable (FirewheelError) -> Void) {
        self.onFailure = onFailure
    }

    func read(upTo count: Int, _ answer: @escaping @Sendable (BodyPiece) -> Void) {
        let error = FirewheelError(.uploadBodyFailed(.notRepeatable))
        onFailure(error)
        answer(.failed(error))
    }

    func close() {}
}

extension BodyPiece {
    /// The failure of a body, with the error's text.
    static func failed(_ error: FirewheelError) -> BodyPiece {
        .failed(.failed(.requestBodyStreamExhausted, error.message))
    }
}
