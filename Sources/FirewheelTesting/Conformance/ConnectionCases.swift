import Firewheel
import Foundation

extension TransportConformance {
    /// Connection reuse, resending, and metrics.
    static let connectionCases: [Case] = [
        Case("A connection is reused", "RFC 9112 section 9.3") { bench in
            bench.server.route("/again") { _ in .text("x") }
            for _ in 0..<10 { _ = try bench.succeed(try bench.request("/again")) }
            try checkEqual("the number of connections", bench.server.connectionCount, 1)
        },
        Case("A connection marked with Connection: close is not reused", "RFC 9112 section 9.6") { bench in
            bench.server.route("/close") { _ in MockResponse.text("x").closing() }
            for _ in 0..<3 { _ = try bench.succeed(try bench.request("/close")) }
            try checkEqual("the number of connections", bench.server.connectionCount, 3)
        },
        Case("A connection closed while idle is noticed", "RFC 9112 section 9.3.1") { bench in
            bench.server.route("/x") { _ in .text("x") }
            for _ in 0..<5 {
                for method in [HTTPMethod.get, .post] { _ = try bench.succeed(try bench.request("/x", method: method)) }
                bench.server.closeIdleConnections()
                try bench.expectConnections(0)
            }
        },
        Case("closeIdleConnections closes idle connections and no others", "Transport.closeIdleConnections") {
            bench in
            let gate = DispatchSemaphore(value: 0)
            defer { gate.signal() }
            bench.server.route("/slow") { _ in
                _ = gate.wait(timeout: .now() + 60)
                return .text("slow")
            }
            bench.server.route("/fast") { _ in MockResponse.text("fast").delayed(head: 0.1) }
            try bench.withTransport { $0.closeIdleConnections() }
            let slow = try bench.request("/slow", method: .post)
            let recorder = try bench.start(slow)
            _ = try bench.receivedRequest()
            let fast = try (0..<3).map { _ in try bench.request("/fast") }
            for request in fast { try bench.start(request, on: recorder) }
            for request in fast { _ = try bench.end(of: request, on: recorder) }
            try bench.withTransport { $0.closeIdleConnections() }
            try bench.expectConnections(1)
            gate.signal()
            try checkSame("the body of the request under way", try bench.end(of: slow, on: recorder).body, Data("slow".utf8))
            try bench.withTransport { $0.closeIdleConnections() }
            try bench.expectConnections(0)
            _ = try bench.succeed(try bench.request("/fast", method: .post))
        },
        Case("A request without allowsResend is not sent again", "TransportRequest.allowsResend; RFC 9110 section 9.2.2") { bench in
            for body in [nil, Data("pay".utf8)] {
                bench.server.enqueue(.text("warm"), .failure(.closeBeforeHead), .text("second"))
                _ = try bench.succeed(try bench.request())
                let before = bench.server.requestCount
                let request = try bench.request("/pay", method: .post, headers: ["Content-Type": "a/b"], body: body)
                try bench.fail(request, with: .networkConnectionLost)
                try checkEqual("how often it was sent", bench.server.requestCount - before, 1)
                // The remaining response is for the next request.
                try checkSame("the next body", try bench.succeed(try bench.request()).body, Data("second".utf8))
            }
        },
        Case("A request with allowsResend is sent again when its reused connection is dead", "TransportRequest.allowsResend") { bench in
            for (method, body) in [(HTTPMethod.get, nil), (.put, ConformanceData.pattern(100_000))] {
                bench.server.enqueue(.text("warm"), .failure(.closeBeforeHead), .text("second"))
                _ = try bench.succeed(try bench.request())
                _ = try bench.receivedRequest()
                let request = try bench.request(method: method, headers: ["Content-Type": "a/b"], body: body) { $0.allowsResend = true }
                try checkSame("the body", try bench.succeed(request).body, Data("second".utf8))
                for _ in 0..<2 { try checkSame("the body that was sent", try bench.receivedRequest().body, body ?? Data()) }
            }
        },
        Case("The first measured instant is the start, and the last is the end", "TransportMetrics") { bench in
            bench.server.route("/measured") { _ in MockResponse.text("x").delayed(head: 0.05) }
            for _ in 0..<2 {
                let before = MonotonicInstant.now()
                let request = try bench.request("/measured", method: .post, headers: ["Content-Type": "a/b"], body: Data("body".utf8))
                let metrics = try bench.fetch(request).metrics
                try check(metrics.start >= before, "the exchange started before it was asked for")
                try check(metrics.end <= MonotonicInstant.now(), "the exchange ended after its end was told")
                try check(
                    metrics.end.seconds(since: metrics.start) >= 0.045,
                    "an exchange of 50 ms was measured as \(metrics.end.seconds(since: metrics.start)) seconds")
                let instants: [(String, MonotonicInstant?)] = [
                    ("start", metrics.start), ("domainLookupStart", metrics.domainLookupStart),
                    ("domainLookupEnd", metrics.domainLookupEnd),
                    ("connectStart", metrics.connectStart), ("secureConnectionStart", metrics.secureConnectionStart),
                    ("secureConnectionEnd", metrics.secureConnectionEnd), ("connectEnd", metrics.connectEnd),
                    ("requestStart", metrics.requestStart), ("requestEnd", metrics.requestEnd), ("responseStart", metrics.responseStart),
                    ("responseEnd", metrics.responseEnd), ("end", metrics.end),
                ]
                let known = instants.compactMap { name, instant in instant.map { (name, $0) } }
                for (earlier, later) in zip(known, known.dropFirst()) {
                    // A tolerance for clocks of different resolution.
                    try check(earlier.1 <= later.1.advanced(by: 1e-6), "\(earlier.0) is after \(later.0)")
                }
            }
        },
        Case("Counted values are correct where they are known", "TransportMetrics: nil for the unknown, never guessed") { bench in
            let response = MockResponse.data(ConformanceData.gzipped).header("Content-Encoding", "gzip")
            bench.server.enqueue(response, response)
            for isReused in [false, true] {
                let body = ConformanceData.pattern(5_000)
                let headers: HTTPHeaders = ["Accept-Encoding": "gzip", "Content-Type": "a/b"]
                let metrics = try bench.fetch(try bench.request(method: .put, headers: headers, body: body)).metrics
                let head = try bench.receivedRequest().head
                func known<Value: Equatable>(_ name: String, _ value: Value?, _ expected: Value) throws {
                    if let value { try checkEqual(name, value, expected) }
                }
                try known("isReusedConnection", metrics.isReusedConnection, isReused)
                try known("networkProtocolName", metrics.networkProtocolName, "http/1.1")
                try known("remoteAddress", metrics.remoteAddress, "127.0.0.1")
                try known("remotePort", metrics.remotePort, bench.server.port)
                try known("tlsProtocolVersion", metrics.tlsProtocolVersion, "")
                try known("requestHeaderBytesSent", metrics.requestHeaderBytesSent, Int64(head.count + 2))
                try known("requestBodyBytesSent", metrics.requestBodyBytesSent, Int64(body.count))
                try known("responseBodyBytesReceived", metrics.responseBodyBytesReceived, Int64(ConformanceData.gzipped.count))
                try known("responseBodyBytesAfterDecoding", metrics.responseBodyBytesAfterDecoding, Int64(ConformanceData.plain.count))
                if isReused { try check(metrics.connectStart == nil, "a reused connection has no instant of connecting") }
            }
        },
        Case("A failed request has metrics too", "TransportMetrics") { bench in
            bench.server.enqueue(.failure(.closeBeforeHead))
            let before = MonotonicInstant.now()
            let metrics = try bench.fail(try bench.request(), with: .networkConnectionLost, .badServerResponse).metrics
            try check(metrics.start >= before && metrics.start <= metrics.end, "the start and the end of a failure are out of order")
            try checkEqual("responseStart without a response", metrics.responseStart, nil)
        },
    ]
}
