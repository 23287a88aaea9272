import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Tests the chaos verdict on credentials and cookies.
@Suite("Chaos verdict: credentials and cookies")
struct ChaosAccessVerdictTests {
    /// A POST that needs a password and is redirected to another origin and back.
    private static func scenario(_ change: (inout ChaosScenario.Trip) -> Void = { _ in }) -> ChaosScenario {
        var redirect = ChaosScenario.Hop(status: 307)
        redirect.leadsTo = .next
        var trip = ChaosScenario.Trip(
            method: .post, bodySize: 10, handlers: [.init(value: .raw, place: .first)],
            hops: [redirect, redirect, ChaosScenario.Hop(content: .json(100))])
        trip.access = ChaosScenario.Access(account: .init(), abroad: [1], setsCookies: true)
        change(&trip)
        var scenario = ChaosScenario(seed: 1, trips: [])
        scenario.trips = [trip]
        return scenario
    }

    private static func arrival(_ hop: Int, isAbroad: Bool = false, isAuthorized: Bool = false, _ cookies: String...) -> ChaosRecord.Arrival
    {
        ChaosRecord.Arrival(
            hop: hop, method: "POST", hasRightBody: true, isAbroad: isAbroad, isAuthorized: isAuthorized, cookies: cookies)
    }

    private static func problems(_ scenario: ChaosScenario = scenario(), _ change: (inout ChaosRecord) -> Void = { _ in }) -> [String] {
        let last = scenario.trips[0].hops.count - 1
        var record = ChaosRecord(
            handlers: scenario.trips[0].handlers, reports: [ChaosReport(handler: 0, outcome: .value(scenario.body(0, last)), at: 5_000)],
            requests: [
                arrival(0), arrival(0, isAuthorized: true, "t0c=home"), arrival(1, isAbroad: true),
                arrival(2, isAuthorized: true, "t0c=home", "t0h0=home"),
            ],
            metricsCount: 1)
        change(&record)
        return ChaosVerdict(scenario: scenario).problems(of: 0, record)
    }

    /// Ends the record with the 401.
    private static func deny(_ record: inout ChaosRecord, _ scenario: ChaosScenario) {
        record.reports[0].outcome = .value(scenario.denial(0, 0))
        record.requests.removeLast(2)
    }

    @Test("The chaos verdict accepts a correct record with credentials and cookies")
    func right() {
        #expect(Self.problems() == [])
        let wrong = Self.scenario { $0.access.account?.isRight = false }
        #expect(Self.problems(wrong) { Self.deny(&$0, wrong) } == [])
        let abroad = Self.scenario { $0.access.account?.challenged = [1] }
        let denied = Self.problems(abroad) { record in
            record.reports[0].outcome = .value(abroad.denial(0, 1))
            record.requests = [Self.arrival(0), Self.arrival(1, isAbroad: true)]
        }
        #expect(denied == [])
    }

    private static let wrongs: [(name: String, change: @Sendable (inout ChaosRecord) -> Void)] = [
        ("a 401 in spite of the right password", { deny(&$0, scenario()) }),
        ("credentials at another origin", { $0.requests[2].isAuthorized = true }),
        ("a cookie at another origin", { $0.requests[2].cookies = ["t0h0=home"] }),
        ("an answer without the challenge's cookie", { $0.requests[1].cookies = [] }),
        ("a hop without the cookie of a redirect before it", { $0.requests[3].cookies = ["t0c=home"] }),
        ("a cookie twice", { $0.requests[3].cookies.append("t0c=home") }),
        ("a third request for one challenge", { $0.requests.insert($0.requests[1], at: 1) }),
        ("another origin than the redirect's", { $0.requests[2].isAbroad = false }),
    ]

    @Test("The chaos verdict finds each missing or leaked credential or cookie", arguments: wrongs.indices)
    func wrong(index: Int) {
        let (name, change) = Self.wrongs[index]
        #expect(Self.problems(Self.scenario(), change) != [], "\(name)")
    }

    @Test("The chaos verdict requires the 401 and nothing else for a missing or wrong password")
    func denied() {
        for account in [ChaosScenario.Account(isRight: false), ChaosScenario.Account(holder: .nobody)] {
            #expect(Self.problems(Self.scenario { $0.access.account = account }) != [], "a value")
        }
        #expect(Self.problems(Self.scenario { $0.access.account = nil }) != [])
        var off = Self.scenario()
        off.keepsCookies = false
        #expect(Self.problems(off) != [])
    }

    @Test("The chaos verdict requires one refresh of a refused token, or the retrier's error if that fails")
    func tokens() {
        func scenario(isRefreshed: Bool) -> ChaosScenario {
            Self.scenario { trip in
                trip.validation = .standard
                trip.hops = [ChaosScenario.Hop()]
                trip.access = ChaosScenario.Access(tokens: .init(need: .refused, isRefreshed: isRefreshed))
            }
        }
        let refreshed = { (record: inout ChaosRecord) in
            record.reports[0].outcome = .value(scenario(isRefreshed: true).body(0, 0))
            record.requests = [Self.arrival(0, isAuthorized: true), Self.arrival(0, isAuthorized: true)]
            (record.retryCount, record.metricsCount) = (1, 2)
        }
        let failed = { (record: inout ChaosRecord) in
            record.reports[0].outcome = .failed(.requestRetryFailed)
            record.requests = [Self.arrival(0, isAuthorized: true)]
        }
        #expect(Self.problems(scenario(isRefreshed: true), refreshed) == [])
        #expect(Self.problems(scenario(isRefreshed: false), failed) == [])
        #expect(Self.problems(scenario(isRefreshed: true), failed) != [])
        #expect(Self.problems(scenario(isRefreshed: false), refreshed) != [])
    }

    @Test("2,000 chaos seeds draw every feature of credentials and cookies, and half of the scenarios have none")
    func everything() {
        let scenarios = (0..<2_000).map { ChaosScenario(seed: UInt64($0)) }
        let access = scenarios.flatMap(\.trips).map(\.access)
        let accounts = access.compactMap(\.account)
        #expect(Set(accounts.map { "\($0.scheme)" }).count == ChaosScenario.Account.Scheme.allCases.count)
        #expect(Set(accounts.map { "\($0.holder)" }).count == ChaosScenario.Account.Holder.allCases.count)
        #expect(Set(access.compactMap(\.tokens).map { "\($0.need)" }).count == ChaosScenario.Tokens.Need.allCases.count)
        #expect(accounts.filter(\.isStale).count > 100 && accounts.filter { !$0.isRight }.count > 100)
        #expect(access.filter { !$0.abroad.isEmpty }.count > 100 && access.filter(\.setsCookies).count > 500)
        #expect(scenarios.filter { !$0.keepsCookies }.count > 50)
        #expect(scenarios.filter { $0.trips.allSatisfy(\.access.isEmpty) }.count > 1_000)
    }
}
