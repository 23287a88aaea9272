import Firewheel
import Foundation

/// Receives the events of one request, or of many, and notes whatever is against the rules of every transport.
final class ConformanceRecorder: TransportReceiver {
    /// What is known of one request.
    struct Record {
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

    /// Says that a request will be started, whose events are welcome.
    func expect(_ request: TransportRequest) {
        state.with { $0.records[request.id] = Record() }
    }

    /// What came that may not come.
    var violations: [String] { state.with { $0.violations } }

    /// How many bytes have come in chunks.
    func count(of id: TransportTaskID) -> Int { state.with { $0.records[id]?.content.count ?? 0 } }

    /// Whether the end has come.
    func isOver(_ id: TransportTaskID) -> Bool { state.with { $0.records[id]?.result != nil } }

    /// All that is known of a request. Not for looking again and again: while a copy is around, the next chunk costs a copy of all before
    /// it.
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
            // In place: with a copy of the record around, each chunk would cost a copy of all before it.
            state.records[event.id]?.chunkSizes.append(data.count)
            state.records[event.id]?.content.append(data)
        case .finished(let result):
            if isOver { state.violations.append("\(event.id) finished twice") }
            if !isOver { state.records[event.id]?.result = result }
        }
    }

    /// Waits until a record is as wanted; nil when the time is over.
    func wait<Result>(_ id: TransportTaskID, seconds: TimeInterval, _ wanted: @escaping (Record) -> Result?) -> Result? {
        state.wait(timeout: seconds) { state in state.records[id].flatMap(wanted) }
    }
}
