import Foundation
import Testing

@testable import Firewheel

/// Reading a `Set-Cookie` field (RFC 6265bis section 5.6).
@Suite("Parsing Set-Cookie", .timeLimit(.minutes(5)))
struct SetCookieTests {
    private func parse(_ field: String) -> SetCookie? { SetCookie(Array(field.utf8)) }

    /// The parsed name and value, joined by an arrow.
    private func pair(_ field: String) -> String? {
        parse(field).map { "\(FieldOctets.text($0.name))→\(FieldOctets.text($0.value))" }
    }

    @Test(
        "The first equals sign separates a cookie's name and value, and spaces and tabs around both are removed",
        arguments: [
            ("a=b", "a→b"), ("a=b; Path=/", "a→b"), ("  a \t=\t b c  ;x", "a→b c"), ("a==b=", "a→=b="), ("a=", "a→"), ("a=;b", "a→"),
            ("=b", "→b"), ("b", "→b"), (" b ; Path=/", "→b"), ("a=\"b c\"", "a→\"b c\""), ("a=\" b; c\"", "a→\" b"),
            ("a%3Db=%20", "a%3Db→%20"),
            ("a b=c", "a b→c"), ("a=b\u{A0}", "a→b\u{A0}"), ("a=b,c=d", "a→b,c=d"), ("a=x\ty", "a→x\ty"), ("päth=日本", "päth→日本"),
        ])
    func pairs(field: String, expected: String) {
        #expect(pair(field) == expected)
    }

    @Test(
        "Set-Cookie fields that are empty or have control characters are ignored", arguments: ["", " ", ";", "=", " = ;Path=/", "\t"])
    func ignored(field: String) {
        #expect(parse(field) == nil)
        for octet in Array(UInt8(0)...0x1F) + [0x7F] {
            for field in ["a=b", "a", "a=b; Path=/"] {
                for place in 0...field.utf8.count {
                    var octets = Array(field.utf8)
                    octets.insert(octet, at: place)
                    #expect((SetCookie(octets) == nil) == (octet != 0x09), "\(octet) at \(place) in \(field)")
                }
            }
        }
    }

    @Test("Name and value have at most 4,096 bytes together, and an attribute over 1,024 bytes is ignored")
    func sizes() {
        #expect(parse("a=" + String(repeating: "b", count: 4095))?.value.count == 4095)
        #expect(parse("a=" + String(repeating: "b", count: 4096)) == nil)
        #expect(parse(String(repeating: "b", count: 4096)) != nil && parse(String(repeating: "b", count: 4097)) == nil)
        // White space around them does not count.
        #expect(parse("a" + String(repeating: " ", count: 9000) + "=b") != nil)
        let path = "/" + String(repeating: "p", count: 1023)
        #expect(parse("a=b; Path=\(path)")?.path?.count == 1024)
        #expect(parse("a=b; Path=/x; Path=\(path)p")?.path.map(FieldOctets.text) == "/x")
        #expect(parse("a=b; Domain=\(String(repeating: "d", count: 1025))")?.domain == [])
    }

    @Test("Attributes are case-insensitive, may have blanks around them, and the last of a name counts")
    func attributes() throws {
        let all = try #require(
            parse(
                "a=b;PATH = /x ; domain=.EXAMPLE.com;\tsecure;HttpOnly=yes; samesite=LAX; max-Age=5; Expires=Thu, 01 Jan 1970 00:00:07 GMT;v=1;;"
            ))
        #expect(FieldOctets.text(all.domain) == "example.com" && all.path.map(FieldOctets.text) == "/x")
        #expect(all.isSecure && all.isHTTPOnly && all.sameSite == .lax && all.maxAge == 5 && all.hasPath)
        #expect(all.expires == Date(timeIntervalSince1970: 7))
        let last = try #require(
            parse("a=b; Path=/x; Path=; Domain=a.com; Domain=b.com; Max-Age=1; Max-Age=2; SameSite=Lax; SameSite=Strict"))
        #expect(
            last.path == nil && last.hasPath && FieldOctets.text(last.domain) == "b.com" && last.maxAge == 2 && last.sameSite == .strict)
        // An invalid value does not count as the last one.
        let readable = try #require(parse("a=b; Max-Age=9; Max-Age=x; Max-Age=; Expires=Thu, 01 Jan 1970 00:00:07 GMT; Expires=never"))
        #expect(readable.maxAge == 9 && readable.expires == Date(timeIntervalSince1970: 7))
        #expect(parse("a=b; SameSite=None; SameSite=other")?.sameSite == .default)
        #expect(
            parse("a=b; Domain=a.com; Domain=")?.domain == []
                && parse("a=b; Domain=..a.com").map { FieldOctets.text($0.domain) } == ".a.com")
        #expect(parse("a=b; Path=x")?.path == nil && parse("a=b; Path")?.hasPath == true && parse("a=b")?.hasPath == false)
    }

    @Test(
        "Max-Age is digits with an optional minus sign, and at most 400 days",
        arguments: [
            ("0", 0), ("1", 1), ("007", 7), ("-1", 0), ("-0", 0), ("34560000", 34_560_000), ("34560001", 34_560_000),
            (String(repeating: "9", count: 1000), 34_560_000), ("-99999999999999999999", 0), ("", nil), ("-", nil), ("+1", nil),
            ("1.5", nil),
            ("1 ", 1), ("1 0", nil), ("x", nil), ("--1", nil), ("٣", nil),
        ] as [(String, Int?)])
    func ages(text: String, expected: Int?) {
        #expect(parse("a=b; Max-Age=\(text)")?.maxAge == expected)
    }

    @Test("Set-Cookie fields of 1 MB in all shapes are parsed in linear time")
    func large() throws {
        let start = processorTime()
        #expect(parse("a=" + String(repeating: "b", count: 1 << 20)) == nil)
        let count = 1 << 18
        #expect(parse("a=b" + String(repeating: ";", count: count)) != nil)
        #expect(parse("a=b" + String(repeating: " ", count: count) + ";Secure")?.isSecure == true)
        #expect(parse("a=b;" + String(repeating: " \t", count: count / 2)) != nil)
        #expect(parse("a=b;" + String(repeating: "=", count: count)) != nil)
        #expect(parse("a=b" + String(repeating: ";Path=/x", count: count / 8))?.path.map(FieldOctets.text) == "/x")
        #expect(parse("a=b" + String(repeating: ";Expires=1 Jan 2010", count: count / 19)) != nil)
        #expect(processorTime() - start < 60)
    }

    @Test("Random bytes do not trap the Set-Cookie parser, and each accepted cookie keeps its rules")
    func random() {
        var generator = SeededGenerator(state: 6265)
        let pieces = [
            "a", "=", ";", " ", "\t", "Path", "/x", "Domain", ".example.com", "Secure", "Max-Age", "-1", "99999999999", "Expires",
            "Sun, 06 Nov 1994 08:49:37 GMT", "SameSite", "None", "\"", ",", "%00", "é",
        ]
        for _ in 0..<20_000 {
            var octets = (0..<Int.random(in: 0..<20, using: &generator)).flatMap { _ in
                Array((pieces.randomElement(using: &generator) ?? "").utf8)
            }
            if Bool.random(using: &generator), !octets.isEmpty {
                octets[Int.random(in: 0..<octets.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            guard let cookie = SetCookie(octets) else { continue }
            #expect(!cookie.name.isEmpty || !cookie.value.isEmpty)
            #expect(!cookie.name.contains(UInt8(ascii: "=")) && !(cookie.name + cookie.value).contains(UInt8(ascii: ";")))
            #expect((cookie.maxAge ?? 0) <= SetCookie.maximumAge && (cookie.path?.first ?? UInt8(ascii: "/")) == UInt8(ascii: "/"))
        }
    }
}
