import Foundation
import Testing

@testable import Firewheel

/// Which hosts and paths get a cookie (RFC 6265bis sections 5.1.3 and 5.1.4).
@Suite("Domains and paths of cookies", .timeLimit(.minutes(5)))
struct CookieMatchingTests {
    @Test(
        "A host matches a domain if it is equal to it or ends with it after a dot",
        arguments: [
            ("example.com", "example.com", true), ("www.example.com", "example.com", true), ("a.b.example.com", "example.com", true),
            ("example.com", "www.example.com", false), ("badexample.com", "example.com", false),
            ("example.com.evil.org", "example.com", false),
            ("xample.com", "example.com", false), ("com", "example.com", false), ("example.com.", "example.com", false), ("", "", true),
        ])
    func domains(host: String, domain: String, expected: Bool) {
        #expect(CookieDomain.matches(host, domain) == expected)
    }

    @Test("A host's cookies may be for its parent domains, up to the public suffix")
    func ancestors() {
        #expect(CookieDomain.ancestors(of: "a.b.c", isAddress: false) == ["a.b.c", "b.c", "c"])
        #expect(CookieDomain.ancestors(of: "a.", isAddress: false) == ["a."])
        #expect(CookieDomain.ancestors(of: "127.0.0.1", isAddress: true) == ["127.0.0.1"])
    }

    @Test(
        "Cookie paths match at slashes, and are never decoded",
        arguments: [
            ("/", "/", true), ("/a", "/", true), ("/a", "/a", true), ("/a/", "/a", true), ("/a/b", "/a", true), ("/a/b", "/a/", true),
            ("/ab", "/a", false), ("/", "/a", false), ("/a", "/a/", false), ("/A", "/a", false), ("/%61", "/a", false),
            ("/a;b", "/a", false),
            ("/a//b", "/a/", true),
        ])
    func paths(request: String, cookie: String, expected: Bool) {
        #expect(CookieTarget.matches(request, cookie) == expected)
    }

    @Test(
        "A cookie's default path is the request's path up to its last slash",
        arguments: [
            ("http://a.test", "/", "/"), ("http://a.test/", "/", "/"), ("https://a.test/x", "/x", "/"), ("http://a.test/x/", "/x/", "/x"),
            ("http://a.test:81/x/y/z?q=/w/", "/x/y/z", "/x/y"), ("http://[::1]:81/x/y", "/x/y", "/x"), ("http://a.test?q=/w", "/", "/"),
            ("https://u:p@a.test/x//y#/f/g", "/x//y", "/x/"),
        ])
    func targets(url: String, path: String, defaultPath: String) throws {
        let target = CookieTarget(try #require(TargetURI(url)))
        #expect(target.path == path && target.defaultPath == defaultPath)
    }

    @Test("A cookie is sent to its host only, or with a Domain attribute also to the hosts below")
    func scopes() throws {
        let bench = CookieBench()
        try bench.receive("host=1", "domain=2; Domain=example.com", "www=3; Domain=.WWW.Example.Com")
        #expect(try bench.sent("https://www.example.com/") == "host=1; domain=2; www=3")
        #expect(try bench.sent("https://WWW.EXAMPLE.COM:8443/") == "host=1; domain=2; www=3")
        #expect(try bench.sent("https://a.www.example.com/") == "domain=2; www=3")
        #expect(try bench.sent("https://example.com/") == "domain=2")
        #expect(try bench.sent("https://other.example.com/") == "domain=2")
        #expect(try bench.sent("https://example.org/") == nil)
        #expect(try bench.sent("https://notexample.com/") == nil)
    }

    @Test(
        "A host may not set cookies for other hosts or for a public suffix",
        arguments: [
            "example.org", "other.example.com", "a.www.example.com", "com", "xample.com", "..example.com", "example.com.",
            "example.com:443",
            "*.example.com", "example .com", "exämple.com", "www.example.com/", "127.0.0.1",
        ])
    func refusedDomains(domain: String) throws {
        #expect(try CookieBench.sent(after: "a=b; Domain=\(domain)") == nil)
    }

    @Test(
        "A host without parent domains may set cookies, also with a Domain attribute that names itself",
        arguments: ["localhost", "127.0.0.1", "[::1]", "intranet", "co.uk", "example.com"])
    func smallHosts(host: String) throws {
        for scheme in ["http", "https"] {
            let url = "\(scheme)://\(host):8080/"
            #expect(try CookieBench.sent(after: "a=b", from: url) == "a=b")
            #expect(try CookieBench.sent(after: "a=b; Domain=\(host)", from: url) == "a=b")
            #expect(try CookieBench.sent(after: "a=b; Domain=", from: url) == "a=b")
        }
        let bench = CookieBench()
        try bench.receive("a=b; Domain=\(host)", from: "http://\(host)/")
        #expect(bench.jar.cookies.map(\.isHostOnly) == [host != "example.com"])
    }

    @Test("An IP address never matches another host's domain, whatever its ending")
    func addresses() throws {
        let bench = CookieBench()
        try bench.receive("a=b; Domain=0.0.1", "c=d; Domain=1", from: "http://127.0.0.1/")
        try bench.receive("e=f; Domain=127.0.0.1", from: "http://x.127.0.0.1.test/")
        #expect(bench.jar.cookies.isEmpty)
        try bench.receive("g=h", from: "http://0x7f.1/")
        #expect(try bench.sent("http://127.0.0.1/") == "g=h")
        #expect(try bench.sent("http://2.127.0.0.1.test/") == nil)
    }

    @Test(
        "URLs other than http and https neither set nor get cookies", arguments: ["ftp://a.test/", "file:///x", "a.test", "/", "data:,x"])
    func otherURLs(url: String) throws {
        let bench = CookieBench()
        try bench.receive("a=b", from: url)
        #expect(try bench.jar.cookies.isEmpty && bench.sent(url) == nil)
    }
}
