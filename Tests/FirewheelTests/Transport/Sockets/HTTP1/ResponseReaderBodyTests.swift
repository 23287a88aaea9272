import Testing

@testable import Firewheel

/// Where a response ends, and whether its connection can be used again (RFC 9112 sections 6, 7 and 9.3).
@Suite("Response reader: framing")
struct ResponseReaderBodyTests {
    private static let unsupported = "refused: the response's Transfer-Encoding is not supported (only chunked is)"
    private static let lengths = "refused: the response is malformed: it has two different Content-Lengths"

    private static let bodiesCases = [
        ReaderCase("A length", "HTTP/1.1 200 OK|Content-Length: 5||hello", "200 \"hello\" end kept"),
        ReaderCase("A length of 0", "HTTP/1.1 200 OK|Content-Length: 0||", "200 end kept"),
        ReaderCase(
            "A length that is given twice", "HTTP/1.1 200 OK|Content-Length: 5, 5|content-length:5||hello", "200 \"hello\" end kept"),
        ReaderCase("A folded length", "HTTP/1.1 200 OK|Content-Length:| 5|A: b||hello", "200 \"hello\" end kept"),
        ReaderCase("Two lengths", "HTTP/1.1 200 OK|Content-Length: 5|Content-Length: 6||hello", lengths),
        ReaderCase("Two lengths in one field", "HTTP/1.1 200 OK|Content-Length: 5, 6||hello", lengths),
        ReaderCase("Two lengths and chunks", "HTTP/1.1 200 OK|Content-Length: 5, 6|Transfer-Encoding: chunked||0||", lengths),
        ReaderCase(
            "A length that is no number", "HTTP/1.1 200 OK|Content-Length: 0x5||hello",
            "refused: the response is malformed: its Content-Length is not a length"),
        ReaderCase(
            "A folded length of two numbers", "HTTP/1.1 200 OK|Content-Length: 5| 5||hello",
            "refused: the response is malformed: its Content-Length is not a length"),
        ReaderCase("Chunks", "HTTP/1.1 200 OK|Transfer-Encoding: chunked||3|abc|2|de|0||", "200 \"abcde\" end kept"),
        ReaderCase("Chunks in another case", "HTTP/1.1 200 OK|transfer-ENCODING: Chunked||1|a|0||", "200 \"a\" end kept"),
        ReaderCase("A folded Transfer-Encoding", "HTTP/1.1 200 OK|Transfer-Encoding:|\tchunked|A: b||1|a|0||", "200 \"a\" end kept"),
        ReaderCase("A coding cut by a fold", "HTTP/1.1 200 OK|Transfer-Encoding: chun| ked||0||", unsupported),
        ReaderCase(
            "Chunks win over a length, and the connection closes", "HTTP/1.1 200 OK|Content-Length: 3|Transfer-Encoding: chunked||1|a|0||",
            "200 \"a\" end closes"),
        ReaderCase(
            "Chunks of HTTP/1.0 close the connection",
            "HTTP/1.0 200 OK|Connection: keep-alive|Transfer-Encoding: chunked||1|a|0||", "200 \"a\" end closes"),
        ReaderCase("identity before chunked", "HTTP/1.1 200 OK|Transfer-Encoding: identity, chunked||1|a|0||", "200 \"a\" end kept"),
        ReaderCase(
            "Only identity", "HTTP/1.1 200 OK|Content-Length: 1|Transfer-Encoding: identity||abc", "200 \"abc\" end closes", .get, .closed),
        ReaderCase("A coding before chunked", "HTTP/1.1 200 OK|Transfer-Encoding: gzip, chunked||0||", unsupported),
        ReaderCase("A coding behind chunked", "HTTP/1.1 200 OK|Transfer-Encoding: chunked|Transfer-Encoding: gzip||0||", unsupported),
        ReaderCase(
            "chunked that is named twice and applied once",
            "HTTP/1.1 200 OK|Transfer-Encoding: chunked|Transfer-Encoding: chunked||1|a|0||",
            "200 \"a\" end kept"),
        ReaderCase("identity behind chunked", "HTTP/1.1 200 OK|Transfer-Encoding: chunked, identity||0||", unsupported),
        ReaderCase("chunked with a parameter", "HTTP/1.1 200 OK|Transfer-Encoding: chunked;q=1||0||", unsupported),
        ReaderCase("A coding that is nearly chunked", "HTTP/1.1 200 OK|Transfer-Encoding: xchunked||0||", unsupported),
        ReaderCase("A Transfer-Encoding without a coding", "HTTP/1.1 200 OK|Transfer-Encoding:|Content-Length: 5||hello", unsupported),
        ReaderCase("No framing: up to the end of the connection", "HTTP/1.1 200 OK||hello", "200 \"hello\" end closes", .get, .closed),
        ReaderCase("No framing and no body", "HTTP/1.1 200 OK||", "200 end closes", .get, .closed),
        ReaderCase(
            "No framing, and the end was not declared", "HTTP/1.1 200 OK||hello",
            "200 \"hello\" lost: the connection was cut, and the body may be incomplete", .get, .lost),
    ]

    @Test("A body ends where its framing says", arguments: bodiesCases)
    func bodies(_ example: ReaderCase) { example.check() }

    private static let noneCases = [
        ReaderCase("HEAD with a length", "HTTP/1.1 200 OK|Content-Length: 5||", "200 end kept", .head),
        ReaderCase("HEAD with chunks", "HTTP/1.1 200 OK|Transfer-Encoding: chunked||", "200 end kept", .head),
        ReaderCase("HEAD with an unknown coding", "HTTP/1.1 200 OK|Transfer-Encoding: gzip||", "200 end kept", .head),
        ReaderCase("HEAD without a framing", "HTTP/1.1 200 OK||", "200 end kept", .head),
        ReaderCase("HEAD with two lengths", "HTTP/1.1 200 OK|Content-Length: 5, 6||", lengths, .head),
        ReaderCase("204", "HTTP/1.1 204 No Content||", "204 end kept"),
        ReaderCase("204 with a length", "HTTP/1.1 204 No Content|Content-Length: 5||", "204 end kept"),
        ReaderCase("304 with a length", "HTTP/1.1 304 Not Modified|Content-Length: 5||", "304 end kept"),
        ReaderCase("304 with chunks", "HTTP/1.1 304 Not Modified|Transfer-Encoding: chunked||", "304 end kept"),
        ReaderCase("205", "HTTP/1.1 205 Reset Content||", "205 end kept"),
        ReaderCase("205 with a length of 0", "HTTP/1.1 205 Reset Content|Content-Length: 0||", "205 end kept"),
        ReaderCase("205 with an empty chunked body", "HTTP/1.1 205 Reset Content|Transfer-Encoding: chunked||0||", "205 end kept"),
        ReaderCase("205 with a body", "HTTP/1.1 205 Reset Content|Content-Length: 2||ab", "205 \"ab\" end kept"),
    ]

    @Test("A response to HEAD, a 204, a 304 and an undeclared 205 have no body (RFC 9112 section 6.3)", arguments: noneCases)
    func none(_ example: ReaderCase) { example.check() }

    private static let connectionsCases = [
        ReaderCase("Connection: close", "HTTP/1.1 200 OK|Connection: close|Content-Length: 1||a", "200 \"a\" end closes"),
        ReaderCase("close in a list", "HTTP/1.1 200 OK|Connection: x-a,\t Close|Content-Length: 1||a", "200 \"a\" end closes"),
        ReaderCase(
            "close in a second field", "HTTP/1.1 200 OK|Connection: keep-alive|connection: close|Content-Length: 0||", "200 end closes"),
        ReaderCase("A folded close", "HTTP/1.1 200 OK|Connection:| close|Content-Length: 0||", "200 end closes"),
        ReaderCase("An option that is nearly close", "HTTP/1.1 200 OK|Connection: closed|Content-Length: 0||", "200 end kept"),
        ReaderCase("HTTP/1.0", "HTTP/1.0 200 OK|Content-Length: 1||a", "200 \"a\" end closes"),
        ReaderCase("HTTP/1.0 with keep-alive", "HTTP/1.0 200 OK|Connection: Keep-Alive|Content-Length: 1||a", "200 \"a\" end kept"),
        ReaderCase("HTTP/1.0 with both", "HTTP/1.0 200 OK|Connection: keep-alive, close|Content-Length: 0||", "200 end closes"),
        ReaderCase("A later minor version", "HTTP/1.2 200 OK|Content-Length: 1||a", "200 \"a\" end kept"),
        ReaderCase(
            "close of an interim response", "HTTP/1.1 103 Early|Connection: close||HTTP/1.1 200 OK|Content-Length: 0||", "200 end kept"),
    ]

    @Test("The connection is kept unless one side closes it (RFC 9112 section 9.3)", arguments: connectionsCases)
    func connections(_ example: ReaderCase) { example.check() }

    @Test("The connection closes if the request asked for it, whatever the response says")
    func requestCloses() {
        #expect(ReaderBench(isLast: true).run("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na").story == "200 \"a\" end closes")
    }

    private static let excessCases = [
        ReaderCase("A length", "HTTP/1.1 200 OK|Content-Length: 5||helloHTTP/1.1 200 OK||", "200 \"hello\" end closes"),
        ReaderCase("Chunks", "HTTP/1.1 200 OK|Transfer-Encoding: chunked||1|a|0||x", "200 \"a\" end closes"),
        ReaderCase("A line break", "HTTP/1.1 200 OK|Content-Length: 1||a|", "200 \"a\" end closes"),
        ReaderCase("No body", "HTTP/1.1 204 No Content||x", "204 end closes"),
        ReaderCase("HEAD", "HTTP/1.1 200 OK|Content-Length: 5||hello", "200 end closes", .head),
    ]

    @Test("Bytes behind a response are not a body, and its connection is not used again (RFC 9112 section 9.2)", arguments: excessCases)
    func excess(_ example: ReaderCase) { example.check() }

    private static let cutCases = [
        ReaderCase("Nothing", "", "lost: the server closed the connection without a response", .get, .closed),
        ReaderCase(
            "An interim response", "HTTP/1.1 100 Continue||", "lost: the server closed the connection without a response", .get, .closed),
        ReaderCase("Part of a status line", "HTT", "lost: the connection closed in the middle of the response's head", .get, .closed),
        ReaderCase(
            "No empty line", "HTTP/1.1 200 OK|A: b|", "lost: the connection closed in the middle of the response's head", .get, .closed),
        ReaderCase(
            "A length", "HTTP/1.1 200 OK|Content-Length: 105||hello", "200 \"hello\" lost: the body ended 100 bytes early", .get, .closed),
        ReaderCase("A length by one byte", "HTTP/1.1 200 OK|Content-Length: 1||", "200 lost: the body ended 1 byte early", .get, .lost),
        ReaderCase(
            "Before a chunk", "HTTP/1.1 200 OK|Transfer-Encoding: chunked||1|a|", "200 \"a\" lost: the body ended before its last chunk",
            .get, .closed),
        ReaderCase(
            "In a chunk", "HTTP/1.1 200 OK|Transfer-Encoding: chunked||5|ab", "200 \"ab\" lost: the body ended before its last chunk", .get,
            .closed),
        ReaderCase(
            "In the last chunk's line", "HTTP/1.1 200 OK|Transfer-Encoding: chunked||0", "200 lost: the body ended before its last chunk",
            .get, .closed),
        ReaderCase(
            "Behind the last chunk", "HTTP/1.1 200 OK|Transfer-Encoding: chunked||0|",
            "200 lost: the connection closed in the middle of the response's trailer fields", .get, .closed),
        ReaderCase(
            "In a trailer field", "HTTP/1.1 200 OK|Transfer-Encoding: chunked||0|A: b|",
            "200 lost: the connection closed in the middle of the response's trailer fields", .get, .closed),
    ]

    @Test("A response that is cut short is an error, which says where (RFC 9112 section 8)", arguments: cutCases)
    func cut(_ example: ReaderCase) { example.check() }

    @Test("The end of the connection behind a complete response is not an error", arguments: [ReaderBench.Ending.closed, .lost])
    func closedAfterwards(ending: ReaderBench.Ending) {
        var reader = ResponseReader(for: .get)
        let input = Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)
        guard case .head = input.withUnsafeBytes({ reader.read($0) }).event else {
            Issue.record("no head")
            return
        }
        guard case .end(let end) = reader.connectionEnded(isClean: ending == .closed) else {
            Issue.record("no end")
            return
        }
        #expect(!end.connectionStays)
        guard case .needsMore = reader.connectionEnded(isClean: true) else {
            Issue.record("a second end")
            return
        }
    }
}
