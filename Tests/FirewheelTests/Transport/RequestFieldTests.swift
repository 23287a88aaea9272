import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// The header fields that reach the server.
@Suite("Request fields on the wire", .eachTransport, .timeLimit(.minutes(5)))
struct RequestFieldTests {
    private func send(_ headers: HTTPHeaders, sessionHeaders: HTTPHeaders = [:], method: HTTPMethod = .get, body: Data? = nil) async throws
        -> RecordedRequest
    {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in .text("ok") }
        let session = Session.onTest(configuration: .with { $0.headers = sessionHeaders })
        let response =
            if let body {
                try await session.sending(body, to: server.url(), method: method, headers: headers).raw()
            } else {
                await session.request(server.url(), method: method, headers: headers).raw()
            }
        #expect(response.text == "ok")
        #expect(server.requestCount == 1)
        return try await server.takeRequest()
    }

    @Test("Only Host, Content-Length and Accept are added to a request's fields")
    func nothingAdded() async throws {
        let post = ["Accept", "Content-Length", "Host"]
        #expect(try await send([:]).headers.map(\.name).sorted() == ["Accept", "Host"])
        #expect(try await send([:], method: .post).headers.map(\.name).sorted() == post)
        #expect(try await send([:], method: .post, body: pattern(1_000_000)).headers.map(\.name).sorted() == post)
        #expect(try await send([:]).header("Accept") == "*/*")
        #expect(try await send(["Accept": "text/csv"]).headerValues("Accept") == ["text/csv"])
    }

    @Test("The default fields are those of HTTPHeaders.default")
    func defaults() async throws {
        let request = try await send([:], sessionHeaders: .default)
        for header in HTTPHeaders.default { #expect(request.headerValues(header.name) == [header.value]) }
        #expect(Set(request.headers.map(\.name)) == Set(["Host", "Accept"] + HTTPHeaders.default.map(\.name)))
    }

    @Test("A request's fields replace the session's, and each is sent once with its case and value")
    func overriding() async throws {
        let request = try await send(["x-a": "mine", "X-C": "3"], sessionHeaders: ["X-A": "session", "X-B": "2"])
        #expect(request.headerLines.filter { $0.lowercased().hasPrefix("x-") } == ["x-a: mine", "X-B: 2", "X-C: 3"])
    }

    @Test("An empty field value is sent")
    func emptyValue() async throws {
        let request = try await send(["X-Empty": "", "X-After": "1"])
        #expect(request.headerValues("X-Empty") == [""])
        #expect(request.headerValues("X-After") == ["1"])
    }

    @Test("A value of blanks is sent as an empty field (RFC 9110 section 5.5)", arguments: [" ", "\t", "   "])
    func blankValue(value: String) async throws {
        let request = try await send(["X-Blank": value])
        #expect(request.headerValues("X-Blank") == [""])
    }

    @Test("A blank Host field is sent as exactly one Host field (RFC 9112 section 3.2)")
    func blankHost() async throws {
        let request = try await send(["Host": " "])
        #expect(request.headerValues("Host").count == 1)
    }

    @Test(
        "Empty values of fields that clients usually set are sent as they are",
        arguments: ["Accept-Encoding", "Expect", "User-Agent", "Accept", "Content-Type"])
    func emptyWellKnown(name: String) async throws {
        #expect(try await send([HTTPHeader(name: name, value: "")]).headerValues(name) == [""])
        #expect(try await send([HTTPHeader(name: name, value: "")], method: .post, body: Data("x".utf8)).headerValues(name) == [""])
    }

    @Test("Framing fields set by the caller are ignored (RFC 9112 section 6)")
    func framing() async throws {
        let headers: HTTPHeaders = ["Content-Length": "999", "transfer-encoding": "chunked", "X-A": "1"]
        let withBody = try await send(headers, method: .post, body: Data("four".utf8))
        #expect(withBody.headerValues("Content-Length") == ["4"])
        #expect(withBody.headerValues("Transfer-Encoding") == [])
        #expect(withBody.bodyText == "four")
        #expect(withBody.header("X-A") == "1")
        let without = try await send(headers)
        #expect(without.headerValues("Content-Length") == [])
        #expect(without.headerValues("Transfer-Encoding") == [])
    }

    @Test("The caller's Host, User-Agent, Accept-Encoding and Connection are sent once")
    func usersOwn() async throws {
        let request = try await send([
            "Host": "virtual.example", "User-Agent": "me", "Accept-Encoding": "identity", "Accept": "a/b", "Connection": "close",
        ])
        for (name, value) in [
            ("Host", "virtual.example"), ("User-Agent", "me"), ("Accept-Encoding", "identity"), ("Accept", "a/b"), ("Connection", "close"),
        ] {
            #expect(request.headerValues(name) == [value])
        }
    }

    @Test("Values with colons, semicolons, quotes, tabs and letters beyond ASCII are sent as they are")
    func oddValues() async throws {
        let values = ["a;", ";", ":", "a: b", "\"q\"; x=\"y\"", "a\tb", "caf\u{E9} \u{5B57}", "%0D%0A", "@file", "\\"]
        let request = try await send(HTTPHeaders(values.enumerated().map { HTTPHeader(name: "X-\($0)", value: $1) }))
        for (index, value) in values.enumerated() { #expect(request.headerValues("X-\(index)") == [value]) }
    }

    @Test("A value is sent in its own bytes, even after one that is equal by Unicode normalization")
    func ownBytes() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in .text("ok") }
        let session = Session.onTest()
        for value in ["caf\u{E9}", "cafe\u{301}", "\u{212B}", "A\u{30A}", "K", "\u{212A}"] {
            #expect(await session.request(server.url(), headers: ["X-Text": value]).raw().text == "ok")
            let sent = try #require(try await server.takeRequest().header("X-Text"))
            #expect(Array(sent.utf8) == Array(value.utf8))
        }
    }

    @Test(
        "A field that could inject a field or a request is refused, and nothing is sent",
        arguments: [
            ("X", "a\r\nInjected: 1"), ("X", "a\nb"), ("X", "a\rb"), ("X", "a\u{0}"), ("X\r\nInjected", "1"), ("X: 1\r\nY", "1"), ("", "1"),
            ("X Y", "1"),
            ("X:", "1"), ("Authorization", "Bearer a\r\n\r\nGET /evil HTTP/1.1\r\n\r\n"),
        ])
    func injection(name: String, value: String) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let header = HTTPHeader(name: name, value: value)
        #expect(await once { $0.request(server.url(), headers: [header]) }.response.kind == .invalidHeader)
        #expect(await once(.with { $0.headers = [header] }) { $0.request(server.url()) }.response.kind == .invalidHeader)
        #expect(server.connectionCount == 0)
    }

    @Test("User information in the URL becomes Basic credentials and is sent nowhere else (RFC 7617)")
    func userInfo() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in .text("ok") }
        let session = Session.onTest()
        for (info, credentials) in [
            ("user:pass", "user:pass"), ("u%40x:p%3Aw%20", "u@x:p:w "), ("only", "only:"), ("u:", "u:"), ("u:a:b", "u:a:b"), (":p", ":p"),
        ] {
            let response = await session.request("http://\(info)@127.0.0.1:\(server.port)/x").raw()
            #expect(response.text == "ok", "\(info)")
            let request = try await server.takeRequest()
            #expect(request.headerValues("Authorization") == ["Basic " + Data(credentials.utf8).base64EncodedString()], "\(info)")
            #expect(request.header("Host") == "127.0.0.1:\(server.port)")
            #expect(request.target == "/x")
        }
        // The caller's own field wins.
        #expect(await session.request("http://a:b@127.0.0.1:\(server.port)/", headers: ["authorization": "mine"]).raw().text == "ok")
        #expect(try await server.takeRequest().headerValues("Authorization") == ["mine"])
    }
}
