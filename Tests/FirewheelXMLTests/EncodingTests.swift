import FirewheelXML
import Testing

/// RFC 7303 section 3: the byte order mark, then the charset of the content type, then the XML declaration, then UTF-8.
@Suite("Encodings of XML", .timeLimit(.minutes(5)))
struct EncodingTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let body: Data
        var type: String?

        init(_ name: String, _ text: String, as encoding: String.Encoding, mark: [UInt8] = [], type: String? = nil) {
            testDescription = name
            body = Data(mark) + (text.data(using: encoding) ?? Data())
            self.type = type
        }
    }

    private static func declaring(_ encoding: String) -> String { "<?xml version=\"1.0\" encoding=\"\(encoding)\"?>\n<a b=\"ö\">é</a>" }
    private static let plain = "<a b=\"ö\">é</a>"
    private static let mark8: [UInt8] = [0xEF, 0xBB, 0xBF]

    static let read = [
        Case("UTF-8 without anything", plain, as: .utf8),
        Case("UTF-8 declared", declaring("UTF-8"), as: .utf8),
        Case("UTF-8 with a mark", plain, as: .utf8, mark: mark8),
        Case("UTF-8 with a mark, declared as another", declaring("ISO-8859-1"), as: .utf8, mark: mark8),
        Case("UTF-8 with a mark, another charset", plain, as: .utf8, mark: mark8, type: "text/xml; charset=iso-8859-1"),
        Case("UTF-8 of the charset, declared as another", declaring("ISO-8859-1"), as: .utf8, type: "text/xml; charset=utf-8"),
        Case("UTF-8 of the charset, declared as UTF-16", declaring("utf-16"), as: .utf8, type: "application/xml;charset=\"UTF-8\""),
        Case("UTF-8 without a charset in text/xml", plain, as: .utf8, type: "text/xml"),
        Case("UTF-8 with a charset that nobody knows", plain, as: .utf8, type: "text/xml; charset=x-none"),
        Case("ISO-8859-1 declared", declaring("ISO-8859-1"), as: .isoLatin1),
        Case("ISO-8859-1 declared in lower case", declaring("iso-8859-1"), as: .isoLatin1),
        Case("ISO-8859-1 of the charset", plain, as: .isoLatin1, type: "application/xml; charset=ISO-8859-1"),
        Case("ISO-8859-1 of the charset, declared as UTF-8", declaring("UTF-8"), as: .isoLatin1, type: "text/xml; charset=iso-8859-1"),
        Case("windows-1252 declared", declaring("windows-1252"), as: .windowsCP1252),
        Case("windows-1250 declared by another label", declaring("cp1250"), as: .windowsCP1250),
        Case("ISO-8859-15 declared by another label", declaring("iso8859-15"), as: .isoLatin1),
        Case("windows-1252 of a charset by another label", plain, as: .windowsCP1252, type: "text/xml; charset=\"x-cp1252\""),
        Case("ISO-8859-1 of a content type that is there twice", plain, as: .isoLatin1, type: "a/b, text/xml; charset=l1"),
        Case("UTF-16 with a big-endian mark", declaring("UTF-16"), as: .utf16BigEndian, mark: [0xFE, 0xFF]),
        Case("UTF-16 with a little-endian mark", declaring("UTF-16"), as: .utf16LittleEndian, mark: [0xFF, 0xFE]),
        Case("UTF-16 with a mark, declared as UTF-8", declaring("UTF-8"), as: .utf16LittleEndian, mark: [0xFF, 0xFE]),
        Case("UTF-16 with a mark, another charset", plain, as: .utf16LittleEndian, mark: [0xFF, 0xFE], type: "text/xml;charset=utf-8"),
        Case("UTF-16 big-endian without a mark", declaring("UTF-16"), as: .utf16BigEndian),
        Case("UTF-16 little-endian without a mark", declaring("UTF-16LE"), as: .utf16LittleEndian),
        Case("UTF-16 of the charset, without a mark", plain, as: .utf16BigEndian, type: "application/xml; charset=utf-16"),
        Case("UTF-16LE of the charset", plain, as: .utf16LittleEndian, type: "application/xml; charset=utf-16le"),
        Case("UTF-32 with a mark", declaring("UTF-32"), as: .utf32LittleEndian, mark: [0xFF, 0xFE, 0, 0]),
        Case("UTF-32 big-endian without a mark", declaring("UTF-32"), as: .utf32BigEndian),
    ]

    @Test("The text is the same, with a parser and as a tree", arguments: read)
    func reading(of test: Case) throws {
        let (events, isParsed) = Events.of(try parser(test.body, type: test.type))
        #expect(isParsed && events.errors.isEmpty && events.text == "é" && events.attributes["b"] == "ö")
        let root = try document(test.body, type: test.type).rootElement()
        #expect(root?.stringValue == "é" && root?.attribute(forName: "b")?.stringValue == "ö")
    }

    static let refused = [
        Case("ISO-8859-1 without anything", plain, as: .isoLatin1),
        Case("ISO-8859-1 declared as UTF-8", declaring("UTF-8"), as: .isoLatin1),
        Case("UTF-8 declared as UTF-16", declaring("UTF-16"), as: .utf8),
        Case("UTF-8 declared as US-ASCII", declaring("us-ascii"), as: .utf8),
        Case("An encoding that nobody knows", declaring("x-none"), as: .utf8),
        Case("UTF-7, in which markup can hide", declaring("UTF-7"), as: .utf8),
        Case("EBCDIC, in which markup can hide", declaring("IBM037"), as: .utf8),
        Case("Half a unit of UTF-16", plain + "\u{E9}", as: .utf16LittleEndian, mark: [0xFF, 0xFE, 0x20]),
    ]

    @Test("Text that is not in its encoding, and encodings that are not supported, are errors", arguments: refused)
    func refusal(of test: Case) throws {
        let failure = try documentFailure(test.body, type: test.type)
        guard case .encoding = failure.reason else {
            Issue.record("\(failure)")
            return
        }
        #expect(throws: FirewheelError.self) { try parser(test.body, type: test.type) }
    }

    @Test(
        "A declaration that is malformed is an error, since parsers may read another encoding from it",
        arguments: [
            "<?xml encoding='UTF-8'?><a/>", "<?xml version='1.0' encoding='UTF-8'<a/>", "<?xml version='1.0' encoding=''?><a/>",
            "<?xml version='1.0' encoding='U T F'?><a/>", "<?xml version='1.0'encoding='UTF-7'?><a/>", "<?xml version='1.0' ?><a",
            "<?xml version='1.0' x='1' encoding='UTF-7'?><a/>", "<?xml version='1.0' encoding='UTF-8' encoding='UTF-7'?><a/>",
        ])
    func malformed(text: String) throws {
        #expect(try documentFailure(Data(text.utf8)).reason == .notWellFormed)
    }

    @Test("Lines and columns are those of the body in every encoding")
    func places() throws {
        for encoding in [String.Encoding.utf8, .utf16, .isoLatin1] {
            let text = "<?xml version=\"1.0\" encoding=\"iso-8859-1\"?>\n<é>\n<b>\n</é>"
            let body = try #require(text.data(using: encoding))
            let failure = try documentFailure(body, type: encoding == .utf8 ? "text/xml; charset=utf-8" : nil)
            #expect(failure.reason == .notWellFormed && failure.line == 4)
        }
    }
}
