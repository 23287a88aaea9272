import Foundation
import Testing

@testable import Firewheel

@Suite("Public suffixes by libpsl", .enabled(if: PublicSuffixLibrary.isPublicSuffix("com") != nil, "libpsl is not there"))
struct PublicSuffixLibraryTests {
    @Test(
        "libpsl tells which domains are public suffixes",
        arguments: [
            ("com", true), ("co.uk", true), ("CO.UK", true), ("example.co.uk", false), ("example.com", false), ("github.io", true),
            ("a.github.io", false), ("ck", true), ("anything.ck", true), ("www.ck", false), ("no-such-top-level", true),
            ("xn--55qx5d.cn", true), ("127.0.0.1", false), ("", false), ("com\u{0}.example", false),
        ])
    func suffixes(domain: String, expected: Bool) {
        #expect(PublicSuffixLibrary.isPublicSuffix(domain) == expected)
    }

    @Test(
        "libpsl tells which domains a host's cookies may have",
        arguments: [
            ("www.example.com", "example.com", true), ("example.com", "example.com", true), ("www.example.com", "com", false),
            ("a.b.co.uk", "b.co.uk", true), ("a.b.co.uk", "co.uk", false), ("WWW.Example.COM", "EXAMPLE.com", true),
            ("www.example.com", "example.org", false), ("badexample.com", "example.com", false), ("example.com", "www.example.com", false),
            ("a.github.io", "github.io", false), ("127.0.0.1", "0.0.1", false), ("example.com\u{0}", "example.com", false), ("", "", false),
        ])
    func cookieDomains(host: String, domain: String, expected: Bool) {
        #expect(PublicSuffixLibrary.isCookieDomainAcceptable(host: host, domain: domain) == expected)
    }

    @Test("Random host names do not trap libpsl")
    func random() {
        var generator = SeededGenerator(state: 3)
        let pieces = [
            "com", "co", "uk", ".", "..", "a", "xn--", "é", "\u{0}", "*", "!", "-", " ", "\u{7F}", String(repeating: "x", count: 300),
        ]
        for _ in 0..<500 {
            func name() -> String {
                (0..<Int.random(in: 0...6, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            }
            #expect(PublicSuffixLibrary.isPublicSuffix(name()) != nil)
            #expect(PublicSuffixLibrary.isCookieDomainAcceptable(host: name(), domain: name()) != nil)
        }
    }
}
