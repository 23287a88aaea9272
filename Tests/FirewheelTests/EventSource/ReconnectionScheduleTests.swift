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

    /// Each kind that interceptors' failures have, around an error.
    private static func wrapped(_ error: any Error) -> [FirewheelError] {
        let refresh = FirewheelError(.authenticationFailed(.refreshFailed), underlyingError: error)
        return [FirewheelError.Kind.requestAdaptationFailed, .requestRetryFailed].flatMap { kind in
            [FirewheelError(kind, underlyingError: error), FirewheelError(kind, underlyingError: refresh)]
        }
    }

    private static func refused(
        _ status: Int, retryAfter: String? = nil, _ kind: FirewheelError.Kind? = nil
    ) -> FirewheelError {
        let fields = retryAfter.map { ["Retry-After": $0] } ?? [:]
        let response = URL(string: "http://a.test/").flatMap {
            HTTPURLResponse(url: $0, statusCode: status, httpVersion: nil, headerFields: fields)
        }
        return FirewheelError(kind ?? .responseValidationFailed(.unacceptableStatusCode(status))).adding(request: nil, response: response)
    }

    private static func refusedByProxy(_ status: Int, retryAfter: String? = nil) -> FirewheelError {
        refused(status, retryAfter: retryAfter, .proxyConnectFailed(status: status))
    }

    @Test(
        "A proxy that refuses to connect counts by its status, and for the standard policy as a network error",
        arguments: [(503, true), (504, true), (429, true), (408, true), (403, false), (407, false), (302, false)])
    func proxies(status: Int, isTemporary: Bool) {
        for error in [Self.refusedByProxy(status)] + Self.wrapped(Self.refusedByProxy(status)) {
            for (policy, isTemporary) in [(EventSource.Reconnection.resilient, isTemporary), (.standard, true), (.never, false)] {
                var schedule = ReconnectionSchedule(policy)
                #expect((delay(&schedule, Ending(error: error)) != nil) == isTemporary)
            }
        }
    }

    @Test(
        "What made an adapter or a refresh fail decides",
        arguments: [
            (URLError(.timedOut), true, true), (URLError(.cancelled), false, false), (URLError(.serverCertificateUntrusted), false, false),
            (FirewheelError(.transportFailed(.cannotFindHost)), true, true),
            (FirewheelError(.authenticationFailed(.refreshTimedOut)), true, true), (refused(503), true, false),
            (refused(401), false, false), (refused(204), false, false), (CancellationError(), false, false),
            (FirewheelError(.invalidURL), false, false),
        ] as [(any Error, Bool, Bool)])
    func interceptorErrors(cause: any Error, isResilient: Bool, isStandard: Bool) {
        for error in Self.wrapped(cause) {
            for (policy, isTemporary) in [(EventSource.Reconnection.resilient, isResilient), (.standard, isStandard), (.never, false)] {
                var schedule = ReconnectionSchedule(policy)
                #expect((delay(&schedule, Ending(error: error)) != nil) == isTemporary)
                guard !isTemporary, case .stop(let last) = schedule.decide(Ending(error: error), now: Date(), random: 0) else { continue }
                #expect(last != nil)
            }
        }
    }

    @Test("What a retrier made of a failure decides, and not the failure")
    func retriersOwnErrors() {
        struct Own: Error {}
        let error = FirewheelError(
            .requestRetryFailed, underlyingError: Own(), originalError: FirewheelError(.transportFailed(.timedOut)))
        var schedule = ReconnectionSchedule(.resilient)
        #expect(delay(&schedule, Ending(error: error)) == nil)
    }

    @Test("Jitter comes on top of Retry-After, which is never undercut", arguments: [0, 0.5, 1] as [Double])
    func retryAfter(random: Double) {
        for error in [Self.refused(429, retryAfter: "100"), Self.refusedByProxy(503, retryAfter: "100")]
            + Self.wrapped(Self.refused(503, retryAfter: "100"))
        {
            var schedule = ReconnectionSchedule(.resilient)
            #expect(delay(&schedule, Ending(error: error), random: random) == 100 * (1 + 0.2 * random))
        }
        var schedule = ReconnectionSchedule(.resilient)
        #expect(delay(&schedule, Ending(error: Self.refused(503, retryAfter: "1")), random: random) == 3 * (1 + 0.2 * random))
        #expect(delay(&schedule, Ending(error: Self.refused(503, retryAfter: "999999999")), random: random) == 86_400)
    }
}
