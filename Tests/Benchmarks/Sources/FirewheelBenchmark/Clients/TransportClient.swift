import Dispatch
import Firewheel
import Foundation

/// Firewheel's transport without a session, for a body that is dropped.
enum TransportClient {
    static func run(_ work: Work, on transport: any Transport) async throws -> Double {
        guard let target = TargetURI(work.url) else { throw Failure("not a URL") }
        let sequences = Sequences { done in
            let request = TransportRequest(id: TransportTaskID(request: 1), method: .get, target: target, delivery: .chunks)
            transport.start(request, receiver: Counter(work: work, transport: transport, done: done))
        }
        return try await sequences.run(shares: work.shares)
    }

    /// Counts the bytes and drops them.
    private final class Counter: TransportReceiver, @unchecked Sendable {
        // Sound because a transport calls a receiver with one batch at a time.
        private var length = 0
        private let work: Work
        private let transport: any Transport
        private let done: Sequences.Done

        init(work: Work, transport: any Transport, done: @escaping Sequences.Done) {
            self.work = work
            self.transport = transport
            self.done = done
        }

        func receive(_ events: [TransportEvent]) {
            for event in events {
                switch event.kind {
                case .response, .interim, .sent, .question, .waitingForConnectivity, .messages, .webSocket:
                    break
                case .chunk(let bytes):
                    length += bytes.count
                    transport.acknowledge(event.id, bytes: bytes.count)
                case .finished(let result):
                    done(Result { try check(result) })
                }
            }
        }

        private func check(_ result: TransportResult) throws {
            if let error = result.error { throw error }
            try work.check(length: length)
        }
    }
}
