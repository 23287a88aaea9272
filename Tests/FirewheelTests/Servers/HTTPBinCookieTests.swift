import Firewheel
import Foundation
import Testing

/// Cookies that httpbin sets and deletes, mostly in redirects.
@Suite("httpbin: cookies", .needs(.httpbin), .timeLimit(.minutes(5)))
struct HTTPBinCookieTests {
    private struct Echo: Decodable, Sendable {
        let cookies: [String: String]
    }

    private func cookies(_ session: Session, _ path: String, headers: HTTPHeaders? = nil) async throws -> [String: String] {
        try await session.request(TestServer.httpbin.url(path), headers: headers).validate().serializingDecodable(Echo.self).value.cookies
    }

    @Test("Cookies set by a redirect are sent with the next hop and later, and deleted ones are not")
    func redirects() async throws {
        let session = Session()
        #expect(try await cookies(session, "/cookies/set?a=1&b=2") == ["a": "1", "b": "2"])
        #expect(try await cookies(session, "/cookies/set/c/3") == ["a": "1", "b": "2", "c": "3"])
        #expect(try await cookies(session, "/cookies/delete?b=") == ["a": "1", "c": "3"])
        #expect(session.cookieJar?.cookies.map(\.name) == ["a", "c"])
        #expect(try await cookies(Session(), "/cookies") == [:])
    }

    @Test("With cookies off none is stored, and a Cookie field set by hand is sent unchanged")
    func byHand() async throws {
        let off = Session(configuration: .with { $0.cookies = .off })
        #expect(try await cookies(off, "/cookies/set?a=1") == [:])
        let session = Session()
        #expect(try await cookies(session, "/cookies/set?a=1") == ["a": "1"])
        #expect(try await cookies(session, "/cookies", headers: ["Cookie": "mine=x"]) == ["mine": "x"])
    }

    @Test("The same server under another host name has separate cookies")
    func otherHost() async throws {
        let session = Session()
        _ = try await cookies(session, "/cookies/set?a=1")
        let elsewhere = try TestServer.httpbin.url("/cookies").replacing("127.0.0.1", with: "localhost")
        let url = try TestServer.httpbin.url("/redirect-to")
        let echo = try await session.request(url, parameters: ["url": elsewhere]).validate().serializingDecodable(Echo.self).value
        #expect(echo.cookies == [:])
    }

    @Test("A cookie jar with a file gives the cookies to the next session")
    func file() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("jar-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        for path in ["/cookies/set?a=1", "/cookies"] {
            let jar = try CookieJar(file: file)
            let session = Session(configuration: .with { $0.cookies = .jar(jar) })
            #expect(try await cookies(session, path) == ["a": "1"])
            try jar.flush()
        }
    }
}
