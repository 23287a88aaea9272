import Foundation
import Testing

@testable import Firewheel

/// The diagram of a task's metrics, in text and as SVG.
@Suite("Waterfalls of metrics")
struct WaterfallTests {
    private static let clock = ClockReading(instant: MonotonicInstant(nanoseconds: 1_000_000_000_000), wall: 700_000_000)

    private static func at(_ milliseconds: Double) -> MonotonicInstant {
        clock.instant.advanced(by: milliseconds / 1000)
    }

    private static func task(_ hops: [TransactionMetrics], milliseconds: Double) -> TaskMetrics {
        let interval = DateInterval(start: clock.date(of: clock.instant), duration: milliseconds / 1000)
        return TaskMetrics(taskInterval: interval, redirectCount: max(0, hops.count - 1), transactionMetrics: hops)
    }

    private static func hop(
        _ url: String, status: Int?, _ fill: (inout TransportMetrics) -> Void
    ) throws -> TransactionMetrics {
        let request = try URLRequest(url: url, method: .get)
        var measured = TransportMetrics(start: at(0), end: at(0))
        fill(&measured)
        let response = status.flatMap { HTTPURLResponse(url: request.url!, statusCode: $0, httpVersion: nil, headerFields: nil) }
        return TransactionMetrics(request: request, response: response, measured: measured, clock: clock)
    }

    /// A redirect over a new connection with TLS, and its target over the same connection.
    private static func sample() throws -> TaskMetrics {
        let first = try hop("https://ann:s3cret@api.example.com/v1/users?page=2&access_token=s3cret", status: 302) {
            $0.start = at(2)
            ($0.domainLookupStart, $0.domainLookupEnd) = (at(4), at(16))
            ($0.connectStart, $0.connectEnd) = (at(16), at(62))
            ($0.secureConnectionStart, $0.secureConnectionEnd) = (at(31), at(62))
            ($0.requestStart, $0.requestEnd, $0.responseStart, $0.responseEnd) = (at(62), at(62.4), at(97), at(97.6))
            ($0.networkProtocolName, $0.tlsProtocolVersion, $0.remoteAddress, $0.remotePort) = ("h2", "TLSv1.3", "2001:db8::7", 443)
            $0.isReusedConnection = false
            ($0.requestHeaderBytesSent, $0.requestBodyBytesSent) = (120, 0)
            ($0.responseHeaderBytesReceived, $0.responseBodyBytesReceived, $0.responseBodyBytesAfterDecoding) = (95, 0, 0)
        }
        let second = try hop("https://api.example.com/v2/users/all", status: 200) {
            $0.start = at(98)
            ($0.requestStart, $0.requestEnd, $0.responseStart, $0.responseEnd) = (at(98.2), at(98.3), at(131), at(183))
            ($0.networkProtocolName, $0.tlsProtocolVersion, $0.remoteAddress, $0.remotePort) = ("h2", "TLSv1.3", "2001:db8::7", 443)
            $0.isReusedConnection = true
            ($0.requestHeaderBytesSent, $0.requestBodyBytesSent) = (118, 0)
            ($0.responseHeaderBytesReceived, $0.responseBodyBytesReceived, $0.responseBodyBytesAfterDecoding) = (210, 10_240, 61_000)
        }
        return task([first, second], milliseconds: 183)
    }

    @Test("A waterfall shows a redirect and its target, at 60, 80 and 120 characters", arguments: [60, 80, 120])
    func golden(width: Int) throws {
        let text = try Self.sample().waterfall(width: width)
        #expect(text == WaterfallGolden.texts[width], "\n\(text)")
    }

    @Test("A waterfall is 80 characters wide by default, and an invalid width is replaced by the nearest valid one")
    func widths() throws {
        let metrics = try Self.sample()
        #expect(metrics.waterfall() == metrics.waterfall(width: 80))
        for width in [Int.min, -1, 0, 39] { #expect(metrics.waterfall(width: width) == metrics.waterfall(width: 40)) }
        #expect(metrics.waterfall(width: .max) == metrics.waterfall(width: 400))
        #expect(metrics.waterfall(width: 40).split(separator: "\n").allSatisfy { $0.count <= 40 })
        #expect(metrics.waterfall(width: 400).split(separator: "\n").contains { $0.count == 400 })
    }

    @Test("A waterfall marks the connection phases of a reused connection as reused, in text and in SVG")
    func reused() throws {
        let metrics = Self.task([try Self.sample().transactionMetrics[1]], milliseconds: 183)
        let lines = metrics.waterfall().split(separator: "\n")
        for phase in ["dns", "connect", "tls"] {
            #expect(lines.contains { $0.hasPrefix("  \(phase)") && $0.contains("|reused ") && !$0.contains("=") })
        }
        #expect(metrics.waterfallSVG().components(separatedBy: ">reused<").count == 4)
        let plain = Self.task([try Self.hop("http://a.test/", status: 200) { $0.isReusedConnection = true }], milliseconds: 1)
        #expect(plain.waterfall().split(separator: "\n").contains { $0.hasPrefix("  tls     |- ") })
    }

    @Test("A waterfall shows an unknown phase as a dash, and a task without hops as a title only")
    func unknown() throws {
        let metrics = Self.task([try Self.hop("http://a.test/", status: nil) { _ in }], milliseconds: 0)
        let lines = metrics.waterfall().split(separator: "\n")
        #expect(lines[2].hasPrefix("   no response"))
        #expect(lines.count { $0.contains("|- ") } == 6)
        #expect(Self.task([], milliseconds: 1.5).waterfall() == "0 hops, 1.500 ms")
    }

    @Test("In a waterfall the wait for a missing response lasts to the end")
    func failed() throws {
        let metrics = Self.task(
            [
                try Self.hop("http://a.test/", status: nil) {
                    ($0.requestStart, $0.requestEnd, $0.responseEnd) = (Self.at(1), Self.at(2), Self.at(30_000))
                }
            ], milliseconds: 30_000)
        #expect(metrics.waterfall().split(separator: "\n").contains { $0.hasPrefix("  wait") && $0.hasSuffix(" 30.00 s") })
    }

    @Test("A waterfall contains no secrets, control characters or outside markup")
    func hostile() throws {
        let hop = try Self.hop("http://ann:s3cret@a.test/?token=s3cret&x='<b>", status: 200) {
            $0.networkProtocolName = "\u{1B}[2J\n<script>&\"\u{202E}\u{FFFE}é"
            $0.remoteAddress = "]]>--\u{0}"
        }
        let metrics = Self.task([hop], milliseconds: 1)
        for text in [metrics.waterfall(width: 200), metrics.waterfallSVG()] {
            #expect(!text.contains("s3cret") && text.unicodeScalars.allSatisfy { $0 == "\n" || (0x20..<0x7F).contains($0.value) })
        }
        #expect(metrics.waterfall(width: 200).contains(#"\u{1B}[2J\n<script>&"\u{202E}\u{FFFE}\u{E9}"#))
        let svg = metrics.waterfallSVG()
        #expect(!svg.contains("<script") && svg.contains("&lt;script&gt;&amp;&quot;"))
        try WaterfallXML.check(svg)
    }
}
