import Firewheel
import Foundation

/// A transport without sockets, for tests of the code above it: a closure determines the events of each request.
///
/// ```swift
/// let stub = StubTransport { request in
///     request.method == .get ? .json(#"{"name":"Ada"}"#) : .text("read only", status: 405)
/// }
/// let session = Session(transport: stub)
/// ```
///
/// A script can also give each step: `[.response(ResponseHead(statusCode: 200)), .finish(body: data)]`.
public final class StubTransport: Transport {
    /// One event of a request. The steps of a script are delivered in one batch, up to a head that the request holds; the rest follows once
    /// the client wants the body (`Transport.proceed(_:_:)`).
    public enum Step: Sendable {
        /// The head of the response.
        case response(ResponseHead)
        /// A piece of the body, for requests with chunked delivery.
        case chunk(Data)
        /// The end of a complete exchange, with the body for requests with whole delivery.
        case finish(body: Data? = nil)
        /// The end of a failed exchange.
        case fail(TransportError)
        /// The script ends here: continue with ``StubTransport/send(_:to:)``.
        case wait
    }

    /// A call of the client.
    public enum Call: Sendable, Equatable {
        /// A request was started.
        case start(TransportTaskID)
        /// A request was cancelled. Events sent to it afterwards still reach the receiver.
        case cancel(TransportTaskID)
        /// A request was told to pause its transfer.
        case pause(TransportTaskID)
        /// A paused request was told to continue.
        case resume(TransportTaskID)
        /// The client has decided about a held head: the body is wanted, or not.
        case proceed(TransportTaskID, TransportRequest.HeldBody)
        /// A number of bytes of `chunk` events have been consumed.
        case acknowledge(TransportTaskID, bytes: Int)
    }

    private struct Running {
        let receiver: any TransportReceiver
        let delivery: TransportRequest.Delivery
        let heldHeads: TransportRequest.HeldHeads
        var head: ResponseHead?
        /// While the head is held: the steps that follow once the client wants the body.
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
    // Accessed only while holding `lock`.
    private nonisolated(unsafe) var state = State()

    /// Creates a stub that plays a script.
    ///
    /// - Parameter script: Called for each request, on the stub's own queue. Returns the steps of its exchange.
    public init(_ script: @escaping @Sendable (TransportRequest) -> [Step] = { _ in [.wait] }) {
        self.script = script
    }

    /// The requests so far, in starting order.
    public var requests: [TransportRequest] { lock.withLock { state.requests } }

    /// The calls so far, in order.
    public var calls: [Call] { lock.withLock { state.calls } }

    /// Plays further steps of a request that waits, or of one that has ended.
    public func send(_ steps: [Step], to id: TransportTaskID) {
        queue.async { self.play(steps, to: id) }
    }

    public func start(_ request: TransportRequest, receiver: any TransportReceiver) {
        lock.withLock {
            state.running[request.id] = Running(receiver: receiver, delivery: request.delivery, heldHeads: request.heldHeads)
            state.requests.append(request)
            state.calls.append(.start(request.id))
            // Under the lock, so that events sent by code that has seen the request come after its script.
            queue.async { self.play(self.script(request), to: request.id) }
        }
    }

    public func cancel(_ id: TransportTaskID) {
        lock.withLock {
            state.calls.append(.cancel(id))
            // The receiver is kept, because events after a cancellation must be harmless, which tests may verify.
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
