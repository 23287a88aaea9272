import Foundation
import Testing

@testable import Firewheel

/// When an event source reconnects, without connections.
struct ReconnectionScheduleTests {
    private typealias Ending = ReconnectionSchedule.Ending

    /// The delay; nil if the source ends.
    private func delay(_ schedule: inout ReconnectionSchedule, _ ending: Ending, random: Double = 0) -> TimeInterval? {
        guard case .wait(let seconds) = schedule.decide(ending, now: Date(), random: random) else { return nil }
        return seconds
    }

    @Test func theDelayGrowsUpToTheMaximumAndStartsAgain() {
        var schedule = ReconnectionSchedule(.standard)
        let (empty, fruitful) = (Ending(openSeconds: 0), Ending(openSeconds: 0, hasDelivered: true))
        #expect((0..<7).map { _ in delay(&schedule, empty) } == [3, 6, 12, 24, 30, 30, 30])
        #expect(delay(&schedule, fruitful) == 3 && delay(&schedule, empty) == 3 && delay(&schedule, empty) == 6)
        #expect(delay(&schedule, Ending(openSeconds: 60)) == 3)
        for _ in 0..<2_000 { _ = delay(&schedule, empty) }
        #expect(delay(&schedule, empty) == 30)
    }

    @Test(
        arguments: [
            (Duration.zero, 0.5, [0.5, 1, 2]), (.milliseconds(700), 0, [0.7, 1.4, 2.8]), (.seconds(40), 0, [40, 40, 40]),
            (.seconds(40), 1, [48, 48, 48]), (.seconds(86_400), 1, [86_400, 86_400, 86_400]),
        ] as [(Duration, Double, [TimeInterval])])
    func theServersTimeIsNeverShortened(retry: Duration, random: Double, delays: [TimeInterval]) throws {
        var schedule = ReconnectionSchedule(.resilient)
        for expected in delays {
            let delay = try #require(delay(&schedule, Ending(openSeconds: 0, retry: retry), random: random))
            #expect(delay >= expected && delay <= expected * 1.2)
        }
    }

    @Test(arguments: [.nan, -1, 0, -.infinity] as [TimeInterval])
    func aDelayOf0Grows(delay seconds: TimeInterval) {
        var schedule = ReconnectionSchedule(.standard(delay: seconds, maximumDelay: 3))
        #expect((0..<6).map { _ in delay(&schedule, Ending(openSeconds: 0)) } == [0, 1, 2, 3, 3, 3])
        #expect(EventSource.Reconnection.standard(delay: .infinity) == .standard(delay: 86_400))
    }

    @Test(
        arguments: [
            (.networkConnectionLost, true), (.timedOut, true), (.cannotFindHost, true), (.secureConnectionFailed, true),
            (.cannotParseResponse, true),
            (.badServerResponse, true),
            (.serverCertificateUntrusted, false), (.serverCertificateHasBadDate, false), (.httpTooManyRedirects, false),
            (.unsupportedURL, false),
            (.cancelled, false),
        ] as [(URLError.Code, Bool)])
    func networkErrors(code: URLError.Code, isTemporary: Bool) {
        let error = FirewheelError(.transportFailed(code))
        for policy in [EventSource.Reconnection.standard, .resilient] {
            var schedule = ReconnectionSchedule(policy)
            #expect((delay(&schedule, Ending(error: error)) != nil) == isTemporary)
            // Whatever ends an accepted connection, the connection is lost.
            #expect(delay(&schedule, Ending(error: error, openSeconds: 1)) != nil)
        }
        var never = ReconnectionSchedule(.never)
        #expect(delay(&never, Ending(error: error)) == nil && delay(&never, Ending(openSeconds: 1)) == nil)
    }

    @Test(
        arguments: [
            FirewheelError(.explicitlyCancelled), FirewheelError(.sessionInvalidated), FirewheelError(.invalidURL), CancellationError(),
            FirewheelError(.requestAdaptationFailed), FirewheelError(.authenticationFailed(.refreshFailed)),
            FirewheelError(.responseStreamFailed(.eventTooLarge(limit: 1))), FirewheelError(.responseBodyTooLarge),
        ] as [any Error])
    func otherErrorsAreFinal(error: any Error) {
        for policy in [EventSource.Reconnection.standard, .resilient, .never] {
            for openSeconds in [nil, 1.0] {
                var schedule = ReconnectionSchedule(policy)
                #expect(delay(&schedule, Ending(error: error, openSeconds: openSeconds)) == nil)
            }
        }
    }

    @Test(arguments: [-1, 0, 1, 7])
    func theLimitCountsFailuresInARow(limit: Int) {
        var schedule = ReconnectionSchedule(.resilient(limit: limit))
        let failure = Ending(error: FirewheelError(.transportFailed(.timedOut)))
        for _ in 0..<max(0, limit) { #expect(delay(&schedule, failure) != nil) }
        #expect(delay(&schedule, failure) == nil)
        #expect(delay(&schedule, Ending(openSeconds: 0)) != nil)
        #expect((delay(&schedule, failure) != nil) == (limit > 0))
    }
}
