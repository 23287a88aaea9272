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
            ("euc-kr", "B0A1", "가"), ("euc-jp", "41", "A"), ("macintosh", "8A", "ä"),
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
            ("windows-1252", "81"), ("shift_jis", "82"), ("big5", "A4"), ("gb18030", "94"),
        ])
    func invalid(name: String, hexadecimal: String) throws {
        let encoding = try #require(Charset.encoding(ofContentType: "a/b;charset=\(name)"))
        #expect(Charset.decode(bytes(hexadecimal), as: encoding) == nil)
    }

    #if os(Linux)
        @Test("EUC-JP, which Foundation lacks on Linux, decodes to nothing beyond ASCII rather than to wrong text")
        func unavailable() throws {
            let encoding = try #require(Charset.encoding(ofContentType: "a/b;charset=euc-jp"))
            #expect(Charset.decode(bytes("A4A2"), as: encoding) == nil)
        }
    #endif

    @Test("Every charset name has an encoding that Foundation can decode, except the ones marked as missing")
    func available() {
        for (name, encoding) in Charset.encodings where !Charset.extendsASCII.contains(encoding) {
            let isWide = name.hasPrefix("utf-16") || name.hasPrefix("utf-32") || encoding == .utf16
            let text = Charset.decode(Data(isWide ? [0, 0, 0, 0] : [0x61]), as: encoding)
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
