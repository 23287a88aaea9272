import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// `.log()`: a line for each request.
@Suite("Log lines", .timeLimit(.minutes(5)))
struct LogLineTests {
    private let lines = Journal<String>()

    private func session(_ configuration: SessionConfiguration = .default, transport: (any Transport)? = nil) -> Session {
        let lines = lines
        return Session(configuration: configuration, transport: transport, eventMonitors: [.log { lines.add($0) }])
    }

    /// The line without its duration.
    private func withoutTime(_ line: String) -> String {
        line.replacing(/[0-9]+\.[0-9]{3} ms/, with: "T ms")
    }

    @Test("A log line shows method, URL, status, time, bytes, and whether the connection was reused")
    func success() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.text("hello"), .text("hello!"))
        let session = session()
        _ = try await session.get(server.url("/a?b=c")).serializingString().value
        _ = try await lines.wait(for: 1)
        _ = try await session.post(server.url("/b"), parameters: ["a": "b"]).serializingString().value
        let entries = try await lines.wait(for: 2)
        #expect(
            entries.map(withoutTime) == [
                "GET \(server.url("/a?b=c")) 200, T ms, 5 bytes received, new connection",
                "POST \(server.url("/b")) 200, T ms, 3 bytes sent, 6 bytes received, reused connection",
            ])
    }

    @Test("A failed request's log line ends with the error, whether of the server, the network, validation or a serializer")
    func failures() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        // Its port refuses connections, and no other test gets it.
        let deaf = try BoundSocket(listening: false)
        server.enqueue(.text("x"), .status(404))
        let session = session()
        _ = await session.get(server.url("/number")).serializingDecodable(Int.self).response
        _ = try await lines.wait(for: 1)
        _ = await session.get(server.url("/none")).validate().serializingData().response
        _ = try await lines.wait(for: 2)
        _ = await session.get("http://127.0.0.1:\(deaf.port)/gone").serializingData().response
        withExtendedLifetime(deaf) {}
        let entries = try await lines.wait(for: 3)
        #expect(
            entries[0].contains("/number 200, ") && entries[0].hasSuffix(" connection: expected JSON, the response is text/plain, 1 byte"))
        #expect(entries[1].contains("/none 404, ") && entries[1].hasSuffix(" connection: status 404 is not in 200..<300"))
        #expect(entries[2].contains("/gone no response, ") && entries[2].hasSuffix(": connection refused"))
    }

    @Test("Unsent and cancelled requests have log lines")
    func neverSent() async throws {
        let session = session(transport: StubTransport { _ in [.wait] })
        _ = await session.get("no scheme").serializingData().response
        _ = try await lines.wait(for: 1)
        _ = await session.get("http://a.test/x").adapt { _, _ in throw URLError(.timedOut) }.serializingData().response
        _ = try await lines.wait(for: 2)
        let unstarted = session.get("http://a.test/y")
        unstarted.cancel()
        let started = session.get("http://a.test/z").response(queue: .global()) { _ in }
        try await waitUntil("the request") { started.request != nil }
        started.cancel()
        let entries = try await lines.wait(for: 4)
        #expect(entries[0].contains("not sent: the URL \"no scheme\" is relative"))
        #expect(entries[1].hasPrefix("GET http://a.test/x not sent: the request adapter failed: timed out"))
        #expect(entries.contains("GET http://a.test/y not sent: cancelled"))
        #expect(entries.contains { $0.hasPrefix("GET http://a.test/z no") && $0.hasSuffix(": cancelled") })
    }

    @Test("One log line counts a request's redirects and attempts")
    func redirectsAndAttempts() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.status(503), .redirect(to: "/b"), .text("hello"))
        let session = session()
        _ = try await session.get(server.url("/a")).validate().retry { _, _ in .retry }.serializingString().value
        let line = try await lines.wait(for: 1)[0]
        #expect(withoutTime(line) == "GET \(server.url("/a")) 200, T ms, 5 bytes received, reused connection, 1 redirect, 2 attempts")
    }

    @Test("A download's log line shows the size of its file")
    func download() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.text(String(repeating: "x", count: 12_345)))
        let session = session()
        let file = try await session.download(server.url("/file")).serializingDownloadedFileURL().value
        #expect(try await lines.wait(for: 1)[0].contains("/file 200, "))
        #expect(lines.entries[0].contains(" 12345 bytes received, new connection"))
        try FileManager.default.removeItem(at: file)
    }

    @Test("Without the transport's counts a log line shows the size of the body or of the file")
    func uncounted() async throws {
        let session = session(
            transport: StubTransport { request in
                let head = TransportStep.response(ResponseHead(statusCode: 200))
                return request.delivery == .whole
                    ? [head, .finish(body: Data("12345".utf8))] : [head, .chunk(Data("123".utf8)), .finish()]
            })
        _ = try await session.get("http://a.test/").serializingData().value
        _ = try await lines.wait(for: 1)
        let file = try await session.download("http://a.test/").serializingDownloadedFileURL().value
        let entries = try await lines.wait(for: 2)
        #expect(entries.map(withoutTime) == ["5", "3"].map { "GET http://a.test/ 200, T ms, \($0) bytes received" })
        try FileManager.default.removeItem(at: file)
    }

    private typealias TransportStep = StubTransport.Step

    @Test("Log lines redact credentials, and text of a server or an error adds no line")
    func redaction() async throws {
        struct Hostile: Error, CustomStringConvertible { let description = "a\nGET http://forged.test/ 200\u{1B}[2J\u{202E}" }
        let session = session(transport: StubTransport { _ in [.response(ResponseHead(statusCode: 200)), .finish(body: nil)] })
        _ = await session.get("http://ann:s3cret@a.test/?access_token=s3cret&x=1").validate { _, _, _ in throw Hostile() }
            .serializingData().response
        let line = try await lines.wait(for: 1)[0]
        #expect(line.hasPrefix("GET http://<redacted>@a.test/?access_token=<redacted>&x=1 200, "))
        #expect(line.hasSuffix(#"a\nGET http://forged.test/ 200\u{1B}[2J\u{202E}"#))
    }

    @Test("One request can have its own log, and a log installed twice writes one text at a time")
    func ownAndShared() async throws {
        let (lines, entered) = (Journal<String>(), Journal<Int>())
        let gate = DispatchSemaphore(value: 0)
        let log: any EventMonitor = .log(.line) { line in
            entered.add(1)
            gate.wait()
            lines.add(line)
        }
        let stub = StubTransport { _ in [.response(ResponseHead(statusCode: 204)), .finish(body: nil)] }
        let (first, second) = (Session(transport: stub, eventMonitors: [log]), Session(transport: stub))
        _ = await first.get("http://a.test/1").serializingData().response
        _ = await second.get("http://a.test/2").eventMonitor(log).serializingData().response
        #expect(try await entered.wait(for: 1).count == 1)
        gate.signal()
        _ = try await entered.wait(for: 2)
        #expect(lines.count == 1)
        gate.signal()
        #expect(try await lines.wait(for: 2).count == 2)
    }

    @Test("A log's closure may use the session and its requests")
    func reentry() async throws {
        let (held, lines) = (Journal<Session>(), Journal<String>())
        let session = Session(
            transport: StubTransport { _ in [.response(ResponseHead(statusCode: 204)), .finish(body: nil)] },
            eventMonitors: [
                .log { line in
                    lines.add(line)
                    if lines.count == 1 { held.entries.first?.get("http://a.test/second").response(queue: .global()) { _ in } }
                }
            ])
        held.add(session)
        _ = await session.get("http://a.test/first").serializingData().response
        #expect(try await lines.wait(for: 2)[1].hasPrefix("GET http://a.test/second 204"))
    }
}
