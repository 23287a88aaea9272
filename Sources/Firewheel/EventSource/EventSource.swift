import Foundation

/// A feed of server-sent events, which reconnects when its connection ends (HTML standard, section 9.2).
///
/// ```swift
/// for try await event in session.eventSource("https://example.com/feed") {
///     print(event.data)
/// }
/// ```
///
/// An event source is read by one loop, or by handlers. It connects when its first event is asked for or the first ``onEvent(perform:)`` is
/// attached, and asks the server for more when the events at hand have been dealt with: a slow reader slows the server, and memory stays
/// flat. Leaving the loop, or cancelling its task, closes the source and its connection.
///
/// When a connection ends, an incomplete event is dropped and the next connection is made after a delay, with the same method, body and
/// header fields, and with the ID of the last event in `Last-Event-ID`. ``Reconnection`` says when it is not. A status of 204 closes the
/// source without an error.
///
/// The source throws ``FirewheelError`` after its last event. It keeps its session until it is closed.
public final class EventSource: AsyncSequence, Sendable {
    /// The type of the events.
    public typealias Element = ServerSentEvent

    /// The state of an event source.
    public enum State: Sendable, Hashable {
        /// There is no connection: not yet, or until the next one is made, by the source or by a retry of an interceptor's.
        case connecting
        /// The server has accepted the connection.
        case open
        /// There are no more events.
        case closed
    }

    private let feed: EventFeed
    private let hasIterator = Locked(false)

    init(_ feed: EventFeed) {
        self.feed = feed
    }

    /// A source that nobody can read any more is closed. With a handler it goes on.
    deinit {
        if !feed.handlers.hasEventHandler { feed.close() }
    }

    /// The state of the source.
    public var state: State { feed.state }

    /// The ID in force with the last event that was handed over: that the loop got, or with which the last handler was called. nil if there
    /// is none. Passed to another source (`lastEventID:` of `Session.eventSource`), it loses no event that was read and not handed over.
    ///
    /// The next connection of this source may send a later one, of a block without data (HTML standard, section 9.2.6).
    public var lastEventID: String? { feed.lastEventID }

    /// Ends the source and its connection. The loop ends without an error, and no handler is called any more but ``onClose(perform:)``. An
    /// event handler that is running is not waited for.
    public func close() { feed.close() }

    // MARK: Iterating

    /// Creates the iterator. Any but the first shares the events with it.
    public func makeAsyncIterator() -> AsyncIterator {
        let isFirst = hasIterator.withLock { hasIterator in
            defer { hasIterator = true }
            return !hasIterator
        }
        return AsyncIterator(source: self, lease: isFirst ? Lease(feed) : nil)
    }

    /// Iterates the events. Releasing the first iterator closes the source.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let source: EventSource
        private let lease: Lease?

        fileprivate init(source: EventSource, lease: Lease?) {
            self.source = source
            self.lease = lease
        }

        /// The next event; nil once the source is closed.
        ///
        /// - Throws: ``FirewheelError``: why the source does not reconnect, or `explicitlyCancelled` if the task was cancelled.
        public mutating func next() async throws -> ServerSentEvent? {
            try await source.feed.next(nil)
        }

        /// The next event, without leaving the actor that asks for it.
        ///
        /// - Throws: ``FirewheelError``: why the source does not reconnect, or `explicitlyCancelled` if the task was cancelled.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ServerSentEvent? {
            try await source.feed.next(actor)
        }
    }

    /// Closes a source when its iterator is released.
    fileprivate final class Lease: Sendable {
        private let feed: EventFeed

        init(_ feed: EventFeed) {
            self.feed = feed
        }

        deinit {
            feed.close()
        }
    }

    // MARK: Handlers

    /// Calls a handler on the main actor with each event, the next one when it has returned. The first handler makes the source connect.
    @discardableResult
    public func onEvent(perform: @escaping @MainActor (ServerSentEvent) -> Void) -> Self {
        onEvent(queue: .main, perform: onMainActor(perform))
    }

    /// Calls a handler on a queue with each event, and the next one when it has returned. Nothing is handed over while the request is
    /// suspended.
    @discardableResult
    public func onEvent(queue: DispatchQueue, perform: @escaping @Sendable (ServerSentEvent) -> Void) -> Self {
        feed.handlers.onEvent(EventHandlers.Handler(queue: queue, perform: perform))
        feed.startHandlers()
        return self
    }

    /// Calls a handler on the main actor each time that the server accepts a connection, before its first event.
    @discardableResult
    public func onOpen(perform: @escaping @MainActor (HTTPURLResponse) -> Void) -> Self {
        onOpen(queue: .main, perform: onMainActor(perform))
    }

    /// Calls a handler on a queue each time that the server accepts a connection, before its first event.
    @discardableResult
    public func onOpen(queue: DispatchQueue, perform: @escaping @Sendable (HTTPURLResponse) -> Void) -> Self {
        feed.handlers.onOpen(EventHandlers.Handler(queue: queue, perform: perform))
        return self
    }

    /// Calls a handler on the main actor, once, when the source is closed: after all other handlers, and at once if it is closed already.
    ///
    /// - Parameter perform: Gets the error that the loop would throw; nil after ``close()`` and a status of 204.
    @discardableResult
    public func onClose(perform: @escaping @MainActor ((any Error)?) -> Void) -> Self {
        onClose(queue: .main, perform: onMainActor(perform))
    }

    /// Calls a handler on a queue, once, when the source is closed.
    @discardableResult
    public func onClose(queue: DispatchQueue, perform: @escaping @Sendable ((any Error)?) -> Void) -> Self {
        feed.handlers.onClose(EventHandlers.Handler(queue: queue, perform: perform))
        return self
    }
}
