import FirewheelTesting
import Foundation
import Testing

/// The server, driven over raw sockets: what a client would hide is looked at here byte for byte.
@Suite("MockServer", .timeLimit(.minutes(5)))
struct MockServerTests {
    let server: MockServer

    init() throws { server = try MockServer() }

    private func connect() throws -> RawConnection { try RawConnection(port: server.port) }

    private func get(_ path: String = "/", _ fields: String = "") -> String { "GET \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n" }

    private func post(_ fields: String, _ body: String) -> String { "POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\(body)" }

    // MARK: - Requests

    @Test("MockServer records a request as it was sent")
    func recording() async throws {
        server.enqueue(.text("hi"))
        let fields = "X-Two: 1\r\nx-two:  two words \r\nEmpty:\r\n"
        #expect(try connect().exchange(get("/a/b?c=d?e", fields)).body == "hi")
        let request = try await server.takeRequest()
        #expect((request.method, request.target, request.httpVersion) == ("GET", "/a/b?c=d?e", "HTTP/1.1"))
        #expect((request.path, request.query) == ("/a/b", "c=d?e"))
        #expect(request.headerLines == ["Host: a", "X-Two: 1", "x-two:  two words ", "Empty:"])
        #expect(request.headers.map(\.name) == ["Host", "X-Two", "x-two", "Empty"])
        #expect(request.header("X-TWO") == "1")
        #expect(request.headerValues("x-Two") == ["1", "two words"])
        #expect(request.header("empty") == "")
        #expect(request.header("absent") == nil)
        #expect(request.head == Data("GET /a/b?c=d?e HTTP/1.1\r\nHost: a\r\n\(fields)".utf8))
        #expect(request.body.isEmpty && request.chunkSizes.isEmpty)
        #expect((request.connectionNumber, request.sequenceNumber) == (0, 0))
    }

    @Test("MockServer reads request bodies with a length and in chunks")
    func bodies() async throws {
        server.route("/") { .text($0.bodyText) }
        let connection = try connect()
        #expect(connection.exchange(post("Content-Length: 5\r\n", "hello")).body == "hello")
        #expect(connection.exchange(post("Content-Length: 0\r\n", "")).body == "")
        let chunks = "5;name=value\r\nhello\r\n1\r\n \r\nA\r\n0123456789\r\n0\r\nX-Sum: 1\r\n\r\n"
        #expect(connection.exchange(post("transfer-encoding: Chunked\r\n", chunks)).body == "hello 0123456789")
        let requests = try await server.takeRequests(3)
        #expect(requests.map(\.chunkSizes) == [[], [], [5, 1, 10]])
        #expect(requests[2].trailerLines == ["X-Sum: 1"])
        #expect(requests.map(\.sequenceNumber) == [0, 1, 2])
    }

    @Test("MockServer reads a request body of many packets completely")
    func largeBody() async throws {
        server.enqueue(.status(201))
        let body = String(repeating: "0123456789abcdef", count: 200_000)
        #expect(try connect().exchange(post("Content-Length: \(body.utf8.count)\r\n", body)).head.hasPrefix("HTTP/1.1 201 Created\r\n"))
        #expect(try await server.takeRequest().body == Data(body.utf8))
    }

    @Test("MockServer answers pipelined requests in order")
    func pipelining() throws {
        server.route("*") { .text($0.path) }
        let connection = try connect()
        connection.send(get("/1") + post("Content-Length: 3\r\n", "abc") + get("/3"))
        #expect((0..<3).map { _ in connection.readResponse().body } == ["/1", "/", "/3"])
        #expect(server.connectionCount == 1)
    }

    @Test("MockServer records a header value that is not UTF-8")
    func latin1() async throws {
        server.enqueue(.status(200))
        let connection = try connect()
        connection.send(Data("GET / HTTP/1.1\r\nHost: a\r\nX-Name: caf".utf8) + Data([0xE9]) + Data("\r\n\r\n".utf8))
        _ = connection.readResponse()
        let request = try await server.takeRequest()
        #expect(request.header("X-Name") == "café")
        #expect(request.head.suffix(3) == Data([0xE9, 13, 10]))
    }

    @Test(
        "MockServer refuses a malformed request and closes its connection",
        arguments: [
            ("GET /||", 400), ("GET  / HTTP/1.1|Host: a||", 400), ("G@T / HTTP/1.1|Host: a||", 400),
            ("GET / HTTP/2.0||", 505), ("GET / HTTP/1.1||", 400), ("GET / HTTP/1.1|Host: a|Host: b||", 400),
            ("GET / HTTP/1.1\nHost: a\n\n", 400), ("GET / HTTP/1.1|Host: a|no colon||", 400),
            ("GET / HTTP/1.1|Host : a||", 400), ("GET / HTTP/1.1|Host: a|A: b| c||", 400),
            ("GET / HTTP/1.1|Host: a|A: b\u{1}c||", 400),
            ("POST / HTTP/1.1|Host: a|Content-Length: -1||", 400),
            ("POST / HTTP/1.1|Host: a|Content-Length: 99999999999999999999||", 400),
            ("POST / HTTP/1.1|Host: a|Content-Length: 1|Content-Length: 2||", 400),
            ("POST / HTTP/1.1|Host: a|Content-Length: 1|Transfer-Encoding: chunked||", 400),
            ("POST / HTTP/1.1|Host: a|Transfer-Encoding: gzip||", 501),
            ("POST / HTTP/1.1|Host: a|Transfer-Encoding: chunked||+5|hello|0||", 400),
            ("POST / HTTP/1.1|Host: a|Transfer-Encoding: chunked||FFFFFFFFFFFFFFFFF|", 400),
            ("POST / HTTP/1.1|Host: a|Transfer-Encoding: chunked||2|hello|0||", 400),
        ] as [(String, Int)])
    func malformed(request: String, status: Int) throws {
        try expectRefusal(of: request.lines, status: status)
    }

    @Test("MockServer refuses a request head of more than 1 MiB", arguments: ["GET / HTTP/1.1|Host: a|X: ", ""])
    func endlessHead(start: String) throws {
        try expectRefusal(of: start.lines + String(repeating: "a", count: 1 << 21), status: 431)
    }

    private func expectRefusal(of request: String, status: Int) throws {
        let connection = try connect()
        let response = connection.exchange(request)
        #expect(response.head.hasPrefix("HTTP/1.1 \(status) "))
        #expect(response.head.contains("Connection: close\r\n"))
        #expect(response.body.hasPrefix("MockServer: malformed request: "))
        #expect(connection.readToEnd().end == .closed)
        #expect(server.requestCount == 0)
    }

    // MARK: - Scripts

    @Test("MockServer's routes go before queued responses, later before earlier, and each request is answered")
    func script() throws {
        server.route("/a") { _ in .text("old") }
        server.route("/a") { _ in .text("new") }
        server.route("/a", method: "PUT") { _ in .text("put") }
        server.route("/p/*") { .text("prefix \($0.path)") }
        server.enqueue(.text("first"), .text("second"))
        let connection = try connect()
        let paths = ["/a?x", "/p/q", "/p", "/a", "/b", "/c"]
        #expect(paths.map { connection.exchange(get($0)).body }.prefix(5) == ["new", "prefix /p/q", "first", "new", "second"])
        let missing = connection.exchange(get("/c?d"))
        #expect(missing.head.hasPrefix("HTTP/1.1 404 Not Found\r\n"))
        #expect(missing.body == "MockServer: no route and no queued response for GET /c?d\n")
        #expect(connection.exchange("PUT /a HTTP/1.1\r\nHost: a\r\n\r\n").body == "put")
        #expect(server.requestCount == 8)
    }

    @Test("Waiting for a MockServer request that never comes ends with an error")
    func noRequest() throws {
        #expect(throws: MockServerError.noRequest) { try server.takeRequest(timeout: 0.01) }
        #expect(!server.waitForOpenConnections(1, timeout: 0))
        #expect(!server.waitForRequests(1, timeout: 0.01))
        server.shutdown()
        #expect(throws: MockServerError.noRequest) { try server.takeRequest(timeout: 60) }
    }

    @Test("MockServer listens on IPv6")
    func ipv6() throws {
        // A machine may have no IPv6; then there is nothing to test.
        guard let server = try? MockServer(.ipv6) else { return }
        server.enqueue(.text("six"))
        #expect(try RawConnection(port: server.port, ipv6: true).exchange(get()).body == "six")
        #expect(server.url("/x") == "http://[::1]:\(server.port)/x")
        #expect(self.server.url() == "http://127.0.0.1:\(self.server.port)/")
    }

    @Test("MockServer answers Expect: 100-continue with 100 before it reads the body")
    func expectation() throws {
        server.route("*") { .text($0.bodyText) }
        let fields = "Content-Length: 5\r\nExpect: 100-continue\r\n"
        let connection = try connect()
        connection.send(post(fields, ""))
        #expect(connection.read(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        connection.send("hello")
        #expect(connection.readResponse().body == "hello")
        #expect(connection.exchange(post("Expect: 100-continue\r\n", "")).head.hasPrefix("HTTP/1.1 200 OK\r\n"))

        server.sendsContinue = false
        #expect(connection.exchange(post(fields, "hello")).body == "hello")
        server.route("/", beforeBody: true) { _ in .status(417) }
        let refusal = connection.exchange(post(fields, ""))
        #expect(refusal.head.hasPrefix("HTTP/1.1 417 Expectation Failed\r\n"))
        #expect(connection.readToEnd().end == .closed)
    }

    @Test("MockServer may respond before the body, even if the client goes on sending")
    func beforeBody() async throws {
        server.enqueue(.text("no", status: 413).beforeBody())
        let connection = try connect()
        connection.send(post("Content-Length: 1000000\r\n", String(repeating: "a", count: 100_000)))
        let response = connection.readResponse()
        #expect(response.head.contains("Connection: close\r\n"))
        #expect(response.body == "no")
        #expect(connection.readToEnd().end == .closed)
        #expect(try await server.takeRequest().body.isEmpty)
    }

    // MARK: - Responses

    @Test("MockServer sends a response's head as the test specifies")
    func responseHead() throws {
        let odd = Data("X-Odd: ".utf8) + Data([0xFF])
        server.enqueue(
            MockResponse(status: 200, headers: [("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")], body: Data("{}".utf8)).rawHeaderLine(odd),
            .json("{}", status: 201, headers: [("Content-Type", "x/y")]).statusLine(reason: "Fine"),
            .redirect(to: "/next"),
            .text("x", headers: [("content-length", "1"), ("connection", "close")]))
        let connection = try connect()
        connection.send(get() + get() + get() + get())
        let expected = [
            "HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 2\r\nX-Odd: \u{FFFD}\r\n\r\n{}",
            "HTTP/1.1 201 Fine\r\nContent-Type: x/y\r\nContent-Length: 2\r\n\r\n{}",
            "HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: 1\r\nconnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nx",
        ]
        #expect(connection.readToEnd() == (expected.joined(), .closed))
    }

    @Test("MockServer sends no body for HEAD, 204 and 304")
    func noBody() throws {
        server.route("*") { MockResponse(status: Int($0.path.dropFirst()) ?? 0, body: Data("body".utf8)) }
        let connection = try connect()
        connection.send("HEAD /200 HTTP/1.1\r\nHost: a\r\n\r\n" + get("/204") + get("/304"))
        connection.send("CONNECT 200 HTTP/1.1\r\nHost: a\r\n\r\n" + get("/200", "Connection: close\r\n"))
        let expected = [
            "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n", "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 304 Not Modified\r\n\r\n",
            "HTTP/1.1 0 Status\r\nContent-Length: 4\r\n\r\nbody", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody",
        ]
        #expect(connection.readToEnd() == (expected.joined(), .closed))
    }

    @Test(
        "MockServer sends a response body in each framing",
        arguments: [
            (.chunked([3]), "Transfer-Encoding: chunked||3|abc|3|def|1|g|0|X-T: 1||", .open),
            (.chunked([1, -4, 2]), "Transfer-Encoding: chunked||1|a|2|bc|2|de|2|fg|0|X-T: 1||", .open),
            (.chunked, "Transfer-Encoding: chunked||7|abcdefg|0|X-T: 1||", .open),
            (.chunked(size: 7), "Transfer-Encoding: chunked||7|abcdefg|0|X-T: 1||", .open),
            (.contentLength, "Content-Length: 7||abcdefg", .open),
            (.untilClose, "|abcdefg", .closed), (.none, "|", .closed),
        ] as [(MockResponse.Framing, String, RawConnection.End)])
    func framing(framing: MockResponse.Framing, expected: String, end: RawConnection.End) throws {
        server.enqueue(MockResponse(body: Data("abcdefg".utf8)).framed(framing).trailer("X-T", "1"))
        let connection = try connect()
        connection.send(get())
        let text = "HTTP/1.1 200 OK\r\n" + expected.lines
        #expect(connection.read(count: text.utf8.count) == text)
        if end == .open {
            #expect(connection.exchange(get()).head.hasPrefix("HTTP/1.1 404"))
        } else {
            #expect(connection.readToEnd() == ("", end))
        }
    }

    @Test("MockServer supports HTTP/1.0 requests and responses")
    func http10() throws {
        server.route("/new") { _ in .text("") }
        server.route("/old") { _ in MockResponse().statusLine(reason: nil, httpVersion: "HTTP/1.0") }
        let kept = try connect()
        let response = kept.exchange("GET /new HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")
        #expect(response.head.contains("Connection: keep-alive\r\n"))
        kept.send("GET /new HTTP/1.0\r\n\r\n")
        let (text, end) = kept.readToEnd()
        #expect(text.contains("Connection: close\r\n") && end == .closed)
        let closed = try connect()
        closed.send(get("/old"))
        #expect(closed.readToEnd() == ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", .closed))
    }

    @Test("MockServer sends interim responses at once, before the delay of the final head")
    func informational() throws {
        let answer = MockResponse.status(200).informational(103, headers: [("Link", "</a>")]).informational(102)
        server.enqueue(answer.delayed(head: 60))
        let connection = try connect()
        connection.send(get())
        #expect(connection.read(through: "\r\n\r\n") == "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
        #expect(connection.read(through: "\r\n\r\n") == "HTTP/1.1 102 Processing\r\n\r\n")
    }

    @Test("MockServer's delays and throttling take their time")
    func delays() throws {
        server.route("/head") { _ in .text("x").delayed(head: 0.1) }
        server.route("/body") { _ in .text("x").delayed(body: 0.1) }
        server.route("/slow") { _ in .text("12345").throttled(bytes: 2, every: 0.05) }
        let connection = try connect()
        for path in ["/head", "/body", "/slow"] {
            let start = ContinuousClock.now
            let body = connection.exchange(get(path)).body
            #expect(ContinuousClock.now - start >= .milliseconds(100))
            #expect(body == (path == "/slow" ? "12345" : "x"))
        }
        server.enqueue(.text("late").delayed(body: 60))
        connection.send(get())
        #expect(connection.read(through: "\r\n\r\n").hasPrefix("HTTP/1.1 200 OK\r\n"))
    }

    @Test("MockServer keeps a request pipelined during a delay")
    func pipelinedIntoDelay() async throws {
        server.enqueue(.text("one").delayed(head: 0.05), .text("two"))
        let connection = try connect()
        connection.send(get())
        #expect(await server.waitForRequests(1))
        connection.send(get())
        #expect([connection.readResponse().body, connection.readResponse().body] == ["one", "two"])
    }

    @Test(
        "MockServer sends large bodies completely", arguments: [.contentLength, .chunked([70_000]), .untilClose] as [MockResponse.Framing])
    func largeResponse(framing: MockResponse.Framing) throws {
        server.enqueue(.data(Data(repeating: 97, count: 3_000_000)).framed(framing).closing())
        let connection = try connect()
        connection.send(get())
        let (text, end) = connection.readToEnd()
        #expect(text.utf8.count { $0 == 97 } >= 3_000_000)
        #expect(end == .closed)
    }
}

extension String {
    /// Each "|" made a line end: test cases with real ones are hard to read in a report.
    var lines: String { replacingOccurrences(of: "|", with: "\r\n") }
}
