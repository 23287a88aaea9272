import Foundation
import Testing

@testable import Firewheel

@Suite("Retry budgets")
struct RetryBudgetTests {
    private func at(_ seconds: Double) -> MonotonicInstant { MonotonicInstant(nanoseconds: 1_000_000_000_000).advanced(by: seconds) }

    private func retries(_ tokens: inout RetryTokens, at seconds: Double, of attempts: Int = 1_000) -> Int {
        (0..<attempts).count { _ in tokens.takeRetry(at: at(seconds)) }
    }

    @Test("A retry budget allows at most the ratio of requests plus the minimum within its window")
    func bound() {
        var tokens = RetryTokens(ratio: 0.2, minimumPerSecond: 1, window: 10)
        #expect(retries(&tokens, at: 0) == 10)
        for _ in 0..<50 { tokens.recordFirstAttempt(at: at(1)) }
        #expect(retries(&tokens, at: 1) == 10)
        #expect(retries(&tokens, at: 2) == 0)
    }

    @Test("With a ratio of 0.2, a retry budget allows one retry for five requests and none for four")
    func ratio() {
        var tokens = RetryTokens(ratio: 0.2, minimumPerSecond: 0, window: 10)
        for _ in 0..<4 { tokens.recordFirstAttempt(at: at(0)) }
        #expect(retries(&tokens, at: 0) == 0)
        tokens.recordFirstAttempt(at: at(0))
        #expect(retries(&tokens, at: 0) == 1)
    }

    @Test("A retry budget forgets requests and retries after its window")
    func window() {
        var tokens = RetryTokens(ratio: 1, minimumPerSecond: 0.1, window: 10)
        tokens.recordFirstAttempt(at: at(0))
        #expect(retries(&tokens, at: 8) == 2)
        #expect(retries(&tokens, at: 11) == 0)
        #expect(retries(&tokens, at: 19) == 1)
        #expect(retries(&tokens, at: 1_000_000) == 1)
    }

    @Test("A retry budget treats an instant before the last one as the last one")
    func order() {
        var tokens = RetryTokens(ratio: 1, minimumPerSecond: 0, window: 10)
        tokens.recordFirstAttempt(at: at(100))
        tokens.recordFirstAttempt(at: at(0))
        #expect(retries(&tokens, at: 50) == 2)
        tokens.recordFirstAttempt(at: MonotonicInstant(nanoseconds: .max))
        let isAllowed = tokens.takeRetry(at: MonotonicInstant(nanoseconds: .max))
        #expect(isAllowed)
    }

    @Test("Out-of-range retry budget arguments have their documented meaning")
    func odd() {
        for nothing in [0, -1, -.infinity, .nan] as [Double] {
            var tokens = RetryTokens(ratio: nothing, minimumPerSecond: nothing, window: 10)
            tokens.recordFirstAttempt(at: at(0))
            #expect(retries(&tokens, at: 0) == 0)
        }
        for (window, expected) in [(0, 1), (-1, 1), (.nan, 10), (.infinity, 3600), (1e300, 3600)] as [(Double, Int)] {
            var tokens = RetryTokens(ratio: 0, minimumPerSecond: 1, window: window)
            #expect(retries(&tokens, at: 0, of: 5_000) == expected, "\(window)")
        }
        var unbounded = RetryTokens(ratio: .infinity, minimumPerSecond: 0, window: 10)
        #expect(retries(&unbounded, at: 0) == 0)
        unbounded.recordFirstAttempt(at: at(0))
        #expect(retries(&unbounded, at: 0) == 1_000)
    }

    @Test("A retry budget holds in every window with random requests and retries")
    func random() {
        var generator = SeededGenerator(state: 5)
        for _ in 0..<50 {
            let ratio = Double.random(in: 0...1, using: &generator)
            let minimum = Double.random(in: 0...3, using: &generator)
            var tokens = RetryTokens(ratio: ratio, minimumPerSecond: minimum, window: 10)
            var now = 0.0
            var requests: [Double] = []
            var retries: [Double] = []
            for _ in 0..<500 {
                now += Double.random(in: 0...0.5, using: &generator)
                if Bool.random(using: &generator) {
                    tokens.recordFirstAttempt(at: at(now))
                    requests.append(now)
                } else if tokens.takeRetry(at: at(now)) {
                    retries.append(now)
                    // The window may be a tenth shorter because of its slices, and requests count for the whole window.
                    let recent = retries.count { $0 > now - 9 }
                    #expect(Double(recent) <= Double(requests.count { $0 > now - 10 }) * ratio + minimum * 10 + 1e-6)
                }
            }
            #expect(!retries.isEmpty)
        }
    }

    @Test("A retry policy counts first attempts, and stops retrying when its budget is spent")
    func policy() async throws {
        let budget = RetryBudget(ratio: 0.5, minimumPerSecond: 0, window: 3600)
        let policy = RetryPolicy(limit: 100, backoff: .constant(0), budget: budget)
        let request = try URLRequest(url: "http://stub.test/", method: .get)
        for count in [0, 0, 0, 0, 1, 2, 3] {
            #expect(try await policy.adapt(request, for: RequestContext(id: 1, retryCount: count, request: request)) == request)
        }
        var answers: [String] = []
        for count in 0..<4 {
            let context = RequestContext(id: 1, retryCount: count, request: request)
            answers.append("\(await policy.retry(context, dueTo: URLError(.timedOut)))")
        }
        #expect(answers == ["retry", "retry", "doNotRetry", "doNotRetry"])
    }

    @Test("A failure that is not retried takes nothing from the budget")
    func untouched() async throws {
        let budget = RetryBudget(ratio: 0, minimumPerSecond: 1, window: 1)
        let policy = RetryPolicy(backoff: .constant(0), budget: budget)
        let context = RequestContext(id: 1, request: try URLRequest(url: "http://stub.test/", method: .post))
        for _ in 0..<5 {
            guard case .doNotRetry = await policy.retry(context, dueTo: URLError(.timedOut)) else {
                Issue.record("a POST was retried")
                return
            }
        }
        #expect(budget.takeRetry())
    }
}
