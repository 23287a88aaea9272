import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// A transport that a test drives by hand: it delivers the events that the test names, with any id, on the test's thread.
final class ManualTransport: Transport {
    private let lock = NSLock()
    // Only touched while holding `lock`.
    private nonisolated(unsafe) var receiver: (any TransportReceiver)?
    private nonisolated(unsafe) var started: [TransportRequest] = []
    private nonisolated(unsafe) var told: [StubTransport.Call] = []

    var requests: [TransportRequest] { lock.withLock { started } }
    var calls: [StubTransport.Call] { lock.withLock { told } }

    func calls(of request: Request) -> [StubTransport.Call] {
        calls.filter {
            switch $0 {
            case .start(let id), .cancel(let id), .pause(let id), .resume(let id), .proceed(let id, _), .acknowledge(let id, _),
                .answer(let id, _):
                id.request == request.id
            }
        }
    }

    func start(_ request: TransportRequest, receiver: any TransportReceiver) {
        lock.withLock {
            self.receiver = receiver
            started.append(request)
            told.append(.start(request.id))
        }
    }

    func cancel(_ id: TransportTaskID) { tell(.cancel(id)) }
    func pause(_ id: TransportTaskID) { tell(.pause(id)) }
    func resume(_ id: TransportTaskID) { tell(.resume(id)) }
    func proceed(_ id: TransportTaskID, _ body: TransportRequest.HeldBody) { tell(.proceed(id, body)) }
    func acknowledge(_ id: TransportTaskID, bytes: Int) { tell(.acknowledge(id, bytes: bytes)) }

    private func tell(_ call: StubTransport.Call) { lock.withLock { told.append(call) } }

    /// Delivers events in one batch.
    func deliver(_ events: (id: TransportTaskID, kind: TransportEvent.Kind)...) {
        lock.withLock { receiver }?.receive(events.map { TransportEvent(id: $0.id, kind: $0.kind) })
    }
}

extension TransportEvent.Kind {
    static func head(_ status: Int = 200, _ headers: HTTPHeaders = [:]) -> Self {
        .response(ResponseHead(statusCode: status, headers: headers), at: .now())
    }

    static func end(_ status: Int = 200, _ headers: HTTPHeaders = [:], body: String? = nil) -> Self {
        let now = MonotonicInstant.now()
        let metrics = TransportMetrics(start: now, end: now)
        let head = ResponseHead(statusCode: status, headers: headers)
        return .finished(TransportResult(head: head, body: body.map { Data($0.utf8) }, metrics: metrics))
    }

    static func failure(_ error: TransportError) -> Self {
        let now = MonotonicInstant.now()
        return .finished(TransportResult(error: error, metrics: TransportMetrics(start: now, end: now)))
    }
}

/// A session on a transport without sockets, with queues that a test can wait for.
final class EngineBench: Sendable {
    let transport = ManualTransport()
    let session: Session
    /// The serial queue of the test's handlers.
    let handlers = DispatchQueue(label: "bench.handlers")
    let serializers = DispatchQueue(label: "bench.serializers", attributes: .concurrent)

    init(
        _ configuration: SessionConfiguration = .default, startRequestsImmediately: Bool = true, eventMonitors: [any EventMonitor] = []
    ) {
        session = Session(
            configuration: configuration, transport: transport, serializationQueue: serializers,
            startRequestsImmediately: startRequestsImmediately, eventMonitors: eventMonitors)
    }

    /// The id of a request's hop.
    func id(_ request: Request, _ hop: Int = 0) -> TransportTaskID { TransportTaskID(request: request.id, hop: hop) }

    /// Returns after all pending work, so that anything absent by then does not happen.
    func settle() async {
        for _ in 0..<3 {
            await withCheckedContinuation { continuation in
                session.withAllRequests { _ in continuation.resume() }
            }
            await serializers.drain()
            await handlers.drain()
        }
    }

    /// Waits until the transport has been given a hop of a request.
    func started(_ request: Request, _ hop: Int = 0, _ location: SourceLocation = #_sourceLocation) async throws {
        let id = id(request, hop)
        try await waitUntil("the start of \(id)", location) { self.transport.calls.contains(.start(id)) }
    }
}

/// The kind of a library error; nil for no error and for other types.
func kind(_ error: (any Error)?) -> FirewheelError.Kind? { (error as? FirewheelError)?.kind }

func kind<Value>(_ result: Result<Value, any Error>) -> FirewheelError.Kind? {
    if case .failure(let error) = result { return kind(error) }
    return nil
}
