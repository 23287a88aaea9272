import Foundation

/// Calls a handler with the elements of a stream, one after the other, and once with the end.
///
/// Elements that take long are made where serializers run, those of one piece at a time. The next piece is taken when the handler
/// has dealt with the last.
final class StreamHandler<Value: Sendable>: @unchecked Sendable {
    typealias Stream = DataStreamRequest.Stream<Value>
    private typealias Element = Result<Value, any Error>

    // Sound because the mutable properties are used by one step at a time: `start`, then a step per piece, each of which begins when the
    // one before has ended.
    private let framing: StreamFraming<Value>
    /// Elements that were made and not passed on, and the error behind them.
    private var batch = Fifo<Element>()
    private var batchEnd: (any Error)?
    private var handler: (@Sendable (Stream) throws -> Void)?
    private var reader: StreamReader?
    private let token: DataStreamRequest.CancellationToken
    private let cancelsOnError: Bool
    private let delivery: ResponseDelivery
    private let serializationQueue: DispatchQueue?
    /// The end that is still to be delivered. Until then it retains the handler, which nothing else may.
    private let end = Locked<(completion: DataStreamRequest.Completion, handler: StreamHandler)?>(nil)

    init(
        _ framing: sending StreamFraming<Value>, of request: any StreamedRequest, cancelsOnError: Bool, delivery: ResponseDelivery,
        handler: @escaping @Sendable (Stream) throws -> Void
    ) {
        self.framing = framing
        self.handler = handler
        self.delivery = delivery
        token = DataStreamRequest.CancellationToken(of: request)
        self.cancelsOnError = cancelsOnError
        serializationQueue = request.call.serializationQueue
    }

    /// The request retains this until its end. The reader does not while nothing is to be read, so that a request that is never started
    /// can be released.
    func start(_ request: any StreamedRequest) {
        reader = request.makeReader(of: Value.self, needsPiecesApart: framing.needsPiecesApart) { completion in
            self.end.withLock { $0 = (completion, self) }
        }
        goOn()
    }

    /// Takes the next piece, now or when there is one.
    private func goOn() {
        guard let next = reader?.take(orWake: { [weak self] in self?.goOn() }) else { return }
        switch next {
        case .piece(let piece):
            let content = piece.take()
            // Another thread would cost more than making light elements does.
            if framing.isLight {
                switch content {
                case .data(let data):
                    framing.append(data)
                    return deliver(piece)
                case .messages(let messages):
                    framing.append(messages)
                    return deliver(piece)
                case .end: break
                }
            }
            WorkerPool.runSerializer(on: serializationQueue) {
                self.makeBatch(content)
                // Nothing to call the handler with: the request's end does not wait for the handler's queue.
                if self.batch.isEmpty, self.batchEnd == nil { return self.goOn() }
                self.deliver(piece)
            }
        case .ended: delivery.run { self.complete() }
        }
    }

    // MARK: Elements

    private func makeBatch(_ content: StreamPiece.Content) {
        switch content {
        case .data(let data): framing.append(data)
        case .messages(let messages): framing.append(messages)
        case .end(isComplete: true): framing.finish()
        case .end(isComplete: false): break
        }
        do {
            while let element = try makeElement() { batch.append(element) }
        } catch {
            batchEnd = error
        }
    }

    private func makeElement() throws -> Element? {
        guard try framing.advance() else { return nil }
        do { return try framing.take().map { .success($0) } } catch { return .failure(token.describing(error)) }
    }

    /// The next element of the piece at hand: of those that were made, or made now.
    private func nextElement() throws -> Element? {
        if let element = batch.popFirst() { return element }
        if let end = batchEnd.take() { throw end }
        return framing.isLight ? try makeElement() : nil
    }

    // MARK: Calling the handler

    private func deliver(_ piece: StreamPiece) {
        delivery.run { self.callHandler(piece) }
    }

    /// Passes the elements at hand to the handler, and goes on with the next piece.
    private func callHandler(_ piece: StreamPiece) {
        while let handler, let reader {
            // The handler may have suspended or cancelled the request.
            if !reader.isFlowing {
                if reader.waitWhilePaused(orWake: { [weak self] in self?.deliver(piece) }) { return }
                if reader.isAbandoned { break }
            }
            do {
                guard let element = try nextElement() else { break }
                try handler(Stream(event: .stream(element), token: token))
                if cancelsOnError { _ = try element.get() }
            } catch {
                fail(error)
                break
            }
        }
        withExtendedLifetime(piece) {}
        goOn()
    }

    private func fail(_ error: any Error) {
        token.cancel(
            with: error as? FirewheelError ?? FirewheelError(.responseStreamFailed(.handlerFailed), underlyingError: error))
    }

    private func complete() {
        // Removed first, so that what it captured is released here.
        guard let handler = handler.take(), let end = end.withLock({ $0.take() }) else { return }
        try? handler(Stream(event: .complete(end.completion), token: token))
    }
}

extension ResponseDelivery {
    /// Runs a closure where responses are delivered.
    func run(_ work: @escaping @Sendable () -> Void) {
        switch self {
        case .mainActor: DispatchQueue.main.async(execute: work)
        case .queue(let queue): queue.async(execute: work)
        case .queueAfter(let first, let queue): first.async { queue.async(execute: work) }
        case .direct: work()
        }
    }
}
