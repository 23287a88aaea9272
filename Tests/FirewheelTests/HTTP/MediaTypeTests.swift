import Foundation
import Testing

@testable import Firewheel

@Suite("Media types and charsets")
struct MediaTypeTests {
    @Test(
        "A media type has its type and subtype in lower case, without parameters (RFC 9110 section 8.3.1)",
        arguments: [
            ("text/html", "text", "html"), ("TEXT/HTML", "text", "html"), ("text/html; charset=utf-8", "text", "html"),
            ("text/html;charset=utf-8", "text", "html"), ("  application/json\t", "application", "json"), ("*/*", "*", "*"),
            ("application/vnd.api+json", "application", "vnd.api+json"), ("text/html;", "text", "html"),
        ])
    func parsing(text: String, type: String, subtype: String) throws {
        let media = try #require(MediaType(text))
        #expect((media.type, media.subtype) == (type, subtype))
    }

    @Test(
        "Malformed text is not a media type",
        arguments: ["", "text", "/", "text/", "/html", "a/b/c", ";a/b", " ; ", "application/json, text/html", "te xt/html"])
    func noMediaType(text: String) {
        #expect(MediaType(text) == nil)
    }

    @Test(
        "A media range matches what its wildcards leave open (RFC 9110 section 12.5.1)",
        arguments: [
            ("*/*", "text/html", true), ("text/*", "text/html", true), ("text/html", "text/html", true),
            ("text/html", "TEXT/html;q=1", true),
            ("text/html", "text/plain", false), ("image/*", "text/html", false), ("*/json", "application/json", true),
            ("text/html", "*/*", false),
        ])
    func matching(range: String, type: String, expected: Bool) throws {
        let (range, type) = (try #require(MediaType(range)), try #require(MediaType(type)))
        #expect(range.matches(type) == expected)
    }

    @Test("Only */* matches every media type")
    func wildcards() throws {
        #expect(try #require(MediaType("*/*")).isWildcard)
        #expect(try #require(MediaType("text/*")).isWildcard == false)
        #expect(try #require(MediaType("*/json")).isWildcard == false)
    }

    @Test(
        "The charset parameter of a media type is read (RFC 9110 section 8.3.2)",
        arguments: [
            ("text/plain; charset=utf-8", .utf8), ("text/plain;charset=UTF-8", .utf8), ("text/plain; charset=\"utf-8\"", .utf8),
            ("text/plain; CHARSET=ISO-8859-1", .isoLatin1), ("text/plain; a=b; charset = us-ascii ; c=d", .ascii),
            ("text/plain; charset=windows-1252", .windowsCP1252), ("text/plain; charset=utf-16le", .utf16LittleEndian),
            ("text/plain; charset=utf-32be", .utf32BigEndian), ("text/plain; charset=UTF-16", .utf16),
            ("text/plain; charset=\" cp1252\t\"", .windowsCP1252),
        ] as [(String, String.Encoding)])
    func charset(contentType: String, expected: String.Encoding) {
        #expect(Charset.encoding(ofContentType: contentType) == expected)
    }

    @Test(
        "An unknown or missing charset is nil",
        arguments: [
            "", "text/plain", "text/plain; charset", "text/plain; charset=", "text/plain; charset=klingon", "charset=utf-8",
            "text/plain; xcharset=utf-8",
            "text/plain; charset=utf-8x", ";;;", "text/plain; =utf-8",
        ])
    func noCharset(contentType: String) {
        #expect(Charset.encoding(ofContentType: contentType) == nil)
    }

    @Test("A semicolon inside a quoted parameter does not end it (RFC 9110 section 5.6.6)")
    func quotedParameter() {
        #expect(Charset.encoding(ofContentType: "text/plain; title=\"a; charset=utf-16\"; charset=utf-8") == .utf8)
    }

    @Test("Of 20,000 random texts, a media type that is accepted is read back the same and matches itself")
    func random() throws {
        var generator = SeededGenerator(state: 9110)
        let pieces = [
            "text", "HTML", "/", "/", "*", ";", "charset=", "\"", " ", "\t", ",", "+", ".", "\u{0}", "\u{E9}", "e\u{301}", "\r\n", "🇩🇪",
        ]
        var taken = 0
        for round in 0..<20_000 {
            // Half of them begin like a media type, because few would be valid otherwise.
            let text =
                (round.isMultiple(of: 2) ? "a/" : "")
                + (0..<Int.random(in: 0...5, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            guard let media = MediaType(text) else { continue }
            taken += 1
            #expect(MediaType("\(media.type)/\(media.subtype)") == media, "\(text.debugDescription)")
            #expect(media.matches(media), "\(text.debugDescription)")
            #expect("\(media.type)/\(media.subtype)".utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(text.debugDescription)")
        }
        #expect(taken > 400)
    }
}
