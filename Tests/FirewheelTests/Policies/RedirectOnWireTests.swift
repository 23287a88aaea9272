import Firewheel
import FirewheelTesting
import Foundation
import Testing

/// Redirects between real servers, and what the next one receives.
@Suite("Redirects over HTTP", .timeLimit(.minutes(5)))
struct RedirectOnWireTests {
    @Test("307 and 308 send the whole body again", arguments: [307, 308], [0, 1, 100_000])
    func bodySentAgain(status: Int, size: Int) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.redirect(to: "/next", status: status), .text("done"))
        let session = Session()
        let body = pattern(size)
        let response = try await session.sending(body, to: server.url("/first"), headers: ["Content-Type": "a/b"]).raw()
        #expect(response.text == "done")
        let requests = try await server.takeRequests(2)
        #expect(requests.map(\.path) == ["/first", "/next"])
        for request in requests {
            #expect(request.method == "POST")
            #expect(request.body == body)
            #expect(request.header("Content-Type") == "a/b")
            #expect(request.header("Content-Length") == "\(size)")
        }
    }

    @Test("303 is followed by a GET without the body and without the fields that describe it", arguments: [301, 302, 303])
    func bodyDropped(status: Int) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.redirect(to: "../next?a=b", status: status), .text("done"))
        let session = Session()
        let headers: HTTPHeaders = [
            "Content-Type": "a/b", "Content-Language": "en", "X-Kept": "1", "Digest": "x", "Last-Modified": "y", "Content-Range": "z",
        ]
        let response = try await session.sending(Data("body".utf8), to: server.url("/dir/sub/first"), headers: headers).raw()
        #expect(response.text == "done")
        _ = try await server.takeRequest()
        let next = try await server.takeRequest()
        #expect((next.method, next.target) == ("GET", "/dir/next?a=b"))
        #expect(next.body.isEmpty)
        for name in [
            "Content-Type", "Content-Language", "Content-Length", "Transfer-Encoding", "Digest", "Last-Modified", "Content-Range",
        ] {
            #expect(next.header(name) == nil, "\(name)")
        }
        #expect(next.header("X-Kept") == "1")
    }

    @Test("A redirect to another port gets no credentials, however they were given", arguments: [301, 302, 303, 307, 308])
    func credentials(status: Int) async throws {
        let (first, second) = (try MockServer(), try MockServer())
        defer {
            first.shutdown()
            second.shutdown()
        }
        let target = second.url("/there")
        first.route("/here") { _ in .redirect(to: "/again", status: status) }
        first.route("/again") { _ in .redirect(to: target, status: status) }
        second.route("*") { _ in .text("done") }
        let session = Session()
        let headers: HTTPHeaders = [
            "Cookie": "a=b", "Proxy-Authorization": "p", "X-Kept": "1", "User-Agent": "me", "X-Api-Key": "k", "PRIVATE-TOKEN": "t",
            "X-Amz-Security-Token": "s",
        ]
        let response = await session.request("http://user:pass@127.0.0.1:\(first.port)/here", headers: headers).raw()
        #expect(response.text == "done")
        for path in ["/here", "/again"] {
            let request = try await first.takeRequest()
            #expect(request.path == path)
            #expect(request.header("Authorization")?.hasPrefix("Basic ") == true)
            #expect(request.header("Cookie") == "a=b" && request.header("X-Api-Key") == "k")
        }
        let request = try await second.takeRequest()
        for name in ["Authorization", "Cookie", "Proxy-Authorization", "X-Api-Key", "PRIVATE-TOKEN", "X-Amz-Security-Token"] {
            #expect(request.header(name) == nil, "\(name)")
        }
        #expect(request.header("X-Kept") == "1")
        #expect(request.header("User-Agent") == "me")
        #expect(request.header("Host") == "127.0.0.1:\(second.port)")
    }

    @Test("A Host field set by the caller is sent to the first server only")
    func host() async throws {
        let (first, second) = (try MockServer(), try MockServer())
        defer {
            first.shutdown()
            second.shutdown()
        }
        first.enqueue(.redirect(to: second.url("/")))
        second.enqueue(.text("done"))
        let session = Session()
        #expect(await session.request(first.url(), headers: ["Host": "virtual.example"]).raw().text == "done")
        #expect(try await first.takeRequest().header("Host") == "virtual.example")
        #expect(try await second.takeRequest().header("Host") == "127.0.0.1:\(second.port)")
    }

    @Test("A redirect loop ends after twenty redirects with an error, having sent 21 requests")
    func loop() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.route("*") { _ in .redirect(to: "/again") }
        let session = Session()
        let response = await session.request(server.url()).raw()
        #expect(response.kind == .transportFailed(.httpTooManyRedirects))
        #expect(server.requestCount == 21)
        #expect(response.metrics?.transactionMetrics.count == 21)
    }

    @Test("Twenty redirects are followed")
    func twenty() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue((1...20).map { .redirect(to: "/\($0)", status: 308) } + [.text("done")])
        let session = Session()
        #expect(await session.request(server.url()).raw().text == "done")
        #expect(server.requestCount == 21)
    }

    @Test("Bytes beyond ASCII in a Location are sent as they came", arguments: [[UInt8(0xE9)], [0xC3, 0xA9], [0x80, 0xFF]])
    func obsText(bytes: [UInt8]) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(MockResponse(status: 302).rawHeaderLine(Data("Location: /caf".utf8) + Data(bytes)), .text("done"))
        let session = Session()
        #expect(await session.request(server.url()).raw().text == "done")
        _ = try await server.takeRequest()
        #expect(try await server.takeRequest().target == "/caf" + bytes.map { String(format: "%%%02X", $0) }.joined())
    }

    @Test(
        "A Location with an invalid or unsupported URL is an error, and its body is not the response",
        arguments: [
            ("ftp://127.0.0.1/x", .unsupportedURL), ("file:///etc/hostname", .unsupportedURL), ("javascript:alert(1)", .unsupportedURL),
            ("http://", .redirectToNonExistentLocation), ("http://127.0.0.1:99999/", .redirectToNonExistentLocation),
        ] as [(String, URLError.Code)])
    func refused(location: String, code: URLError.Code) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(MockResponse(status: 302, headers: [("Location", location)], body: Data("moved".utf8)))
        let session = Session()
        let response = await session.request(server.url()).raw()
        #expect(response.kind == .transportFailed(code))
        #expect(response.value == nil)
        #expect(server.requestCount == 1)
    }

    @Test("A redirect status without a Location is the response", arguments: [301, 302, 307])
    func noLocation(status: Int) async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        let session = Session()
        for headers in [[], [("Location", "")]] {
            server.enqueue(MockResponse(status: status, headers: headers, body: Data("here".utf8)))
            let response = await session.request(server.url()).raw()
            #expect(response.statusCode == status)
            #expect(response.text == "here")
        }
    }

    @Test("305 is the response, whatever its Location (RFC 9110 section 15.4.6)")
    func useProxy() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(.redirect(to: "/proxy", status: 305))
        let response = await once { $0.request(server.url("/first")) }.response
        #expect(response.kind == nil && response.statusCode == 305)
        #expect(server.requestCount == 1)
    }

    @Test("A HEAD stays a HEAD after a redirect, and a large redirect body does not delay it")
    func head() async throws {
        let server = try MockServer()
        defer { server.shutdown() }
        server.enqueue(MockResponse(status: 303, headers: [("Location", "/next")], body: Data(count: 100_000)), .text("done"))
        let session = Session()
        #expect(await session.head(server.url()).raw().headers["Content-Length"] == "4")
        #expect(try await server.takeRequests(2).map(\.method) == ["HEAD", "HEAD"])
    }
}
