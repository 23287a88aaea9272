import Foundation
import Testing

@testable import Firewheel

@Suite("Packed facts about the cache") struct ResponseMarkTests {
    static let sources: [ResponseSource] =
        [.network]
        + [0, 0.25, 10, 4_294_967_296].flatMap { age -> [ResponseSource] in
            [
                .cache(age: age), .revalidated(age: age), .stale(age: age, because: .accepted),
                .stale(age: age, because: .revalidating), .stale(age: age, because: .serverError),
                .stale(age: age, because: .unreachable),
            ]
        }

    @Test("A mark keeps each source, and whether the cookies are stored", arguments: sources, [false, true])
    func keepsSource(_ source: ResponseSource, _ hasStoredCookies: Bool) {
        let mark = ResponseMark(source, hasStoredCookies: hasStoredCookies)
        #expect(mark.source == source && mark.hasStoredCookies == hasStoredCookies)
        #expect(mark.isNetwork == (source == .network))
        #expect(ResponseHead(statusCode: 200).mark == ResponseMark(.network, hasStoredCookies: false))
    }

    @Test("A mark takes any age", arguments: [-1, -.infinity, .nan, .infinity, .greatestFiniteMagnitude] as [TimeInterval])
    func takesAnyAge(_ age: TimeInterval) throws {
        let kept = try #require(ResponseMark(.cache(age: age), hasStoredCookies: false).source.age)
        #expect(age > 0 ? kept == 1e12 : kept == 0)
    }

    @Test(
        "The directives of a request's limits",
        arguments: [
            (nil, false, ""), (nil, true, "only-if-cached"), (0, false, "max-stale=0"), (-1, false, "max-stale=0"),
            (.nan, false, "max-stale=0"), (1.9, true, "max-stale=1, only-if-cached"), (.infinity, true, "max-stale, only-if-cached"),
            (1e300, false, "max-stale=2147483645"), (2_147_483_645, false, "max-stale=2147483645"),
        ] as [(TimeInterval?, Bool, String)])
    func directives(_ maxStale: TimeInterval?, _ onlyIfCached: Bool, _ expected: String) {
        let limits = CacheLimits(maxStale: maxStale, onlyIfCached: onlyIfCached)
        #expect(limits.directives == expected && limits.isEmpty == expected.isEmpty)
    }
}
