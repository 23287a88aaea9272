import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Tests the chaos verdict on what differs between kinds of servers.
@Suite("Chaos verdict: kinds of servers")
struct ChaosServerVerdictTests {
    private typealias Kind = ChaosScenario.ServerKind

    /// A PUT with a body that is redirected to another origin.
    private static func scenario(_ kind: Kind, abroad: Kind, _ change: (inout ChaosScenario.Trip) -> Void = { _ in }) -> ChaosScenario {
        var redirect = ChaosScenario.Hop(status: 307)
        redirect.leadsTo = .next
        var trip = ChaosScenario.Trip(
            method: .put, bodySize: 10, handlers: [.init(value: .raw)], hops: [redirect, ChaosScenario.Hop(content: .text(100))])
        trip.access.abroad = [1]
        (trip.server, trip.serverAbroad) = (kind, abroad)
        change(&trip)
        var scenario = ChaosScenario(seed: 1, trips: [])
        scenario.trips = [trip]
        return scenario
    }

    /// The problems of a trip that ended with a failure, or without one with all of the last body.
    private static func problems(_ scenario: ChaosScenario, _ code: URLError.Code?, sent hops: [Int] = [0, 1]) -> [String] {
        let outcome = code.map { ChaosReport.Outcome.failed(.transportFailed($0)) } ?? .value(scenario.body(0, 1))
        let record = ChaosRecord(
            handlers: scenario.trips[0].handlers, reports: [ChaosReport(handler: 0, outcome: outcome)],
            requests: hops.map { .init(hop: $0, method: "PUT", hasRightBody: true, isAbroad: $0 == 1) }, metricsCount: 1)
        return ChaosVerdict(scenario: scenario).problems(of: 0, record)
    }

    @Test("A body goes to every server, but from no one over TLS to one without", arguments: Kind.allCases, Kind.allCases)
    func downgrades(kind: ChaosScenario.ServerKind, abroad: ChaosScenario.ServerKind) {
        let scenario = Self.scenario(kind, abroad: abroad)
        let isDowngrade = kind != .http && abroad == .http
        #expect(Self.problems(scenario, nil).isEmpty == !isDowngrade)
        #expect(Self.problems(scenario, .appTransportSecurityRequiresSecureConnection, sent: [0]).isEmpty == isDowngrade)
    }

    @Test("What is no response is a stream that the front gives up over HTTP/2")
    func losses() {
        for kind in Kind.allCases {
            let lost = Self.scenario(kind, abroad: kind) { $0.hops[1].fault = .closeBeforeHead }
            #expect(Self.problems(lost, .networkConnectionLost).isEmpty && !Self.problems(lost, .cannotParseResponse).isEmpty)
            let garbage = Self.scenario(kind, abroad: kind) { $0.hops[1].fault = .garbageStatusLine }
            #expect(Self.problems(garbage, .networkConnectionLost).isEmpty == kind.isHTTP2)
            #expect(Self.problems(garbage, .cannotParseResponse).isEmpty == !kind.isHTTP2)
        }
    }

    @Test("Nothing is sent twice over HTTP/2 because of faults that end one stream")
    func twice() {
        for kind in Kind.allCases {
            let scenario = Self.scenario(kind, abroad: kind) { $0.hops[1].fault = .closeAfterResponse }
            #expect(Self.problems(scenario, nil, sent: [0, 1, 1]).isEmpty == !kind.isHTTP2)
        }
    }

    @Test("2,000 chaos seeds draw every kind of server, alone and among others")
    func drawn() {
        let scenarios = (0..<2_000).map { ChaosScenario(seed: UInt64($0)) }
        for kind in Kind.allCases {
            let trips = scenarios.flatMap(\.trips)
            #expect(trips.filter { $0.server == kind }.count > trips.count / 6)
            #expect(scenarios.filter { $0.trips.count > 1 && $0.trips.allSatisfy { $0.server == kind } }.count > 100)
        }
        #expect(scenarios.filter { Set($0.trips.map(\.server)).count > 1 }.count > 300)
    }
}
