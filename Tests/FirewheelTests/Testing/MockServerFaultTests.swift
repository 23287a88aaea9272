import FirewheelTesting
import Foundation
import Testing

@Suite("MockServer: faults", .timeLimit(.minutes(5)))
struct MockServerFaultTests {
    let server: MockServer

    init() throws { server = try MockServer() }

    private let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test(
        "MockServer's connection faults end the connection",
        arguments: [
            (.resetBeforeReading, .contentLength, "", .reset),
            (.resetBeforeHead, .contentLength, "", .reset),
            (.closeBeforeHead, .contentLength, "", .closed),
            (.closeInHead(after: 21), .contentLength, "Cont", .closed),
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
    func ending(fault: MockFault, framing: MockResponse.Framing, expected: String, end: RawConnection.End) async throws {
        server.enqueue(MockResponse(body: Data("abcdef".utf8)).framed(framing).failing(fault))
        let connection = try RawConnection(port: server.port)
        connection.send(get)
        let startsWithStatus = !expected.isEmpty && fault != .garbageStatusLine
        #expect(connection.readToEnd() == ((startsWithStatus ? "HTTP/1.1 200 OK\r\n" : "") + expected.lines, end))
        #expect(await server.waitForOpenConnections(0))
        #expect(server.requestCount == 1)
    }

    @Test("MockServer's resetBeforeHead waits for the request body, and resetBeforeReading does not")
    func resetAndBody() async throws {
        let post = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n"
        server.enqueue(.failure(.resetBeforeReading), .failure(.resetBeforeHead))
        let first = try RawConnection(port: server.port)
        first.send(post)
        #expect(first.readToEnd() == ("", .reset))
        #expect(try await server.takeRequest().body.isEmpty)
        let second = try RawConnection(port: server.port)
        second.send(post)
        second.send("hello")
        #expect(second.readToEnd() == ("", .reset))
        #expect(try await server.takeRequest().bodyText == "hello")
    }

    @Test("MockServer's reset in a large body comes after the announced number of bytes")
    func resetInLargeBody() throws {
        server.enqueue(.data(Data(repeating: 97, count: 2_000_000)).failing(.resetInBody(after: 1_000_000)))
        let connection = try RawConnection(port: server.port)
        connection.send(get)
        _ = connection.read(through: "\r\n\r\n")
        let (text, end) = connection.readToEnd()
        #expect(text.utf8.count == 1_000_000)
        #expect(end == .reset)
    }

    @Test("MockServer keeps the connection open after sending bytes beyond the body")
    func bodyLonger() throws {
        server.enqueue(.text("abc").failing(.bodyLonger(by: 4)), .text("next"))
        let connection = try RawConnection(port: server.port)
        #expect(connection.exchange(get).body == "abc")
        #expect(connection.read(count: 4) == "xxxx")
        #expect(connection.exchange(get).body == "next")
    }

    @Test("MockServer sends a long header line in a valid response")
    func longHeaderLine() throws {
        server.enqueue(.text("abc").failing(.longHeaderLine(bytes: 300_000)), .text("x").failing(.longHeaderLine(bytes: 0)))
        let connection = try RawConnection(port: server.port)
        let response = connection.exchange(get)
        #expect(response.head.components(separatedBy: "\r\n").map(\.utf8.count).max() == 300_000)
        #expect(response.body == "abc")
        #expect(connection.exchange(get).head.hasSuffix("X-Long: \r\n\r\n"))
    }

    @Test(
        "MockServer's endless responses go on until the client closes the connection",
        arguments: [(.endlessBody, .contentLength), (.endlessBody, .chunked), (.endlessHeaders, .contentLength)]
            as [(MockFault, MockResponse.Framing)])
    func endless(fault: MockFault, framing: MockResponse.Framing) async throws {
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
        #expect(await server.waitForOpenConnections(0))
    }

    @Test("With the fault noAnswer MockServer sends nothing until the client closes the connection")
    func noAnswer() async throws {
        server.enqueue(.failure(.noAnswer))
        let connection = try RawConnection(port: server.port)
        connection.send(get)
        _ = try await server.takeRequest()
        #expect(await !server.waitForOpenConnections(0, timeout: 0.05))
        connection.finishSending()
        #expect(connection.readToEnd() == ("", .closed))
        #expect(await server.waitForOpenConnections(0))
    }

    @Test("A MockServer connection that closes when idle serves a request that comes before")
    func closeIdle() throws {
        server.enqueue(.text("one").failing(.closeIdle(after: 60)), .text("two").failing(.closeIdle(after: 60)))
        let connection = try RawConnection(port: server.port)
        #expect(connection.exchange(get).body == "one")
        #expect(connection.exchange(get).body == "two")
        server.closeIdleConnections()
        #expect(connection.readToEnd() == ("", .closed))
    }

    @Test("MockServer faults with invalid counts do not crash")
    func senselessCounts() async throws {
        server.enqueue(
            .failure(.bodyLonger(by: .min)), .text("a").failing(.resetInBody(after: .max)).framed(.chunked([.max])),
            .text("a").failing(.bodyShorter(by: .max)).delayed(head: -.infinity, body: .nan), .failure(.closeIdle(after: -1)))
        for count in 1...4 {
            let connection = try RawConnection(port: server.port)
            connection.send(get)
            #expect(await server.waitForRequests(count))
        }
        server.shutdown()
        #expect(server.leftovers == (0, 0))
    }
}
