import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Cookies between a session and a real server.
@Suite("Cookies over HTTP", .timeLimit(.minutes(5)))
struct CookieOnWireTests {
    private let server: MockServer
    private let session = Session()

    init() throws { server = try MockServer() }

    private func cookies(of request: RecordedRequest) -> [String] { request.headerValues("Cookie") }

    @Test("A cookie set by a 302 is sent with the next hop and with later requests")
    func login() async throws {
        defer { server.shutdown() }
        server.enqueue(
            MockResponse.redirect(to: "/home").header("Set-Cookie", "SID=31d4d96e407aad42; Path=/; HttpOnly").header(
                "Set-Cookie", "lang=en"),
            .text("welcome"), MockResponse.status(401).header("Set-Cookie", "SID=other; Path=/"), .text("again"))
        let url = server.url("/login")
        #expect(await session.post(url, parameters: ["user": "me"]).raw().text == "welcome")
        _ = await session.get(server.url("/private")).raw()
        _ = await session.get(server.url("/x/y")).raw()
        let sent = try await server.takeRequests(4).map(cookies)
        #expect(sent == [[], ["SID=31d4d96e407aad42; lang=en"], ["SID=31d4d96e407aad42; lang=en"], ["SID=other; lang=en"]])
        #expect(session.cookieJar?.cookies.map(\.isHTTPOnly) == [false, false])
    }

    @Test("A secure cookie is neither sent nor set over http, also on this machine")
    func secure() async throws {
        defer { server.shutdown() }
        server.enqueue(MockResponse.text("x").header("Set-Cookie", "t=1; Secure"), .text("x"))
        session.cookieJar?.store(Cookie(name: "s", value: "1", domain: "127.0.0.1", isSecure: true))
        for _ in 0..<2 { _ = await session.get(server.url()).raw() }
        #expect(try await server.takeRequests(2).map(cookies) == [[], []])
        #expect(session.cookieJar?.cookies.map(\.name) == ["s"])
    }

    #if os(Linux)
        @Test("Cookie bytes of any kind are sent back as they came")
        func octets() async throws {
            defer { server.shutdown() }
            let values: [[UInt8]] = [Array("é日本".utf8), [0xE9, 0x80, 0xFF], [0xC3, 0xA9, 0xE9], Array("%E9 \"a b\"".utf8)]
            for octets in values {
                let cookie = Array("n".utf8) + octets + Array("=".utf8) + octets
                server.enqueue(MockResponse.text("x").rawHeaderLine(Data("Set-Cookie: ".utf8 + cookie)), .text("x"))
                for _ in 0..<2 { _ = await session.get(server.url()).raw() }
                _ = try await server.takeRequest()
                let head = try await server.takeRequest().head
                #expect(head.range(of: Data("\r\nCookie: ".utf8 + cookie + "\r\n".utf8)) != nil, "\(octets)")
                session.cookieJar?.removeAll()
            }
        }
    #endif

    @Test("A response with many cookies is limited, and a later request can be sent")
    func many() async throws {
        defer { server.shutdown() }
        var response = MockResponse.text("x")
        for index in 0..<1000 { response = response.header("Set-Cookie", "a\(index)=\(index)") }
        server.enqueue(response, .text("y"))
        #expect(await session.get(server.url()).raw().text == "x")
        #expect(await session.get(server.url()).raw().text == "y")
        _ = try await server.takeRequest()
        let sent = try #require(cookies(of: try await server.takeRequest()).first)
        #expect(sent.hasPrefix("a820=820; ") && sent.hasSuffix("; a999=999"))
    }

    @Test("With as many large cookies as a host may have, the field is cut and requests can still be sent")
    func large() async throws {
        defer { server.shutdown() }
        server.route("*") { _ in .text("y") }
        for index in 0..<180 {
            session.cookieJar?.store(Cookie(name: "a\(index)", value: String(repeating: "x", count: 4000), domain: "127.0.0.1"))
        }
        #expect(await session.get(server.url()).raw().text == "y")
        #expect(try await cookies(of: server.takeRequest()).first?.utf8.count ?? 0 > 30_000)
    }

    @Test("A cookie of 1 MB gives a response or an error about the head's size, in time")
    func oneMegabyte() async throws {
        defer { server.shutdown() }
        server.enqueue(MockResponse.text("x").header("Set-Cookie", "a=" + String(repeating: "x", count: 1 << 20)).closing(), .text("y"))
        let response = await session.get(server.url()).timeout(idle: 30).raw()
        #expect(response.text == "x" || response.kind == .transportFailed(.cannotParseResponse), "\(String(describing: response.error))")
        #expect(session.cookieJar?.cookies.isEmpty == true)
        #expect(await session.get(server.url()).raw().text == "y")
    }

    @Test("A jar with a file keeps a session's login for the next run")
    func keptBetweenRuns() async throws {
        defer { server.shutdown() }
        let folder = try DownloadTests.Folder()
        defer { withExtendedLifetime(folder) {} }
        let file = folder.file("cookies.json")
        server.enqueue(MockResponse.text("x").header("Set-Cookie", "SID=1; Path=/"), .text("y"))
        for _ in 0..<2 {
            let jar = try CookieJar(file: file)
            let session = Session(configuration: .with { $0.cookies = .jar(jar) })
            _ = await session.get(server.url()).raw()
            try jar.flush()
        }
        #expect(try await server.takeRequests(2).map(cookies) == [[], ["SID=1"]])
    }
}
