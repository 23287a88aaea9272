import Foundation

/// Hands over a response from the cache by the rules of a transport: held heads, pauses, and pieces that wait for acknowledgment.
final class StoredPlayback: Sendable {
    private enum Phase: Sendable {
        case head
        /// The head waits for the client's decision.
        case held
        /// This many bytes of the body were handed over.
        case body(Int)
        /// The client does not want the body.
        case discarded
        case failed(TransportError)
        case over
    }

    private struct State: Sendable {
        var phase = Phase.head
        var unacknowledged = 0
        var isPaused = false
        /// Whether a thread hands over events. Another one leaves the rest to it.
        var isHandingOver = false
        var hasWaited = false

        mutating func startHandingOver() -> Bool {
            defer { isHandingOver = true }
            return !isHandingOver
        }
    }

    private let answer: CachedAnswer
    private let request: TransportRequest
    private let receiver: any TransportReceiver
    /// Called when it waits for the client for the first time.
    private let onWait: @Sendable () -> Void
    /// Called if a whole body cannot be read. Returns whether something else answers the request.
    private let onFailure: @Sendable () -> Bool
    /// Called before the last event.
    private let onEnd: @Sendable () -> Void
    private let state: Locked<State>

    private static let pieceSize = 65_536

    init(
        _ answer: CachedAnswer, to request: TransportRequest, _ receiver: any TransportReceiver, isPaused: Bool,
        onWait: @escaping @Sendable () -> Void, onFailure: @escaping @Sendable () -> Bool, onEnd: @escaping @Sendable () -> Void
    ) {
        self.answer = answer
        self.request = request
        self.receiver = receiver
        self.onWait = onWait
        self.onFailure = onFailure
        self.onEnd = onEnd
        var initial = State()
        initial.isPaused = isPaused
        state = Locked(initial)
    }

    /// - Parameter mayBlock: Whether events may be handed over on this thread.
    func start(mayBlock: Bool) { if mayBlock { handOver() } else { goOn() } }

    func pause() { state.withLock { $0.isPaused = true } }

    func resume() {
        state.withLock { $0.isPaused = false }
        goOn()
    }

    func proceed(_ body: TransportRequest.HeldBody) {
        let isDecided = state.withLock { state in
            guard case .held = state.phase else { return false }
            state.phase = body == .deliver ? .body(0) : .discarded
            return true
        }
        if isDecided { goOn() }
    }

    func acknowledge(_ bytes: Int) {
        guard bytes > 0 else { return }
        state.withLock { $0.unacknowledged = max(0, $0.unacknowledged - bytes) }
        goOn()
    }

    /// Ends it without an event.
    func cancel() { state.withLock { $0.phase = .over } }

    /// Ends it with an error, if it has not ended. Also while it is paused.
    func fail(_ error: TransportError) {
        state.withLock { state in
            if case .over = state.phase { return }
            state.phase = .failed(error)
        }
        goOn()
    }

    /// Hands events over on a thread of the library's, because what follows may take long.
    private func goOn() {
        WorkerPool.shared.run { self.handOver() }
    }

    private func handOver() {
        guard state.withLock({ $0.startHandingOver() }) else { return }
        while let step = state.withLock({ nextStep(&$0) }) {
            guard let event = event(of: step) else { continue }
            if case .finished = event.kind { onEnd() }
            receiver.receive([event])
        }
        let waits = state.withLock { state in
            if case .over = state.phase { return false }
            defer { state.hasWaited = true }
            return !state.hasWaited
        }
        if waits { onWait() }
    }

    /// What is handed over next.
    private enum Step {
        case event(TransportEvent)
        /// The end, with the body.
        case whole
        case piece(Range<Int>)
    }

    /// Reads the body, which may take a while. nil if nothing follows.
    private func event(of step: Step) -> TransportEvent? {
        do {
            switch step {
            case .event(let event): return event
            case .whole: return answer.finished(request.id, whole: try answer.body.readAll())
            case .piece(let range):
                let piece = try answer.body.read(range)
                if case .over = state.withLock({ $0.phase }) { return nil }
                return TransportEvent(id: request.id, kind: .chunk(piece))
            }
        } catch {
            // A client that has judged the head gets no other one.
            if case .whole = step, !request.heldHeads.contains(answer.head.statusCode), onFailure() { return nil }
            let wasOver = state.withLock { state in
                defer { state.phase = .over }
                if case .over = state.phase, case .piece = step { return true }
                return false
            }
            return wasOver ? nil : answer.finished(request.id, error: Self.unreadable(error))
        }
    }

    /// A retry does not use the cache.
    private static func unreadable(_ error: any Error) -> TransportError {
        let words = error is CacheFile.Damaged ? "it is damaged" : FirewheelError.words(of: error)
        return .failed(.networkConnectionLost, "the stored response cannot be read: \(words)")
    }

    /// nil if there is nothing to hand over now. Then another thread may begin.
    private func nextStep(_ state: inout State) -> Step? {
        if case .failed(let error) = state.phase {
            state.phase = .over
            return .event(answer.finished(request.id, error: error))
        }
        guard !state.isPaused else {
            state.isHandingOver = false
            return nil
        }
        switch state.phase {
        case .head: return headStep(&state)
        case .body(0) where isTooLarge:
            state.phase = .over
            return .event(answer.finished(request.id, error: .bodyTooLarge))
        case .body(let offset) where request.delivery == .chunks && offset < answer.body.count:
            guard state.unacknowledged < max(1, request.receiveWindow) else { break }
            let end = min(offset + Self.pieceSize, answer.body.count)
            state.phase = .body(end)
            state.unacknowledged += end - offset
            return .piece(offset..<end)
        case .body where request.delivery == .whole:
            state.phase = .over
            return .whole
        case .body, .discarded:
            state.phase = .over
            return .event(answer.finished(request.id))
        case .held, .failed, .over: break
        }
        state.isHandingOver = false
        return nil
    }

    private func headStep(_ state: inout State) -> Step? {
        if answer.error == nil, request.heldHeads.contains(answer.head.statusCode) {
            state.phase = .held
            return .event(TransportEvent(id: request.id, kind: .response(answer.head, at: .now())))
        }
        if answer.error == nil, isTooLarge {
            state.phase = .over
            return .event(answer.finished(request.id, error: .bodyTooLarge))
        }
        guard request.delivery == .chunks, answer.body.count > 0 else {
            state.phase = .over
            return request.delivery == .whole ? .whole : .event(answer.finished(request.id))
        }
        state.phase = .body(0)
        return .event(TransportEvent(id: request.id, kind: .response(answer.head, at: .now())))
    }

    private var isTooLarge: Bool { request.maximumBodySize.map { answer.body.count > $0 } ?? false }
}
