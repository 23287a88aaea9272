import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// The chain over URLSession, with the same code as over any other transport.
@Suite("A session on URLSession", .timeLimit(.minutes(5)))
struct URLSessionTransportTests {
    private struct Account: Codable, Sendable, Equatable {
        var name: String
    }

    private func withSession(_ body: (MockServer, Session) async throws -> Void) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let session = Session(transport: URLSessionTransport())
        try await body(server, session)
        withExtendedLifetime(session) {}
    }

    @Test("Over URLSession a request is validated and its JSON decoded")
    func json() async throws {
        try await withSession { server, session in
            server.enqueue(.json(#"{"name":"Ada"}"#))
            let account = try await session.request(server.url("/account")).validate().serializingDecodable(Account.self).value
            #expect(account == Account(name: "Ada"))
            let request = try await server.takeRequest()
            #expect(request.path == "/account")
            #expect(request.header("User-Agent") == HTTPHeader.defaultUserAgent.value)
        }
    }

    @Test("Over URLSession responseJSON gives the value, the response and the timeline")
    func responseJSON() async throws {
        try await withSession { server, session in
            server.enqueue(.json(#"{"a":[1,2]}"#, status: 201, headers: [("X-A", "1")]))
            let seen: (status: Int?, header: String?, count: Int?, duration: TimeInterval) = await withCheckedContinuation { continuation in
                session.request(server.url()).responseJSON(queue: .global()) { response in
                    let list = (response.value as? [String: Any])?["a"] as? [Any]
                    continuation.resume(
                        returning: (
                            response.response?.statusCode, response.response?.value(forHTTPHeaderField: "X-A"), list?.count,
                            response.timeline.requestDuration
                        ))
                }
            }
            #expect(seen.status == 201)
            #expect(seen.header == "1")
            #expect(seen.count == 2)
            #expect(seen.duration > 0)
        }
    }

    @Test("Over URLSession an unacceptable status is an error with the server's body, also 401", arguments: [401, 404, 503])
    func validation(status: Int) async throws {
        try await withSession { server, session in
            server.enqueue(MockResponse.text("why", status: status).header("WWW-Authenticate", "Basic realm=\"r\""))
            let error = await #expect(throws: FirewheelError.self) {
                try await session.request(server.url()).validate().serializingString().value
            }
            #expect(error?.responseCode == status)
            #expect(error?.responseData == Data("why".utf8))
        }
    }

    @Test("Over URLSession a POST sends its parameters as JSON")
    func post() async throws {
        try await withSession { server, session in
            server.enqueue(.text("ok"))
            let response = await session.request(
                server.url(), method: .post, parameters: Account(name: "Ada"), encoder: JSONParameterEncoder()
            ).raw()
            #expect(response.text == "ok")
            let request = try await server.takeRequest()
            #expect(request.method == "POST")
            #expect(request.bodyText == #"{"name":"Ada"}"#)
            #expect(request.headerValues("Content-Type") == ["application/json"])
        }
    }

    @Test("Over URLSession each redirect is a hop with its own metrics, and credentials stay with their host")
    func redirect() async throws {
        let other = try MockServer()
        defer { other.shutdown() }
        try await withSession { server, session in
            server.enqueue(.redirect(to: "/second"), .redirect(to: other.url("/third")))
            other.enqueue(.text("there"))
            let response = await session.request(server.url("/first"), headers: [.authorization(bearerToken: "secret")]).raw()
            #expect(response.text == "there")
            #expect(response.response?.url?.absoluteString == other.url("/third"))
            #expect(response.metrics?.transactionMetrics.count == 3)
            let (first, second, third) = (try await server.takeRequest(), try await server.takeRequest(), try await other.takeRequest())
            #expect(first.header("Authorization") == "Bearer secret")
            #expect((second.path, second.header("Authorization")) == ("/second", "Bearer secret"))
            #expect((third.path, third.header("Authorization")) == ("/third", nil))
        }
    }

    @Test("Over URLSession a download arrives in its file byte for byte", arguments: [0, 1, 5_000_000])
    func download(size: Int) async throws {
        try await withSession { server, session in
            server.enqueue(.data(pattern(size)))
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("urlsession-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: file) }
            let url = try await session.download(server.url(), to: { _, _ in (file, []) }).serializingDownloadedFileURL().value
            #expect(url == file)
            let isSame = try Data(contentsOf: file) == pattern(size)
            #expect(isSame)
        }
    }

    @Test("Over URLSession cancelled and dropped requests end and close their connections")
    func ends() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in .failure(.noAnswer) }
        var session: Session? = Session(transport: URLSessionTransport())
        let cancelled = try #require(session).request(server.url())
        cancelled.resume()
        #expect(await server.waitForRequests(1))
        cancelled.cancel()
        #expect(await cancelled.raw().kind == .explicitlyCancelled)
        #expect(await server.waitForOpenConnections(0))
        let dropped = try #require(session).request(server.url())
        dropped.resume()
        #expect(await server.waitForRequests(2))
        session?.invalidate()
        session = nil
        #expect(await dropped.raw().kind == .sessionInvalidated)
        #expect(await server.waitForOpenConnections(0))
    }

    @Test("Over URLSession failures have the same kinds as on any transport")
    func failures() async throws {
        // Its port is held, so that no other server gets it.
        let socket = try BoundSocket(listening: false)
        let session = Session(transport: URLSessionTransport())
        #expect(await session.request("http://127.0.0.1:\(socket.port)/").raw().kind == .transportFailed(.cannotConnectToHost))
        withExtendedLifetime(socket) {}
    }

    @Test("A released URLSession transport leaves nothing behind")
    func freed() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.text("x"), .failure(.noAnswer))
        weak var driver: URLSessionDriver?
        do {
            let session = Session(transport: used(URLSessionTransport()) { driver = $0.driver })
            #expect(await session.request(server.url()).raw().text == "x")
            let waiting = session.request(server.url()).resume()
            #expect(await server.waitForRequests(2))
            waiting.cancel()
        }
        #expect(await eventually { driver == nil })
        #expect(await server.waitForOpenConnections(0))
    }

    private func used(_ transport: URLSessionTransport, _ look: (URLSessionTransport) -> Void) -> URLSessionTransport {
        look(transport)
        return transport
    }
}
