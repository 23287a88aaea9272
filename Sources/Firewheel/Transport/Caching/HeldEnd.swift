/// The last event of a response. It waits until a handler has decided whether the response is stored, and until its request is not paused.
/// A request that follows it then finds what was stored.
final class HeldEnd: Sendable {
    private enum Phase: Sendable {
        case asking
        /// The answer is being carried out.
        case storing
        /// It waits until it is resumed.
        case paused
        case over
    }

    private struct State: Sendable {
        var phase = Phase.asking
        var isPaused: Bool
        var task: Task<Void, Never>?
    }

    private let event: TransportEvent
    private let question: StoringQuestion
    /// Called once with what is to be done, unless it is cancelled before.
    private let onAnswer: @Sendable (CacheExchangeState.FollowUp) -> Void
    /// Called once with the event, unless it is cancelled before.
    private let onEnd: @Sendable (TransportEvent) -> Void
    private let state: Locked<State>

    init(
        _ event: TransportEvent, until question: StoringQuestion, isPaused: Bool,
        onAnswer: @escaping @Sendable (CacheExchangeState.FollowUp) -> Void, onEnd: @escaping @Sendable (TransportEvent) -> Void
    ) {
        self.event = event
        self.question = question
        self.onAnswer = onAnswer
        self.onEnd = onEnd
        state = Locked(State(isPaused: isPaused))
    }

    func start() { question.inquiry.run { self.ask() } }

    /// Asks in a task of its own, which inherits the task-local values of this one and can be cancelled without it.
    private func ask() {
        guard isAsking else { return }
        let task = WorkerPool.makeTask { self.answered(await self.question.answer()) }
        let isOpen = state.withLock { state in
            guard case .asking = state.phase else { return false }
            state.task = task
            return true
        }
        if !isOpen { task.cancel() }
    }

    private var isAsking: Bool {
        if case .asking = state.withLock({ $0.phase }) { true } else { false }
    }

    private func answered(_ follow: CacheExchangeState.FollowUp) {
        let isOpen = state.withLock { state in
            guard case .asking = state.phase else { return false }
            (state.phase, state.task) = (.storing, nil)
            return true
        }
        guard isOpen else { return }
        onAnswer(follow)
        let ends = state.withLock { state in
            guard case .storing = state.phase else { return false }
            state.phase = state.isPaused ? .paused : .over
            return !state.isPaused
        }
        if ends { onEnd(event) }
    }

    func pause() { state.withLock { $0.isPaused = true } }

    func resume() {
        let ends = state.withLock { state in
            state.isPaused = false
            guard case .paused = state.phase else { return false }
            state.phase = .over
            return true
        }
        if ends { WorkerPool.shared.run { self.onEnd(self.event) } }
    }

    func cancel() { _ = end() }

    /// Ends the response with an error in place of its body.
    ///
    /// - Parameter reason: Why the response is not stored if the handler has not answered; nil for none that the cache should tell.
    func fail(_ error: TransportError, refusing reason: String? = nil) {
        let phase = end()
        if case .over = phase { return }
        // What follows may take long.
        WorkerPool.shared.run {
            if case .asking = phase, let reason { self.onAnswer(self.question.refusal(.handler(reason))) }
            guard case .finished(var result) = self.event.kind else { return }
            (result.error, result.body) = (error, nil)
            self.onEnd(TransportEvent(id: self.event.id, kind: .finished(result)))
        }
    }

    /// - Returns: The phase before.
    private func end() -> Phase {
        let (phase, task) = state.withLock { state in
            defer { (state.phase, state.task) = (.over, nil) }
            return (state.phase, state.task)
        }
        // This runs the caller's cancellation handlers, which may block.
        if let task { WorkerPool.shared.run { task.cancel() } }
        return phase
    }
}
