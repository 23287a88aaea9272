import Foundation

/// The client's side of a WebSocket: what waits to be sent, and who waits for that. It gets the transport when the server has accepted.
final class WebSocketChannel: Sendable {
    typealias SendCompletion = @Sendable ((any Error)?) -> Void
    typealias PingCompletion = @Sendable (Result<TimeInterval, any Error>) -> Void

    private struct State {
        /// The transport and the exchange, while the WebSocket is open.
        var open: (transport: any Transport, id: TransportTaskID)?
        /// Commands that the transport has not got yet.
        var commands = Fifo<WebSocketCommand>()
        /// Whether a thread is passing commands on, which keeps their order.
        var isPassing = false
        var lastTicket = 0
        /// The tickets of commands that are not to be passed on, because nobody waits for them.
        var abandoned: Set<Int> = []
        var sends: [Int: SendCompletion] = [:]
        var pings: [Int: PingCompletion] = [:]
        /// Whether the client has closed the WebSocket.
        var isClosing = false
        /// The outcome, once the request has ended.
        var end: Result<Void, any Error>?
        var closure: (code: WebSocketCloseCode, reason: String)?
        var subprotocol: String?
    }

    let offer: WebSocketOffer
    let sink = StreamSink(waitsForReader: true)
    private let state = Locked(State())

    init(_ offer: WebSocketOffer) {
        self.offer = offer
    }

    /// The server's close frame; nil without one.
    var closure: (code: WebSocketCloseCode, reason: String)? { state.withLock { $0.closure } }

    /// The protocol that the server has chosen.
    var subprotocol: String? { state.withLock { $0.subprotocol } }

    // MARK: For the request

    /// Sends a message behind those before it.
    ///
    /// - Parameter completion: Called once, on any thread: when the message was passed to the network, or with an error if it may not have
    ///   been.
    /// - Returns: The message's ticket.
    @discardableResult
    func send(_ message: WebSocketMessage, _ completion: @escaping SendCompletion) -> Int? {
        add({ .message(message, ticket: $0) }, { $0.sends[$1] = completion }, refused: completion)
    }

    /// - Parameter completion: Called once, on any thread, with the round trip in seconds.
    @discardableResult
    func ping(_ completion: @escaping PingCompletion) -> Int? {
        add({ .ping(ticket: $0) }, { $0.pings[$1] = completion }, refused: { completion(.failure($0)) })
    }

    private func add(
        _ command: (Int) -> WebSocketCommand, _ note: (inout State, Int) -> Void, refused: (any Error) -> Void
    ) -> Int? {
        let result = state.withLock { state -> Result<Int, any Error> in
            guard !state.isClosing else { return .failure(Self.notSent(.success(()))) }
            if let end = state.end { return .failure(Self.notSent(end)) }
            state.lastTicket += 1
            note(&state, state.lastTicket)
            state.commands.append(command(state.lastTicket))
            return .success(state.lastTicket)
        }
        switch result {
        case .success(let ticket):
            passOn()
            return ticket
        case .failure(let error):
            refused(error)
            return nil
        }
    }

    /// Gives up waiting, because the task that waits was cancelled. What the transport has not got yet is not sent.
    func abandon(_ ticket: Int) {
        let (send, ping) = state.withLock { state in
            if !state.commands.isEmpty { state.abandoned.insert(ticket) }
            return (state.sends.removeValue(forKey: ticket), state.pings.removeValue(forKey: ticket))
        }
        send?(CancellationError())
        ping?(.failure(CancellationError()))
    }

    /// Whether the client has closed the WebSocket.
    var isClosing: Bool { state.withLock { $0.isClosing } }

    func close(_ code: WebSocketCloseCode, _ reason: String) {
        state.withLock { state in
            guard !state.isClosing, state.end == nil else { return }
            state.isClosing = true
            state.commands.append(.close(code, reason: reason))
        }
        passOn()
    }

    /// Passes commands to the transport, in their order.
    private func passOn() {
        while true {
            let next = state.withLock { state -> (open: (transport: any Transport, id: TransportTaskID), commands: [WebSocketCommand])? in
                guard !state.isPassing, let open = state.open, !state.commands.isEmpty else { return nil }
                state.isPassing = true
                defer { (state.commands, state.abandoned) = (Fifo(), []) }
                let abandoned = state.abandoned
                return (open, state.commands.elements.filter { $0.ticket.map(abandoned.contains) != true })
            }
            guard let next else { return }
            for command in next.commands { next.open.transport.send(next.open.id, command) }
            state.withLock { $0.isPassing = false }
        }
    }

    // MARK: For the call

    /// - Parameter subprotocol: nil for none.
    func chose(_ subprotocol: String?) {
        state.withLock { $0.subprotocol = subprotocol }
    }

    /// Handles that the server has opened the WebSocket.
    func opened(on transport: any Transport, _ id: TransportTaskID) {
        state.withLock { if $0.end == nil { $0.open = (transport, id) } }
        passOn()
    }

    /// Releases the transport, which the request needs no more.
    func letGo() {
        let open = state.withLock { $0.open.take() }
        withExtendedLifetime(open) {}
    }

    func received(_ event: WebSocketEvent) {
        switch event {
        case .sent(let tickets):
            let completions = state.withLock { state in tickets.compactMap { state.sends.removeValue(forKey: $0) } }
            for completion in completions { completion(nil) }
        case .pong(let ticket, let roundTrip):
            state.withLock { $0.pings.removeValue(forKey: ticket) }?(.success(roundTrip))
        case .closed(let code, let reason):
            let code = code ?? .noStatusReceived
            state.withLock { $0.closure = (code, reason) }
            // Nothing is sent any more, and who waits for that may be the one who reads.
            ended(FirewheelError(.webSocketFailed(.closedByServer(code, reason: reason))))
        }
    }

    /// Handles that nothing is sent any more: the connection or the request has ended, or the server has closed the WebSocket.
    ///
    /// - Parameter error: The reason; nil if the client has closed the WebSocket. The first one counts.
    func ended(_ error: (any Error)?) {
        let (sends, pings, open, end) = state.withLock { state in
            let end = state.end ?? error.map { .failure($0) } ?? .success(())
            defer { (state.sends, state.pings, state.open, state.end) = ([:], [:], nil, end) }
            (state.commands, state.abandoned) = (Fifo(), [])
            return (state.sends.sorted { $0.key < $1.key }, state.pings, state.open, end)
        }
        let failure = Self.notSent(end)
        for send in sends { send.value(failure) }
        for ping in pings.values { ping(.failure(failure)) }
        // The last reference is released outside the lock.
        withExtendedLifetime(open) {}
    }

    private static func notSent(_ end: Result<Void, any Error>) -> FirewheelError {
        var reason: (any Error)?
        if case .failure(let error) = end { reason = error }
        return FirewheelError(.webSocketFailed(.notSent), underlyingError: reason)
    }
}

extension WebSocketCommand {
    /// nil for a close.
    fileprivate var ticket: Int? {
        switch self {
        case .message(_, let ticket), .ping(let ticket): ticket
        case .close: nil
        }
    }
}
