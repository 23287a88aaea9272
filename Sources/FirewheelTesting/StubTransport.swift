import Firewheel
import Foundation

/// A transport without sockets: what happens to each request is decided by a closure, for testing what stands above the transport.
///
/// ```swift
/// let stub = StubTransport { request in
///     request.method == .get ? .json(#"{"name":"Ada"}"#) : .text("read only", status: 405)
/// }
/// let session = Session(transport: stub)
/// ```
///
/// What happens can be told step by step too: `[.response(ResponseHead(statusCode: 200)), .finish(body: data)]`.
public final class StubTransport: Transport {
    /// One thing that happens to a request. What one script gives is delivered in one batch, up to a head that the request holds; the rest
    /// comes once the client wants the body (``Transport/proceed(_:_:)``).
    public enum Step: Sendable {
        /// The head of the response.
        case response(ResponseHead)
        /// A piece of the body, for requests that take it in chunks.
        case chunk(Data)
        /// The end of a complete exchange. The body, or what is left of it, comes whole or as one more chunk, as the request takes it.
        case finish(body: Data? = nil)
        /// The end of a failed exchange.
        case fail(TransportError)
        /// The script stops here: go on with ``StubTransport/send(_:to:)``.
        case wait
    }

    /// Something that the stub was told by the client.
    public enum Call: Sendable, Equatable {
        case start(TransportTaskID)
        case cancel(TransportTaskID)
        case pause(TransportTaskID)
        case resume(TransportTaskID)
        case proceed(TransportTaskID, TransportRequest.HeldBody)
        case acknowledge(TransportTaskID, bytes: Int)
    }

    private struct Running {
        let receiver: any TransportReceiver
        let delivery: TransportRequest.Delivery
        let heldHeads: TransportRequest.HeldHeads
        var head: ResponseHead?
        /// While the head is held: what happens once the client wants the body.
        var held: [Step]?
    }

    private struct State {
        var running: [TransportTaskID: Running] = [:]
        var requests: [TransportRequest] = []
        var calls: [Call] = []
    }

    private let script: @Sendable (TransportRequest) -> [Step]
    private let queue = DispatchQueue(label: "firewheel.stub-transport")
    private let lock = NSLock()
    // Only touched while holding `lock`.
    private nonisolated(unsafe) var state = State()

    /// - Parameter script: Called for each request, on a queue of the stub's own, for what happens to it.
    public init(_ script: @escaping @Sendable (TransportRequest) -> [Step] = { _ in [.wait] }) {
        self.script = script
    }

    /// The requests so far, in the order in which they were started.
    public var requests: [TransportRequest] { lock.withLock { state.requests } }

    /// The calls so far, in their order.
    public var calls: [Call] { lock.withLock { state.calls } }

    /// Lets more happen to a request that waits, or to one that is long over.
    public func send(_ steps: [Step], to id: TransportTaskID) {
        queue.async { self.play(steps, to: id) }
    }

    public func start(_ request: TransportRequest, receiver: any TransportReceiver) {
        lock.withLock {
            state.running[request.id] = Running(receiver: receiver, delivery: request.delivery, heldHeads: request.heldHeads)
            state.requests.append(request)
            state.calls.append(.start(request.id))
            // Under the lock, so that what is sent by whoever has seen the request comes after its script.
            queue.async { self.play(self.script(request), to: request.id) }
        }
    }

    public func cancel(_ id: TransportTaskID) {
        lock.withLock {
            state.calls.append(.cancel(id))
            // The receiver is kept: what comes after a cancel has to be harmless, and a test may want to show that.
            state.running[id]?.held = nil
        }
    }

    public func pause(_ id: TransportTaskID) {
        lock.withLock { state.calls.append(.pause(id)) }
    }

    public func resume(_ id: TransportTaskID) {
        lock.withLock { state.calls.append(.resume(id)) }
    }

    public func proceed(_ id: TransportTaskID, _ body: TransportRequest.HeldBody) {
        lock.withLock { state.calls.append(.proceed(id, body)) }
        queue.async {
            let held = self.lock.withLock {
                defer { self.state.running[id]?.held = nil }
                return self.state.running[id]?.held
            }
            guard let held else { return }
            self.play(body == .deliver ? held : [.finish()], to: id, mayHold: false)
        }
    }

    public func acknowledge(_ id: TransportTaskID, bytes: Int) {
        lock.withLock { state.calls.append(.acknowledge(id, bytes: bytes)) }
    }

    private func play(_ steps: [Step], to id: TransportTaskID, mayHold: Bool = true) {
        guard var running = lock.withLock({ state.running[id] }) else { return }
        if let held = running.held {
            lock.withLock { state.running[id]?.held = held + steps }
            return
        }
        var events: [TransportEvent] = []
        for (index, step) in steps.enumerated() {
            let now = MonotonicInstant.now()
            switch step {
            case .response(let head):
                running.head = head
                events.append(TransportEvent(id: id, kind: .response(head, at: now)))
                if mayHold, running.heldHeads.contains(head.statusCode) { running.held = Array(steps[(index + 1)...]) }
            case .chunk(let data):
                events.append(TransportEvent(id: id, kind: .chunk(data)))
            case .finish(var body):
                if running.delivery == .chunks, let chunk = body.take(), !chunk.isEmpty {
                    events.append(TransportEvent(id: id, kind: .chunk(chunk)))
                }
                let result = TransportResult(head: running.head, body: body, metrics: TransportMetrics(start: now, end: now))
                events.append(TransportEvent(id: id, kind: .finished(result)))
            case .fail(let error):
                let result = TransportResult(error: error, head: running.head, metrics: TransportMetrics(start: now, end: now))
                events.append(TransportEvent(id: id, kind: .finished(result)))
            case .wait:
                break
            }
            if running.held != nil { break }
        }
        lock.withLock {
            state.running[id]?.head = running.head
            state.running[id]?.held = running.held
        }
        if !events.isEmpty { running.receiver.receive(events) }
    }
}
