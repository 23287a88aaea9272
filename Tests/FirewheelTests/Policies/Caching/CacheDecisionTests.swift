import Foundation
import Testing

@testable import Firewheel

/// The decisions of a cache for random requests and responses, against rules that always hold.
@Suite("Decisions of a cache")
struct CacheDecisionTests {
    private static let words = [
        "no-store", "no-cache", "no-cache=\"x-a\"", "private", "public", "must-revalidate", "immutable", "max-age=0", "max-age=10",
        "max-age=100",
        "max-age=x", "stale-while-revalidate=50", "stale-if-error=50", "only-if-cached", "max-stale", "max-stale=20", "min-fresh=20",
        "must-understand", "\"", ",", "=", "max-age=\"5", "\\",
    ]

    private struct Draw {
        var source: SystemRandomNumberGenerator
        mutating func some(_ words: [String], most: Int) -> [String] {
            (0..<Int.random(in: 0...most, using: &source)).compactMap { _ in words.randomElement(using: &source) }
        }
        mutating func often(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &source) < percent }
    }

    @Test("random requests and responses")
    func random() throws {
        let target = try #require(TargetURI("http://cache.test/a"))
        let modes: [CacheUse.Mode] = [.rules, .rules, .rules, .reload, .reloadEverywhere, .revalidate, .storedFirst, .storedOnly]
        var draw = Draw(source: .init())
        var seen: Set<String> = []
        for _ in 0..<20_000 {
            var fields: [HTTPHeader] = []
            for directives in [draw.some(Self.words, most: 3), draw.some(Self.words, most: 1)] where !directives.isEmpty {
                fields.append(HTTPHeader(name: "Cache-Control", value: directives.joined(separator: draw.often(90) ? ", " : ",,")))
            }
            let request = CacheRequest(
                method: draw.often(90) ? .get : .head, target: target, headers: HTTPHeaders(received: fields), hasBody: draw.often(5),
                mode: try #require(modes.randomElement()))
            var answered: [HTTPHeader] = [
                HTTPHeader(name: "Cache-Control", value: draw.some(Self.words, most: 4).joined(separator: ", "))
            ]
            if draw.often(50) { answered.append(HTTPHeader(name: "ETag", value: "\"1\"")) }
            if draw.often(30) { answered.append(HTTPHeader(name: "Age", value: "\(Int.random(in: 0...200))")) }
            let head = ResponseHead(statusCode: 200, headers: HTTPHeaders(received: answered))
            let stored = StoredResponse(
                head, of: request, varyingBy: [], requestTime: 1000, responseTime: 1000, clientLifetime: nil)
            let now = 1000 + TimeInterval(Int.random(in: -10...200))
            let decision = CacheDecision(request, stored: draw.often(90) ? stored : nil, now: now)
            seen.insert(check(decision, request, stored, now))
        }
        #expect(seen == ["network", "fresh", "stale", "conditional", "unsatisfiable"])
    }

    /// - Returns: A word for the kind of the decision.
    private func check(_ decision: CacheDecision, _ request: CacheRequest, _ stored: StoredResponse, _ now: TimeInterval) -> String {
        let mayAsk = !request.control.isOnlyIfCached && request.mode != .storedOnly
        switch decision {
        case .network:
            #expect(mayAsk)
            return "network"
        case .unsatisfiable:
            #expect(!mayAsk)
            return "unsatisfiable"
        case .conditional(let fields):
            #expect(mayAsk && !fields.isEmpty && request.mayUseStored && !request.control.isNoStore)
            return "conditional"
        case .stored(let source):
            #expect(request.mayUseStored && request.mode != .reload && request.mode != .reloadEverywhere)
            let isFresh = stored.freshness.remaining(at: now) > 0
            let isForced = request.mode == .storedFirst || request.mode == .storedOnly
            #expect(isForced || !stored.control.isNoCache && !request.control.isNoCache)
            #expect(source.age == stored.freshness.age(at: now))
            if case .stale(_, let reason) = source {
                #expect(!isFresh && (isForced || !stored.control.mustRevalidate))
                #expect(reason == .accepted || reason == .revalidating && stored.control.staleWhileRevalidate != nil)
                return "stale"
            }
            #expect(isFresh)
            return "fresh"
        }
    }

    @Test("must-revalidate forbids every use of a stale response, also in place of a failure (section 5.2.2.2)")
    func mustRevalidate() throws {
        let target = try #require(TargetURI("http://cache.test/a"))
        let request = CacheRequest(method: .get, target: target, headers: ["Cache-Control": "max-stale"])
        for directives in ["must-revalidate", "no-cache"] {
            let head = ResponseHead(
                statusCode: 200, headers: ["Cache-Control": "max-age=1, stale-while-revalidate=9, stale-if-error=9, \(directives)"])
            let stored = StoredResponse(head, of: request, varyingBy: [], requestTime: 0, responseTime: 0, clientLifetime: nil)
            #expect(CacheDecision(request, stored: stored, now: 5) == .network)
            for failure in [ResponseSource.StaleReason.serverError, .unreachable] {
                #expect(CacheDecision.standIn(stored, for: request, after: failure, now: 5) == nil)
            }
        }
    }

    @Test("min-fresh, max-age and max-stale of a request (section 5.2.1)")
    func requestDirectives() throws {
        let target = try #require(TargetURI("http://cache.test/a"))
        func source(_ directives: String, age: TimeInterval) -> ResponseSource? {
            let request = CacheRequest(method: .get, target: target, headers: ["Cache-Control": directives])
            let head = ResponseHead(statusCode: 200, headers: ["Cache-Control": "max-age=100"])
            let stored = StoredResponse(head, of: request, varyingBy: [], requestTime: 0, responseTime: 0, clientLifetime: nil)
            guard case .stored(let source) = CacheDecision(request, stored: stored, now: age) else { return nil }
            return source
        }
        #expect(source("min-fresh=20", age: 80) == .cache(age: 80) && source("min-fresh=20", age: 81) == nil)
        #expect(source("min-fresh=x", age: 0) == nil)
        #expect(source("max-age=50", age: 50) == .cache(age: 50) && source("max-age=50", age: 51) == nil)
        #expect(source("max-stale=20", age: 120) == .stale(age: 120, because: .accepted) && source("max-stale=20", age: 121) == nil)
        #expect(source("max-age=0, max-stale=20", age: 20) == .cache(age: 20) && source("max-age=0, max-stale=20", age: 21) == nil)
        #expect(source("max-stale", age: 1_000_000) == .stale(age: 1_000_000, because: .accepted))
        #expect(source("max-stale=x", age: 101) == nil)
    }
}
