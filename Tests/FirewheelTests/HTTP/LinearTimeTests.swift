import Foundation
import Testing

@testable import Firewheel

/// An input many times as large takes proportionally longer, so no parser is quadratic.
@Suite("Parsers take linear time", .timeLimit(.minutes(5)))
struct LinearTimeTests {
    /// The bytes of the large inputs.
    private static let size = TestDepth.choose(80_000, deep: 1_000_000)

    /// The processor time of this thread, which does not count other threads and programs.
    private static func seconds(_ work: () -> Void) -> Double {
        func clock() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let start = clock()
        work()
        return clock() - start
    }

    private func compare(_ input: LinearInput) async {
        let slow = Journal<(short: Double, long: Double)>()
        // On a thread of its own, because tests share few threads and others wait for responses.
        await onThreads(1) { _ in
            if let times = Self.disproportion(input) { slow.add(times) }
        }
        for times in slow.entries { Issue.record("\(times.short) s for \(Self.size / 16) bytes, \(times.long) s for \(Self.size)") }
    }

    /// The times of a small and a large input, if they are out of proportion.
    private static func disproportion(_ input: LinearInput) -> (short: Double, long: Double)? {
        let (small, large) = (input.prepare(size / 16), input.prepare(size))
        small()
        var (short, long) = (Double.infinity, Double.infinity)
        // The minimum of several measurements; quadratic work stays slow in each.
        for _ in 0..<5 {
            for _ in 0..<3 { short = min(short, seconds(small)) }
            long = min(long, seconds(large))
            // Short times are dominated by the clock and caches.
            if long < max(short, 0.001) * 3 * 16 { return nil }
        }
        return (short, long)
    }

    @Test("Response heads are parsed in linear time", arguments: LinearInput.heads) func head(_ input: LinearInput) async {
        await compare(input)
    }
    @Test("Content-Types are parsed in linear time", arguments: LinearInput.contentTypes) func contentType(_ input: LinearInput) async {
        await compare(input)
    }
    @Test("Text is decoded in linear time in each encoding", arguments: LinearInput.texts) func text(_ input: LinearInput) async {
        await compare(input)
    }
    @Test("Forms are encoded in linear time", arguments: LinearInput.forms) func form(_ input: LinearInput) async { await compare(input) }
    @Test("Locations are resolved in linear time", arguments: LinearInput.locations) func location(_ input: LinearInput) async {
        await compare(input)
    }
    @Test("URLs are parsed in linear time", arguments: LinearInput.urls) func url(_ input: LinearInput) async { await compare(input) }
    @Test("Authentication challenges are parsed in linear time", arguments: LinearInput.challenges)
    func challenge(_ input: LinearInput) async {
        await compare(input)
    }
    @Test("JSON is parsed in linear time", arguments: LinearInput.json) func json(_ input: LinearInput) async { await compare(input) }
}
