import Firewheel
import FirewheelTesting
import Foundation

@testable import Firewheel

/// Stands between a session and its transport and records violations of the transport's rules: one end for each request that was not
/// cancelled, and nothing after it.
final class ChaosWitness: Transport {
    private let transport: any Transport
    private let lock = NSLock()
    // Only touched while holding `lock`.
    private nonisolated(unsafe) var open: Set<TransportTaskID> = []
    private nonisolated(unsafe) var over: Set<TransportTaskID> = []
    private nonisolated(unsafe) var cancelled: Set<TransportTaskID> = []
    private nonisolated(unsafe) var found: [String] = []
    private nonisolated(unsafe) var ears: [WeakEar] = []

    private struct WeakEar { weak var ear: Ear? }

    /// One for each start, which shows whether the transport still holds the transfer.
    private final class Ear: TransportReceiver {
        private let witness: ChaosWitness
        private let receiver: any TransportReceiver

        init(_ witness: ChaosWitness, _ receiver: any TransportReceiver) {
            self.witness = witness
            self.receiver = receiver
        }

        func receive(_ events: [TransportEvent]) {
            witness.note(events)
            receiver.receive(events)
        }
    }

    init(_ transport: any Transport) { self.transport = transport }

    var problems: [String] { lock.withLock { found } }

    /// How many transfers the transport holds.
    var heldCount: Int { lock.withLock { ears.filter { $0.ear != nil }.count } }

    func start(_ request: TransportRequest, receiver: any TransportReceiver) {
        let ear = Ear(self, receiver)
        lock.withLock {
            if !open.insert(request.id).inserted || over.contains(request.id) { found.append("\(request.id) was started twice") }
            ears.append(WeakEar(ear: ear))
        }
        transport.start(request, receiver: ear)
    }

    func cancel(_ id: TransportTaskID) {
        lock.withLock { _ = cancelled.insert(id) }
        transport.cancel(id)
    }

    func pause(_ id: TransportTaskID) { transport.pause(id) }
    func resume(_ id: TransportTaskID) { transport.resume(id) }
    func proceed(_ id: TransportTaskID, _ body: TransportRequest.HeldBody) { transport.proceed(id, body) }
    func closeIdleConnections() { transport.closeIdleConnections() }
    func acknowledge(_ id: TransportTaskID, bytes: Int) { transport.acknowledge(id, bytes: bytes) }

    private func note(_ events: [TransportEvent]) {
        lock.withLock {
            for event in events {
                if over.contains(event.id) { found.append("an event of \(event.id) came after its end") }
                if !open.contains(event.id) { found.append("an event of \(event.id), which was not started, came") }
                if case .finished = event.kind { over.insert(event.id) }
            }
        }
    }

    /// Transfers that were started, not cancelled, and have not ended.
    var unended: [TransportTaskID] { lock.withLock { Array(open.subtracting(over).subtracting(cancelled)) } }
}
