import Firewheel
import Foundation

// The verdict on what readers of a stream were given.
extension ChaosVerdict {
    /// The endings that handlers cause.
    func streamEndings(_ number: Int, _ record: ChaosRecord) -> [ChaosOracle.Ending] {
        var endings: [ChaosOracle.Ending] = []
        if record.handlers.contains(where: { $0.value == .refusing && $0.place != .task }) {
            endings.append(.failed(.responseStreamFailed(.handlerFailed)))
        }
        if mayHaveLongLine(number), record.handlers.contains(where: { $0.value.form == .lines }) { endings.append(.failed(Self.tooLong)) }
        return endings
    }

    private static let tooLong = FirewheelError.Kind.responseStreamFailed(
        .lineTooLong(limit: DataStreamRequest.defaultMaximumLineLength))

    private func mayHaveLongLine(_ number: Int) -> Bool {
        scenario.trips[number].allHops.contains { hop in
            if hop.fault == .endlessBody { return true }
            return switch hop.content {
            case .empty: false
            case .bytes(let count), .text(let count), .json(let count): count > DataStreamRequest.defaultMaximumLineLength - 1_000
            }
        }
    }

    /// Whether a reader may have been told this.
    func streamAccepts(_ report: ChaosReport, _ ending: ChaosOracle.Ending, _ number: Int, _ record: ChaosRecord) -> Bool {
        let handler = record.handlers[report.handler]
        // It left the loop at its first element.
        if handler.value == .refusing, handler.place == .task, report.outcome == .own { return true }
        // A loop that does not cancel the request ends alone.
        if report.outcome == .loopCancelled { return handler.place == .task && !ChaosForm.cancels(report.handler) && record.wasCancelled }
        if handler.value.form == .lines, handler.place == .task, report.outcome == .failed(Self.tooLong), mayHaveLongLine(number) {
            return true
        }
        switch ending {
        case .failed(let kind): return report.outcome == .failed(kind)
        case .whole(_, let body, _):
            guard case .value(let value) = report.outcome else { return false }
            if record.full.contains(report.handler) { return value == handler.value.form.collected(body) }
            // It was attached when something may have been handed over.
            return handler.value.form != .data || body.suffix(value.count) == value
        }
    }

    func streamProblems(_ number: Int, _ record: ChaosRecord) -> [String] {
        guard scenario.trips[number].kind == .stream else { return [] }
        var problems: [String] = []
        if let attempt = record.delivered.first(where: { $0 < record.retryCount }) {
            problems.append("it was retried after attempt \(attempt) had handed over a byte, \(record.retryCount) times")
        }
        for report in record.reports {
            guard let rest = report.rest, !rest.isEmpty, !isPart(rest, number, report, record) else { continue }
            problems.append("reader \(report.handler) was given \(rest.count) bytes that no server sent: \(Self.text(rest))")
        }
        return problems
    }

    /// Whether these are the first bytes that a server sent, or some of them if the reader came late.
    private func isPart(_ rest: Data, _ number: Int, _ report: ChaosReport, _ record: ChaosRecord) -> Bool {
        let trip = scenario.trips[number]
        let form = record.handlers[report.handler].value.form
        let isFull = record.full.contains(report.handler)
        if !isFull, form != .data { return true }
        let bodies = (0...1).flatMap { attempt in
            trip.hops(of: attempt).indices.map { index in
                var body = scenario.body(number, index, attempt: attempt)
                if trip.hops(of: attempt)[index].fault == .endlessBody { body += Data(repeating: UInt8(ascii: "x"), count: rest.count) }
                return body
            } + trip.hops(of: attempt).indices.map { scenario.denial(number, $0) }
        }
        return bodies.contains { body in
            isFull ? form.collected(body).starts(with: rest) : body.range(of: rest) != nil
        }
    }
}
