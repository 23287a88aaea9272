import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Tests the chaos verdict: it accepts correct records and finds each kind of problem.
@Suite("Chaos verdict: transfers and handlers")
struct ChaosVerdictTests {
    /// One trip with three handlers that gets a JSON body over two hops.
    private static func scenario(_ change: (inout ChaosScenario) -> Void = { _ in }) -> ChaosScenario {
        var scenario = ChaosScenario(seed: 1, trips: [])
        var redirect = ChaosScenario.Hop(status: 307)
        redirect.leadsTo = .next
        let trip = ChaosScenario.Trip(
            method: .post, bodySize: 10,
            handlers: [.init(value: .raw, place: .first), .init(value: .data, place: .first), .init(value: .json, place: .main)],
            hops: [redirect, ChaosScenario.Hop(content: .json(100))])
        scenario.trips = [trip]
        change(&scenario)
        return scenario
    }

    /// The record of a run in which all succeeds.
    private static func record(of scenario: ChaosScenario) -> ChaosRecord {
        let body = scenario.body(0, 1)
        return ChaosRecord(
            handlers: scenario.trips[0].handlers,
            reports: (0..<3).map { ChaosReport(handler: $0, outcome: .value(body), at: 5_000) },
            requests: [.init(hop: 0, method: "POST", hasRightBody: true), .init(hop: 1, method: "POST", hasRightBody: true)],
            metricsCount: 1)
    }

    private static func problems(_ scenario: ChaosScenario = scenario(), _ change: (inout ChaosRecord) -> Void = { _ in }) -> [String] {
        var record = record(of: scenario)
        change(&record)
        return ChaosVerdict(scenario: scenario).problems(of: 0, record)
    }

    private static func tell(_ record: inout ChaosRecord, _ outcome: ChaosReport.Outcome) {
        for index in record.reports.indices { record.reports[index].outcome = outcome }
    }

    @Test("The chaos verdict accepts a correct record")
    func right() {
        #expect(Self.problems() == [])
        let failing = Self.scenario { $0.trips[0].hops[1].fault = .closeInBody(after: 20) }
        #expect(
            Self.problems(failing) { record in
                Self.tell(&record, .failed(.transportFailed(.networkConnectionLost)))
                record.reports[0].rest = failing.body(0, 1).prefix(20)
            } == [])
        #expect(
            Self.problems { record in
                record.wasCancelled = true
                record.reports[1].outcome = .failed(.explicitlyCancelled)
                record.reports[2].outcome = .failed(.explicitlyCancelled)
            } == [], "a cancel between two handlers")
    }

    private static let wrongs: [(name: String, change: @Sendable (inout ChaosRecord) -> Void)] = [
        ("a handler called twice", { $0.reports.append($0.reports[2]) }),
        ("a handler never called", { $0.reports.removeLast() }),
        ("handlers of one queue out of order", { $0.reports.swapAt(0, 1) }),
        ("a body that is short", { record in tell(&record, .value(scenario().body(0, 1).dropLast())) }),
        ("no body", { record in tell(&record, .value(Data())) }),
        ("a body that is doubled", { record in tell(&record, .value(scenario().body(0, 1) + scenario().body(0, 1))) }),
        ("the body of another hop", { record in tell(&record, .value(scenario().body(0, 0))) }),
        ("a failure out of nothing", { record in tell(&record, .failed(.transportFailed(.networkConnectionLost))) }),
        ("a timeout without one", { record in tell(&record, .failed(.transportFailed(.timedOut))) }),
        ("an unrequested cancel", { record in tell(&record, .failed(.explicitlyCancelled)) }),
        ("an invalidation without a release", { record in tell(&record, .failed(.sessionInvalidated)) }),
        ("an error of another type", { record in tell(&record, .unknown("CocoaError")) }),
        ("handlers that were told different things", { $0.reports[1].outcome = .failed(.explicitlyCancelled) }),
        (
            "a success after a cancel",
            {
                $0.wasCancelled = true
                $0.reports[1].outcome = .failed(.explicitlyCancelled)
            }
        ),
        ("a success of what was cancelled before its start", { $0.wasCancelledUnstarted = true }),
        ("a success of what was started after the session's end", { $0.wasReleasedUnstarted = true }),
        ("a POST that was sent twice", { $0.requests.append($0.requests[1]) }),
        ("another method than the redirect asks for", { $0.requests[1].method = "GET" }),
        ("a request's body that is not the caller's", { $0.requests[1].hasRightBody = false }),
        ("a file of a download that failed", { $0.reports[0].leavesFile = true }),
    ]

    @Test("The chaos verdict finds a wrong outcome, order or body", arguments: wrongs.indices)
    func wrong(index: Int) {
        let (name, change) = Self.wrongs[index]
        #expect(Self.problems(Self.scenario(), change) != [], "\(name)")
    }

    @Test("The chaos verdict requires a server's fault as the error, with the part of the body that came")
    func faults() {
        let failing = Self.scenario { $0.trips[0].hops[1].fault = .closeInBody(after: 20) }
        let lost = ChaosReport.Outcome.failed(.transportFailed(.networkConnectionLost))
        #expect(Self.problems(failing) != [], "a success")
        #expect(Self.problems(failing) { Self.tell(&$0, .value(failing.body(0, 1).prefix(20))) } != [], "a silently short body")
        #expect(Self.problems(failing) { Self.tell(&$0, .failed(.transportFailed(.cannotParseResponse))) } != [], "another kind")
        let foreign = Self.problems(failing) { record in
            Self.tell(&record, lost)
            record.reports[0].rest = Data("never sent".utf8)
        }
        #expect(foreign.count == 1 && foreign[0].contains("no server sent"))
    }

    @Test("The chaos verdict allows a repeated request only if it is idempotent and a server broke the rules")
    func repeated() {
        let putting = Self.scenario { $0.trips[0].method = .put }
        let twice = { (record: inout ChaosRecord) in
            for index in record.requests.indices { record.requests[index].method = "PUT" }
            record.requests.append(record.requests[1])
        }
        #expect(Self.problems(putting, twice) != [])
        let stale = Self.scenario {
            $0.trips[0].method = .put
            $0.trips[0].hops[1].fault = .closeAfterResponse
        }
        #expect(Self.problems(stale, twice) == [])
    }

    @Test("The chaos verdict finds a timeout that comes early")
    func early() {
        let slow = Self.scenario {
            $0.trips[0].hops[1].fault = .noAnswer
            $0.trips[0].idleTimeout = 30
        }
        let isEarly = { (at: Int) in
            !Self.problems(slow) { record in
                Self.tell(&record, .failed(.transportFailed(.timedOut)))
                for index in record.reports.indices { record.reports[index].at = at }
            }.isEmpty
        }
        #expect(isEarly(10_000))
        #expect(!isEarly(31_000))
        #expect(Self.problems(slow) != [], "an answer of a server that gives none")
    }

    @Test("The chaos verdict requires an error from a serializer that cannot read the body")
    func serializers() {
        let text = Self.scenario { $0.trips[0].hops[1].content = .text(10) }
        #expect(Self.problems(text) != [], "JSON of what is none")
        let right = Self.problems(text) { record in
            record.reports[2].outcome = .failed(.responseSerializationFailed(.jsonSerializationFailed))
        }
        #expect(right == [])
    }

    @Test("A chaos seed always makes the same scenario, and other seeds make others")
    func seeds() {
        let texts = (0..<200).map { ChaosScenario(seed: $0).description }
        #expect(texts == (0..<200).map { ChaosScenario(seed: $0).description })
        #expect(Set(texts).count == 200)
    }

    @Test("2,000 chaos seeds draw every server fault, every kind of handler and every step")
    func everything() {
        let scenarios = (0..<2_000).map { ChaosScenario(seed: UInt64($0)) }
        let trips = scenarios.flatMap(\.trips)
        func name(_ value: some Any) -> String { String("\(value)".prefix { $0 != "(" }) }
        let faults = Set(trips.flatMap(\.hops).compactMap(\.fault).map(name))
        #expect(faults.count == 18, "\(faults.sorted())")
        #expect(Set(trips.flatMap(\.handlers).map { name($0.value) }).count == ChaosScenario.Value.allCases.count)
        #expect(Set(trips.flatMap(\.handlers).map { name($0.reaction) }).count == ChaosScenario.Reaction.allCases.count)
        #expect(Set(trips.flatMap(\.steps).map { name($0.action) }).count == 5)
        #expect(Set(trips.flatMap(\.hops).compactMap(\.leadsTo).map(name)).count == 5)
        #expect(Set(trips.map { name($0.source) }).count == ChaosScenario.Source.allCases.count)
        #expect(scenarios.filter { $0.release != nil }.count > 200)
        #expect(scenarios.filter { !$0.closings.isEmpty }.count > 500)
        #expect(scenarios.filter { $0.idleAge != nil }.count > 5 && scenarios.filter { $0.lifetime != nil }.count > 5)
        #expect(scenarios.filter { $0.burst != nil }.count > 10)
        #expect(trips.filter { $0.readPause != nil }.count > 100)
        #expect(trips.filter { $0.readPause != nil && $0.steps.contains { $0.action == .suspend } }.count > 50)
    }
}
