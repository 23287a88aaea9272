import Foundation
import Testing

@testable import Firewheel

/// Which cookies are stored, and for how long (RFC 6265bis section 5.7).
@Suite("Acceptance and lifetime of cookies", .timeLimit(.minutes(5)))
struct CookieRulesTests {
    @Test("A secure cookie is set and sent over https only")
    func secure() throws {
        let bench = CookieBench()
        try bench.receive("a=b; Secure", from: "http://www.example.com/")
        #expect(bench.jar.cookies.isEmpty)
        try bench.receive("a=b; Secure")
        #expect(try bench.sent() == "a=b" && bench.sent("http://www.example.com/") == nil)
        // A server on this machine is no exception.
        #expect(try CookieBench.sent(after: "a=b; Secure", from: "http://localhost/") == nil)
    }

    /// Step 16 of the storage model.
    @Test("A response over http can neither replace nor shadow a secure cookie")
    func overlay() throws {
        let cases: [(secure: String, from: String, plain: String, over: String, isKept: Bool)] = [
            ("a=1; Secure; Path=/login", "www.example.com", "a=2; Path=/login", "www.example.com", false),
            ("a=1; Secure; Path=/login", "www.example.com", "a=2; Path=/login/en", "www.example.com", false),
            ("a=1; Secure; Path=/login", "www.example.com", "a=2; Path=/", "www.example.com", true),
            ("a=1; Secure; Path=/login", "www.example.com", "a=2; Path=/loginx", "www.example.com", true),
            ("a=1; Secure; Path=/login", "www.example.com", "b=2; Path=/login", "www.example.com", true),
            ("a=1; Secure; Domain=example.com", "www.example.com", "a=2", "other.example.com", false),
            ("a=1; Secure", "www.example.com", "a=2; Domain=example.com", "other.example.com", false),
            ("a=1; Secure", "www.example.com", "a=2", "other.example.com", true),
            ("a=1; Secure", "example.org", "a=2", "www.example.com", true),
            ("a=1", "www.example.com", "a=2", "www.example.com", true),
            ("a=1; Secure; Max-Age=10", "www.example.com", "a=2", "www.example.com", true),
        ]
        for test in cases {
            let bench = CookieBench()
            try bench.receive(test.secure, from: "https://\(test.from)/")
            bench.wait(20)
            try bench.receive(test.plain, from: "http://\(test.over)/")
            #expect(bench.jar.cookies.contains { $0.value == "2" } == test.isKept, "\(test)")
        }
        let bench = CookieBench()
        try bench.receive("a=1; Secure", "b=1")
        try bench.receive("a=; Max-Age=0", "b=; Max-Age=0", from: "http://www.example.com/")
        #expect(try bench.sent() == "a=1")
        try bench.receive("a=2")
        #expect(try bench.sent() == "a=2")
    }

    @Test(
        "A cookie named __Secure- or __Host-, in any case, must meet the requirements of its prefix",
        arguments: [
            ("__Secure-a=b", false), ("__Secure-a=b; Secure", true), ("__SECURE-a=b; Domain=example.com", false),
            ("__secure-a=b; Secure; Domain=example.com; Path=/x", true), ("__Host-a=b", false), ("__Host-a=b; Secure", false),
            ("__Host-a=b; Secure; Path=/", true), ("__hOST-a=b; Secure; Path=/; Domain=www.example.com", false),
            ("__Host-a=b; Secure; Path=/x", false), ("__Host-a=b; Secure; Path", false), ("__Host-a=b; Secure; Path=/; Domain=", true),
            ("__Secure-x", false), ("=__host-x; Secure; Path=/", false), ("=__Secure-x; Secure", false), ("__Secur=b", true),
            ("_Host-x", true),
        ])
    func prefixes(field: String, isKept: Bool) throws {
        let bench = CookieBench()
        // The default path does not count, which a request below it shows.
        try bench.receive(field, from: "https://www.example.com/x/y")
        #expect(bench.jar.cookies.isEmpty != isKept)
    }

    @Test("A __Host- cookie needs an explicit Path=/, and a default path of / does not count")
    func hostPrefixWithoutPath() throws {
        #expect(try CookieBench.sent(after: "__Host-a=b; Secure") == nil)
        #expect(try CookieBench.sent(after: "__Host-a=b; Secure; Path=/") == "__Host-a=b")
    }

    @Test("SameSite is stored and not enforced, and None requires a secure cookie")
    func sameSite() throws {
        let bench = CookieBench()
        try bench.receive(
            "a=1; SameSite=Strict", "b=2; SameSite=lax", "c=3; SameSite=None", "d=4; SameSite=NONE; Secure", "e=5; SameSite=x",
            "f=6; HttpOnly")
        #expect(bench.jar.cookies.map(\.sameSite) == [.strict, .lax, .none, .default, .default])
        #expect(bench.jar.cookies.map(\.isHTTPOnly) == [false, false, false, false, true])
        #expect(try bench.sent() == "a=1; b=2; d=4; e=5; f=6")
    }

    @Test("Max-Age takes precedence over Expires, and without both a cookie has no expiry")
    func times() throws {
        let bench = CookieBench()
        try bench.receive(
            "a=1; Max-Age=10", "b=2; Expires=Tue, 01 Jun 2010 00:00:20 GMT; Max-Age=10",
            "c=3; Max-Age=30; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
            "d=4; Expires=Tue, 01 Jun 2010 00:00:20 GMT", "e=5", "f=6; Max-Age=0", "g=7; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
            "h=8; Expires=never")
        #expect(try bench.sent() == "a=1; b=2; c=3; d=4; e=5; h=8")
        bench.wait(9)
        #expect(try bench.sent() == "a=1; b=2; c=3; d=4; e=5; h=8")
        bench.wait(1)
        #expect(try bench.sent() == "c=3; d=4; e=5; h=8")
        bench.wait(20)
        #expect(try bench.sent() == "e=5; h=8" && bench.jar.cookies.count == 2)
    }

    @Test("No cookie lives longer than 400 days, whether set by a server or by the caller")
    func longLives() throws {
        let bench = CookieBench()
        try bench.receive("a=1; Max-Age=99999999999999999999", "b=2; Expires=Fri, 31 Dec 9999 23:59:59 GMT")
        bench.jar.store(Cookie(name: "c", value: "3", domain: "www.example.com", expires: .distantFuture))
        bench.jar.store(Cookie(name: "d", value: "4", domain: "www.example.com", expires: Date(timeIntervalSince1970: .infinity)))
        #expect(bench.jar.cookies.map(\.expires) == Array(repeating: CookieBench.start.addingTimeInterval(34_560_000), count: 4))
    }

    @Test("A cookie whose path is longer than any request's is refused")
    func longPaths() throws {
        let folder = "https://www.example.com/" + String(repeating: "p", count: 4095)
        #expect(try CookieBench.sent(after: "a=b", from: folder + "/x") == "a=b")
        #expect(try CookieBench.sent(after: "a=b", from: folder + "p/x") == nil)
    }

    @Test("A cookie stored by the program is checked like one set by a server")
    func byHand() throws {
        let bench = CookieBench()
        let host = "www.example.com"
        let refused = [
            Cookie(name: "", value: "", domain: host), Cookie(name: "a=b", value: "c", domain: host),
            Cookie(name: "a;b", value: "c", domain: host),
            Cookie(name: "a", value: "b;c", domain: host), Cookie(name: "a", value: "b\r\nX-Evil: 1", domain: host),
            Cookie(name: "a\0", value: "b", domain: host), Cookie(name: "a", value: String(repeating: "b", count: 4096), domain: host),
            Cookie(name: "a", value: "b", domain: ""), Cookie(name: "a", value: "b", domain: "exämple.com"),
            Cookie(name: "a", value: "b", domain: "example.com/x"), Cookie(name: "a", value: "b", domain: "0x7f.1"),
            Cookie(name: "a", value: "b", domain: "com", isHostOnly: false), Cookie(name: "a", value: "b", domain: host, sameSite: .none),
            Cookie(name: "__Host-a", value: "b", domain: host, isSecure: false), Cookie(name: "", value: "__Secure-a", domain: host),
            Cookie(name: "a", value: "b", domain: host, path: "/\u{1}"),
            Cookie(name: "a", value: "b", domain: host, expires: Date(timeIntervalSince1970: .nan)),
            Cookie(name: "a", value: "b", domain: host, path: "/" + String(repeating: "p", count: 4096)),
        ]
        for cookie in refused { #expect(!bench.jar.store(cookie), "\(cookie)") }
        #expect(bench.jar.cookies.isEmpty)
        #expect(bench.jar.store(Cookie(name: "ä", value: "日本", domain: ".Example.COM", isHostOnly: false, path: "x")))
        #expect(
            bench.jar.store(Cookie(name: "", value: "v", domain: "[::1]", isHostOnly: false, created: Date(timeIntervalSince1970: .nan))))
        #expect(try bench.sent() == "ä=日本" && bench.sent("http://[::1]/") == "v")
        #expect(bench.jar.cookies.map(\.path) == ["/", "/"] && bench.jar.cookies.map(\.isHostOnly) == [false, true])
    }
}
