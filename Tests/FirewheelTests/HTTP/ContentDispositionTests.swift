import FirewheelTesting
import Foundation
import Testing

@testable import Firewheel

/// The names that `Content-Disposition` suggests (RFC 6266), as sent by servers that follow it and by those that do not.
@Suite("Content-Disposition", .timeLimit(.minutes(5)))
struct ContentDispositionTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let value: String
        let extended: String?
        let plain: String?

        init(_ value: String, _ plain: String?, extended: String? = nil) {
            self.value = value
            self.plain = plain
            self.extended = extended
        }

        var testDescription: String { value }
    }

    /// The text of UTF-8 bytes as a received field has it: decoded as ISO-8859-1.
    private static func raw(_ text: String) -> String { FieldOctets.latin1(Array(text.utf8)) }

    static let cases: [Case] = [
        // RFC 6266 section 5.
        Case("Attachment; filename=example.html", "example.html"),
        Case(#"INLINE; FILENAME= "an example.html""#, "an example.html"),
        Case("attachment; filename*= UTF-8''%e2%82%ac%20rates", nil, extended: "€ rates"),
        Case(#"attachment; filename="EURO rates"; filename*=utf-8''%e2%82%ac%20rates"#, "EURO rates", extended: "€ rates"),
        Case(#"attachment; filename*=utf-8'de'%e2%82%ac; filename="EURO""#, "EURO", extended: "€"),
        Case("inline", nil), Case("", nil), Case("attachment;", nil), Case(";;;", nil), Case("=", nil), Case("attachment", nil),
        // Quoted strings (RFC 9110 section 5.6.4).
        Case(#"attachment; filename="f\"o\\o;b,c.html""#, #"f"o\o;b,c.html"#), Case(#"attachment; filename="""#, ""),
        Case(#"attachment; filename="a.txt"; x="filename=b.txt""#, "a.txt"), Case(#"attachment; x="; filename=b.txt"; filename=a"#, "a"),
        Case(#"attachment; filename="a.txt"junk; y=1"#, "a.txt"), Case(#"attachment; filename="a.t"#, "a.t"),
        Case(#"attachment; filename="a\"#, "a"), Case(#"attachment;filename = 'a.txt'"#, "'a.txt'"),
        // Extended values (RFC 8187 section 3.2).
        Case("attachment; filename*=iso-8859-1''foo-%E4.html", nil, extended: "foo-ä.html"),
        Case("attachment; filename*=ISO-8859-1'en'%A3%20rates", nil, extended: "£ rates"),
        Case("attachment; filename*=utf-8''a'b.txt", nil, extended: "a'b.txt"),
        Case("attachment; filename=a; filename*=windows-1252''%80", "a"), Case("attachment; filename=a; filename*=''b", "a"),
        Case("attachment; filename=a; filename*=UTF-8''b%", "a"), Case("attachment; filename=a; filename*=UTF-8''b%4", "a"),
        Case("attachment; filename=a; filename*=UTF-8''b%zz", "a"), Case("attachment; filename=a; filename*=UTF-8''%ff", "a"),
        Case("attachment; filename=a; filename*=UTF-8''%c3", "a"), Case("attachment; filename=a; filename*=b", "a"),
        Case("attachment; filename=a; filename*=UTF-8'b", "a"), Case("attachment; filename=a; filename*=UTF-8''\u{E4}", "a"),
        Case("attachment; filename*=UTF-8''a%2Fb%00", nil, extended: "a/b\0"),
        // What RFC 6266 does not have: encoded words, continuations, percent-encoding in `filename`.
        Case("attachment; filename==?ISO-8859-1?Q?foo-=E4.html?=", "=?ISO-8859-1?Q?foo-=E4.html?="),
        Case(#"attachment; filename*0="foo."; filename*1="html""#, nil), Case("attachment; filename*0*=UTF-8''foo-%c3%a4", nil),
        Case(#"attachment; filename="foo-%41.html""#, "foo-%41.html"),
        // Raw bytes, as browsers take them.
        Case("attachment; filename=\"\(raw("naïve-日本.txt"))\"", "naïve-日本.txt"), Case("attachment; filename=\(raw("日本"))", "日本"),
        Case("attachment; filename=\"foo-\u{E4}.html\"", "foo-ä.html"), Case("attachment; filename=日本.txt", "日本.txt"),
        // Names without quotes.
        Case("attachment; filename=an example, second.html ; x=1", "an example, second.html"), Case("filename=a.txt", "a.txt"),
        Case("attachment;;; filename=a.txt;", "a.txt"), Case("attachment filename=b; filename=a", "a"),
        // The first counts, of parameters and of fields, which Foundation joins.
        Case(#"attachment; filename="a"; filename="b""#, "a"), Case("attachment; filename*=UTF-8''%; filename*=UTF-8''b", nil),
        Case(#"attachment; filename="a", inline; filename*=UTF-8''b"#, "a"),
        Case("attachment; filename=a.txt, attachment; filename=b", "a.txt"),
        Case("attachment, attachment; filename=b", nil), Case("attachment; filename=a, b, inline", "a, b"),
    ]

    @Test("The suggested names are those of RFC 6266, and of servers that browsers understand", arguments: cases)
    func names(_ sample: Case) {
        let disposition = ContentDisposition(sample.value)
        #expect(disposition.plainName == sample.plain && disposition.extendedName == sample.extended, "\(disposition)")
    }

    @Test("Any value, and each cut at every character, suggests a name that is safe or none")
    func cutAndRandom() {
        for sample in Self.cases {
            for end in sample.value.indices { expectSafe(ContentDisposition(String(sample.value[..<end]))) }
        }
        var generator = SeededGenerator(state: 6266)
        let alphabet =
            Array("atchmenilfu=;,\"\\'* %2Ff0./\u{E4}\u{0}\u{338}\u{202E}").map(String.init) + ["filename", "filename*=", "UTF-8''"]
        for _ in 0..<5_000 {
            let parts = (0..<Int.random(in: 0..<30, using: &generator)).compactMap { _ in alphabet.randomElement(using: &generator) }
            expectSafe(ContentDisposition("attachment; " + parts.joined()))
        }
    }

    private func expectSafe(_ disposition: ContentDisposition) {
        for name in disposition.names.compactMap(SafeFilename.make) {
            let bytes = Array(name.utf8)
            let isSafe =
                !bytes.isEmpty && bytes.count <= 255 && bytes.first != UInt8(ascii: ".") && !bytes.contains { $0 < 0x20 || $0 == 0x7F }
            #expect(isSafe && !bytes.contains(UInt8(ascii: "/")) && !bytes.contains(UInt8(ascii: "\\")), "\(disposition)")
        }
    }
}
