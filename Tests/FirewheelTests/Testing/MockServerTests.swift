import FirewheelTesting
import Foundation
import Testing

/// The server, driven over raw sockets: what a client would hide is looked at here byte for byte.
///
/// This file is longer than others so that everything the server promises stands in one place.
@Suite("MockServer", .timeLimit(.minutes(2)))
struct MockServerTests {
    let server: MockServer

    init() throws { server = try MockServer() }

    private func connect() throws -> RawConnection { try RawConnection(port: server.port) }

    private func get(_ path: String = "/", _ fields: String = "") -> String { "GET \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n" }

    private func post(_ fields: String, _ body: String) -> String { "POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\(body)" }

    // MARK: - Requests

    @Test("A request is recorded as it was sent")
    func recording() throws {
        server.enqueue(.text("hi"))
        let fields = "X-Two: 1\r\nx-two:  two words \r\nEmpty:\r\n"
        #expect(try connect().exchange(get("/a/b?c=d?e", fields)).body == "hi")
        let request = try server.takeRequest()
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

    @Test("Bodies with a length and in chunks")
    func bodies() throws {
        server.route("/") { .text($0.bodyText) }
        let connection = try connect()
        #expect(connection.exchange(post("Content-Length: 5\r\n", "hello")).body == "hello")
        #expect(connection.exchange(post("Content-Length: 0\r\n", "")).body == "")
        let chunks = "5;name=value\r\nhello\r\n1\r\n \r\nA\r\n0123456789\r\n0\r\nX-Sum: 1\r\n\r\n"
        #expect(connection.exchange(post("transfer-encoding: Chunked\r\n", chunks)).body == "hello 0123456789")
        let requests = try (0..<3).map { _ in try server.takeRequest() }
        #expect(requests.map(\.chunkSizes) == [[], [], [5, 1, 10]])
        #expect(requests[2].trailerLines == ["X-Sum: 1"])
        #expect(requests.map(\.sequenceNumber) == [0, 1, 2])
    }

    @Test("A body of many packets arrives whole")
    func largeBody() throws {
        server.enqueue(.status(201))
        let body = String(repeating: "0123456789abcdef", count: 200_000)
        #expect(try connect().exchange(post("Content-Length: \(body.utf8.count)\r\n", body)).head.hasPrefix("HTTP/1.1 201 Created\r\n"))
        #expect(try server.takeRequest().body == Data(body.utf8))
    }

    @Test("Pipelined requests are answered in order")
    func pipelining() throws {
        server.route("*") { .text($0.path) }
        let connection = try connect()
        connection.send(get("/1") + post("Content-Length: 3\r\n", "abc") + get("/3"))
        #expect((0..<3).map { _ in connection.readResponse().body } == ["/1", "/", "/3"])
        #expect(server.connectionCount == 1)
    }

    @Test("A header value that is not UTF-8 is kept")
    func latin1() throws {
        server.enqueue(.status(200))
        let connection = try connect()
        connection.send(Data("GET / HTTP/1.1\r\nHost: a\r\nX-Name: caf".utf8) + Data([0xE9]) + Data("\r\n\r\n".utf8))
        _ = connection.readResponse()
        let request = try server.takeRequest()
        #expect(request.header("X-Name") == "café")
        #expect(request.head.suffix(3) == Data([0xE9, 13, 10]))
    }

    @Test(
        "A malformed request is refused, and the connection closed",
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

    @Test("A head of more than 1 MiB is refused", arguments: ["GET / HTTP/1.1|Host: a|X: ", ""])
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

    @Test("Routes go before the queue, the latest before older ones, and nobody waits without an answer")
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

    @Test("Waiting for a request ends")
    func noRequest() throws {
        #expect(throws: MockServerError.noRequest) { try server.takeRequest(timeout: 0.01) }
        #expect(!server.waitForOpenConnections(1, timeout: 0))
        #expect(!server.waitForRequests(1, timeout: 0.01))
        server.shutdown()
        #expect(throws: MockServerError.noRequest) { try server.takeRequest(timeout: 60) }
    }

    @Test("IPv6")
    func ipv6() throws {
        // A machine may have no IPv6; then there is nothing to test.
        guard let server = try? MockServer(.ipv6) else { return }
        server.enqueue(.text("six"))
        #expect(try RawConnection(port: server.port, ipv6: true).exchange(get()).body == "six")
        #expect(server.url("/x") == "http://[::1]:\(server.port)/x")
        #expect(self.server.url() == "http://127.0.0.1:\(self.server.port)/")
    }

    @Test("Expect: 100-continue")
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

    @Test("A queued response can come before the body, and is not lost when the client goes on sending")
    func beforeBody() throws {
        server.enqueue(.text("no", status: 413).beforeBody())
        let connection = try connect()
        connection.send(post("Content-Length: 1000000\r\n", String(repeating: "a", count: 100_000)))
        let response = connection.readResponse()
        #expect(response.head.contains("Connection: close\r\n"))
        #expect(response.body == "no")
        #expect(connection.readToEnd().end == .closed)
        #expect(try server.takeRequest().body.isEmpty)
    }

    // MARK: - Responses

    @Test("A response's head is as the test says")
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

    @Test("Responses that have no body")
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
        "Framings of the body",
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

    @Test("HTTP/1.0 in both directions")
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

    @Test("Interim responses come at once, before the delay of the head")
    func informational() throws {
        let answer = MockResponse.status(200).informational(103, headers: [("Link", "</a>")]).informational(102)
        server.enqueue(answer.delayed(head: 60))
        let connection = try connect()
        connection.send(get())
        #expect(connection.read(through: "\r\n\r\n") == "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
        #expect(connection.read(through: "\r\n\r\n") == "HTTP/1.1 102 Processing\r\n\r\n")
    }

    @Test("Delays and throttle take their time")
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

    @Test("A request pipelined into a delay is kept")
    func pipelinedIntoDelay() throws {
        server.enqueue(.text("one").delayed(head: 0.05), .text("two"))
        let connection = try connect()
        connection.send(get())
        #expect(server.waitForRequests(1))
        connection.send(get())
        #expect([connection.readResponse().body, connection.readResponse().body] == ["one", "two"])
    }

    @Test("Large bodies arrive whole", arguments: [.contentLength, .chunked([70_000]), .untilClose] as [MockResponse.Framing])
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
    fileprivate var lines: String { replacingOccurrences(of: "|", with: "\r\n") }
}

// MARK: - Faults

@Suite("MockServer: faults", .timeLimit(.minutes(2)))
struct MockServerFaultTests {
    let server: MockServer

    init() throws { server = try MockServer() }

    private let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test(
        "Faults that end the connection",
        arguments: [
            (.resetBeforeReading, .contentLength, "", .reset),
            (.resetBeforeHead, .contentLength, "", .reset),
            (.closeBeforeHead, .contentLength, "", .closed),
            (.resetInBody(after: 2), .contentLength, "Content-Length: 6||ab", .reset),
            (.resetInBody(after: 0), .untilClose, "|", .reset),
            (.resetInBody(after: 3), .chunked([2]), "Transfer-Encoding: chunked||2|ab|2|c", .reset),
            (.closeInBody(after: 2), .contentLength, "Content-Length: 6||ab", .closed),
            (.closeInBody(after: 99), .chunked([4]), "Transfer-Encoding: chunked||4|abcd|2|ef", .closed),
            (.bodyShorter(by: 4), .contentLength, "Content-Length: 10||abcdef", .closed),
            (.cutChunk(after: 2), .contentLength, "Transfer-Encoding: chunked||6|ab", .closed),
            (.cutChunk(after: 4), .chunked([4]), "Transfer-Encoding: chunked||4|abcd", .closed),
            (.cutChunk(after: -1), .chunked, "Transfer-Encoding: chunked||6|", .closed),
            (.badChunk, .chunked([3]), "Transfer-Encoding: chunked||3|abc|3|def|no hex|", .closed),
            (.missingFinalChunk, .chunked, "Transfer-Encoding: chunked||6|abcdef|", .closed),
            (.closeAfterResponse, .contentLength, "Content-Length: 6||abcdef", .closed),
            (.closeIdle(after: 0.01), .contentLength, "Content-Length: 6||abcdef", .closed),
            (.garbageStatusLine, .contentLength, "not http at all||", .closed),
        ] as [(MockFault, MockResponse.Framing, String, RawConnection.End)])
    func ending(fault: MockFault, framing: MockResponse.Framing, expected: String, end: RawConnection.End) throws {
        server.enqueue(MockResponse(body: Data("abcdef".utf8)).framed(framing).failing(fault))
        let connection = try RawConnection(port: server.port)
        connection.send(get)
        let startsWithStatus = !expected.isEmpty && fault != .garbageStatusLine
        #expect(connection.readToEnd() == ((startsWithStatus ? "HTTP/1.1 200 OK\r\n" : "") + expected.lines, end))
        #expect(server.waitForOpenConnections(0))
        #expect(server.requestCount == 1)
    }

    @Test("A reset before reading does not wait for the body; a reset before the head does")
    func resetAndBody() throws {
        let post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n"
        server.enqueue(.failure(.resetBeforeReading), .failure(.resetBeforeHead))
        let first = try RawConnection(port: server.port)
        first.send(post)
        #expect(first.readToEnd() == ("", .reset))
        #expect(try server.takeRequest().body.isEmpty)
        let second = try RawConnection(port: server.port)
        second.send(post)
        second.send("hello")
        #expect(second.readToEnd() == ("", .reset))
        #expect(try server.takeRequest().bodyText == "hello")
    }

    @Test("A reset in a large body comes after the bytes it promises")
    func resetInLargeBody() throws {
        server.enqueue(.data(Data(repeating: 97, count: 2_000_000)).failing(.resetInBody(after: 1_000_000)))
        let connection = try RawConnection(port: server.port)
        connection.send(get)
        _ = connection.read(through: "\r\n\r\n")
        let (text, end) = connection.readToEnd()
        #expect(text.utf8.count == 1_000_000)
        #expect(end == .reset)
    }

    @Test("Bytes after the body, and the connection goes on")
    func bodyLonger() throws {
        server.enqueue(.text("abc").failing(.bodyLonger(by: 4)), .text("next"))
        let connection = try RawConnection(port: server.port)
        #expect(connection.exchange(get).body == "abc")
        #expect(connection.read(count: 4) == "xxxx")
        #expect(connection.exchange(get).body == "next")
    }

    @Test("A long header line in a good response")
    func longHeaderLine() throws {
        server.enqueue(.text("abc").failing(.longHeaderLine(bytes: 300_000)), .text("x").failing(.longHeaderLine(bytes: 0)))
        let connection = try RawConnection(port: server.port)
        let response = connection.exchange(get)
        #expect(response.head.components(separatedBy: "\r\n").map(\.utf8.count).max() == 300_000)
        #expect(response.body == "abc")
        #expect(connection.exchange(get).head.hasSuffix("X-Long: \r\n\r\n"))
    }

    @Test(
        "Answers without end go on until the client goes away",
        arguments: [(.endlessBody, .contentLength), (.endlessBody, .chunked), (.endlessHeaders, .contentLength)]
            as [(MockFault, MockResponse.Framing)])
    func endless(fault: MockFault, framing: MockResponse.Framing) throws {
        server.enqueue(.text("abc").framed(framing).failing(fault))
        var connection: RawConnection? = try RawConnection(port: server.port)
        connection?.send(get)
        let (text, end) = try #require(connection?.readToEnd(limit: 1_000_000))
        #expect(end == .open)
        let start =
            switch (fault, framing) {
            case (.endlessBody, .contentLength): "\r\n\r\nabcxxxx"
            case (.endlessBody, _): "\r\n\r\n3\r\nabc\r\n1000\r\nxxxx"
            default: "Content-Length: 3\r\nX-Endless: aaaa"
            }
        #expect(text.contains(start))
        connection = nil
        #expect(server.waitForOpenConnections(0))
    }

    @Test("No answer, until the client goes away")
    func noAnswer() throws {
        server.enqueue(.failure(.noAnswer))
        let connection = try RawConnection(port: server.port)
        connection.send(get)
        _ = try server.takeRequest()
        #expect(!server.waitForOpenConnections(0, timeout: 0.05))
        connection.finishSending()
        #expect(connection.readToEnd() == ("", .closed))
        #expect(server.waitForOpenConnections(0))
    }

    @Test("A connection that closes when idle serves the request that comes before")
    func closeIdle() throws {
        server.enqueue(.text("one").failing(.closeIdle(after: 60)), .text("two").failing(.closeIdle(after: 60)))
        let connection = try RawConnection(port: server.port)
        #expect(connection.exchange(get).body == "one")
        #expect(connection.exchange(get).body == "two")
        server.closeIdleConnections()
        #expect(connection.readToEnd() == ("", .closed))
    }

    @Test("Faults with counts that make no sense do not crash")
    func senselessCounts() throws {
        server.enqueue(
            .failure(.bodyLonger(by: .min)), .text("a").failing(.resetInBody(after: .max)).framed(.chunked([.max])),
            .text("a").failing(.bodyShorter(by: .max)).delayed(head: -.infinity, body: .nan), .failure(.closeIdle(after: -1)))
        for count in 1...4 {
            let connection = try RawConnection(port: server.port)
            connection.send(get)
            #expect(server.waitForRequests(count))
        }
        server.shutdown()
        #expect(server.leftovers == (0, 0))
    }
}

// MARK: - Connections, threads and descriptors

@Suite("MockServer: connections", .timeLimit(.minutes(2)))
struct MockServerConnectionTests {
    private let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test("Idle connections are closed, for certain, as soon as their response is read")
    func closeIdleConnections() throws {
        let server = try MockServer()
        server.route("/") { _ in .text("x") }
        for round in 1...100 {
            let connections = try (0..<3).map { _ in try RawConnection(port: server.port) }
            for connection in connections { #expect(connection.exchange(get).body == "x") }
            server.closeIdleConnections()
            #expect(server.openConnectionCount == 0)
            for connection in connections { #expect(connection.readToEnd() == ("", .closed)) }
            #expect(server.connectionCount == 3 * round)
        }
    }

    @Test("Connections that are not idle are left alone")
    func busyConnections() throws {
        let server = try MockServer()
        server.enqueue(.text("done").delayed(head: 0.05))
        let (busy, fresh) = (try RawConnection(port: server.port), try RawConnection(port: server.port))
        busy.send(get)
        #expect(server.waitForOpenConnections(2))
        _ = try server.takeRequest()
        server.closeIdleConnections()
        #expect(busy.readResponse().body == "done")
        #expect(fresh.exchange(get).head.hasPrefix("HTTP/1.1 404"))
    }

    @Test("300 connections at once")
    func manyConnections() throws {
        let server = try MockServer()
        // Each answer waits until all the requests are there.
        server.route("/") { [weak server] _ in server?.waitForRequests(300, timeout: 30) == true ? .text("x") : .status(500) }
        let connections = try (0..<300).map { _ in try RawConnection(port: server.port) }
        for connection in connections { connection.send(get) }
        for connection in connections { #expect(connection.readResponse().body == "x") }
        #expect(server.openConnectionCount == 300)
        server.shutdown()
        #expect(server.leftovers == (0, 0))
        for connection in connections { #expect(connection.readToEnd() == ("", .closed)) }
    }

    @Test("Many connections one after the other leave nothing behind")
    func sequence() throws {
        let server = try MockServer(recordsRequests: false)
        server.route("/") { _ in .status(204).closing() }
        for _ in 0..<300 {
            let connection = try RawConnection(port: server.port)
            connection.send(get)
            #expect(connection.readToEnd().end == .closed)
        }
        #expect(server.waitForOpenConnections(0))
        #expect(server.requestCount == 300)
        #expect(throws: MockServerError.noRequest) { try server.takeRequest(timeout: 0) }
    }

    @Test(
        "A shutdown is prompt, whatever the server is doing, and leaves nothing behind",
        arguments: [
            .failure(.noAnswer), .text("x").delayed(head: 60), .text("x").delayed(body: 60), .failure(.endlessBody),
            .failure(.endlessBody).framed(.chunked).throttled(bytes: 1, every: 60), .failure(.endlessHeaders),
            .failure(.closeIdle(after: 60)), .text("xx").throttled(bytes: 1, every: 60), .text("idle"),
        ] as [MockResponse])
    func shutdown(response: MockResponse) throws {
        let server = try MockServer()
        server.enqueue(response)
        let (connection, silent, halfway) = try (
            RawConnection(port: server.port), RawConnection(port: server.port), RawConnection(port: server.port)
        )
        connection.send(get)
        halfway.send("GET / HT")
        _ = try server.takeRequest()
        #expect(server.waitForOpenConnections(3))
        #if os(Linux)
            // The acceptor and three connections, a thread and a socket each: what is looked for afterwards can be seen now.
            try expectTraces(8, of: server.port)
        #endif
        let start = ContinuousClock.now
        server.shutdown()
        #expect(ContinuousClock.now - start < .seconds(1))
        #expect(server.leftovers == (0, 0))
        #expect(silent.readToEnd().end == .closed)
        server.shutdown()
        expectRefused(server.port)
        #if os(Linux)
            try expectTraces(0, of: server.port)
        #endif
    }

    @Test("A shutdown amid arriving connections")
    func shutdownAmidArrivals() throws {
        for _ in 0..<20 {
            let server = try MockServer()
            server.route("/") { _ in .text("x") }
            DispatchQueue.concurrentPerform(iterations: 4) { worker in
                guard worker > 0 else {
                    _ = server.waitForRequests(20)
                    return server.shutdown()
                }
                while let connection = try? RawConnection(port: server.port), connection.exchange(get).body == "x" {}
            }
            #expect(server.leftovers == (0, 0))
            #expect(server.requestCount >= 20)
        }
    }

    @Test("A server that nobody holds shuts itself down; from its own handler too")
    func deallocation() throws {
        var server: MockServer? = try MockServer()
        let port = try #require(server?.port)
        server?.route("/") { [weak server] _ in
            server?.shutdown()
            return .text("too late")
        }
        let connection = try RawConnection(port: port)
        connection.send(get)
        #expect(connection.readToEnd().end == .closed)
        server = nil
        expectRefused(port)

        let holder = Holder(try MockServer())
        let otherPort = try #require(holder.server?.port)
        holder.server?.route("/") { _ in
            holder.server = nil
            return .text("too late")
        }
        let other = try RawConnection(port: otherPort)
        other.send(get)
        #expect(other.readToEnd().end == .closed)
        #expect(holder.server == nil)
    }

    /// A free port may at once become that of another test's server, and on its own thread a server ends a moment later: looks more than once.
    private func expectRefused(_ port: Int) {
        let deadline = ContinuousClock.now + .seconds(5)
        while (try? RawConnection(port: port)) != nil {
            guard ContinuousClock.now < deadline else {
                Issue.record("Port \(port) still accepts connections.")
                return
            }
        }
    }

    /// Unchecked: the variable is only touched under the lock.
    private final class Holder: @unchecked Sendable {
        private let lock = NSLock()
        private var held: MockServer?

        init(_ server: MockServer) { held = server }

        var server: MockServer? {
            get { lock.withLock { held } }
            set {
                // What was held is released after the lock is, since its end takes its time.
                let old = lock.withLock { () -> MockServer? in
                    defer { held = newValue }
                    return held
                }
                withExtendedLifetime(old) {}
            }
        }
    }

    #if os(Linux)
        /// A thread gets its name a moment after its start, and leaves the system's table a moment after its end: this looks again until they agree.
        private func expectTraces(_ count: Int, of port: Int) throws {
            let deadline = ContinuousClock.now + .seconds(5)
            var found = try traces(of: port)
            while found.count != count, ContinuousClock.now < deadline { found = try traces(of: port) }
            #expect(found.count == count, "\(found)")
        }

        /// What the system itself knows of a server: its threads by their name, its descriptors by their socket's port.
        private func traces(of port: Int) throws -> [String] {
            let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").filter {
                (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)) == "mock-\(port)\n"
            }
            let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter {
                Int32($0).flatMap(RawConnection.localPort) == port
            }
            return threads.map { "thread \($0)" } + descriptors.map { "descriptor \($0)" }
        }
    #endif
}
