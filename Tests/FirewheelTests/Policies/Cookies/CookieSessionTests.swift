import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// Cookies that sessions send and store, with stubs for many hosts.
@Suite("Cookies of sessions", .timeLimit(.minutes(5)))
struct CookieSessionTests {
    /// Answers by host and path with their `Set-Cookie` fields.
    private static func stub(_ answers: [String: (status: Int, headers: HTTPHeaders)]) -> StubTransport {
        StubTransport { request in
            let answer = answers[request.target.string] ?? (200, [:])
            return [.response(ResponseHead(statusCode: answer.status, headers: answer.headers)), .finish(body: Data("x".utf8))]
        }
    }

    private static func setting(_ cookies: String..., location: String? = nil) -> HTTPHeaders {
        let fields = cookies.map { HTTPHeader(name: "Set-Cookie", value: $0) }
        return HTTPHeaders(received: fields + (location.map { [HTTPHeader(name: "Location", value: $0)] } ?? []))
    }

    /// The `Cookie` field of each hop.
    private static func sent(_ stub: StubTransport) -> [String?] { stub.requests.map { $0.headers["Cookie"] } }

    @Test("A cookie set by a redirect is sent with the next hop, unless that is another host")
    func redirects() async {
        let stub = Self.stub([
            "https://a.test/login": (302, Self.setting("SID=1; Path=/", "old=; Max-Age=0", location: "/home")),
            "https://a.test/home": (307, Self.setting("home=2", location: "https://b.test/")),
            "https://b.test/": (302, Self.setting("b=3", location: "https://a.test/home/x")),
        ])
        let session = Session(transport: stub)
        let response = await session.post("https://a.test/login").raw()
        #expect(response.statusCode == 200)
        #expect(Self.sent(stub) == [nil, "SID=1", nil, "SID=1; home=2"])
        _ = await session.get("https://b.test/x").raw()
        #expect(Self.sent(stub).last == "b=3")
        #expect(session.cookieJar?.cookies.count == 3)
    }

    @Test("Cookies of every response are stored, whatever its status", arguments: [200, 204, 304, 400, 401, 404, 500])
    func statuses(status: Int) async {
        let stub = Self.stub(["http://a.test/x": (status, Self.setting("a=\(status)"))])
        let session = Session(transport: stub)
        for _ in 0..<2 { _ = await session.get("http://a.test/x").validate().raw() }
        #expect(Self.sent(stub) == [nil, "a=\(status)"])
    }

    @Test("A retry sends the cookies that the failed attempt set")
    func retries() async {
        let stub = Self.stub(["http://a.test/": (503, Self.setting("a=1"))])
        let session = Session(transport: stub, interceptor: RetryPolicy(limit: 1, backoff: .constant(0)))
        _ = await session.get("http://a.test/").validate().raw()
        #expect(Self.sent(stub) == [nil, "a=1"])
    }

    @Test("A Cookie field set by hand replaces the jar's for its origin, and received cookies are still stored")
    func byHand() async {
        let stub = Self.stub([
            "https://a.test/": (302, Self.setting("a=1; Path=/", location: "/next")),
            "https://a.test/next": (302, Self.setting("b=2; Path=/", location: "https://b.test/")),
        ])
        let session = Session(transport: stub)
        session.cookieJar?.store(Cookie(name: "c", value: "3", domain: "b.test"))
        _ = await session.get("https://a.test/", headers: ["cookie": "own=0"]).raw()
        #expect(Self.sent(stub) == ["own=0", "own=0", "c=3"])
        _ = await session.get("https://a.test/z").raw()
        #expect(Self.sent(stub).last == "a=1; b=2")
        // The same holds for a field of the session's headers.
        let other = Session(configuration: .with { $0.headers.update(name: "Cookie", value: "all=1") }, transport: stub)
        other.cookieJar?.store(Cookie(name: "c", value: "3", domain: "b.test"))
        _ = await other.get("https://b.test/").raw()
        #expect(Self.sent(stub).last == "all=1")
    }

    @Test("Sessions have separate cookies even with equal configurations, unless they share a jar")
    func sharing() async {
        let stub = Self.stub(["http://a.test/set": (200, Self.setting("a=1; Path=/"))])
        let configuration = SessionConfiguration.ephemeral
        let copy = configuration
        let sessions = [configuration, configuration, copy, .default].map { Session(configuration: $0, transport: stub) }
        _ = await sessions[0].get("http://a.test/set").raw()
        for session in sessions { _ = await session.get("http://a.test/").raw() }
        #expect(Self.sent(stub) == [nil, "a=1", nil, nil, nil])
        let jar = CookieJar()
        let sharing = (0..<2).map { _ in Session(configuration: .with { $0.cookies = .jar(jar) }, transport: stub) }
        _ = await sharing[0].get("http://a.test/set").raw()
        _ = await sharing[1].get("http://a.test/").raw()
        #expect(Self.sent(stub).last == "a=1" && sharing[1].cookieJar === jar)
    }

    @Test("With cookies turned off none is stored, and only those set by hand are sent")
    func off() async {
        let stub = Self.stub(["http://a.test/": (200, Self.setting("a=1; Path=/"))])
        let session = Session(configuration: .with { $0.cookies = .off }, transport: stub)
        for headers: HTTPHeaders? in [nil, nil, ["Cookie": "own=1"]] { _ = await session.get("http://a.test/", headers: headers).raw() }
        #expect(Self.sent(stub) == [nil, nil, "own=1"] && session.cookieJar == nil)
    }

    @Test("A session neither sends nor accepts secure cookies over http")
    func secure() async {
        let stub = Self.stub([
            "https://a.test/": (302, Self.setting("s=1; Secure; Path=/", location: "http://a.test/")),
            "http://a.test/": (302, Self.setting("t=1; Secure; Path=/", "s=2; Path=/", location: "https://a.test/last")),
        ])
        _ = await Session(transport: stub).get("https://a.test/").raw()
        #expect(Self.sent(stub) == [nil, nil, "s=1"])
    }

    @Test("Responses with 10,000 cookies or with a cookie of 1 MB reach the caller")
    func many() async throws {
        let fields = (0..<10_000).map { HTTPHeader(name: "Set-Cookie", value: "a\($0)=\($0)") }
        let stub = Self.stub([
            "http://a.test/many": (200, HTTPHeaders(received: fields)),
            "http://a.test/large": (200, Self.setting("large=" + String(repeating: "x", count: 1 << 20), "b=1")),
        ])
        let session = Session(transport: stub)
        for path in ["many", "large", ""] { #expect(await session.get("http://a.test/\(path)").raw().text == "x") }
        let sent = try #require(Self.sent(stub).last ?? nil)
        #expect(sent.hasPrefix("a9821=9821; ") && sent.hasSuffix("; a9999=9999; b=1") && session.cookieJar?.cookies.count == 180)
    }

    @Test("With an empty jar a request is not changed, and no response waits for cookies")
    func nothingToDo() throws {
        let policy = CookieHopPolicy(jar: CookieJar())
        let target = try #require(TargetURI("http://a.test/"))
        let request = HopRequest(method: .get, url: target.string, target: target, headers: [:], bodySource: nil, idleTimeout: 60)
        var prepared = request
        policy.prepare(&prepared, of: HopOwner())
        #expect(prepared === request && policy.heldStatuses.isEmpty)
        #expect(SessionRules(policies: [policy]).heldHeads == .none)
    }

    @Test("Printing a session, its configuration, its policies or a response's request shows no cookie")
    func secrets() async {
        let jar = CookieJar()
        jar.store(Cookie(name: "SID", value: "hunter2", domain: "a.test"))
        let configuration = SessionConfiguration.with { $0.cookies = .jar(jar) }
        let session = Session(configuration: configuration, transport: Self.stub(["http://a.test/": (200, Self.setting("T=hunter2"))]))
        let response = await session.get("http://a.test/").raw()
        #expect(response.request?.value(forHTTPHeaderField: "Cookie") == "SID=hunter2")
        var text = "\(configuration) \(CookieUse.jar(jar)) \(String(reflecting: configuration)) \(response.debugDescription) \(response)"
        text += response.metrics.map { "\($0)" } ?? ""
        dump(configuration, to: &text)
        dump(CookieUse.jar(jar), to: &text)
        dump(session, to: &text)
        dump(CookieHopPolicy(jar: jar), to: &text)
        dump(response, to: &text)
        #expect(!text.contains("hunter2"))
        #expect(
            "\(configuration)".contains("cookies: jar(CookieJar(2 cookies))") && "\(SessionConfiguration())".contains("cookies: perSession")
        )
    }

    @Test("The default path of a cookie is that of the URL without dot segments")
    func dotSegments() async {
        let stub = Self.stub([
            "http://a.test/": (302, [HTTPHeader(name: "Location", value: "http://a.test/x/y/../../z/set")]),
            "http://a.test/z/set": (200, Self.setting("a=1")),
        ])
        let session = Session(transport: stub)
        _ = await session.get("http://a.test/").raw()
        #expect(session.cookieJar?.cookies.map(\.path) == ["/z"])
    }
}
