import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// The options of redirect handlers.
@Suite("Redirect handlers", .timeLimit(.minutes(5)))
struct RedirectHandlerTests {
    private struct Refused: Error {}

    private func server(_ responses: MockResponse...) throws -> MockServer {
        let server = try MockServer()
        for response in responses { server.enqueue(response) }
        return server
    }

    private static let redirect = MockResponse.text("moved", status: 302, headers: [("Location", "/next")])

    @Test("When a redirect is not followed, its body reaches the data request or the download's file")
    func notFollowed() async throws {
        let server = try server(Self.redirect, Self.redirect)
        defer { server.shutdown() }
        let response = await Session().request(server.url("/")).redirect(using: .doNotFollow).serializingString().response
        #expect(response.value == "moved" && response.statusCode == 302 && response.headers["Location"] == "/next")
        #expect(response.metrics?.transactionMetrics.count == 1)
        let file = try await Session(redirectHandler: .doNotFollow).download(server.url("/")).serializingDownloadedFileURL().value
        #expect(try String(contentsOf: file, encoding: .utf8) == "moved")
        try FileManager.default.removeItem(at: file)
        #expect(server.requestCount == 2)
    }

    @Test("The request's redirect handler takes precedence over the session's")
    func order() async throws {
        let server = try server(Self.redirect, .text("there"))
        defer { server.shutdown() }
        let session = Session(redirectHandler: .doNotFollow)
        #expect(try await session.request(server.url("/")).redirect(using: .follow).serializingString().value == "there")
    }

    @Test("A redirect handler sees the redirect, and may change the request, wait, or not follow it")
    func modify() async throws {
        let server = try server(Self.redirect, .text("there"), Self.redirect)
        defer { server.shutdown() }
        let seen = Journal<[String]>()
        let request = Session().post(server.url("/first"), parameters: ["a": 1]).redirect(
            using: .modify { context, request, response in
                seen.add([context.request?.url?.path ?? "", request.httpMethod ?? "", request.url?.path ?? "", "\(response.statusCode)"])
                await Task.yield()
                var changed = request
                changed.headers.update(name: "X-Changed", value: "yes")
                return changed
            })
        #expect(try await request.serializingString().value == "there")
        #expect(seen.entries == [["/first", "GET", "/next", "302"]])
        _ = try await server.takeRequest()
        #expect(try await server.takeRequest().header("X-Changed") == "yes")
        let stopped = await Session().request(server.url("/")).redirect(using: .modify { _, _, _ in nil }).serializingString().response
        #expect(stopped.value == "moved" && stopped.statusCode == 302)
    }

    @Test("A redirect handler that throws fails the request, and the target is never asked")
    func throwing() async throws {
        let server = try server(Self.redirect)
        defer { server.shutdown() }
        let response = await Session().request(server.url("/")).redirect(using: .modify { _, _, _ in throw Refused() }).serializingString()
            .response
        let error = try #require(response.error as? FirewheelError)
        #expect(error.kind == .redirectHandlingFailed && error.underlyingError is Refused)
        #expect(server.requestCount == 1)
    }

    @Test(
        "A redirect handler that returns an invalid request fails it, and nothing is sent",
        arguments: [("ftp://a.test/", FirewheelError.Kind.invalidURL), ("/relative", .invalidURL)])
    func unsendable(url: String, expected: FirewheelError.Kind) async throws {
        let server = try server(Self.redirect)
        defer { server.shutdown() }
        let request = Session().request(server.url("/")).redirect(
            using: .modify { _, request, _ in
                var request = request
                request.url = URL(string: url)
                return request
            })
        #expect(kind(await request.serializingString().response.error) == expected)
        #expect(server.requestCount == 1)
    }

    @Test("A redirect handler that leads to another origin sends only the credentials that it sets itself")
    func credentials() async throws {
        let server = try server(Self.redirect)
        defer { server.shutdown() }
        let other = try MockServer()
        defer { other.shutdown() }
        other.enqueue(.text("there"))
        var configuration = SessionConfiguration.default
        configuration.headers.update(.authorization(bearerToken: "session"))
        let url = other.url("/")
        let request = Session(configuration: configuration).request(server.url("/"), headers: ["Cookie": "own=1", "X-Plain": "p"]).redirect(
            using: .modify { _, request, _ in
                var request = request
                request.url = URL(string: url)
                request.headers.update(name: "X-Api-Key", value: "for the other")
                return request
            })
        #expect(try await request.serializingString().value == "there")
        let sent = try await other.takeRequest()
        #expect(sent.header("Authorization") == nil && sent.header("Cookie") == nil)
        #expect(sent.header("X-Api-Key") == "for the other" && sent.header("X-Plain") == "p")
    }

    @Test("A handler that leads to another origin sends no Host, and from https to http no Referer, but its own")
    func fieldsOfTheFirstOrigin() async throws {
        func sent(to url: String, setting own: HTTPHeaders = [:]) async throws -> HTTPHeaders {
            let stub = StubTransport { request in
                let isFirst = request.id.hop == 0
                return [
                    .response(ResponseHead(statusCode: isFirst ? 302 : 200, headers: isFirst ? ["Location": "/next"] : [:])), .finish(),
                ]
            }
            let headers: HTTPHeaders = ["Host": "front.test", "Referer": "https://a.test/secret", "X-Plain": "p"]
            _ = await Session(transport: stub).request("https://a.test/", headers: headers).redirect(
                using: .modify { _, request, _ in
                    var request = request
                    request.url = URL(string: url)
                    for header in own { request.headers.update(header) }
                    return request
                }
            ).serializingData().response
            #expect(stub.requests.count == 2)
            return try #require(stub.requests.last).headers
        }
        let same = try await sent(to: "https://a.test/other")
        #expect(same["Host"] == "front.test" && same["Referer"] == "https://a.test/secret")
        let other = try await sent(to: "https://b.test/")
        #expect(other["Host"] == nil && other["Referer"] == "https://a.test/secret" && other["X-Plain"] == "p")
        let plain = try await sent(to: "http://b.test/")
        #expect(plain["Host"] == nil && plain["Referer"] == nil && plain["X-Plain"] == "p")
        let own = try await sent(to: "http://b.test/", setting: ["Host": "b.front.test", "Referer": "http://b.test/x"])
        #expect(own["Host"] == "b.front.test" && own["Referer"] == "http://b.test/x")
    }

    @Test("The limit of 20 redirects holds whatever a redirect handler does")
    func limit() async throws {
        let server = try MockServer(recordsRequests: false)
        defer { server.shutdown() }
        server.route("*") { _ in Self.redirect }
        let url = server.url("/")
        let request = Session().request(url).redirect(using: .modify { _, _, _ in try URLRequest(url: url, method: .get) })
        #expect(kind(await request.serializingString().response.error) == .transportFailed(.httpTooManyRedirects))
        #expect(server.requestCount == 21)
    }

    @Test("A redirect handler that never returns does not delay a cancel or the resource timeout")
    func neverReturning() async throws {
        let server = try server(Self.redirect, Self.redirect)
        defer { server.shutdown() }
        // On a busy machine the handler may not be called before the timeout.
        let asked = [Journal<Int>(), Journal<Int>()]
        let forever = asked.map { asked in
            Redirector.modify { _, request, _ in
                asked.add(1)
                try? await Task.sleep(nanoseconds: 1_000_000_000_000)
                return request
            }
        }
        let timedOut = await Session().request(server.url("/")).redirect(using: forever[0]).timeout(total: 0.1).serializingString().response
        #expect(kind(timedOut.error) == .transportFailed(.timedOut))
        let request = Session().request(server.url("/")).redirect(using: forever[1])
        let task = request.serializingString()
        _ = try await asked[1].wait(for: 1)
        request.cancel()
        #expect(kind(await task.response.error) == .explicitlyCancelled)
        #expect(await server.waitForOpenConnections(0))
    }

    // MARK: Body of a redirect

    @Test(
        "A redirect is followed whatever is wrong with its body",
        arguments: ["undecodable", "cut", "badly chunked", "endless", "slow"], [false, true])
    func badBody(what: String, isDownload: Bool) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let redirect: MockResponse =
            switch what {
            case "undecodable": .text("no gzip", status: 302, headers: [("Location", "/next"), ("Content-Encoding", "gzip")])
            case "cut": MockResponse.text("cut", status: 302, headers: [("Location", "/next")]).failing(.closeInBody(after: 1))
            case "badly chunked": Self.redirect.framed(.chunked(size: 2)).failing(.badChunk)
            case "endless": Self.redirect.failing(.endlessBody)
            default:
                MockResponse.text(String(repeating: "x", count: 1000), status: 302, headers: [("Location", "/next")]).throttled(
                    bytes: 1, every: 0.2)
            }
        server.enqueue(redirect)
        server.enqueue(.text("there"))
        let session = Session()
        if isDownload {
            let file = try await session.download(server.url("/")).validate().serializingDownloadedFileURL().value
            #expect(try String(contentsOf: file, encoding: .utf8) == "there")
            try FileManager.default.removeItem(at: file)
        } else {
            #expect(try await session.request(server.url("/")).validate().serializingString().value == "there")
        }
    }

    @Test("After a small redirect its connection is reused for the next hop")
    func connection() async throws {
        let server = try server(Self.redirect, .text("there"))
        defer { server.shutdown() }
        #expect(try await Session().request(server.url("/")).serializingString().value == "there")
        let connections = try await server.takeRequests(2).map { $0.connectionNumber }
        #expect(connections[0] == connections[1])
    }
}
