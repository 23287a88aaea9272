import Foundation
import Testing

@testable import Firewheel

/// The `charset` of a Content-Type (RFC 9110 sections 5.6.6 and 8.3.2), and decoding text with it.
@Suite("Charset of a Content-Type")
struct CharsetTests {
    @Test(
        "The charset parameter of a Content-Type is found in every spelling",
        arguments: [
            ("text/plain; charset=utf-8", "utf-8"), ("text/plain;CHARSET=UTF-8", "utf-8"), ("text/plain ; charset = \"utf-8\" ", "utf-8"),
            ("text/plain; charset=\"utf\\-8\"", "utf-8"), ("text/plain; charset=\"a\\\"b\"", "a\"b"),
            ("text/plain; charset=\"utf-8", "utf-8"),
            ("text/plain; a=\"; charset=x\"; charset=utf-8", "utf-8"), ("text/plain; charset=a; charset=b", "a"),
            ("text/plain; charset", nil),
            ("text/plain; charset=", ""), ("text/plain; charset=\"\"", ""), ("text/plain; xcharset=utf-8", nil), ("charset=utf-8", nil),
            ("text/plain", nil), ("", nil), (";", nil), (";;charset=x;;", "x"),
        ] as [(String, String?)])
    func parameter(contentType: String, charset: String?) {
        #expect(Charset.parameter(ofContentType: contentType) == charset)
    }

    /// One letter of each encoding, from the WHATWG Encoding Standard and from Unicode.
    @Test(
        "Charset names map to their text encodings",
        arguments: [
            ("us-ascii", "41", "A"), ("iso-8859-1", "E4", "ä"), ("latin1", "80", "\u{80}"), ("windows-1252", "80", "€"),
            ("iso-8859-2", "B1", "ą"),
            ("iso-8859-5", "D6", "ж"), ("iso-8859-7", "E1", "α"), ("iso-8859-8", "E0", "א"), ("iso-8859-9", "FD", "ı"),
            ("iso-8859-15", "A4", "€"),
            ("windows-1250", "B9", "ą"), ("windows-1251", "E6", "ж"), ("windows-1253", "E1", "α"), ("windows-1254", "FD", "ı"),
            ("windows-1255", "E0", "א"), ("windows-1256", "C8", "ب"), ("windows-1257", "E0", "ą"), ("windows-874", "A1", "ก"),
            ("koi8-r", "D6", "ж"), ("koi8-u", "A4", "є"), ("shift_jis", "82A0", "あ"), ("iso-2022-jp", "1B2442242 21B2842", "あ"),
            ("gb18030", "B1B1", "北"), ("gb18030", "94 39 FC 36", "😀"), ("gbk", "B1B1", "北"), ("gb2312", "B1B1", "北"), ("big5", "A4A4", "中"),
            ("euc-kr", "B0A1", "가"), ("windows-949", "8141", "갂"), ("euc-jp", "A4A2", "あ"), ("euc-jp", "8EB1", "ｱ"),
            ("x-euc-jp", "8FB0A1 41", "丂A"), ("macintosh", "8A", "ä"), ("x-mac-cyrillic", "80", "А"),
            ("cp1250", "B9", "ą"), ("x-cp1251", "E6", "ж"), ("x-sjis", "82A0", "あ"), ("ms932", "8740", "①"), ("ibm866", "A6", "ж"),
            ("866", "A6", "ж"), ("iso8859-15", "A4", "€"), ("iso885915", "A4", "€"), ("l9", "A4", "€"), ("iso_8859-1:1987", "E4", "ä"),
            ("koi", "D6", "ж"), ("koi8-ru", "A4", "є"), ("tis-620", "A1", "ก"), ("x-gbk", "B1B1", "北"), ("gb_2312-80", "B1B1", "北"),
            ("x-x-big5", "A4A4", "中"), ("ksc5601", "B0A1", "가"), ("csiso2022jp", "1B2442242 21B2842", "あ"), ("logical", "E0", "א"),
            ("iso-8859-16", "A2", "ą"), ("unicode20utf8", "C3A4", "ä"),
        ])
    func names(name: String, hexadecimal: String, text: String) throws {
        let encoding = try #require(Charset.encoding(ofContentType: "text/plain; charset=\(name.uppercased())"))
        #expect(Charset.decode(bytes(hexadecimal), as: encoding) == text)
    }

    @Test(
        "A Unicode byte order mark sets the byte order and is not part of the text; without one it is big-endian",
        arguments: [
            ("utf-8", "C3A4", "ä"), ("utf-8", "EFBBBFC3A4", "ä"), ("utf-16", "00E4", "ä"), ("utf-16", "FEFF00E4", "ä"),
            ("utf-16", "FFFEE400", "ä"),
            ("utf-16be", "00E4", "ä"), ("utf-16be", "FEFF00E4", "ä"), ("utf-16le", "E400", "ä"), ("utf-16le", "FFFEE400", "ä"),
            ("utf-16be", "D83DDE00", "😀"), ("utf-32", "000000E4", "ä"), ("utf-32", "0000FEFF000000E4", "ä"),
            ("utf-32", "FFFE0000E4000000", "ä"),
            ("utf-32be", "0001F600", "😀"), ("utf-32le", "E4000000", "ä"), ("utf-32le", "FFFE0000E4000000", "ä"),
            ("unicode-1-1", "FFFEE400", "ä"), ("iso-10646-ucs-2", "00E4", "ä"), ("utf-16", "", ""), ("utf-32", "", ""),
            ("utf-8", "EFBBBF", ""),
            ("utf-8", "EFBBBFEFBBBF61", "\u{FEFF}a"),
        ])
    func unicode(name: String, hexadecimal: String, text: String) throws {
        let encoding = try #require(Charset.encoding(ofContentType: "a/b;charset=\(name)"))
        let decoded = try #require(Charset.decode(bytes(hexadecimal), as: encoding))
        #expect(Array(decoded.unicodeScalars) == Array(text.unicodeScalars))
    }

    @Test(
        "Bytes that are invalid in their encoding decode to nothing, and no part is dropped",
        arguments: [
            ("utf-8", "FF"), ("utf-8", "C3"), ("utf-8", "EDA080"), ("us-ascii", "80"), ("utf-16", "00E400"), ("utf-16le", "41"),
            ("utf-16", "D83D"),
            ("utf-16be", "DE00D83D"), ("utf-32", "0000"), ("utf-32", "000000E400"), ("utf-32be", "0000D83D"), ("utf-32", "00110000"),
            ("windows-1252", "81"), ("shift_jis", "82"), ("big5", "A4"), ("gb18030", "94"), ("euc-jp", "A4"), ("euc-jp", "FF"),
            ("euc-jp", "41A4A28F"),
        ])
    func invalid(name: String, hexadecimal: String) throws {
        let encoding = try #require(Charset.encoding(ofContentType: "a/b;charset=\(name)"))
        #expect(Charset.decode(bytes(hexadecimal), as: encoding) == nil)
    }

    /// The labels of the standard's `encodings.json`, but for those of `replacement` and `x-user-defined`, which are no text.
    @Test(
        "Every label of the WHATWG Encoding standard is known",
        arguments: [
            "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8", "866 cp866 csibm866 ibm866",
            "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
            "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
            "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
            "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988",
            "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6",
            "iso88596 iso_8859-6 iso_8859-6:1987",
            "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 sun_eu_greek",
            "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 visual",
            "csiso88598i iso-8859-8-i logical", "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6",
            "iso-8859-13 iso8859-13 iso885913", "iso-8859-14 iso8859-14 iso885914",
            "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9", "iso-8859-16", "cskoi8r koi koi8 koi8-r koi8_r",
            "koi8-ru koi8-u", "csmacintosh mac macintosh x-mac-roman", "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
            "cp1250 windows-1250 x-cp1250", "cp1251 windows-1251 x-cp1251",
            "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1",
            "latin1 us-ascii windows-1252 x-cp1252", "cp1253 windows-1253 x-cp1253",
            "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 windows-1254 x-cp1254",
            "cp1255 windows-1255 x-cp1255", "cp1256 windows-1256 x-cp1256", "cp1257 windows-1257 x-cp1257",
            "cp1258 windows-1258 x-cp1258", "x-mac-cyrillic x-mac-ukrainian",
            "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk", "gb18030",
            "big5 big5-hkscs cn-big5 csbig5 x-x-big5", "cseucpkdfmtjapanese euc-jp x-euc-jp", "csiso2022jp iso-2022-jp",
            "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
            "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949",
            "unicodefffe utf-16be", "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
        ])
    func labels(line: String) {
        for label in line.split(separator: " ") { #expect(Charset.named(String(label)) != nil, "\(label)") }
    }

    @Test("Every charset name has an encoding that can be decoded")
    func available() {
        for (name, encoding) in Charset.encodings {
            let text = Charset.decode(Data(Charset.wide.contains(encoding) ? [0, 0, 0, 0] : [0x61]), as: encoding)
            #expect(text?.isEmpty == false, "\(name)")
        }
    }

    @Test("In 10,000 random Content-Types a charset that was put in is found, and none traps")
    func random() {
        var generator = SeededGenerator(state: 9110)
        let alphabet = Array("abU8-=;\"\\ /\tcharset,é👩‍👩‍👧‍👦\r\n\u{0}")
        for _ in 0..<10_000 {
            let noise = String((0..<Int.random(in: 0..<12, using: &generator)).map { _ in alphabet.randomElement(using: &generator)! })
            _ = Charset.encoding(ofContentType: noise)
            _ = Charset.encoding(ofContentType: "a/b; charset=" + noise)
            let quoted = noise.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
            #expect(Charset.parameter(ofContentType: "a/b; x=\"\(quoted)\"; charset=\"\(quoted)\"") == noise.lowercased(), "\(noise)")
        }
    }

    private func bytes(_ hexadecimal: String) -> Data {
        let digits = hexadecimal.filter(\.isHexDigit)
        return Data(stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(digits.dropFirst($0).prefix(2), radix: 16) })
    }
}
