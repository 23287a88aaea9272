import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Tests the chaos verdict on retries, adapters, redirect handlers and gates.
@Suite("Chaos verdict: interceptors, redirect handlers and gates")
struct ChaosRetryVerdictTests {
    private static let refused = FirewheelError.Kind.responseValidationFailed(.unacceptableStatusCode(503))

    /// A POST that is refused, and succeeds when it is retried.
    private static func scenario(_ change: (inout ChaosScenario.Trip) -> Void = { _ in }) -> ChaosScenario {
        var trip = ChaosScenario.Trip(
            method: .post, bodySize: 10, validation: .standard,
            handlers: [.init(value: .raw, place: .first), .init(value: .json, place: .main)],
            hops: [ChaosScenario.Hop(status: 503)])
        trip.policies.retriers = [.init(answer: .never), .init(answer: .atOnce, limit: 1)]
        trip.policies.isStamped = true
        trip.policies.later = [ChaosScenario.Hop(content: .json(100))]
        change(&trip)
        var scenario = ChaosScenario(seed: 1, trips: [])
        scenario.trips = [trip]
        return scenario
    }

    private static func question(_ retrier: Int, _ attempt: Int = 0, _ kind: FirewheelError.Kind? = refused) -> ChaosNotes.Question {
        ChaosNotes.Question(retrier: retrier, attempt: attempt, kind: kind)
    }

    private static func problems(_ scenario: ChaosScenario = scenario(), _ change: (inout ChaosRecord) -> Void = { _ in }) -> [String] {
        var record = ChaosRecord(
            handlers: scenario.trips[0].handlers,
            reports: (0..<2).map { ChaosReport(handler: $0, outcome: .value(scenario.body(0, 0, attempt: 1)), at: 5_000) },
            requests: (0..<2).map { .init(hop: 0, method: "POST", hasRightBody: true, attempt: $0) },
            early: [0, 1], questions: [question(0), question(1)], retryCount: 1, metricsCount: 2)
        change(&record)
        return ChaosVerdict(scenario: scenario).problems(of: 0, record)
    }

    private static func tell(_ record: inout ChaosRecord, _ kind: FirewheelError.Kind) {
        for index in record.reports.indices { record.reports[index].outcome = .failed(kind) }
    }

    /// Changes the record as if the request had not been retried.
    private static func stop(_ record: inout ChaosRecord, _ kind: FirewheelError.Kind = refused) {
        tell(&record, kind)
        record.requests.removeLast()
        (record.retryCount, record.metricsCount) = (0, 1)
    }

    @Test("The chaos verdict accepts a correct record with policies")
    func right() {
        #expect(Self.problems() == [])
        #expect(
            Self.problems { record in
                record.wasCancelled = true
                Self.stop(&record, .explicitlyCancelled)
                record.questions = []
            } == [], "cancelled before anybody was asked")
        #expect(
            Self.problems(Self.scenario { $0.policies.retriers[1].answer = .refusal }) { Self.stop(&$0, .requestRetryFailed) } == [])
        #expect(
            Self.problems(Self.scenario { $0.policies.gates = [.cancelling] }) { record in
                Self.stop(&record, .explicitlyCancelled)
                record.questions = []
            } == [])
    }

    private static let wrongs: [(name: String, change: @Sendable (inout ChaosRecord) -> Void)] = [
        ("no retry", { stop(&$0) }),
        ("one retry too many", { $0.retryCount = 2 }),
        ("the first attempt's ending", { tell(&$0, refused) }),
        ("the first attempt's body", { $0.reports[0].outcome = .value(scenario().body(0, 0)) }),
        ("an unrequested cancel", { stop(&$0, .explicitlyCancelled) }),
        ("an unrequested retry", { $0.questions = [] }),
        ("a retrier that was not asked before the next", { $0.questions.removeFirst() }),
        ("a retrier that was asked after another had decided", { $0.questions.append(question(0)) }),
        ("questions after a cancel", { record in for index in 0..<2 { record.questions[index].isLate = true } }),
        ("a question about a cancel", { $0.questions[0].kind = .explicitlyCancelled }),
        ("metrics of one attempt alone", { $0.metricsCount = 1 }),
        ("an attempt that was sent twice", { $0.requests.append($0.requests[1]) }),
        ("a request of an attempt that there was not", { $0.requests[1].attempt = 2 }),
        ("a request that does not say its attempt", { $0.requests[1].attempt = nil }),
    ]

    @Test("The chaos verdict finds each violation of a policy", arguments: wrongs.indices)
    func wrong(index: Int) {
        let (name, change) = Self.wrongs[index]
        #expect(Self.problems(Self.scenario(), change) != [], "\(name)")
    }

    @Test("The chaos verdict forbids asking retriers about a placed file, and requires a gate's cancel to end the request")
    func files() {
        let download = Self.scenario { $0.kind = .download(.file) }
        #expect(Self.problems(download) { $0.questions.append(Self.question(0, 1, nil)) } != [])
        #expect(Self.problems(Self.scenario { $0.policies.gates = [.allowing, .cancelling] }) != [])
    }

    @Test("The chaos verdict requires a redirect to be followed as its handler says")
    func redirects() {
        for policy in [ChaosScenario.Redirects.doNotFollow, .refusing(0), .throwing, .follow, nil] {
            let scenario = Self.scenario { trip in
                var redirect = ChaosScenario.Hop(status: 307)
                redirect.leadsTo = .next
                trip.policies.later = [redirect, ChaosScenario.Hop(content: .json(100))]
                trip.policies.redirects = policy
                trip.validation = .none
                trip.hops[0].fault = .closeBeforeHead
            }
            let isFollowed = policy == nil || policy == .follow
            let problems = Self.problems(scenario) { record in
                for index in record.questions.indices { record.questions[index].kind = .transportFailed(.networkConnectionLost) }
                for index in record.reports.indices { record.reports[index].outcome = .value(scenario.body(0, 1, attempt: 1)) }
                record.requests.append(.init(hop: 1, method: "POST", hasRightBody: true, attempt: 1))
            }
            #expect(problems.isEmpty == isFollowed, "\(String(describing: policy)): \(problems)")
        }
    }

    @Test("The chaos verdict requires a retry for a serializer's error only if its handler came before the end")
    func serializers() {
        let scenario = Self.scenario { trip in
            trip.validation = .none
            trip.hops = [ChaosScenario.Hop(content: .text(10))]
        }
        let unretried = { (early: Set<Int>) in
            Self.problems(scenario) { record in
                Self.stop(&record)
                record.questions = []
                record.early = early
                record.reports[0].outcome = .value(scenario.body(0, 0))
                record.reports[1].outcome = .failed(.responseSerializationFailed(.jsonSerializationFailed))
            }
        }
        #expect(unretried([0, 1]) != [])
        #expect(unretried([0]) == [])
    }

    @Test("2,000 chaos seeds draw every policy, and half of the scenarios have none")
    func everything() {
        let scenarios = (0..<2_000).map { ChaosScenario(seed: UInt64($0)) }
        let policies = scenarios.flatMap(\.trips).map(\.policies)
        func names(_ values: [some Any]) -> Int { Set(values.map { String("\($0)".prefix { $0 != "(" }) }).count }
        #expect(names(policies.flatMap(\.adapters)) == 5)
        #expect(names(policies.flatMap(\.retriers).map(\.answer)) == 4)
        #expect(names(policies.compactMap(\.redirects)) == 5)
        #expect(names(policies.flatMap(\.gates)) == 3)
        #expect(policies.filter { $0.later != nil }.count > 200)
        #expect(scenarios.filter { $0.trips.allSatisfy(\.policies.isEmpty) }.count > 1_000)
    }
}
