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
    /// Called before the last event.
    private let onEnd: @Sendable () -> Void
    private let state: Locked<State>

    private static let pieceSize = 65_536

    init(
        _ answer: CachedAnswer, to request: TransportRequest, _ receiver: any TransportReceiver, isPaused: Bool,
        onWait: @escaping @Sendable () -> Void, onEnd: @escaping @Sendable () -> Void
    ) {
        self.answer = answer
        self.request = request
        self.receiver = receiver
        self.onWait = onWait
        self.onEnd = onEnd
        var initial = State()
        initial.isPaused = isPaused
        state = Locked(initial)
    }

    func start() { goOn() }

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
        while let event = state.withLock({ nextEvent(&$0) }) {
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

    /// nil if there is nothing to hand over now. Then another thread may begin.
    private func nextEvent(_ state: inout State) -> TransportEvent? {
        if case .failed(let error) = state.phase {
            state.phase = .over
            return answer.finished(request.id, isWhole: false, error: error)
        }
        guard !state.isPaused else {
            state.isHandingOver = false
            return nil
        }
        switch state.phase {
        case .head: return headEvent(&state)
        case .body(0) where isTooLarge:
            state.phase = .over
            return answer.finished(request.id, isWhole: false, error: .bodyTooLarge)
        case .body(let offset) where request.delivery == .chunks && offset < answer.body.count:
            guard state.unacknowledged < max(1, request.receiveWindow) else { break }
            let end = min(offset + Self.pieceSize, answer.body.count)
            state.phase = .body(end)
            state.unacknowledged += end - offset
            return TransportEvent(id: request.id, kind: .chunk(answer.body.subdata(in: offset..<end)))
        case .body, .discarded:
            var isWhole = false
            if case .body = state.phase { isWhole = request.delivery == .whole }
            state.phase = .over
            return answer.finished(request.id, isWhole: isWhole)
        case .held, .failed, .over: break
        }
        state.isHandingOver = false
        return nil
    }

    private func headEvent(_ state: inout State) -> TransportEvent? {
        if answer.error == nil, request.heldHeads.contains(answer.head.statusCode) {
            state.phase = .held
            return TransportEvent(id: request.id, kind: .response(answer.head, at: .now()))
        }
        if answer.error == nil, isTooLarge {
            state.phase = .over
            return answer.finished(request.id, isWhole: false, error: .bodyTooLarge)
        }
        guard request.delivery == .chunks, !answer.body.isEmpty else {
            state.phase = .over
            return answer.finished(request.id, isWhole: request.delivery == .whole)
        }
        state.phase = .body(0)
        return TransportEvent(id: request.id, kind: .response(answer.head, at: .now()))
    }

    private var isTooLarge: Bool { request.maximumBodySize.map { answer.body.count > $0 } ?? false }
}
