import Foundation

/// The handlers of an event source. They are called on their queues, one after the other.
final class EventHandlers: Sendable {
    struct Handler<Value: Sendable>: Sendable {
        let queue: DispatchQueue
        let perform: @Sendable (Value) -> Void
    }

    private struct State {
        var events: [Handler<ServerSentEvent>] = []
        var opens: [Handler<HTTPURLResponse>] = []
        var closes: [Handler<(any Error)?>] = []
        /// The response of the open connection.
        var response: HTTPURLResponse?
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

    var hasEventHandler: Bool { state.withLock { !$0.events.isEmpty } }

    // MARK: Attaching

    func onEvent(_ handler: Handler<ServerSentEvent>) {
        // Once the source is closed nobody would release the handler, which may refer to the source.
        state.withLock { if $0.end == nil { $0.events.append(handler) } }
    }

    /// Also calls the handler if the connection is open.
    func onOpen(_ handler: Handler<HTTPURLResponse>) {
        let response = state.withLock { state in
            if state.end == nil { state.opens.append(handler) }
            return state.response
        }
        guard let response else { return }
        begin()
        enqueue(handler, response) { self.end() }
    }

    /// Also calls the handler if the source is closed.
    func onClose(_ handler: Handler<(any Error)?>) {
        state.withLock { $0.closes.append(handler) }
        callCloses()
    }

    // MARK: Calling

    /// Calls the handlers of an event, and returns when the last of them has returned.
    func received(_ event: ServerSentEvent) async {
        await call(state.withLock { $0.events }, event)
    }

    /// Calls the handlers of a new connection, and returns when the last of them has returned.
    func opened(_ response: HTTPURLResponse) async {
        let handlers = state.withLock { state in
            if state.end == nil { state.response = response }
            return state.opens
        }
        await call(handlers, response)
    }

    /// Handles that the connection has ended.
    func lost() {
        state.withLock { $0.response = nil }
    }

    /// Lets the handlers of the end be called when the others have returned. Only the first call has an effect.
    func closed(_ error: (any Error)?) {
        let dropped = state.withLock { state in
            if state.end == nil { state.end = .some(error) }
            defer { (state.response, state.events, state.opens) = (nil, [], []) }
            return (state.events, state.opens)
        }
        // Outside the lock, because what the handlers captured may close the source when it is released.
        withExtendedLifetime(dropped) {}
        callCloses()
    }

    private func call<Value>(_ handlers: [Handler<Value>], _ value: Value) async {
        guard !handlers.isEmpty else { return }
        begin()
        for handler in handlers {
            await withCheckedContinuation { continuation in enqueue(handler, value) { continuation.resume() } }
        }
        end()
    }

    private func begin() { state.withLock { $0.running += 1 } }

    private func end() {
        state.withLock { $0.running -= 1 }
        callCloses()
    }

    private func enqueue<Value>(_ handler: Handler<Value>, _ value: Value, then: @escaping @Sendable () -> Void) {
        handler.queue.async {
            if self.state.withLock({ $0.end == nil }) { handler.perform(value) }
            then()
        }
    }

    private func callCloses() {
        let (handlers, error) = state.withLock { $0.takeCloses() }
        for handler in handlers { handler.queue.async { handler.perform(error) } }
    }
}
