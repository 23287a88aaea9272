import Foundation

/// The handlers of an event source. They are called on their queues, one after the other.
final class EventHandlers: Sendable {
    struct Handler<Value: Sendable>: Sendable {
        let queue: DispatchQueue
        let perform: @Sendable (Value) -> Void
    }

    /// Whether a handler may be called.
    enum Permission {
        case granted, refused
        /// The answer comes when `wake` is called.
        case later
    }

    /// Asked on a handler's queue before it is called: whether it is the last one for its value, and what to call when to ask again.
    typealias Permit = @Sendable (_ isLast: Bool, _ wake: @escaping @Sendable () -> Void) -> Permission

    private struct State {
        var events: [Handler<ServerSentEvent>] = []
        var opens: [Handler<HTTPURLResponse>] = []
        var closes: [Handler<(any Error)?>] = []
        /// The response of the last connection that was accepted, and whether that is open.
        var opening: (response: HTTPURLResponse, isOpen: @Sendable () -> Bool)?
        /// How many handlers are being called.
        var running = 0
        /// The error with which the source was closed.
        var end: (any Error)??

        /// The handlers of the end, once they may be called.
        mutating func takeCloses() -> (handlers: [Handler<(any Error)?>], error: (any Error)?) {
            guard let end, running == 0 else { return ([], nil) }
            defer { closes = [] }
            return (closes, end)
        }
    }

    private let state = Locked(State())
    /// Taken for the calls of one event or connection.
    private let turn = AsyncLock()

    var hasEventHandler: Bool { state.withLock { !$0.events.isEmpty } }

    // MARK: Attaching

    func onEvent(_ handler: Handler<ServerSentEvent>) {
        // Once the source is closed nobody would release the handler, which may refer to the source.
        state.withLock { if $0.end == nil { $0.events.append(handler) } }
    }

    /// Also calls the handler if the connection is open, after the handlers that are being called.
    func onOpen(_ handler: Handler<HTTPURLResponse>) {
        let opening = state.withLock { state in
            if state.end == nil { state.opens.append(handler) }
            return state.opening
        }
        guard let opening, opening.isOpen() else { return }
        begin()
        Task {
            await call([handler], opening.response, permitOpen)
            end()
        }
    }

    /// Also calls the handler if the source is closed.
    func onClose(_ handler: Handler<(any Error)?>) {
        state.withLock { $0.closes.append(handler) }
        callCloses()
    }

    // MARK: Calling

    /// Calls the handlers of an event, and returns when the last of them has returned.
    func received(_ event: ServerSentEvent, permit: @escaping Permit) async {
        await call(state.withLock { $0.events }, event, permit)
    }

    /// Calls the handlers of a new connection, and returns when the last of them has returned.
    func opened(_ response: HTTPURLResponse, isOpen: @escaping @Sendable () -> Bool) async {
        let handlers = state.withLock { state in
            if state.end == nil { state.opening = (response, isOpen) }
            return state.opens
        }
        await call(handlers, response, permitOpen)
    }

    /// Handles that the connection has ended.
    func lost() {
        state.withLock { $0.opening = nil }
    }

    /// Lets the handlers of the end be called when the others have returned. Only the first call has an effect.
    func closed(_ error: (any Error)?) {
        let dropped = state.withLock { state in
            if state.end == nil { state.end = .some(error) }
            defer { (state.opening, state.events, state.opens) = (nil, [], []) }
            return (state.events, state.opens)
        }
        // Outside the lock, because what the handlers captured may close the source when it is released.
        withExtendedLifetime(dropped) {}
        callCloses()
    }

    private func permitOpen(isLast: Bool, orWake wake: @escaping @Sendable () -> Void) -> Permission {
        state.withLock { $0.end == nil } ? .granted : .refused
    }

    private func call<Value>(_ handlers: [Handler<Value>], _ value: Value, _ permit: @escaping Permit) async {
        guard !handlers.isEmpty else { return }
        begin()
        await turn.take(nil)
        for (index, handler) in handlers.enumerated() {
            let isLast = index == handlers.count - 1
            await withCheckedContinuation { continuation in
                enqueue(handler, value, isLast: isLast, permit) { continuation.resume() }
            }
        }
        turn.giveBack()
        end()
    }

    private func begin() { state.withLock { $0.running += 1 } }

    private func end() {
        state.withLock { $0.running -= 1 }
        callCloses()
    }

    private func enqueue<Value>(
        _ handler: Handler<Value>, _ value: Value, isLast: Bool, _ permit: @escaping Permit, then: @escaping @Sendable () -> Void
    ) {
        handler.queue.async {
            switch permit(isLast, { self.enqueue(handler, value, isLast: isLast, permit, then: then) }) {
            case .granted: handler.perform(value)
            case .refused: break
            case .later: return
            }
            then()
        }
    }

    private func callCloses() {
        let (handlers, error) = state.withLock { $0.takeCloses() }
        for handler in handlers { handler.queue.async { handler.perform(error) } }
    }
}
