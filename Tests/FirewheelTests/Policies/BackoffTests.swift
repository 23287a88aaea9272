import Foundation
import Testing

@testable import Firewheel

@Suite("Retry backoff")
struct BackoffTests {
    private func delays(_ backoff: RetryPolicy.Backoff, _ counts: [Int] = [0, 1, 2, 3]) -> [TimeInterval] {
        var generator = SystemRandomNumberGenerator()
        return counts.map { backoff.delay(retryCount: $0, using: &generator) }
    }

    @Test("Without jitter the delay is Alamofire's: base to the power of the retries, times scale, up to the cap")
    func exponential() {
        #expect(delays(.exponential(jitter: false)) == [0.5, 1, 2, 4])
        #expect(delays(.exponential(base: 3, scale: 2, cap: 50, jitter: false)) == [2, 6, 18, 50])
        #expect(delays(.exponential(jitter: false), [5, 6, 7, 1_000, .max]) == [16, 30, 30, 30, 30])
        #expect(delays(.constant(3)) == [3, 3, 3, 3])
    }

    @Test("With jitter the delay is spread evenly between zero and the full delay")
    func jitter() {
        var generator = SeededGenerator(state: 7)
        var lowest = TimeInterval.infinity
        var highest = 0.0
        var sum = 0.0
        for _ in 0..<10_000 {
            let delay = RetryPolicy.Backoff.exponential().delay(retryCount: 3, using: &generator)
            lowest = min(lowest, delay)
            highest = max(highest, delay)
            sum += delay
        }
        #expect((0..<0.1).contains(lowest) && (3.9...4).contains(highest) && (1.9...2.1).contains(sum / 10_000))
    }

    @Test("Out-of-range backoff arguments have their documented meaning")
    func odd() {
        for base in [1, 0.5, 0, -2, -.infinity, .nan] as [Double] {
            #expect(delays(.exponential(base: base, jitter: false)) == [0.5, 0.5, 0.5, 0.5], "\(base)")
        }
        for nothing in [0, -1, -.infinity, .nan] as [Double] {
            #expect(delays(.exponential(scale: nothing)) == [0, 0, 0, 0])
            #expect(delays(.exponential(base: .infinity, scale: nothing)) == [0, 0, 0, 0])
            #expect(delays(.exponential(cap: nothing)) == [0, 0, 0, 0])
            #expect(delays(.constant(nothing)) == [0, 0, 0, 0])
        }
        let longest: TimeInterval = 3_155_760_000
        #expect(delays(.exponential(base: .infinity, jitter: false)) == [0.5, 30, 30, 30])
        #expect(delays(.exponential(scale: .infinity, jitter: false)) == [30, 30, 30, 30])
        #expect(delays(.exponential(scale: .infinity, cap: .infinity, jitter: false), [0, .max]) == [longest, longest])
        #expect(delays(.constant(.infinity)) == [longest, longest, longest, longest])
        #expect(delays(.exponential(jitter: false), [-1, .min]) == [0.5, 0.5])
    }

    @Test("A backoff delay is between 0 and 100 years, whatever its arguments")
    func random() {
        var generator = SeededGenerator(state: 12)
        var outside: [String] = []
        for _ in 0..<50_000 {
            func number() -> Double {
                Bool.random(using: &generator) ? Double(bitPattern: generator.next()) : Double.random(in: -10...10, using: &generator)
            }
            let backoff =
                Bool.random(using: &generator)
                ? RetryPolicy.Backoff.exponential(base: number(), scale: number(), cap: number(), jitter: .random(using: &generator))
                : .constant(number())
            let count = Int(truncatingIfNeeded: generator.next()) >> Int.random(in: 0..<64, using: &generator)
            let delay = backoff.delay(retryCount: count, using: &generator)
            if !(0...3_155_760_000).contains(delay) { outside.append("\(backoff) after \(count): \(delay)") }
        }
        #expect(outside.prefix(3) == [])
    }
}
