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
/// A script can also give each step: `[.response(ResponseHead(statusCode: 200)), .finish(body: data)]`. With ``Step/readBody`` it reads the
/// request's body first, whatever its source, and ``receivedBody(of:)`` returns it.
public final class StubTransport: Transport {
    /// One event of a request. The steps of a script are delivered in one batch, up to one that waits: a head that the request holds
    /// (`Transport.proceed(_:_:)`), a ``question(_:)`` or ``readBody``. The rest follows once that is decided or done.
    public enum Step: Sendable {
        /// The head of an interim response. Left out for requests that do not ask for it (`TransportRequest.reportsInterim`).
        case interim(ResponseHead)
        /// How many bytes of the request's body were sent so far. Left out for requests that do not ask for it
        /// (`TransportRequest.reportsSent`).
        case sent(Int64)
        /// The request waits for the network. Left out for requests that do not ask for it (`TransportRequest.waitsForConnectivity`).
        case waitingForConnectivity
        /// A question to the client. The script stands still until the answer: `accept` continues with the rest, `refuse` ends the exchange
        /// with its error.
        case question(TransportQuestion)
        /// Reads the request's body to its end, for ``StubTransport/receivedBody(of:)``. A body that cannot be read ends the exchange
        /// with an error. Other steps need no body to be read.
        case readBody
        /// The head of the response.
        case response(ResponseHead)
        /// A piece of the body, for requests with chunked delivery.
        case chunk(Data)
        /// The end of a complete exchange, with the body for requests with whole delivery, and the trailer fields.
        case finish(body: Data? = nil, trailers: HTTPHeaders = [:])
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
        /// A question was answered.
        case answer(TransportTaskID, TransportAnswer)
    }

    /// The body of a request, as a ``Step/readBody`` has read it.
    public struct ReceivedBody: Sendable, Equatable {
        /// The bytes; none if the request has no body.
        public var data = Data()
        /// The trailer fields at the end of a stream.
        public var trailers: HTTPHeaders = [:]
    }

    /// What a script waits for.
    private enum Wait {
        case proceed
        case answer
        case body(StubBodyReading)
    }

    private struct Running {
        let request: TransportRequest
        let receiver: any TransportReceiver
        var head: ResponseHead?
        /// While the script stands still: what it waits for, and the steps that follow.
        var waiting: (wait: Wait, rest: [Step])?
    }

    private struct State {
        var running: [TransportTaskID: Running] = [:]
        var requests: [TransportRequest] = []
        var calls: [Call] = []
        var bodies: [TransportTaskID: ReceivedBody] = [:]
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

    /// The body of a request, once a ``Step/readBody`` of its script has read it to its end; nil before that.
    public func receivedBody(of id: TransportTaskID) -> ReceivedBody? { lock.withLock { state.bodies[id] } }

    /// Plays further steps of a request that waits, or of one that has ended.
    public func send(_ steps: [Step], to id: TransportTaskID) {
        queue.async { self.play(steps, to: id) }
    }

    public func start(_ request: TransportRequest, receiver: any TransportReceiver) {
        lock.withLock {
            state.running[request.id] = Running(request: request, receiver: receiver)
            state.requests.append(request)
            state.calls.append(.start(request.id))
            // Under the lock, so that events sent by code that has seen the request come after its script.
            queue.async { self.play(self.script(request), to: request.id) }
        }
    }

    public func cancel(_ id: TransportTaskID) {
        let waiting = lock.withLock {
            state.calls.append(.cancel(id))
            // The receiver is kept, because events after a cancellation must be harmless, which tests may verify.
            return state.running[id]?.waiting.take()
        }
        if case .body(let reading) = waiting?.wait { reading.stop() }
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
            guard let rest = self.endWait(of: id, if: { if case .proceed = $0 { true } else { false } }) else { return }
            self.play(body == .deliver ? rest : [.finish()], to: id, mayHold: false)
        }
    }

    public func answer(_ id: TransportTaskID, _ answer: TransportAnswer) {
        lock.withLock { state.calls.append(.answer(id, answer)) }
        queue.async {
            guard let rest = self.endWait(of: id, if: { if case .answer = $0 { true } else { false } }) else { return }
            switch answer {
            case .accept: self.play(rest, to: id)
            case .refuse(let error): self.play([.fail(error)], to: id)
            }
        }
    }

    public func acknowledge(_ id: TransportTaskID, bytes: Int) {
        lock.withLock { state.calls.append(.acknowledge(id, bytes: bytes)) }
    }

    deinit {
        for case .body(let reading) in state.running.values.compactMap(\.waiting?.wait) { reading.stop() }
    }

    // MARK: - Playing a script, on the queue

    private func play(_ steps: [Step], to id: TransportTaskID, mayHold: Bool = true) {
        guard var running = lock.withLock({ state.running[id] }) else { return }
        if running.waiting != nil { return lock.withLock { state.running[id]?.waiting?.rest += steps } }
        var events: [TransportEvent] = []
        for (index, step) in steps.enumerated() {
            let (kind, wait) = event(for: step, of: &running, mayHold: mayHold)
            if case .finished(let result) = kind, running.request.delivery == .chunks, let chunk = result.body {
                events += Self.chunked(result, chunk, id)
            } else if let kind {
                events.append(TransportEvent(id: id, kind: kind))
            }
            guard let wait else { continue }
            running.waiting = (wait, Array(steps[(index + 1)...]))
            break
        }
        lock.withLock {
            state.running[id]?.head = running.head
            state.running[id]?.waiting = running.waiting
        }
        if !events.isEmpty { running.receiver.receive(events) }
        if case .body(let reading) = running.waiting?.wait { reading.start() }
    }

    /// The event of a step, and what the script waits for after it.
    private func event(for step: Step, of running: inout Running, mayHold: Bool) -> (TransportEvent.Kind?, Wait?) {
        let now = MonotonicInstant.now()
        let metrics = TransportMetrics(start: now, end: now)
        switch step {
        case .interim(let head): return (running.request.reportsInterim ? .interim(head) : nil, nil)
        case .sent(let count): return (running.request.reportsSent ? .sent(count) : nil, nil)
        case .waitingForConnectivity: return (running.request.waitsForConnectivity ? .waitingForConnectivity : nil, nil)
        case .question(let question): return (.question(question), .answer)
        case .readBody: return (nil, .body(reading(of: running.request)))
        case .response(let head):
            running.head = head
            let isHeld = mayHold && running.request.heldHeads.contains(head.statusCode)
            return (.response(head, at: now), isHeld ? .proceed : nil)
        case .chunk(let data): return (.chunk(data), nil)
        case .finish(let body, let trailers):
            return (.finished(TransportResult(head: running.head, body: body, trailers: trailers, metrics: metrics)), nil)
        case .fail(let error): return (.finished(TransportResult(error: error, head: running.head, metrics: metrics)), nil)
        case .wait: return (nil, nil)
        }
    }

    /// The end of an exchange with its body in a chunk.
    private static func chunked(_ result: TransportResult, _ chunk: Data, _ id: TransportTaskID) -> [TransportEvent] {
        var result = result
        result.body = nil
        let end = TransportEvent(id: id, kind: .finished(result))
        return chunk.isEmpty ? [end] : [TransportEvent(id: id, kind: .chunk(chunk)), end]
    }

    /// - Returns: The steps that follow; nil if the script does not wait for this.
    private func endWait(of id: TransportTaskID, if isAwaited: (Wait) -> Bool) -> [Step]? {
        lock.withLock {
            guard let waiting = state.running[id]?.waiting, isAwaited(waiting.wait) else { return nil }
            state.running[id]?.waiting = nil
            return waiting.rest
        }
    }

    private func reading(of request: TransportRequest) -> StubBodyReading {
        StubBodyReading(request.bodySource, on: queue) { [weak self] result in
            guard let rest = self?.endWait(of: request.id, if: { if case .body = $0 { true } else { false } }) else { return }
            switch result {
            case .success(let body):
                self?.lock.withLock { self?.state.bodies[request.id] = body }
                self?.play(rest, to: request.id)
            case .failure(let error): self?.play([.fail(error)], to: request.id)
            }
        }
    }
}
