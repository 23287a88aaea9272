import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Tests the chaos verdict on uploads: their bodies, and their progress.
@Suite("Chaos verdict: uploads")
struct ChaosUploadVerdictTests {
    private typealias Kind = ChaosScenario.Upload.Kind

    private static let lost = ChaosReport.Outcome.failed(.transportFailed(.networkConnectionLost))
    private static let spent = ChaosReport.Outcome.failed(.uploadBodyFailed(.notRepeatable))

    /// An upload that is redirected with its body.
    private static func scenario(
        _ kind: ChaosScenario.Upload.Kind = .data, _ change: (inout ChaosScenario.Trip) -> Void = { _ in }
    ) -> ChaosScenario {
        var redirect = ChaosScenario.Hop(status: 307)
        redirect.leadsTo = .next
        var trip = ChaosScenario.Trip(
            method: .put, bodySize: 1_000, upload: ChaosScenario.Upload(kind: kind), handlers: [.init(value: .raw)],
            hops: [redirect, ChaosScenario.Hop()])
        change(&trip)
        var scenario = ChaosScenario(seed: 1, trips: [])
        scenario.trips = [trip]
        return scenario
    }

    private static func problems(_ scenario: ChaosScenario = scenario(), _ change: (inout ChaosRecord) -> Void = { _ in }) -> [String] {
        let count = scenario.requestBody(0)?.count ?? 0
        let attempt = scenario.trips[0].policies.later == nil ? 0 : 1
        let last = scenario.trips[0].hops(of: attempt).count - 1
        var record = ChaosRecord(
            handlers: scenario.trips[0].handlers,
            reports: [ChaosReport(handler: 0, outcome: .value(scenario.body(0, last, attempt: attempt)))],
            requests: (0...last).map { .init(hop: $0, method: "PUT", hasRightBody: true, size: count) }, metricsCount: 1,
            steps: [0, Int64(count / 2), Int64(count)], sent: .init(count: Int64(count), total: Int64(count)))
        change(&record)
        return ChaosVerdict(scenario: scenario).problems(of: 0, record)
    }

    /// Changes the record as if only the first server had been reached.
    private static func stop(_ record: inout ChaosRecord, _ outcome: ChaosReport.Outcome) {
        record.reports[0].outcome = outcome
        record.requests.removeLast(record.requests.count - 1)
        record.sent = nil
    }

    @Test("The chaos verdict accepts the right record of an upload")
    func right() {
        for kind in Kind.allCases {
            let scenario = Self.scenario(kind)
            #expect(Self.problems(scenario).isEmpty == !kind.isOneShot, "\(kind)")
            #expect(Self.problems(scenario) { Self.stop(&$0, Self.spent) }.isEmpty == kind.isOneShot, "\(kind)")
        }
    }

    private static let wrongs: [(name: String, change: @Sendable (inout ChaosRecord) -> Void)] = [
        ("progress that falls", { $0.steps = [0, 500, 400, 1_000] }),
        ("progress beyond the body", { $0.steps.append(1_001) }),
        ("progress that ends before the body does", { $0.sent?.count = 999 }),
        ("progress of another size", { $0.sent = .init(count: 1_100, total: 1_100) }),
        ("no size", { $0.sent?.total = -1 }),
        ("an answer to a body that has not arrived", { $0.requests[0].size = 999 }),
        ("other bytes", { $0.requests[1].hasRightBody = false }),
        ("a body that was sent twice", { $0.requests.append($0.requests[1]) }),
        ("a broken connection out of nothing", { stop(&$0, lost) }),
    ]

    @Test("The chaos verdict finds each fault of an upload", arguments: wrongs.indices)
    func wrong(index: Int) {
        let (name, change) = Self.wrongs[index]
        #expect(Self.problems(Self.scenario(), change) != [], "\(name)")
    }

    @Test("The chaos verdict lets a retry begin again, and nothing else")
    func retried() {
        let scenario = Self.scenario { trip in
            trip.policies.retriers = [.init(answer: .atOnce, limit: 1)]
            trip.policies.isStamped = true
            trip.policies.later = trip.hops
            trip.hops = [ChaosScenario.Hop(status: 503)]
            trip.validation = .standard
        }
        let retry = { (record: inout ChaosRecord) in
            for index in record.requests.indices { record.requests[index].attempt = 1 }
            record.requests.insert(.init(hop: 0, method: "PUT", hasRightBody: true, attempt: 0, size: 1_000), at: 0)
            record.questions = [.init(retrier: 0, attempt: 0, kind: .responseValidationFailed(.unacceptableStatusCode(503)))]
            (record.retryCount, record.metricsCount) = (1, 2)
        }
        let falling = { (steps: [Int64]) in
            Self.problems(scenario) { record in
                retry(&record)
                record.steps = steps
            }
        }
        #expect(falling([0, 1_000, 0, 1_000]) == [])
        #expect(falling([0, 1_000, 500, 400, 1_000]) != [])
    }

    @Test("The chaos verdict lets a body that can be produced once be sent once")
    func oneShot() {
        for kind in Kind.allCases where kind.isOneShot {
            #expect(Self.problems(Self.scenario(kind)) != [], "a body that was sent to two servers")
            // The first server redirects before it has read anything.
            let early = Self.scenario(kind) { $0.hops[0].intake = .answers(after: 0) }
            let unsent = { (record: inout ChaosRecord) in (record.requests[0].size, record.requests[0].isWhole) = (0, false) }
            #expect(Self.problems(early, unsent) == [])
            #expect(Self.problems(early) { Self.stop(&$0, Self.spent) } == [])
            #expect(Self.problems(early) != [], "a body that was sent to two servers")
            // The only server is not followed by another.
            let simple = Self.scenario(kind) { $0.hops.removeFirst() }
            #expect(Self.problems(simple) { Self.stop(&$0, Self.spent) } != [], "nothing was to be sent again")
        }
    }

    @Test("The chaos verdict wants the retry of a body that can be produced once to be refused", arguments: [Kind.stream, .data])
    func retriedOnce(_ kind: ChaosScenario.Upload.Kind) {
        let scenario = Self.scenario(kind) { trip in
            trip.policies.retriers = [.init(answer: .atOnce, limit: 1)]
            trip.hops = [ChaosScenario.Hop(status: 503)]
            trip.validation = .standard
        }
        let refused = FirewheelError.Kind.responseValidationFailed(.unacceptableStatusCode(503))
        let problems = Self.problems(scenario) { record in
            Self.stop(&record, Self.spent)
            record.questions = [.init(retrier: 0, attempt: 0, kind: refused)]
        }
        #expect(problems.isEmpty == kind.isOneShot)
    }

    @Test("The chaos verdict lets an empty body that can be produced once be sent again, or be refused")
    func empty() {
        let scenario = Self.scenario(.streamOfKnownLength) { $0.bodySize = 0 }
        #expect(Self.problems(scenario) { ($0.steps, $0.sent) = ([1], .init(count: 1, total: 1)) } == [])
        #expect(Self.problems(scenario) { Self.stop(&$0, Self.spent) } == [])
    }

    @Test("The chaos verdict lets retriers be asked about each response if the body cannot be sent again", arguments: [Kind.stream, .data])
    func askedTwice(_ kind: ChaosScenario.Upload.Kind) {
        let scenario = Self.scenario(kind) { trip in
            trip.policies.retriers = [.init(answer: .atOnce, limit: 1)]
            trip.handlers = [.init(value: .refusing), .init(value: .refusing)]
            trip.hops = [ChaosScenario.Hop()]
        }
        let problems = Self.problems(scenario) { record in
            Self.stop(&record, Self.spent)
            record.reports.append(ChaosReport(handler: 1, outcome: Self.spent))
            record.questions = [.init(retrier: 0, attempt: 0), .init(retrier: 0, attempt: 0)]
        }
        #expect(problems.isEmpty == kind.isOneShot, "\(problems)")
    }

    @Test("The chaos verdict requires an error if the server breaks the connection in the middle of a body")
    func broken() {
        for server in ChaosScenario.ServerKind.allCases {
            for intake in [ChaosScenario.Intake.resets(after: 10), .closes(after: 10)] {
                let scenario = Self.scenario { trip in
                    trip.server = server
                    trip.hops[0].intake = intake
                }
                let end = { (outcome: ChaosReport.Outcome) in
                    Self.problems(scenario) { record in
                        Self.stop(&record, outcome)
                        record.requests[0].size = 10
                    }
                }
                #expect(Self.problems(scenario) != [])
                #expect(end(Self.lost).isEmpty)
                #expect(!end(.failed(.transportFailed(.cannotParseResponse))).isEmpty)
            }
        }
    }

    @Test("The chaos verdict allows the same request again only after its expectation was refused")
    func unexpected() {
        let scenario = Self.scenario { $0.hops[0].refusesExpectation = true }
        let again = { (isUnexpected: Bool) in
            Self.problems(scenario) { record in
                record.requests.insert(.init(hop: 0, method: "PUT", hasRightBody: true, isUnexpected: isUnexpected), at: 0)
            }
        }
        #expect(again(true) == [])
        #expect(again(false) != [])
    }

    @Test("The chaos verdict allows a refused expectation as the response only of a body that was begun and cannot be repeated")
    func refusalDelivered() {
        for kind in Kind.allCases {
            let scenario = Self.scenario(kind) { $0.hops[0].refusesExpectation = true }
            let problems = Self.problems(scenario) { record in
                Self.stop(&record, .value(ChaosOracle.refusal.body))
                record.requests[0].isUnexpected = true
            }
            #expect(problems.isEmpty == kind.isOneShot, "\(kind): \(problems)")
        }
    }

    @Test("2,000 chaos seeds draw every kind of upload and of server for it")
    func drawn() {
        let trips = (0..<2_000).flatMap { ChaosScenario(seed: UInt64($0)).trips }.filter { $0.upload != nil }
        #expect(trips.count > 800)
        for kind in Kind.allCases {
            #expect(trips.count { $0.upload?.kind == kind } > 50, "\(kind)")
            for server in ChaosScenario.ServerKind.allCases {
                #expect(trips.contains { $0.upload?.kind == kind && $0.server == server }, "\(kind) to \(server)")
            }
        }
        let hops = trips.flatMap(\.hops)
        #expect(Set(hops.map { String("\($0.intake)".prefix { $0 != "(" }) }).count == 4)
        #expect(hops.count(where: \.refusesExpectation) > 100)
        #expect(trips.count { $0.isOneShot && $0.hops[0].leadsTo == .next && [307, 308].contains($0.hops[0].status) } > 20)
        #expect(trips.count { $0.bodySize == 0 } > 50 && trips.count { $0.bodySize > 100_000 } > 100)
    }
}
