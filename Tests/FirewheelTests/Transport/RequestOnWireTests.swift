import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// The bytes that reach the server: request line and body.
@Suite("Request lines and bodies", .eachTransport, .timeLimit(.minutes(5)))
struct RequestOnWireTests {
    @Test(
        "Every method is sent as it is (RFC 9110 section 9.1)",
        arguments: [
            "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY", "PURGE", "get", "M-SEARCH", "x!#$%&'*+.^_`|~",
        ])
    func methods(name: String) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in .text("body") }
        let response = await once { $0.request(server.url("/x"), method: HTTPMethod(rawValue: name)) }.response
        #expect(response.kind == nil)
        #expect(response.text == (name == "HEAD" ? "" : "body"))
        let request = try await server.takeRequest()
        #expect((request.method, request.target, request.httpVersion) == (name, "/x", "HTTP/1.1"))
        #expect(request.body.isEmpty)
        #expect(server.requestCount == 1)
    }

    @Test("The session's functions named after methods send their method")
    func namedForms() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in .text("body") }
        let session = Session.onTest()
        let url = server.url()
        let requests = [session.get(url), session.head(url), session.post(url), session.put(url), session.patch(url), session.delete(url)]
        for (request, name) in zip(requests, ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]) {
            #expect(await request.raw().kind == nil)
            #expect(try await server.takeRequest().method == name)
        }
    }

    @Test(
        "The target is sent as it was written: not resolved, not decoded, and without the fragment",
        arguments: [
            ("", "/"), ("/", "/"), ("?q=1", "/?q=1"), ("/?", "/?"), ("/a/../b/./c//d", "/a/../b/./c//d"),
            ("/a%2Fb%7E?c=%20+&d#e?f", "/a%2Fb%7E?c=%20+&d"),
            ("/x;y=1,2:@!$'()*", "/x;y=1,2:@!$'()*"), ("#f", "/"), ("/[]?[]", "/%5B%5D?%5B%5D"),
        ])
    func targets(suffix: String, expected: String) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in .text("body") }
        let session = Session.onTest()
        #expect(await session.request(server.baseURL + suffix).raw().text == "body")
        #expect(try await server.takeRequest().target == expected)
    }

    @Test("A URL's scheme is case-insensitive (RFC 3986 section 3.1)")
    func upperCaseScheme() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in .text("body") }
        let response = await once { $0.request("HTTP://127.0.0.1:\(server.port)/Path") }.response
        #expect(response.text == "body")
        let request = try await server.takeRequest()
        #expect(request.target == "/Path")
        #expect(request.header("Host") == "127.0.0.1:\(server.port)")
    }

    @Test("A URL of 20 kB and a field of 100 kB are sent completely")
    func long() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in .text("body") }
        let path = "/" + String(repeating: "0123456789", count: 2_000)
        let value = String(repeating: "abcdefghij", count: 10_000)
        let session = Session.onTest()
        #expect(await session.request(server.url(path), headers: ["X-Long": value]).raw().text == "body")
        let request = try await server.takeRequest()
        #expect(request.target == path)
        #expect(request.header("x-long") == value)
    }

    @Test(
        "Other spellings of the server's address reach it, with the canonical one in Host",
        arguments: [("127.1", "127.0.0.1"), ("0x7F.0.0.1", "127.0.0.1"), ("017700000001", "127.0.0.1"), ("LOCALHOST", "localhost")])
    func hosts(written: String, sent: String) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in .text("body") }
        let session = Session.onTest()
        #expect(await session.request("HTTP://\(written):0\(server.port)/").raw().text == "body")
        #expect(try await server.takeRequest().header("Host") == "\(sent):\(server.port)")
    }

    @Test("An IPv6 server is reached by its literal address in any spelling")
    func ipv6() async throws {
        // Without IPv6 there is nothing to test.
        guard let server = try? MockServer(.ipv6) else { return }
        defer { server.shutdown() }
        server.route("*") { _ in .text("six") }
        let session = Session.onTest()
        for host in ["[::1]", "[0:0::1]", "[0:0:0:0:0:0:0:1]"] {
            let response = await session.request("http://\(host):\(server.port)/").raw()
            #expect(response.text == "six")
            #expect(response.metrics?.transactionMetrics.first?.remoteAddress == "::1")
            #expect(try await server.takeRequest().header("Host") == "[::1]:\(server.port)")
        }
        #expect(server.connectionCount == 1)
    }

    @Test(
        "Text that is not a URL with a host fails at once",
        arguments: ["http:/127.0.0.1/", "http:///127.0.0.1", "http://127.0.0.1:99999/", "http://1.2.3.4.5/", "/x", "", "ftp://127.0.0.1/"])
    func invalid(url: String) async {
        let response = await once { $0.request(url) }.response
        #expect(response.kind == .invalidURL)
        #expect(response.metrics == nil)
    }

    // MARK: Bodies

    @Test(
        "A request body arrives byte for byte with its Content-Length", arguments: [0, 1, 100_000, 5_000_000],
        [HTTPMethod.post, .put, .patch])
    func bodies(size: Int, method: HTTPMethod) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { .text("\($0.body.count)") }
        let body = pattern(size)
        let session = Session.onTest(configuration: .with { $0.headers = [:] })
        let response = try await session.sending(body, to: server.url(), method: method).raw()
        #expect(response.text == "\(size)")
        let request = try await server.takeRequest()
        #expect(request.body == body)
        #expect(request.header("Content-Length") == "\(size)")
        #expect(request.header("Transfer-Encoding") == nil)
        #expect(request.header("Expect") == (size > 1 << 20 ? "100-continue" : nil))
        #expect(request.header("Content-Type") == nil)
    }

    @Test("Without a body, POST, PUT and PATCH send Content-Length: 0, and others send none (RFC 9110 section 8.6)")
    func noBody() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in .text("body") }
        let session = Session.onTest()
        for method in [HTTPMethod.post, .put, .patch] {
            #expect(await session.request(server.url(), method: method).raw().text == "body")
            #expect(try await server.takeRequest().headerValues("Content-Length") == ["0"])
        }
        for method in [HTTPMethod.get, .head, .delete, .options] {
            #expect(await session.request(server.url(), method: method).raw().kind == nil)
            #expect(try await server.takeRequest().headerValues("Content-Length") == [])
        }
        #expect(server.connectionCount == 1)
    }

    @Test("The Content-Length matches each body, whatever the same connection sent before")
    func emptyBodies() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in .text("body") }
        let session = Session.onTest()
        let requests: [(HTTPMethod, Data?, [String])] = [
            (.post, nil, ["0"]), (.get, Data(), []), (.get, nil, []), (.delete, Data(), ["0"]), (.head, Data(), []), (.head, nil, []),
            (.post, Data("abc".utf8), ["3"]), (.post, Data(), ["0"]), (.delete, nil, []), (.put, Data("a".utf8), ["1"]), (.put, nil, ["0"]),
        ]
        for (method, body, lengths) in requests {
            #expect(try await session.sending(body, to: server.url(), method: method).raw().kind == nil)
            let request = try await server.takeRequest()
            #expect(request.method == method.rawValue)
            #expect(request.headerValues("Content-Length") == lengths, "\(method) \(String(describing: body))")
            #expect(request.headerValues("Transfer-Encoding") == [] && request.headerValues("Expect") == [])
        }
        #expect(server.connectionCount == 1)
    }

    @Test("An empty request body does not close the connection, whatever the response", arguments: [200, 303, 404, 500])
    func emptyBodiesKeepConnections(status: Int) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in .text("x", status: status) }
        let session = Session.onTest()
        for _ in 0..<50 { #expect(await session.post(server.url()).raw().statusCode == status) }
        #expect(server.connectionCount == 1)
    }

    @Test(
        "DELETE and other methods that rarely have a body send the one they are given", arguments: ["DELETE", "OPTIONS", "QUERY", "PURGE"])
    func unusualBodies(name: String) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in .text("ok") }
        let session = Session.onTest()
        let response = try await session.sending(Data("x=1".utf8), to: server.url(), method: HTTPMethod(rawValue: name))
            .raw()
        #expect(response.text == "ok")
        let request = try await server.takeRequest()
        #expect((request.method, request.bodyText) == (name, "x=1"))
    }

    @Test("A HEAD request does not wait for a body, and has none (RFC 9110 section 9.3.2)")
    func head() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in .text("twelve bytes") }
        let session = Session.onTest(configuration: .with { $0.timeoutIntervalForRequest = 20 })
        let response = await session.head(server.url()).raw()
        #expect(response.kind == nil)
        #expect(response.statusCode == 200)
        #expect(response.headers["Content-Length"] == "12")
        #expect(try await server.takeRequest().method == "HEAD")
        #expect(await session.request(server.url()).raw().text == "twelve bytes")
        let refused = try await session.sending(Data("x=1".utf8), to: server.url(), method: .head).raw()
        #expect(refused.kind == .urlRequestValidationFailed(.bodyDataInHEADRequest))
        #expect(server.requestCount == 2)
    }

    @Test("A GET with a body is refused before anything is sent (RFC 9110 section 9.3.1)")
    func getWithBody() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let session = Session.onTest()
        let response = try await session.sending(Data("x".utf8), to: server.url(), method: .get).raw()
        #expect(response.kind == .urlRequestValidationFailed(.bodyDataInGETRequest))
        #expect(server.connectionCount == 0)
    }

    @Test("Nothing of a request is left over in the next one on the same handle")
    func nothingLeftOver() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { .text("\($0.method) \($0.bodyText) \($0.header("X-A") ?? "-")") }
        let session = Session.onTest(configuration: .with { $0.headers = [:] })
        for _ in 0..<3 {
            #expect(
                try await session.sending(Data("b".utf8), to: server.url(), headers: ["X-A": "1"]).raw().text
                    == "POST b 1")
            #expect(await session.request(server.url()).raw().text == "GET  -")
            #expect(await session.head(server.url(), headers: ["X-A": "2"]).raw().text == "")
            #expect(await session.request(server.url()).raw().text == "GET  -")
            #expect(
                await session.request(server.url(), method: HTTPMethod(rawValue: "PURGE"), headers: ["X-A": "3"]).raw().text == "PURGE  3")
            #expect(await session.request(server.url(), headers: ["X-A": "4"]).raw().text == "GET  4")
            #expect(await session.request(server.url(), headers: ["X-A": "4"]).raw().text == "GET  4")
            #expect(await session.request(server.url(), method: .delete).raw().text == "DELETE  -")
        }
        #expect(server.connectionCount == 1)
    }
}
