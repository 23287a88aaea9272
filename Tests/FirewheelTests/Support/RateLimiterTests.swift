import Foundation
import Testing

@testable import Firewheel

/// When bytes have passed a limit.
@Suite("Limits of bytes a second")
struct RateLimiterTests {
    private let start = MonotonicInstant(nanoseconds: 1_000_000_000_000)

    @Test("Bytes take the time of their number, one after the other, and a pause is no credit")
    func pace() throws {
        let limiter = try #require(RateLimiter(1_000))
        #expect(limiter.portion == 100)
        #expect(limiter.pass(100, now: start).seconds(since: start) == 0.1)
        #expect(limiter.pass(100, now: start).seconds(since: start) == 0.2)
        let later = start.advanced(by: 10)
        #expect(limiter.pass(100, now: later).seconds(since: later) == 0.1)
        for nothing in [nil, 0, -1] { #expect(RateLimiter(nothing) == nil) }
    }

    @Test("Transfers that do not wait, as small responses, hold up later ones for some seconds at most")
    func debt() throws {
        let limiter = try #require(RateLimiter(1_000))
        for _ in 0..<10_000 { _ = limiter.pass(100, now: start) }
        #expect(limiter.pass(100, now: start).seconds(since: start) <= 5.1)
        // One piece that is larger than the limit of a second has its whole time.
        #expect(limiter.pass(20_000, now: start.advanced(by: 100)).seconds(since: start) == 120)
    }

    @Test("Fifty transfers at once, each of which waits for its turn, keep to the limit")
    func turns() throws {
        let limiter = try #require(RateLimiter(1_000))
        var (dues, now, passed) = ([MonotonicInstant](), start, 0)
        for _ in 0..<50 { dues.append(limiter.pass(100, now: now)) }
        for _ in 0..<500 {
            let next = try #require(dues.indices.min { dues[$0] < dues[$1] })
            now = dues[next]
            passed += 100
            dues[next] = limiter.pass(100, now: now)
        }
        #expect(Double(passed) <= now.seconds(since: start) * 1_000 + 1)
    }
}
