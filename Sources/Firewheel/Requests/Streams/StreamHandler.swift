import Foundation

/// Calls a handler with the elements of a stream, one after the other, and once with the end.
///
/// Elements that take long to make are made on a thread that may block, those of one piece at a time. The next piece is taken when the handler
/// has dealt with the last.
final class StreamHandler<Value: Sendable>: @unchecked Sendable {
    typealias Stream = DataStreamRequest.Stream<Value>
    private typealias Element = Result<Value, any Error>

    // Sound because the mutable properties are used by one step at a time: `start`, then a step per piece, each of which begins when the
    // one before has ended.
    private let framing: StreamFraming<Value>
    private var handler: (@Sendable (Stream) throws -> Void)?
    private var reader: StreamReader?
    private let token: DataStreamRequest.CancellationToken
    private let cancelsOnError: Bool
    private let delivery: ResponseDelivery
    private let completion = Locked<DataStreamRequest.Completion?>(nil)

    init(
        _ framing: sending StreamFraming<Value>, of request: DataStreamRequest, delivery: ResponseDelivery,
        handler: @escaping @Sendable (Stream) throws -> Void
    ) {
        self.framing = framing
        self.handler = handler
        self.delivery = delivery
        token = DataStreamRequest.CancellationToken(of: request)
        cancelsOnError = request.automaticallyCancelOnStreamError
    }

    func start(_ request: DataStreamRequest) {
        let completion = completion
        reader = request.makeReader(of: Value.self) { ended in completion.withLock { $0 = ended } }
        goOn()
    }

    /// Takes the next piece, now or when there is one.
    private func goOn() {
        guard let next = reader?.take(orWake: { self.goOn() }) else { return }
        switch next {
        case .piece(let piece):
            // Another thread would cost more than making light elements does.
            if framing.isLight, case .data(let data) = piece.content { return delivery.run { self.deliver(data, of: piece) } }
            WorkerPool.shared.run { self.deliver(self.makeElements(piece.content), of: piece) }
        case .ended: delivery.run { self.complete() }
        }
    }

    /// Makes elements and passes each to the handler before the next is made.
    private func deliver(_ data: Data, of piece: StreamPiece) {
        framing.append(data)
        do {
            while let element = try makeElement(), call(with: element) {}
        } catch {
            fail(error)
        }
        withExtendedLifetime(piece) {}
        goOn()
    }

    private func makeElement() throws -> Element? {
        guard try framing.advance() else { return nil }
        do { return try framing.take().map { .success($0) } } catch { return .failure(error) }
    }

    private func makeElements(_ content: StreamPiece.Content) -> (elements: [Element], end: (any Error)?) {
        var elements: [Element] = []
        do {
            switch content {
            case .data(let data): framing.append(data)
            case .end(isComplete: true): framing.finish()
            case .end(isComplete: false): break
            }
            while let element = try makeElement() { elements.append(element) }
            return (elements, nil)
        } catch {
            return (elements, error)
        }
    }

    private func deliver(_ made: (elements: [Element], end: (any Error)?), of piece: StreamPiece) {
        // Nothing to call the handler with: the request's end does not wait for the handler's queue.
        if made.elements.isEmpty, made.end == nil { return goOn() }
        delivery.run { [piece] in
            if made.elements.allSatisfy(self.call(with:)), let error = made.end { self.fail(error) }
            withExtendedLifetime(piece) {}
            self.goOn()
        }
    }

    /// False if the handler must not be called again before the end.
    private func call(with element: Element) -> Bool {
        // The handler may have cancelled the request.
        guard let reader, !reader.isAbandoned, let handler else { return false }
        do {
            try handler(Stream(event: .stream(element), token: token))
            guard cancelsOnError, case .failure(let error) = element else { return true }
            fail(error)
        } catch {
            fail(error)
        }
        return false
    }

    private func fail(_ error: any Error) {
        token.cancel(
            with: error as? FirewheelError ?? FirewheelError(.responseStreamFailed(.handlerFailed), underlyingError: error))
    }

    private func complete() {
        // Removed first, so that what it captured is released here.
        guard let handler = handler.take(), let completion = completion.withLock({ $0.take() }) else { return }
        try? handler(Stream(event: .complete(completion), token: token))
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
