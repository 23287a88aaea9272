import Firewheel
import FirewheelTesting
import InMemoryLogging
import InMemoryTracing
import Logging
import Tracing

/// Logs and traces requests to its own server, prints the records, and checks them: it exits with 1 if something is missing.
///
///     swift run --package-path Examples/Observability observability
@main
struct Observability {
    static func main() async throws {
        let server = try MockServer()
        let handler = InMemoryLogHandler()
        let tracer = W3CTracer()
        var logger = Logger(label: "http", factory: { _ in handler })
        logger.logLevel = .debug
        let tracing = TracingMonitor(tracer: tracer)
        let session = Session(
            interceptor: tracing, redirectHandler: tracing, eventMonitors: [.log(), LoggerMonitor(logger: logger), tracing])

        await sendRequests(session, server)
        // Monitors receive events a little later than responses are delivered.
        for _ in 0..<1000 where tracer.memory.finishedSpans.count < 9 || handler.entries.count < 15 {
            try await Task.sleep(for: .milliseconds(5))
        }
        let spans = tracer.memory.finishedSpans
        var checks = Checks()
        checkSpans(spans, server, &checks)
        checkLog(handler.entries, &checks)
        server.shutdown()
        if checks.failures > 0 { exit(1) }
        print("\(spans.count) spans and \(handler.entries.count) log records are as they have to be")
    }

    static func sendRequests(_ session: Session, _ server: MockServer) async {
        server.enqueue(.text("hello"), .status(404), .redirect(to: "/target?token=s3cret"), .text("there"), .status(503), .text("again"))
        server.enqueue(.text("purged"))
        _ = await session.get(server.url("/a?page=2&access_token=s3cret").replacing("http://", with: "http://ann:s3cret@"))
            .serializingData().response
        _ = await session.get(server.url("/missing")).serializingData().response
        _ = await session.get(server.url("/redirect")).serializingData().response
        _ = await session.get(server.url("/retry")).validate().retry { _, _ in .retry }.serializingData().response
        _ = await session.request(server.url("/cache"), method: HTTPMethod(rawValue: "PURGE")).serializingData().response
        // Port 1 has no listener.
        _ = await session.get("http://127.0.0.1:1/").serializingData().response
        struct NotToday: Error {}
        _ = await session.get(server.url("/unsent")).adapt { _, _ in throw NotToday() }.serializingData().response
    }

    static func pairs(_ attributes: SpanAttributes) -> [(String, SpanAttribute)] {
        var pairs: [(String, SpanAttribute)] = []
        attributes.forEach({ pairs.append(($0, $1)) })
        return pairs.sorted { $0.0 < $1.0 }
    }

    static func checkSpans(_ spans: [FinishedInMemorySpan], _ server: MockServer, _ checks: inout Checks) {
        for span in spans {
            print(span.operationName, span.status.map { "\($0.code)" } ?? "unset")
            for (name, value) in pairs(span.attributes) { print("   \(name): \(value)") }
        }
        checks.expect(spans.count == 9, "one span for each exchange, and one for what was not sent")
        for span in spans {
            for name in ["http.request.method", "server.address", "server.port", "url.full"] {
                checks.expect(span.attributes.get(name) != nil, "\(name) in each span")
            }
            checks.expect(span.kind == .client, "a client's span")
            for (name, value) in pairs(span.attributes) { checks.expect(!"\(value)".contains("s3cret"), "no secret in \(name)") }
        }
        func expect(_ index: Int, _ name: String, isError: Bool, _ attributes: [String: SpanAttribute]) {
            guard index < spans.count else { return }
            let span = spans[index]
            checks.expect(span.operationName == name, "span \(index) is named \(name)")
            checks.expect((span.status?.code == .error) == isError, "the status of span \(index)")
            checks.expect((span.attributes.get("error.type") != nil) == isError, "error.type of span \(index)")
            for (key, value) in attributes { checks.expect(span.attributes.get(key) == value, "\(key) of span \(index) is \(value)") }
        }
        let port = SpanAttribute.int64(Int64(server.port))
        func status(_ code: Int) -> [String: SpanAttribute] {
            [
                "http.response.status_code": .int64(Int64(code)), "server.port": port, "server.address": "127.0.0.1",
                "network.peer.address": "127.0.0.1", "network.peer.port": port, "network.protocol.name": "http",
                "network.protocol.version": "1.1",
            ]
        }
        func with(_ more: [String: SpanAttribute], _ code: Int) -> [String: SpanAttribute] { status(code).merging(more) { $1 } }
        expect(0, "GET", isError: false, status(200))
        expect(1, "GET", isError: true, with(["error.type": "404"], 404))
        expect(2, "GET", isError: false, status(302))
        expect(3, "GET", isError: false, with(["http.request.resend_count": .int64(1)], 200))
        expect(4, "GET", isError: true, with(["error.type": "503"], 503))
        expect(5, "GET", isError: false, with(["http.request.resend_count": .int64(1)], 200))
        expect(6, "HTTP", isError: false, with(["http.request.method": "_OTHER", "http.request.method_original": "PURGE"], 200))
        expect(7, "GET", isError: true, ["server.port": .int64(1)])
        expect(8, "GET", isError: true, ["error.type": "FirewheelError"])
        // Each request that reached the server names its span.
        for span in spans.prefix(7) {
            let received = try? server.takeRequest(timeout: 5).header("traceparent")
            checks.expect(received == "00-\(span.traceID)-\(span.spanID)-01", "the traceparent of each exchange")
        }
    }

    static func checkLog(_ entries: [InMemoryLogHandler.Entry], _ checks: inout Checks) {
        for entry in entries where entry.level >= .info { print(entry.level, entry.message, entry.metadata) }
        checks.expect(entries.count { $0.message == "request finished" } == 5, "a record for each request that succeeded")
        checks.expect(entries.count { $0.level == .error } == 2, "a record for each request that failed")
        checks.expect(entries.count { $0.level == .notice } == 1, "a record for each retry")
        checks.expect(entries.contains { $0.level == .debug && "\($0.message)".hasPrefix("$ curl -v") }, "the commands of curl")
        checks.expect(!entries.contains { "\($0.message) \($0.metadata)".contains("s3cret") }, "no secret in the log")
    }
}

/// Reports unexpected records.
struct Checks {
    private(set) var failures = 0

    mutating func expect(_ isTrue: Bool, _ what: String) {
        guard !isTrue else { return }
        failures += 1
        print("NOT AS IT HAS TO BE: \(what)")
    }
}
