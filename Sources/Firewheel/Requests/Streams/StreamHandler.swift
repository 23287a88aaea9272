import Foundation

/// Calls a handler with the elements of a stream, one after the other, and once with the end.
///
/// Elements are made on a thread that may block, those of one piece at a time, and the next piece is taken when the handler has dealt with
/// them.
final class StreamHandler<Value: Sendable>: @unchecked Sendable {
    typealias Stream = DataStreamRequest.Stream<Value>
    private typealias Element = Result<Value, any Error>
    private typealias Made = (elements: [Element], end: (any Error)?)

    // Sound because the mutable properties are used by one step at a time: `start`, then a step per piece, each of which begins when the
    // one before has ended.
    private let framing: StreamFraming<Value>
    private var handler: (@Sendable (Stream) throws -> Void)?
    private var reader: StreamReader?
    private let token: DataStreamRequest.CancellationToken
    private let cancelsOnError: Bool
    private let delivery: ResponseDelivery
    /// The end that is still to be delivered. Until then it retains the handler, which nothing else may.
    private let end = Locked<(completion: DataStreamRequest.Completion, handler: StreamHandler)?>(nil)

    init(
        _ framing: sending StreamFraming<Value>, of request: DataStreamRequest, delivery: ResponseDelivery,
        handler: @escaping @Sendable (Stream) throws -> Void
    ) {
        self.framing = framing
        self.handler = handler
        self.delivery = delivery
        token = DataStreamRequest.CancellationToken(request: request)
        cancelsOnError = request.automaticallyCancelOnStreamError
    }

    /// The request retains this until its end. The reader does not while nothing is to be read, so that a request that is never started
    /// can be released.
    func start(_ request: DataStreamRequest) {
        reader = request.makeReader(of: Value.self) { completion in self.end.withLock { $0 = (completion, self) } }
        goOn()
    }

    /// Takes the next piece, now or when there is one.
    private func goOn() {
        guard let next = reader?.take(orWake: { [weak self] in self?.goOn() }) else { return }
        switch next {
        case .piece(let piece):
            if framing.isTrivial { return deliver(makeElements(piece.take()), of: piece) }
            WorkerPool.shared.run { self.deliver(self.makeElements(piece.take()), of: piece) }
        case .ended: delivery.run { self.complete() }
        }
    }

    private func makeElements(_ content: StreamPiece.Content) -> Made {
        var elements: [Element] = []
        do {
            switch content {
            case .data(let data): framing.append(data)
            case .end(isComplete: true): framing.finish()
            case .end(isComplete: false): break
            }
            while let element = try framing.next() { elements.append(element) }
            return (elements, nil)
        } catch {
            return (elements, error)
        }
    }

    private func deliver(_ made: Made, of piece: StreamPiece) {
        if made.elements.isEmpty, made.end == nil {
            // Not the end of the stream: its completion may need a step of its own, and does not wait for this one.
            return WorkerPool.shared.run {
                withExtendedLifetime(piece) {}
                self.goOn()
            }
        }
        call(made, from: 0, of: piece)
    }

    /// Calls the handler with the elements from an index on, and goes on with the next piece.
    private func call(_ made: Made, from start: Int, of piece: StreamPiece) {
        delivery.run { [piece] in
            guard self.call(made, start, piece) else { return }
            if let error = made.end { self.fail(error) }
            withExtendedLifetime(piece) {}
            self.goOn()
        }
    }

    /// - Returns: False if the request was suspended. Then the other elements follow when it is resumed.
    private func call(_ made: Made, _ start: Int, _ piece: StreamPiece) -> Bool {
        for index in start..<made.elements.count {
            // The handler may have suspended or cancelled the request.
            guard let handler, let reader else { return true }
            if reader.isPaused, reader.waitWhilePaused(orWake: { [weak self] in self?.call(made, from: index, of: piece) }) {
                return false
            }
            if reader.isAbandoned { return true }
            let element = made.elements[index]
            do {
                try handler(Stream(event: .stream(element), token: token))
            } catch {
                fail(error)
                return true
            }
            if cancelsOnError, case .failure(let error) = element {
                fail(error)
                return true
            }
        }
        return true
    }

    private func fail(_ error: any Error) {
        token.request?.cancel(
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
        case .direct: work()
        }
    }
}
