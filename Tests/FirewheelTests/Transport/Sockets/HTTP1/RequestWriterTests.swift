import Foundation
import Testing

@testable import Firewheel

/// Requests as bytes (RFC 9112 sections 2 to 7).
@Suite("Request writer")
struct RequestWriterTests {
    private func target(_ url: String = "http://example.com/a?b") throws -> TargetURI { try #require(TargetURI(url)) }

    /// The head in lines, without the empty one.
    private func head(
        _ method: HTTPMethod = .get, _ url: String = "http://example.com/a?b", form: RequestWriter.TargetForm = .origin,
        _ headers: HTTPHeaders = [:],
        body: RequestWriter.BodyLength = .none, expectsContinue: Bool = false
    ) throws -> [String] {
        var writer = RequestWriter()
        var output: [UInt8] = []
        try writer.writeHead(
            method: method, target: target(url), form: form, headers: headers, body: body, expectsContinue: expectsContinue, to: &output)
        let text = String(decoding: output, as: UTF8.self)
        #expect(text.hasSuffix("\r\n\r\n"))
        return text.components(separatedBy: "\r\n").dropLast(2)
    }

    // MARK: Heads

    @Test("A request has its line, Host, its fields as they are, Accept, and its framing")
    func whole() throws {
        #expect(
            try head(.post, "http://example.com/a?b", ["X-a": "1", "Y": "caf\u{E9} \u{5B57}"], body: .known(3)) == [
                "POST /a?b HTTP/1.1", "Host: example.com", "X-a: 1", "Y: caf\u{E9} \u{5B57}", "Accept: */*", "Content-Length: 3",
            ])
    }

    @Test(
        "The target has path and query as they were written, and Host has the canonical host",
        arguments: [
            ("http://Example.com", "/", "example.com"), ("http://example.com/?", "/?", "example.com"), ("http://a.b?q=/x", "/?q=/x", "a.b"),
            ("http://a.b/%2e/../c//d;e?f?g#h", "/%2e/../c//d;e?f?g", "a.b"), ("https://a.b:443/", "/", "a.b"),
            ("https://a.b:80/", "/", "a.b:80"),
            ("http://a.b:443/", "/", "a.b:443"), ("http://127.1:8080/x", "/x", "127.0.0.1:8080"),
            ("http://[0:0::1]:8080/x", "/x", "[::1]:8080"),
            ("http://[fe80::1%25eth0]/x", "/x", "[fe80::1]"), ("http://u:p@a.b/x", "/x", "a.b"),
        ])
    func targets(url: String, path: String, host: String) throws {
        #expect(try head(.get, url).prefix(2) == ["GET \(path) HTTP/1.1", "Host: \(host)"])
        let scheme = url.hasPrefix("https") ? "https" : "http"
        #expect(try head(.get, url, form: .absolute).prefix(2) == ["GET \(scheme)://\(host)\(path) HTTP/1.1", "Host: \(host)"])
    }

    @Test("The caller's Host comes first, and only one is sent (RFC 9110 section 7.2)")
    func hosts() throws {
        #expect(
            try head(.get, "http://a.b/", ["X": "1", "host": "virtual"]) == ["GET / HTTP/1.1", "host: virtual", "X: 1", "Accept: */*"])
        let two = HTTPHeaders(received: [HTTPHeader(name: "Host", value: "one"), HTTPHeader(name: "HOST", value: "two")])
        #expect(try head(.get, "http://a.b/", two) == ["GET / HTTP/1.1", "Host: one", "Accept: */*"])
        #expect(try head(.get, "http://a.b/", ["Host": " "]) == ["GET / HTTP/1.1", "Host:", "Accept: */*"])
    }

    @Test("The caller's Accept and Expect are sent once; an empty value is sent as an empty field")
    func ownFields() throws {
        #expect(
            try head(.post, "http://a.b/", ["accept": "a/b", "EXPECT": "100-continue", "E": ""], body: .known(1), expectsContinue: true)
                == [
                    "POST / HTTP/1.1", "Host: a.b", "accept: a/b", "EXPECT: 100-continue", "E:", "Content-Length: 1",
                ])
        #expect(try head(.get, "http://a.b/", ["Accept": "\t "]) == ["GET / HTTP/1.1", "Host: a.b", "Accept:"])
    }

    @Test("Repeated fields are sent as often as they are there, in order")
    func repeated() throws {
        let headers = HTTPHeaders(received: [
            HTTPHeader(name: "A", value: "1"), HTTPHeader(name: "B", value: "2"), HTTPHeader(name: "a", value: "3"),
        ])
        #expect(try head(.get, "http://a.b/", headers) == ["GET / HTTP/1.1", "Host: a.b", "A: 1", "B: 2", "a: 3", "Accept: */*"])
    }

    @Test("The framing follows from the body alone (RFC 9110 section 8.6, RFC 9112 section 6)")
    func framing() throws {
        let wrong: HTTPHeaders = ["Content-Length": "999", "transfer-encoding": "gzip", "Accept": "x"]
        func framing(_ method: HTTPMethod, _ body: RequestWriter.BodyLength) throws -> [String] {
            Array(try head(method, "http://a.b/", wrong, body: body).dropFirst(3))
        }
        for method in [HTTPMethod.get, .head, .delete, .options] { #expect(try framing(method, .none) == []) }
        for method in [HTTPMethod.post, .put, .patch] { #expect(try framing(method, .none) == ["Content-Length: 0"]) }
        for method in [HTTPMethod.get, .delete, .post] { #expect(try framing(method, .known(0)) == ["Content-Length: 0"]) }
        #expect(try framing(.head, .known(0)) == [])
        #expect(try framing(.put, .known(.max)) == ["Content-Length: 18446744073709551615"])
        #expect(try framing(.put, .unknown) == ["Transfer-Encoding: chunked"])
    }

    @Test("Expect: 100-continue is sent with a body only (RFC 9110 section 10.1.1)")
    func expect() throws {
        func expects(_ body: RequestWriter.BodyLength) throws -> Bool {
            try head(.put, body: body, expectsContinue: true).contains("Expect: 100-continue")
        }
        #expect(try expects(.known(1)) && expects(.unknown))
        #expect(try !expects(.none) && !expects(.known(0)))
    }

    @Test(
        "A request that asks to close the connection is the last on it",
        arguments: [
            ("close", true), ("Close", true), ("x, close ,y", true), ("keep-alive", false), ("closed", false), ("", false),
            ("x close", false),
        ])
    func lasts(value: String, isLast: Bool) throws {
        var writer = RequestWriter()
        var output: [UInt8] = []
        try writer.writeHead(method: .get, target: target(), headers: ["Connection": value], body: .none, to: &output)
        #expect(writer.isLast == isLast)
    }

    @Test("Bytes that are not UTF-8 are sent as they are (obs-text, RFC 9110 section 5.5)")
    func obsText() throws {
        var writer = RequestWriter()
        var output: [UInt8] = []
        let octets: [UInt8] = [0x63, 0xE9, 0x80, 0xFF]
        let headers = HTTPHeaders([HTTPHeader(name: "X", octets: octets)])
        try writer.writeHead(method: .get, target: target(), headers: headers, body: .none, to: &output)
        #expect(output.split(separator: UInt8(ascii: "\n")).contains { $0.elementsEqual(Array("X: ".utf8) + octets + [0x0D]) })
    }

    @Test(
        "What could inject a line is an error, and nothing is written",
        arguments: [
            ("X", "a\r\nInjected: 1"), ("X", "a\nb"), ("X", "a\rb"), ("X", "a\u{0}"), ("X", "\r\n"), ("X\r\nY", "1"), ("X: 1\r\nY", "1"),
            ("", "1"),
            ("X Y", "1"), ("X:", "1"), ("Host", "a\r\nb: c"), ("Accept", "\n"),
        ])
    func injection(name: String, value: String) throws {
        var writer = RequestWriter()
        var output: [UInt8] = [1, 2]
        let field = HTTPHeaders([HTTPHeader(name: name, value: value)])
        let target = try target()
        #expect(throws: RequestWriter.Problem.invalidField) {
            try writer.writeHead(method: .get, target: target, headers: field, body: .none, to: &output)
        }
        #expect(output == [1, 2])
        for method in ["", "GE T", "GET / HTTP/1.1\r\nX: y\r\n\r\nGET", "G\u{E9}T"] {
            #expect(throws: RequestWriter.Problem.invalidMethod) {
                try writer.writeHead(method: HTTPMethod(rawValue: method), target: target, headers: [:], body: .none, to: &output)
            }
        }
        // A field that ends a chunked body.
        try writer.writeHead(method: .put, target: target, headers: [:], body: .unknown, to: &output)
        output = []
        if name.isEmpty || TrailerNames.isAllowed(name) {
            #expect(throws: RequestWriter.Problem.invalidField) { try writer.end(trailers: field, to: &output) }
            #expect(output == [])
        }
    }

    // MARK: Bodies

    private func body(_ length: RequestWriter.BodyLength, _ pieces: [String], trailers: HTTPHeaders = [:]) throws -> String {
        var writer = RequestWriter()
        var output: [UInt8] = []
        try writer.writeHead(method: .put, target: target(), headers: [:], body: length, to: &output)
        output = []
        for piece in pieces { try Array(piece.utf8).withUnsafeBytes { try writer.write($0, to: &output) } }
        try writer.end(trailers: trailers, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test("A body of known length is sent as it is, and one that is not as long is an error")
    func sized() throws {
        #expect(try body(.known(5), ["hel", "", "lo"]) == "hello")
        #expect(try body(.none, []) == "")
        #expect(try body(.known(0), [""]) == "")
        for pieces in [["hell"], [], ["hello!"], ["hello", "!"]] {
            #expect(throws: RequestWriter.Problem.wrongLength) { try body(.known(5), pieces) }
        }
        #expect(throws: RequestWriter.Problem.wrongLength) { try body(.none, ["x"]) }
    }

    @Test("A body of unknown length is sent in chunks, of which none is empty, with its trailer fields (RFC 9112 section 7.1)")
    func chunked() throws {
        #expect(try body(.unknown, []) == "0\r\n\r\n")
        #expect(try body(.unknown, ["hello", "", "0123456789abcdef"]) == "5\r\nhello\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n")
        #expect(
            try body(.unknown, ["a"], trailers: ["X-Sum": "1", "Content-Length": "9", "Authorization": "x"])
                == "1\r\na\r\n0\r\nX-Sum: 1\r\n\r\n")
    }

    @Test("A piece that is not copied is framed like a copied one")
    func uncopied() throws {
        var writer = RequestWriter()
        var output: [UInt8] = []
        try writer.writeHead(method: .put, target: target(), headers: [:], body: .unknown, to: &output)
        output = []
        try writer.beginPiece(1_000_000, to: &output)
        #expect(String(decoding: output, as: UTF8.self) == "f4240\r\n")
        output = []
        writer.endPiece(to: &output)
        #expect(String(decoding: output, as: UTF8.self) == "\r\n")
    }

    @Test("What the writer frames, a reader of chunks reads back", arguments: [1, 2, 15, 16, 17, 4_095, 65_536])
    func roundTrip(size: Int) throws {
        let piece = String(repeating: "x", count: size)
        let response = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + (try body(.unknown, [piece, "y"], trailers: ["T": "u"]))
        let bench = ReaderBench().run([Array(response.utf8)[...]])
        #expect(bench.body == Array((piece + "y").utf8))
        #expect(bench.trailers == ["T": "u"])
    }
}
