/// The states and legal moves of a request, apart from all else: input in, action out. Tested without a socket.
struct RequestLife: Sendable {
    /// What a caller sees.
    enum Phase: Sendable {
        case initialized, resumed, suspended, cancelled, finished
    }

    /// What is to be done about a move, after the lock is released.
    enum Action: Equatable {
        case nothing
        /// Build it and hand it to the transport.
        case start
        /// Tell the transport, which may have it by now, of the new state.
        case reconcile
    }

    private(set) var phase = Phase.initialized
    /// Whether the engine has been asked to start it.
    private(set) var isStarted = false
    /// Whether the exchange is over and its outcome settled.
    private(set) var isCompleting = false

    mutating func resume() -> Action {
        switch phase {
        case .initialized, .suspended:
            phase = .resumed
            if isStarted { return .reconcile }
            isStarted = true
            return .start
        case .resumed, .cancelled, .finished:
            return .nothing
        }
    }

    mutating func suspend() -> Action {
        switch phase {
        case .initialized, .resumed:
            phase = .suspended
            return isStarted ? .reconcile : .nothing
        case .suspended, .cancelled, .finished:
            return .nothing
        }
    }

    /// While responses are being serialized a cancel still counts, for those that have not been yet.
    mutating func cancel() -> Action {
        switch phase {
        case .initialized, .resumed, .suspended:
            phase = .cancelled
            isStarted = true
            return isCompleting ? .nothing : .reconcile
        case .cancelled, .finished:
            return .nothing
        }
    }

    /// The exchange is over. False if it was so before: an outcome is settled once.
    mutating func beginCompletion() -> Bool {
        guard !isCompleting else { return false }
        isCompleting = true
        return true
    }

    /// Every response so far has been serialized.
    mutating func finish() {
        if phase != .cancelled { phase = .finished }
    }
}
