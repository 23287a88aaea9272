import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Event sources through nginx, which passes on to a server of the test: in HTTP/1.1, with TLS, and in HTTP/2.
@Suite("nginx: event sources", .needs(.tls), .timeLimit(.minutes(5)))
struct NginxEventSourceTests {
    private let upstream: MockServer

    init() throws { upstream = try MockServer() }

    private func url(_ server: TestServer) throws -> String { try server.url("/proxied?port=\(upstream.port)") }

    /// nginx ends the connection or resets the stream when its upstream is lost.
    @Test("A lost upstream is a lost connection: the next one goes on after the last event", arguments: TestServer.everyProtocol)
    func lost(server: TestServer) async throws {
        let session = try server.session()
        for method in [HTTPMethod.get, .post] {
            upstream.enqueue(.lost("id: 1\ndata: a\n\nid: 2"), .events("id: 2\ndata: b\n\n"), .status(502), .events("data: c\n\n"))
            upstream.enqueue(.status(204))
            let source = source(session, try url(server), method, body: method == .post ? Data("ask".utf8) : nil)
            #expect(try await source.all().map(\.data) == ["a", "b", "c"])
            let requests = try await upstream.takeRequests(5)
            #expect(requests.map { $0.header("Last-Event-ID") } == [nil, "1", "2", "2", "2"])
            #expect(requests.allSatisfy { $0.method == method.rawValue && $0.bodyText == (method == .post ? "ask" : "") })
        }
    }

    @Test("Each event arrives when it is sent, and leaving the loop ends the upstream's connection", arguments: TestServer.everyProtocol)
    func live(server: TestServer) async throws {
        let (seen, gone) = (DispatchSemaphore(value: 0), OneShot<Bool>())
        upstream.exchange("/") { exchange in
            defer { gone.fulfill(true) }
            try exchange.sendHead(headers: [("Content-Type", "text/event-stream")])
            for number in 1...5 {
                try exchange.sendChunk(Data("data: \(number)\n\n".utf8))
                seen.wait()
            }
            exchange.waitForDisconnection()
        }
        let session = try server.session()
        var received: [String] = []
        for try await event in source(session, try url(server)) {
            received.append(event.data)
            seen.signal()
            if received.count == 5 { break }
        }
        #expect(received == ["1", "2", "3", "4", "5"])
        _ = await gone.value
    }

    @Test("A password in the URL opens a protected feed", arguments: TestServer.everyProtocol)
    func protected(server: TestServer) async throws {
        upstream.enqueue(.events("id: 1\ndata: x\n\n"), .status(204))
        let url = try server.url("/private/proxied?port=\(upstream.port)")
        let error = await #expect(throws: FirewheelError.self) { try await source(try server.session(), url).all() }
        #expect(error?.kind == .responseValidationFailed(.unacceptableStatusCode(401)))
        let own = url.replacing("//", with: "//ann:pass%20word@", maxReplacements: 1)
        #expect(try await source(try server.session(), own).all().map(\.data) == ["x"])
        #expect(try await upstream.takeRequests(2).map { $0.header("Last-Event-ID") } == [nil, "1"])
    }

    /// A source that does not wait before it reconnects.
    private func source(_ session: Session, _ url: String, _ method: HTTPMethod = .get, body: Data? = nil) -> EventSource {
        let clock = EventClock(now: { .now() }, sleep: { _ in }, random: { 0 })
        return session.eventSource(url, method, body: body, clock: clock)
    }
}
