import Foundation
import Testing

@testable import Firewheel

/// URL parsers disagree about odd URLs, so a client could check one host and reach another. Accepted URIs have one form, and all else is
/// refused.
@Suite("Target URIs")
struct TargetURITests {
    @Test(
        "An accepted URI has one canonical form (RFC 3986 section 6.2)",
        arguments: [
            ("http://a.com", "http://a.com/"),
            ("HTTP://A.CoM/Path", "http://a.com/Path"),
            ("hTTpS://EXAMPLE.com:443/x", "https://example.com/x"),
            ("http://a.com:80/", "http://a.com/"),
            ("https://a.com:80/", "https://a.com:80/"),
            ("http://a.com:/x", "http://a.com/x"),
            ("http://a.com:00080/", "http://a.com/"),
            ("http://a.com:0008080/", "http://a.com:8080/"),
            ("http://a.com:65535/", "http://a.com:65535/"),
            ("http://a.com?q=1", "http://a.com/?q=1"),
            ("http://a.com?", "http://a.com/?"),
            ("http://a.com#f", "http://a.com/"),
            ("http://a.com/b?c#d?e/f", "http://a.com/b?c"),
            ("http://a.com/x/../y/./z//w", "http://a.com/x/../y/./z//w"),
            ("http://a.com/%7E%7e~", "http://a.com/%7E%7e~"),
            ("http://a.com/!$&'()*+,;=:@", "http://a.com/!$&'()*+,;=:@"),
            ("http://a_b.c-d.com/", "http://a_b.c-d.com/"),
            ("http://a.com./", "http://a.com./"),
            ("http://user:pa%3Ass@a.com/", "http://a.com/"),
            ("http://@a.com/", "http://a.com/"),
            ("http://a.com/@b.com", "http://a.com/@b.com"),
            ("http://a.com?@b.com", "http://a.com/?@b.com"),
        ])
    func canonical(text: String, expected: String) throws {
        let target = try #require(TargetURI(text))
        #expect(target.string == expected)
        #expect(TargetURI(target.string)?.origin == target.origin)
    }

    @Test(
        "All spellings of an IPv4 address are one host (WHATWG URL, \"IPv4 parser\")",
        arguments: [
            "127.0.0.1", "127.1", "127.0.1", "0x7f.1", "0X7F.0.0.1", "0177.0.0.1", "2130706433", "0x7f000001", "017700000001", "127.0.0.1.",
            "0x7F.0x00.000.0x1",
        ])
    func ipv4(host: String) throws {
        let target = try #require(TargetURI("http://\(host):8080/x"))
        #expect(target.string == "http://127.0.0.1:8080/x")
        #expect(target.origin.isAddress)
        #expect(target.origin.host == "127.0.0.1")
    }

    @Test(
        "All spellings of an IPv6 address are one host (RFC 5952)",
        arguments: [
            ("[::1]", "::1"), ("[0:0::1]", "::1"), ("[0:0:0:0:0:0:0:1]", "::1"), ("[0000::0001]", "::1"), ("[2001:DB8::A]", "2001:db8::a"),
            ("[::ffff:1.2.3.4]", "::ffff:1.2.3.4"), ("[fe80::1%25eth0]", "fe80::1%25eth0"), ("[FE80::1%25Eth0]", "fe80::1%25Eth0"),
        ])
    func ipv6(host: String, expected: String) throws {
        let target = try #require(TargetURI("http://\(host):81/"))
        #expect(target.string == "http://[\(expected)]:81/")
        #expect(target.origin.host == expected)
        #expect(target.origin.isAddress)
        #expect(TargetURI("http://\(host)")?.string == "http://[\(expected)]/")
    }

    @Test(
        "A URI without a scheme, or with an invalid host or port, is malformed",
        arguments: [
            "", ":", "/", "//a.com/", "a.com", "http", "http:", "http:/", "http://", "http:///", "http:///a.com", "http:/a.com/",
            "http:a.com",
            "http://?q", "http://#f", "http://:80/", "http://user@/", "http://user@:80/", " http://a.com", "http ://a.com", "1http://a.com",
            "http://a.com:0/", "http://a.com:65536/", "http://a.com:99999/", "http://a.com:99999999999999999999/", "http://a.com:-1/",
            "http://a.com:+1/", "http://a.com:8a/", "http://a.com:80:80/", "http://a.com: 80/", "http://a.com:%38%30/",
            "http://a:b@c@d.com/", "http://a@b@c/", "http://.a.com/", "http://./", "http://../",
        ])
    func malformed(text: String) {
        #expect(TargetURI.parse(text) == .failure(.malformed))
    }

    @Test(
        "A host that ends in a number is an IPv4 address or invalid (WHATWG URL, \"ends in a number\")",
        arguments: [
            "1.2.3.4.5", "256.0.0.1", "1.2.3.256", "1.2.65536", "4294967296", "0x100000000", "0x1.0x2.0x3.0x100", "08.0.0.1", "1.2.3.09",
            "a.1",
            "a.0x1", "1..2", "1.2.3.4..", "0xg.1", "00000000000000000000000000001", "-1", "+1.2.3.4",
        ])
    func noIPv4(host: String) {
        // "-1" is a name, and "0xg.1" is a name's label before a number.
        let isName = host == "-1"
        #expect((TargetURI("http://\(host)/") != nil) == isName)
    }

    @Test(
        "A host in brackets must be an IPv6 address",
        arguments: [
            "[]", "[", "]", "[::1", "::1]", "::1", "[::1]x", "[::1]]", "[:::1]", "[1.2.3.4]", "[a.com]", "[::g]", "[::1%eth0]", "[::1%25]",
            "[::1%25a%]", "[::1%25a b]", "[1:2:3:4:5:6:7:8:9]", "[::12345]", "x[::1]", "[ ::1]",
        ])
    func noIPv6(host: String) {
        #expect(TargetURI.parse("http://\(host)/") == .failure(.malformed))
    }

    @Test(
        "Characters that a URL may not contain are refused wherever they stand (RFC 3986 section 2)",
        arguments: Array("\\ \"<>^`{|}\u{0}\u{1}\t\n\r\u{7F}é字\u{200B}"))
    func refusedCharacters(character: Character) {
        for text in [
            "http://a\(character)b.com/", "http://a.com/\(character)", "http://a.com/?\(character)", "http://u\(character)@a.com/",
        ] {
            #expect(TargetURI.parse(text) == .failure(.malformed), "\(text.debugDescription)")
        }
        #expect(TargetURI.parse("http://a.com\(character)@b.com/") == .failure(.malformed))
        #expect(TargetURI.parse("http://a.com/#\(character)") == .failure(.malformed))
    }

    @Test(
        "A percent-encoded host is refused, since no resolver knows it",
        arguments: ["%61.com", "a%2Ecom", "a.com%00", "%5B::1%5D", "b%C3%BCcher.de"])
    func percentEncodedHost(host: String) {
        #expect(TargetURI.parse("http://\(host)/") == .failure(.malformed))
    }

    @Test(
        "A scheme other than http and https is unsupported, not malformed",
        arguments: [
            "ftp://a.com/", "file:///etc/passwd", "javascript:alert(1)", "mailto:a@b.c", "data:,x", "httpx://a.com/", "h2+c-1.0://a/",
            "ws://a.com/",
        ])
    func otherSchemes(text: String) {
        #expect(TargetURI.parse(text) == .failure(.unsupportedScheme))
    }

    @Test("A host name may have at most 253 characters (RFC 1035 section 2.3.4)")
    func longHosts() {
        func name(_ count: Int) -> String { String(repeating: "abcdefghi.", count: 40).prefix(count - 1) + "a" }
        #expect(TargetURI("http://\(name(253))/")?.origin.host == name(253))
        #expect(TargetURI("http://\(name(254))/") == nil)
        #expect(TargetURI("http://\(name(300))/") == nil)
    }

    @Test("User information is kept apart from the URI, as it was written")
    func userInfo() {
        #expect(TargetURI("http://a.com/")?.userInfo == nil)
        #expect(TargetURI("http://u:p%40w@a.com/")?.userInfo == "u:p%40w")
        #expect(TargetURI("http://u@a.com/")?.userInfo == "u")
        #expect(TargetURI("http://a.com/u:p@b")?.userInfo == nil)
        #expect(TargetURI("http://a.com@b.com/")?.origin.host == "b.com")
    }

    @Test("Two URIs have the same origin if scheme, host and port are equal (RFC 6454)")
    func origins() throws {
        let base = try #require(TargetURI("http://a.com/x?y"))
        for same in ["HTTP://A.COM:80/other", "http://u:p@a.com/", "http://a.com:080/#f"] {
            #expect(try #require(TargetURI(same)).hasSameOrigin(as: base), "\(same)")
        }
        for other in ["https://a.com/", "http://a.com:8080/", "http://b.com/", "http://www.a.com/", "https://a.com:80/", "http://a.com./"] {
            #expect(try #require(TargetURI(other)).hasSameOrigin(as: base) == false, "\(other)")
        }
        let address = try #require(TargetURI("http://127.0.0.1/"))
        #expect(try #require(TargetURI("http://0x7f.1/")).hasSameOrigin(as: address))
        #expect(try #require(TargetURI("http://localhost/")).hasSameOrigin(as: address) == false)
    }

    @Test("A target of 100 kB keeps every byte")
    func longTarget() {
        let path = "/" + String(repeating: "abcdefghij", count: 10_000)
        #expect(TargetURI("http://a.com" + path)?.string == "http://a.com" + path)
    }
}
