import Firewheel
import Foundation
import Testing

/// Tests the chaos verdict on streams: it accepts correct records and finds each kind of problem.
@Suite("Chaos verdict: streams")
struct ChaosStreamVerdictTests {
    /// A stream with a reader of bytes and one of lines.
    private static let scenario: ChaosScenario = {
        var scenario = ChaosScenario(seed: 1, trips: [])
        scenario.trips = [
            ChaosScenario.Trip(
                kind: .stream, handlers: [.init(value: .raw, place: .first), .init(value: .json, place: .task)],
                hops: [ChaosScenario.Hop(content: .bytes(3_000))])
        ]
        return scenario
    }()

    private static let body = scenario.body(0, 0)
    private static let lines = ChaosForm.lines.collected(body)

    private static func problems(_ change: (inout ChaosRecord) -> Void = { _ in }) -> [String] {
        var record = ChaosRecord(
            handlers: scenario.trips[0].handlers,
            reports: [ChaosReport(handler: 0, outcome: .value(body)), ChaosReport(handler: 1, outcome: .value(lines))],
            requests: [.init(hop: 0, method: "GET", hasRightBody: true)], full: [0, 1], delivered: [0], metricsCount: 1)
        change(&record)
        return ChaosVerdict(scenario: scenario).problems(of: 0, record)
    }

    private static func cancel(_ record: inout ChaosRecord, _ rest: Data) {
        record.wasCancelled = true
        for index in 0..<2 { record.reports[index].outcome = .failed(.explicitlyCancelled) }
        record.reports[0].rest = rest
    }

    /// Ends a loop alone, because its task was cancelled: the first reader's sequence does not cancel the request.
    private static func leave(_ record: inout ChaosRecord, _ reader: Int) {
        record.wasCancelled = true
        record.handlers[reader].place = .task
        record.reports[reader].outcome = .loopCancelled
    }

    @Test("The chaos verdict accepts a stream that is whole, a beginning before an error, and a reader that came late")
    func right() {
        #expect(Self.problems() == [])
        #expect(Self.problems { Self.cancel(&$0, Self.body.prefix(500)) } == [])
        #expect(Self.problems { Self.leave(&$0, 0) } == [])
        #expect(
            Self.problems { record in
                record.full = [1]
                record.reports[0].outcome = .value(Self.body.suffix(100))
            } == [])
    }

    @Test("The chaos verdict finds missing, foreign and repeated bytes, a second end, and a retry after a byte")
    func wrong() {
        #expect(Self.problems { $0.reports[0].outcome = .value(Self.body.dropLast()) } != [])
        #expect(Self.problems { Self.leave(&$0, 1) } != [])
        #expect(
            Self.problems { record in
                Self.leave(&record, 0)
                record.wasCancelled = false
            } != [])
        #expect(Self.problems { $0.reports[1].outcome = .value(Self.lines.dropLast(10)) } != [])
        #expect(Self.problems { $0.reports[0].outcome = .value(Self.body + Self.body.suffix(1)) } != [])
        #expect(Self.problems { Self.cancel(&$0, Self.body.dropFirst().prefix(500)) } != [])
        #expect(Self.problems { $0.reports.append($0.reports[0]) } != [])
        #expect(Self.problems { $0.reports.removeLast() } != [])
        #expect(
            Self.problems { record in
                record.retryCount = 1
                record.metricsCount = 2
            } != [])
    }
}
