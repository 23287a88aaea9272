import Foundation

/// An async sequence as the body of an upload. An element is only asked for when the transport wants a piece.
final class UploadSequence<Body: AsyncSequence & Sendable>: UploadBody where Body.Element == Data {
    let length: Int64?
    let isRepeatable = false

    private let body: Locked<Body?>
    private let trailers: HTTPHeaders
    private let record = UploadRecord()

    /// - Parameters:
    ///   - body: Iterated once.
    ///   - length: The number of bytes; nil if it is not known. Default: nil.
    ///   - trailers: The trailer fields that follow the body. Default: none.
    init(_ body: Body, length: Int64? = nil, trailers: HTTPHeaders = [:]) {
        self.body = Locked(body)
        self.length = length
        self.trailers = trailers
    }

    var failure: FirewheelError? { record.failure }
    var isUsed: Bool { record.isUsed }

    func makeReader() -> any BodyReader {
        let onFailure = record.addReader().onFailure
        guard let body = body.withLock({ $0.take() }) else { return UsedBodyReader(onFailure: onFailure) }
        return SequenceReader(body, length: length, trailers: trailers, onFailure: onFailure)
    }
}

/// Iterates a sequence in one task, which waits between two pieces, because an iterator cannot be passed between tasks.
private final class SequenceReader<Body: AsyncSequence & Sendable>: BodyReader where Body.Element == Data {
    private struct Ask: Sendable {
        let count: Int
        let answer: @Sendable (BodyPiece) -> Void
    }

    private enum Phase: Sendable {
        /// Nothing was asked for.
        case idle(Body)
        /// The task produces an element, which this is waiting for.
        case asked(Ask)
        /// The task is about to wait.
        case answered
        /// The task waits until an element is wanted.
        case waiting(CheckedContinuation<Bool, Never>)
        case ended
        case closed
    }

    private struct State: Sendable {
        var phase: Phase
        /// What is left of an element that was larger than what was asked for.
        var rest = Data()
        /// The bytes that are still to come; nil if the length is not known.
        var remaining: Int64?
        var task: Task<Void, Never>?

        mutating func takeRest(upTo count: Int) -> Data {
            let piece = rest.prefix(count)
            rest = rest.dropFirst(count)
            return piece
        }
    }

    private let state: Locked<State>
    private let length: Int64?
    private let trailers: HTTPHeaders
    private let onFailure: @Sendable (FirewheelError) -> Void

    init(_ body: Body, length: Int64?, trailers: HTTPHeaders, onFailure: @escaping @Sendable (FirewheelError) -> Void) {
        state = Locked(State(phase: .idle(body), remaining: length))
        self.length = length
        self.trailers = trailers
        self.onFailure = onFailure
    }

    // MARK: For the transport

    private enum Step: Sendable {
        case start(Body)
        case wake(CheckedContinuation<Bool, Never>)
        case answer(BodyPiece)
        case wait
    }

    func read(upTo count: Int, _ answer: @escaping @Sendable (BodyPiece) -> Void) {
        let ask = Ask(count: max(1, count), answer: answer)
        let step = state.withLock { state -> Step in
            guard state.rest.isEmpty else { return .answer(.data(state.takeRest(upTo: ask.count))) }
            let before = state.phase
            switch before {
            // A transport does not ask again before the answer.
            case .closed, .ended, .asked: return .answer(.end())
            case .idle, .waiting, .answered: state.phase = .asked(ask)
            }
            return switch before {
            case .idle(let body): .start(body)
            case .waiting(let continuation): .wake(continuation)
            default: .wait
            }
        }
        switch step {
        case .start(let body): start(body)
        case .wake(let continuation): continuation.resume(returning: true)
        case .answer(let piece): answer(piece)
        case .wait: break
        }
    }

    func close() {
        let handover = Handover(
            state.withLock { state in
                defer { state = State(phase: .closed) }
                return state
            })
        // Elsewhere, because cancelling a task and releasing a sequence run the caller's code.
        WorkerPool.shared.run {
            guard let before = handover.take() else { return }
            before.task?.cancel()
            switch before.phase {
            case .waiting(let continuation): continuation.resume(returning: false)
            case .asked(let ask): ask.answer(.end())
            case .idle, .answered, .ended, .closed: break
            }
        }
    }

    // MARK: For the task

    private func start(_ body: Body) {
        let task = WorkerPool.makeTask { await self.iterate(body) }
        let isClosed = state.withLock { state in
            guard case .closed = state.phase else {
                state.task = task
                return false
            }
            return true
        }
        if isClosed { WorkerPool.shared.run { task.cancel() } }
    }

    private func iterate(_ body: Body) async {
        var iterator = body.makeAsyncIterator()
        while await isAsked() {
            do {
                guard let element = try await iterator.next() else { return end(nil) }
                if !element.isEmpty { give(element) } else if Task.isCancelled { return end(nil) }
            } catch {
                return end(FirewheelError(.uploadBodyFailed(.streamFailed), underlyingError: error))
            }
        }
    }

    /// Waits until an element is wanted; false if none ever will be.
    private func isAsked() async -> Bool {
        await withCheckedContinuation { continuation in
            let answer = state.withLock { state -> Bool? in
                switch state.phase {
                case .asked: return true
                case .answered:
                    state.phase = .waiting(continuation)
                    return nil
                case .idle, .waiting, .ended, .closed: return false
                }
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    private func give(_ element: Data) {
        let (ask, piece) = state.withLock { state -> (Ask?, Data?) in
            guard case .asked(let ask) = state.phase else { return (nil, nil) }
            if let remaining = state.remaining {
                guard element.count <= remaining else { return (ask, nil) }
                state.remaining = remaining - Int64(element.count)
            }
            state.phase = .answered
            state.rest = element
            return (ask, state.takeRest(upTo: ask.count))
        }
        guard let ask else { return }
        if let piece { ask.answer(.data(piece)) } else { end(.bodyMismatch("more", length: length ?? 0)) }
    }

    /// - Parameter error: nil at the end of the sequence.
    private func end(_ error: FirewheelError?) {
        let (ask, remaining) = state.withLock { state -> (Ask?, Int64?) in
            guard case .asked(let ask) = state.phase else { return (nil, nil) }
            state.phase = .ended
            state.task = nil
            return (ask, state.remaining)
        }
        guard let ask else { return }
        let error = error ?? (remaining ?? 0 > 0 ? .bodyMismatch("fewer", length: length ?? 0) : nil)
        guard let error else { return ask.answer(.end(trailers: trailers)) }
        onFailure(error)
        ask.answer(.failed(error))
    }
}
