import Foundation
import Testing

@testable import Firewheel

/// Waterfalls of random metrics, including inconsistent ones.
@Suite("Waterfalls of random metrics", .timeLimit(.minutes(5)))
struct WaterfallPropertyTests {
    private struct Random: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    /// A random instant: microseconds from the others, or at the ends of the clock.
    private func instant(_ random: inout Random) -> MonotonicInstant? {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: nil
        case 1: MonotonicInstant(nanoseconds: [0, .max].randomElement(using: &random) ?? 0)
        case 2: MonotonicInstant(nanoseconds: .random(in: 0 ... .max, using: &random))
        case 3: MonotonicInstant(nanoseconds: 1_000_000_000)
        default: MonotonicInstant(nanoseconds: 1_000_000_000 + .random(in: 0...5_000_000, using: &random))
        }
    }

    private func metrics(_ random: inout Random) throws -> TaskMetrics {
        let walls = [0, 700_000_000, -1e300, 1e300, .infinity, -.infinity, .nan]
        let clock = ClockReading(
            instant: MonotonicInstant(nanoseconds: 1_000_000_000),
            wall: Bool.random(using: &random) ? 700_000_000 : walls.randomElement(using: &random) ?? 0)
        let path = String(repeating: "long/", count: .random(in: 0...60, using: &random))
        let request = try URLRequest(url: "http://a.test/\(path)?token=s3cret", method: .post)
        let hops = (0..<Int.random(in: 0...4, using: &random)).map { _ in
            var measured = TransportMetrics(
                start: instant(&random) ?? clock.instant, end: instant(&random) ?? clock.instant)
            measured.domainLookupStart = instant(&random)
            measured.domainLookupEnd = instant(&random)
            measured.connectStart = instant(&random)
            measured.connectEnd = instant(&random)
            measured.secureConnectionStart = instant(&random)
            measured.secureConnectionEnd = instant(&random)
            measured.requestStart = instant(&random)
            measured.requestEnd = instant(&random)
            measured.responseStart = instant(&random)
            measured.responseEnd = instant(&random)
            measured.isReusedConnection = [nil, true, false].randomElement(using: &random) ?? nil
            measured.networkProtocolName = [nil, "h2", "a\nb", String(repeating: "p", count: 300)].randomElement(using: &random) ?? nil
            measured.remoteAddress = [nil, "127.0.0.1", "::1"].randomElement(using: &random) ?? nil
            measured.requestHeaderBytesSent = [nil, 0, .max, .min].randomElement(using: &random) ?? nil
            measured.responseBodyBytesReceived = [nil, 5, .max].randomElement(using: &random) ?? nil
            return TransactionMetrics(request: request, response: nil, measured: measured, clock: clock)
        }
        let starts = [clock.wall, 700_000_000, 0, -1e300]
        let start = starts.randomElement(using: &random) ?? 0
        let interval = DateInterval(
            start: Date(timeIntervalSinceReferenceDate: start.isNaN ? 0 : start),
            duration: [0, 0.005, 1e9, 1e300, .infinity].randomElement(using: &random) ?? 0)
        return TaskMetrics(taskInterval: interval, redirectCount: max(0, hops.count - 1), transactionMetrics: hops)
    }

    @Test("A waterfall's bars are in order, do not overlap and are not empty, and no line exceeds the width")
    func bars() throws {
        var random = Random(state: .random(in: 0 ... .max))
        for _ in 0..<400 {
            let state = random.state
            let metrics = try metrics(&random)
            let width = Int.random(in: -10...500, using: &random)
            let text = metrics.waterfall(width: width)
            let limit = min(max(width, 40), 400)
            #expect(text.split(separator: "\n").allSatisfy { $0.utf8.count <= limit && !$0.hasSuffix(" ") }, "\(state)\n\(text)")
            #expect(!text.contains("s3cret") && !metrics.waterfallSVG().contains("s3cret"))
            let rows = text.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
            #expect(rows.count == metrics.transactionMetrics.count * 7)
            for hop in stride(from: 0, to: rows.count, by: 7) {
                var edge = 0
                for row in rows[hop..<hop + 7] where row.contains("=") {
                    let columns = Array(row)
                    let bar = columns.indices.filter { columns[$0] == "=" }
                    let (first, last) = (try #require(bar.first), try #require(bar.last))
                    #expect(bar == Array(first...last) && first >= edge && last < limit - 11, "\(state)\n\(text)")
                    edge = last + 1
                }
            }
            let waterfall = Waterfall(metrics)
            for hop in waterfall.hops {
                let times = hop.rows.compactMap(\.times)
                #expect(zip(times, times.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }, "\(state)")
                #expect(times.allSatisfy { $0.lowerBound >= 0 && $0.upperBound.isFinite }, "\(state)")
                for length in [7, 8, 760] {
                    let bars = hop.bars(length: length, duration: waterfall.duration).compactMap { $0 }
                    #expect(bars.count == times.count && bars.allSatisfy { !$0.isEmpty && $0.lowerBound >= 0 && $0.upperBound <= length })
                    #expect(zip(bars, bars.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }, "\(state)")
                }
            }
        }
    }

    @Test("A waterfall's SVG is well-formed XML with a rectangle for each bar")
    func svg() throws {
        var random = Random(state: 7)
        for _ in 0..<40 {
            let metrics = try metrics(&random)
            let svg = metrics.waterfallSVG()
            let elements = try WaterfallXML.check(svg)
            let bars = Waterfall(metrics).hops.flatMap(\.rows).count { $0.times != nil }
            #expect(elements.count(where: { $0 == "rect" }) == bars + 1)
            #expect(elements.first == "svg" && svg.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"960\""))
        }
    }

    @Test(
        "A waterfall's durations have at most nine characters",
        arguments: [
            (0, "0.000 ms"), (0.000_000_4, "0.000 ms"), (0.009_999_6, "10.00 ms"), (0.01234, "12.34 ms"), (0.999_4, "999.4 ms"),
            (0.999_96, "1.000 s"), (59.996, "60.00 s"), (999.96, "1000 s"), (9_999_998, "9999998 s"), (1e10, "> 115 d"), (.infinity, "?"),
            (.nan, "?"), (-1, "?"),
        ])
    func durations(seconds: Double, text: String) {
        #expect(Waterfall.text(seconds) == text && text.count <= 9)
    }
}

/// A parser of the subset of XML in these SVGs: elements, attributes in double quotes, text, and the five predefined entities.
enum WaterfallXML {
    struct Malformed: Error { let at: Substring }

    /// - Returns: The names of the elements in their order.
    @discardableResult
    static func check(_ text: String) throws -> [String] {
        var rest = text[...]
        var open: [String] = []
        var names: [String] = []
        while !rest.isEmpty {
            if let tag = rest.prefixMatch(of: /<([a-z]+)((?: [a-zA-Z-]+="[^"<&]*")*)(\/?)>/) {
                names.append(String(tag.1))
                if tag.3.isEmpty { open.append(String(tag.1)) }
                rest = rest[tag.range.upperBound...]
            } else if let tag = rest.prefixMatch(of: /<\/([a-z]+)>/), open.last == String(tag.1) {
                open.removeLast()
                rest = rest[tag.range.upperBound...]
            } else if let content = rest.prefixMatch(of: /(?:[^<>&]|&(?:amp|lt|gt|quot|#39);)+/) {
                rest = rest[content.range.upperBound...]
            } else {
                throw Malformed(at: rest.prefix(80))
            }
        }
        guard open.isEmpty, names.count(where: { $0 == "svg" }) == 1 else { throw Malformed(at: rest) }
        return names
    }
}
