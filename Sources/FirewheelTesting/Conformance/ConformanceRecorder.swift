import Firewheel
import Foundation

/// Receives the events of one or more requests, and records violations of the rules for all transports.
final class ConformanceRecorder: TransportReceiver {
    /// The events of one request.
    struct Record {
        /// The request, without its body.
        fileprivate(set) var request: TransportRequest?
        var interims: [ResponseHead] = []
        var sent: [Int64] = []
        var heads: [ResponseHead] = []
        var chunkSizes: [Int] = []
        /// The chunks, joined.
        var content = Data()
        var result: TransportResult?
        var batches = 0
    }

    private struct State {
        var records: [TransportTaskID: Record] = [:]
        var violations: [String] = []
        var isReceiving = false
    }

    private let state = Guarded(State())
    /// Called with every batch, on the transport's thread.
    private let reaction: @Sendable ([TransportEvent]) -> Void

    init(_ reaction: @escaping @Sendable ([TransportEvent]) -> Void = { _ in }) {
        self.reaction = reaction
    }

    /// Registers a request that will be started, whose events are allowed.
    func expect(_ request: TransportRequest) {
        var request = request
        request.bodySource = nil
        state.with { $0.records[request.id] = Record(request: request) }
    }

    /// The violations so far.
    var violations: [String] { state.with { $0.violations } }

    /// The number of bytes received in chunks.
    func count(of id: TransportTaskID) -> Int { state.with { $0.records[id]?.content.count ?? 0 } }

    /// Whether the request has ended.
    func isOver(_ id: TransportTaskID) -> Bool { state.with { $0.records[id]?.result != nil } }

    /// The record of a request. Not for polling: while a copy exists, each chunk copies all previous ones.
    subscript(_ id: TransportTaskID) -> Record { state.with { $0.records[id] ?? Record() } }

    func receive(_ events: [TransportEvent]) {
        state.change { state in
            if state.isReceiving { state.violations.append("two batches came to one receiver at once") }
            state.isReceiving = true
            for event in events { Self.take(event, &state) }
            for id in Set(events.map(\.id)) { state.records[id]?.batches += 1 }
        }
        reaction(events)
        state.change { $0.isReceiving = false }
    }

    private static func take(_ event: TransportEvent, _ state: inout State) {
        guard
            let (isOver, hasHead, hasChunk) = state.records[event.id].map({ ($0.result != nil, !$0.heads.isEmpty, !$0.chunkSizes.isEmpty) })
        else {
            state.violations.append("an event came for \(event.id), which this receiver did not start")
            return
        }
        switch event.kind {
        case .response(let head, _):
            if isOver { state.violations.append("a response came after the end of \(event.id)") }
            if hasHead { state.violations.append("a second response came for \(event.id)") }
            if hasChunk { state.violations.append("the response of \(event.id) came after a chunk") }
            state.records[event.id]?.heads.append(head)
        case .chunk(let data):
            if isOver { state.violations.append("a chunk came after the end of \(event.id)") }
            if !hasHead { state.violations.append("a chunk of \(event.id) came before the response") }
            // Changed in place: while a copy of the record exists, each chunk would copy all previous ones.
            state.records[event.id]?.chunkSizes.append(data.count)
            state.records[event.id]?.content.append(data)
        case .interim(let head):
            if isOver || hasHead { state.violations.append("an interim response came after the response of \(event.id)") }
            if state.records[event.id]?.request?.reportsInterim == false {
                state.violations.append("an interim response was reported for \(event.id), which did not ask for it")
            }
            state.records[event.id]?.interims.append(head)
        case .sent(let count):
            if isOver { state.violations.append("a number of sent bytes came after the end of \(event.id)") }
            if state.records[event.id]?.request?.reportsSent == false {
                state.violations.append("sent bytes were reported for \(event.id), which did not ask for them")
            }
            let hasFallen = count < state.records[event.id]?.sent.last ?? 0
            if hasFallen, state.records[event.id]?.request?.allowsResend == false {
                state.violations.append("the number of sent bytes of \(event.id) fell to \(count)")
            }
            state.records[event.id]?.sent.append(count)
        case .waitingForConnectivity:
            if isOver || hasHead { state.violations.append("\(event.id) waited for the network after its response") }
            if state.records[event.id]?.request?.waitsForConnectivity == false {
                state.violations.append("\(event.id) waits for the network, which it was not asked to")
            }
        case .question:
            if isOver || hasHead { state.violations.append("a question came after the response of \(event.id)") }
        case .messages, .webSocket:
            if isOver || !hasHead { state.violations.append("\(event.id) is a WebSocket before its response or after its end") }
            if state.records[event.id]?.request?.webSocket == nil {
                state.violations.append("\(event.id) is a WebSocket, which it did not ask for")
            }
        case .finished(let result):
            if isOver { state.violations.append("\(event.id) finished twice") }
            if !isOver { state.records[event.id]?.result = result }
        }
    }

    /// Waits until a record satisfies a condition; nil after the timeout.
    func wait<Result>(_ id: TransportTaskID, seconds: TimeInterval, _ wanted: @escaping (Record) -> Result?) -> Result? {
        state.wait(timeout: seconds) { state in state.records[id].flatMap(wanted) }
    }
}
