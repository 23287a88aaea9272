import Foundation
import Testing

@testable import Firewheel

/// An input many times as large takes proportionally longer, so no parser is quadratic.
@Suite("Parsers take linear time", .timeLimit(.minutes(5)), .serialized)
struct LinearTimeTests {
    /// The processor time of this thread, which does not count other threads and programs.
    private func seconds(_ work: () -> Void) -> Double {
        func clock() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let start = clock()
        work()
        return clock() - start
    }

    private func compare(_ input: LinearInput) {
        let (small, large) = (input.prepare(62_500), input.prepare(1_000_000))
        small()
        var (short, long) = (Double.infinity, Double.infinity)
        // The minimum of several measurements; quadratic work stays slow in each.
        for _ in 0..<5 {
            for _ in 0..<3 { short = min(short, seconds(small)) }
            long = min(long, seconds(large))
            // Short times are dominated by the clock and caches.
            if long < max(short, 0.001) * 3 * 16 { return }
        }
        Issue.record("\(short) s for 64 kB, \(long) s for 1 MB")
    }

    @Test("Response heads are parsed in linear time", arguments: LinearInput.heads) func head(_ input: LinearInput) { compare(input) }
    @Test("Content-Types are parsed in linear time", arguments: LinearInput.contentTypes) func contentType(_ input: LinearInput) {
        compare(input)
    }
    @Test("Text is decoded in linear time in each encoding", arguments: LinearInput.texts) func text(_ input: LinearInput) {
        compare(input)
    }
    @Test("Forms are encoded in linear time", arguments: LinearInput.forms) func form(_ input: LinearInput) { compare(input) }
    @Test("Locations are resolved in linear time", arguments: LinearInput.locations) func location(_ input: LinearInput) { compare(input) }
    @Test("URLs are parsed in linear time", arguments: LinearInput.urls) func url(_ input: LinearInput) { compare(input) }
    @Test("Authentication challenges are parsed in linear time", arguments: LinearInput.challenges) func challenge(_ input: LinearInput) {
        compare(input)
    }
    @Test("JSON is parsed in linear time", arguments: LinearInput.json) func json(_ input: LinearInput) { compare(input) }
}
