import Foundation
import Testing

@testable import Firewheel

/// The domains for which no cookie may be set.
@Suite("Public suffixes", .timeLimit(.minutes(5)))
struct PublicSuffixesTests {
    @Test(
        "Without a list a public suffix is one label, or two labels of at most three and two letters",
        arguments: [
            ("com", true), ("localhost", true), ("co.uk", true), ("com.au", true), ("t.co", true), ("uk.", true), ("co.uk.", true),
            ("", true),
            ("example.com", false), ("abcd.uk", false), ("abc.com", false), ("x.org", false), ("a.co.uk", false), ("github.io", false),
        ])
    func shapes(domain: String, expected: Bool) {
        #expect(PublicSuffixes.byShape.isPublicSuffix(domain) == expected)
    }

    @Test("A cookie for a public suffix is refused, or kept for that host alone if the host is the suffix")
    func refused() throws {
        let bench = CookieBench()
        try bench.receive("a=b; Domain=co.uk", "c=d; Domain=example.co.uk", "e=f; Domain=uk", from: "https://www.example.co.uk/")
        #expect(try bench.sent("https://www.example.co.uk/") == "c=d")
        try bench.receive("g=h; Domain=co.uk", from: "https://co.uk/")
        #expect(try bench.sent("https://co.uk/") == "g=h" && bench.sent("https://other.co.uk/") == nil)
        #expect(!bench.jar.store(Cookie(name: "a", value: "b", domain: "co.uk", isHostOnly: false)))
        #expect(bench.jar.store(Cookie(name: "a", value: "b", domain: "co.uk")))
    }

    @Test("With a list public suffixes and acceptable cookie domains follow the list")
    func list() throws {
        let list: Set<String> = ["com", "uk", "co.uk", "github.io", "b.ck"]
        let suffixes = PublicSuffixes(isAcceptable: { host, domain in !(host.hasSuffix(".b.ck") && domain == "ck") }, { list.contains($0) })
        #expect(suffixes.isPublicSuffix("github.io") && suffixes.isPublicSuffix("github.io.") && !suffixes.isPublicSuffix("t.co"))
        #expect(suffixes.isCookieDomainAcceptable(host: "www.t.co", domain: "t.co"))
        #expect(!suffixes.isCookieDomainAcceptable(host: "me.github.io", domain: "github.io"))
        #expect(suffixes.isCookieDomainAcceptable(host: "me.github.io", domain: "me.github.io"))
        #expect(!suffixes.isCookieDomainAcceptable(host: "a.b.ck", domain: "ck"))
        #expect(!suffixes.isCookieDomainAcceptable(host: "example.com", domain: "example.org"))
        let bench = CookieBench(suffixes: suffixes)
        try bench.receive("a=b; Domain=github.io", "c=d", from: "https://me.github.io/")
        try bench.receive("e=f; Domain=t.co", from: "https://www.t.co/")
        #expect(try bench.sent("https://me.github.io/") == "c=d")
        #expect(try bench.sent("https://t.co/") == "e=f")
    }
}
