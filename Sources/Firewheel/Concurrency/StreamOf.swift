import Foundation

/// The elements of a response's body as they arrive. To be iterated once, from any actor.
///
/// The server is asked for more when the elements at hand have been consumed, so a slow reader slows the server and memory stays flat.
/// Leaving the loop or cancelling its task cancels the request, unless the sequence was created with `automaticallyCancelling: false`.
///
/// The sequence throws ``FirewheelError`` after the last element that came before the error. A cancelled request throws no
/// `CancellationError`: see ``FirewheelError/isExplicitlyCancelled``. Once it has ended, the request's outcome is final. But with
/// `automaticallyCancelling: false` a loop whose task is cancelled ends with `CancellationError`, and its request goes on.
public struct StreamOf<Element: Sendable>: AsyncSequence, Sendable {
    private let source: StreamTap
    /// What the first iterator takes: until then, releasing the sequence leaves it.
    private let lease: Locked<StreamLease?>
    private let makeFraming: @Sendable () -> StreamFraming<Element>

    /// - Parameters:
    ///   - needsPiecesApart: Whether pieces may not be joined while they wait, because each is an element by itself.
    ///   - keepsUnread: Whether everything is kept in memory until somebody iterates. Otherwise a sequence that is not iterated holds up
    ///     the request.
    package init(
        _ request: DataStreamRequest, cancelsAutomatically: Bool, needsPiecesApart: Bool = false, keepsUnread: Bool = false,
        makeFraming: @escaping @Sendable () -> StreamFraming<Element>
    ) {
        self.init(
            of: request, cancelsAutomatically: cancelsAutomatically, needsPiecesApart: needsPiecesApart, keepsUnread: keepsUnread,
            makeFraming: makeFraming)
    }

    init(
        of request: any StreamedRequest, cancelsAutomatically: Bool, needsPiecesApart: Bool = false, keepsUnread: Bool = false,
        makeFraming: @escaping @Sendable () -> StreamFraming<Element>
    ) {
        let reader = request.makeReader(of: Element.self, needsPiecesApart: needsPiecesApart, keepsUnread: keepsUnread)
        source = StreamTap(request, reader, cancels: cancelsAutomatically)
        lease = Locked(StreamLease(source))
        self.makeFraming = makeFraming
    }

    /// Creates the iterator. Any but the first shares the pieces of the body with it, so that neither gets a line or a value that lies in
    /// several pieces.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(source: source, lease: lease.withLock { $0.take() }, framing: makeFraming())
    }

    /// Iterates the elements. Releasing the first iterator leaves the sequence.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let source: StreamTap
        private let lease: StreamLease?
        private let framing: StreamFraming<Element>
        /// The piece whose elements are at hand.
        private var piece: StreamPiece?
        private var isDone = false
        /// When this last gave way to other tasks.
        private var turnBegan = MonotonicInstant.now()

        fileprivate init(source: StreamTap, lease: StreamLease?, framing: StreamFraming<Element>) {
            self.source = source
            self.lease = lease
            self.framing = framing
        }

        /// The next element; nil at the end of a complete body.
        ///
        /// - Throws: ``FirewheelError``; `CancellationError` if only the task was cancelled, and not the request.
        public mutating func next() async throws -> Element? {
            try await element(nil)
        }

        /// The next element, without leaving the actor that asks for it.
        ///
        /// - Throws: ``FirewheelError``; `CancellationError` if only the task was cancelled, and not the request.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
            try await element(actor)
        }

        /// The next element, on every version of the systems.
        @inline(__always)
        mutating func element(_ actor: isolated (any Actor)?) async throws -> Element? {
            // Most elements are at hand. This code is never specialized, so it does not look at them.
            while true {
                if piece != nil {
                    // Asked asynchronously only if need be, because that takes longer.
                    let delivers = source.isFlowing ? true : await source.delivers(actor)
                    if delivers, try advance() { break }
                }
                guard try await takePiece(actor) else { return nil }
            }
            do { return try framing.take() } catch { throw fail(source.describing(error)) }
        }

        /// Makes the next element of the piece at hand.
        private mutating func advance() throws -> Bool {
            do { return try framing.advance() } catch { throw fail(source.describing(error)) }
        }

        /// In seconds: much longer than giving way takes.
        private static var longestTurn: Double { 0.002 }

        /// Waits for the next piece. False at the end of the stream.
        private mutating func takePiece(_ actor: isolated (any Actor)?) async throws -> Bool {
            guard !isDone else { return false }
            piece = nil
            // While a piece is always at hand, nothing here waits, so that a fast server would keep other tasks from running.
            if MonotonicInstant.now().seconds(since: turnBegan) > Self.longestTurn {
                await Task.yield()
                turnBegan = .now()
            }
            switch await source.next(actor) {
            case .piece(let next):
                switch next.take() {
                case .data(let data): framing.append(data)
                case .messages(let messages): framing.append(messages)
                case .end(isComplete: true): framing.finish()
                case .end(isComplete: false): return true
                }
                piece = next
                return true
            case .ended(let error):
                isDone = true
                if let error { throw fail(error) }
                return false
            }
        }

        private mutating func fail(_ error: any Error) -> any Error {
            isDone = true
            piece = nil
            source.end(with: error)
            return error
        }
    }
}

/// The request of a sequence, and the reader through which the sequence takes pieces.
final class StreamTap: Sendable {
    private let request: any StreamedRequest
    private let reader: StreamReader
    private let cancels: Bool

    fileprivate init(_ request: any StreamedRequest, _ reader: StreamReader, cancels: Bool) {
        self.request = request
        self.reader = reader
        self.cancels = cancels
    }

    /// Whether the elements at hand may be delivered without a question.
    var isFlowing: Bool { reader.isFlowing && !Task.isCancelled }

    /// Whether the elements at hand may be delivered, and not those of a request that was cancelled. While it is suspended this waits.
    func delivers(_ actor: isolated (any Actor)?) async -> Bool {
        if Task.isCancelled { taskWasCancelled() }
        while reader.isPaused, await waitWhilePaused(actor) {}
        return !reader.isAbandoned
    }

    /// Whether handlers may be called with elements at hand: as `delivers(_:)`, for code that does not wait asynchronously.
    ///
    /// - Parameter wake: Called once, on any thread, when to ask again, if the request is suspended.
    /// - Returns: nil if the request is suspended.
    func delivers(orWake wake: @escaping @Sendable () -> Void) -> Bool? {
        if reader.isFlowing { return true }
        return reader.waitWhilePaused(orWake: wake) ? nil : !reader.isAbandoned
    }

    private func waitWhilePaused(_ actor: isolated (any Actor)?) async -> Bool {
        await withTaskCancellationHandler(
            operation: { await reader.waitWhilePaused(actor) }, onCancel: { taskWasCancelled() }, isolation: actor)
    }

    fileprivate func describing(_ error: any Error) -> any Error { request.describing(error) }

    /// The next piece, or the end, which follows at once when the task is cancelled.
    fileprivate func next(_ actor: isolated (any Actor)?) async -> StreamReader.Next {
        await withTaskCancellationHandler(
            operation: { await reader.next(actor) }, onCancel: { taskWasCancelled() }, isolation: actor)
    }

    /// Ends the sequence: with its request, or alone.
    private func taskWasCancelled() {
        guard !cancels else {
            request.cancel()
            return
        }
        reader.abandon()
        reader.end(CancellationError())
    }

    /// Ends the request because of an element.
    fileprivate func end(with error: any Error) {
        guard cancels else { return leave() }
        request.cancel(with: error as? FirewheelError ?? FirewheelError(.explicitlyCancelled))
    }

    /// Handles that nobody iterates any more.
    fileprivate func leave() {
        if cancels { request.cancel() }
        // What nobody takes must not hold up the request's other readers.
        reader.abandon()
    }
}

/// Leaves a sequence when it is released.
private final class StreamLease: Sendable {
    private let source: StreamTap

    init(_ source: StreamTap) {
        self.source = source
    }

    deinit {
        source.leave()
    }
}

extension StreamReader {
    /// The next piece, or the end.
    fileprivate func next(_ actor: isolated (any Actor)?) async -> Next {
        while true {
            let next = await withCheckedContinuation(isolation: actor) { (continuation: CheckedContinuation<Next?, Never>) in
                if let next = take(orWake: { continuation.resume(returning: nil) }) { continuation.resume(returning: next) }
            }
            if let next { return next }
        }
    }

    /// Waits while the request is suspended.
    ///
    /// - Returns: False if it is not suspended, or has ended.
    fileprivate func waitWhilePaused(_ actor: isolated (any Actor)?) async -> Bool {
        await withCheckedContinuation(isolation: actor) { (continuation: CheckedContinuation<Bool, Never>) in
            if !waitWhilePaused(orWake: { continuation.resume(returning: true) }) { continuation.resume(returning: false) }
        }
    }
}
