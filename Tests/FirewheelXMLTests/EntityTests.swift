import FirewheelTesting
import FirewheelXML
import Testing

/// No entity and no DTD is loaded, and entities that expand are refused before a parser sees them.
@Suite("Entities in XML", .timeLimit(.minutes(5)))
struct EntityTests {
    private static let everyOption: [XMLNode.Options] = [
        [], .nodeLoadExternalEntitiesAlways, .nodeLoadExternalEntitiesSameOriginOnly, .documentXInclude, .nodePreserveEntities,
    ]

    @Test("Entities of files and servers, general and parameter ones, are refused; no request is made", arguments: everyOption)
    func external(options: XMLNode.Options) throws {
        let server = try MockServer()
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("secret-\(UInt64.random(in: 0...UInt64.max))")
        try Data("<!ENTITY s 'SECRET'>".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        for url in [server.url("/x"), file.absoluteString, file.path] {
            for text in [
                "<!DOCTYPE a [<!ENTITY x SYSTEM \"\(url)\">]><a>&x;</a>",
                "<!DOCTYPE a [<!ENTITY x PUBLIC 'p' '\(url)'>]><a b='&x;'/>",
                "<!DOCTYPE a [<!ENTITY % x SYSTEM \"\(url)\"> %x;]><a>&s;</a>",
                "<!DOCTYPE a SYSTEM \"\(url)\" [<!ENTITY x SYSTEM \"\(url)\" NDATA n>]><a/>",
                "<!DOCTYPE a SYSTEM \"\(url)\" [%x;]><a/>",
            ] {
                #expect(try failure(text, options: options).reason == .entityDeclaration)
            }
            // An external DTD is allowed to be named, and not loaded; XInclude is not processed.
            for text in [
                "<!DOCTYPE a SYSTEM \"\(url)\"><a>&s;</a>", "<!DOCTYPE a PUBLIC 'p' \"\(url)\" [<!ELEMENT a ANY>]><a>&s;</a>",
                "<a xmlns:xi='http://www.w3.org/2001/XInclude'><xi:include href=\"\(url)\" parse='text'/></a>",
                "<?xml-stylesheet href=\"\(url)\" type='text/xsl'?><a xsi:schemaLocation=\"a \(url)\" xmlns:xsi='x'/>",
            ] {
                #expect(try !document(text, options: options).xmlString.contains("SECRET"))
                #expect(Events.of(try parser(Data(text.utf8))).0.text.isEmpty)
            }
        }
        #expect(server.requestCount == 0)
    }

    #if canImport(FoundationXML)
        @Test("A document is not validated on Linux, where a long message would overwrite memory")
        func validation() throws {
            let model = Array(repeating: "b?", count: 1_000).joined(separator: ",")
            for text in ["<!DOCTYPE a [<!ELEMENT a (\(model))><!ELEMENT b EMPTY>]><a><b/></a>", "<!DOCTYPE a SYSTEM 'a.dtd'><a/>", "<a/>"] {
                #expect(try documentFailure(Data(text.utf8), options: .documentValidate).reason == .validationUnavailable)
                #expect(try document(text).elementNames.first == "a")
            }
        }
    #else
        @Test("Validation against an external DTD is an error, against the internal one it works; no request is made")
        func validation() throws {
            let server = try MockServer()
            let external = "<!DOCTYPE a SYSTEM \"\(server.url("/a.dtd"))\"><a/>"
            #expect(try documentFailure(Data(external.utf8), options: .documentValidate).reason == .externalDTD)
            let subset = "<!DOCTYPE a [<!ELEMENT a (b)><!ELEMENT b EMPTY><!ATTLIST b c CDATA \"x>y\"><!NOTATION n SYSTEM 'n'>]>"
            #expect(try document(subset + "<a><b/></a>", options: .documentValidate).rootElement()?.childCount == 1)
            let failure = try documentFailure(Data((subset + "<a/>").utf8), options: .documentValidate)
            #expect(failure.reason == .invalid && failure.underlyingError != nil)
            #expect(server.requestCount == 0)
        }
    #endif

    @Test("Files that a document includes (XInclude 1.0) are not read, whatever the options", arguments: everyOption)
    func inclusion(options: XMLNode.Options) throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("secret-\(UInt64.random(in: 0...UInt64.max))")
        try Data("SECRET".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let text = "<a xmlns:x='http://www.w3.org/2001/XInclude'><x:include href='\(file.absoluteString)' parse='text'/></a>"
        #expect(try !document(text, options: options).xmlString.contains("SECRET"))
    }

    @Test("Entity bombs are refused with the place of the first declaration")
    func bombs() throws {
        let laughs = (1...9).map { "<!ENTITY l\($0) \"\(String(repeating: "&l\($0 - 1);", count: 10))\">" }.joined()
        for text in [
            "<?xml version=\"1.0\"?>\n<!DOCTYPE l [<!ENTITY l0 \"lol\">\(laughs)]>\n<l>&l9;</l>",
            "\n<!DOCTYPE l [<!ENTITY q '\(String(repeating: "x", count: 50_000))'>]><l>\(String(repeating: "&q;", count: 50_000))</l>",
            "\n<!DOCTYPE l [<!ENTITY a '&b;'><!ENTITY b '&a;'>]><l c='&a;'/>",
        ] {
            let failure = try failure(text)
            #expect(failure.reason == .entityDeclaration && failure.line == 2 && failure.column == 14)
        }
    }

    @Test(
        "A declaration is found in every encoding, and where a parser that goes on behind errors could find it",
        arguments: [
            "<!-- <!DOCTYPE a [<!ENTITY x 'y'>]> --><a/>", "<?p <!ENTITY ?><a/>", "<!DOCTYPE a [<!-- <!ENTITY x 'y'> -->]><a>&x;</a>",
            "<!DOCTYPE a [<?p <!ENTITY x 'y'> ?>]><a/>", "<!DOCTYPE a [<!ATTLIST a b CDATA \"<!ENTITY x 'y'>\">]><a/>",
            "<!DOCTYPE a SYSTEM \"[<!ENTITY x 'y'>\"><a/>",
        ])
    func hidden(text: String) throws {
        for encoding in [String.Encoding.utf8, .utf16, .utf32] {
            let body = try #require(text.data(using: encoding))
            #expect(try documentFailure(body).reason == .entityDeclaration)
        }
    }

    @Test("A comment that is longer than the parser's limit, behind which that goes on, hides no declaration")
    func hiddenBehindLimit() throws {
        let text = "<!-- \(String(repeating: "x", count: 10_100_000)) <!DOCTYPE a [<!ENTITY x 'y'>]> --><a/>"
        #expect(try documentFailure(Data(text.utf8)).reason == .entityDeclaration)
    }

    @Test(
        "A prolog that is malformed is an error, with a parser too",
        arguments: [
            "<? <!DOCTYPE a [<!ENTITY x 'y'>]> ?><a/>", "<!-- a -- b --><a/>", "<!--\u{1}--><a/>", "<!-- a <a/>", "<?p \u{FFFE}?><a/>",
            "<?p!?><a/>", "<!doctype html><html/>", "<!DOCTYPE a><!DOCTYPE a><a/>", "<!DOCTYPE a [<a/>", "<!DOCTYPE a [<!FOO>]><a/>",
            "<!DOCTYPE a [<!ELEMENT a <!ELEMENT b ANY>]><a/>", "<!DOCTYPE a SYSTEM><a/>", "<!DOCTYPE", "<!DOCTYPE a [<![INCLUDE[]]>]><a/>",
            "<!DOCTYPE a [<!ATTLIST a b CDATA 'x>]><a/>", "<![CDATA[x]]><a/>",
        ])
    func malformed(text: String) throws {
        #expect(try failure(text).reason == .notWellFormed)
    }

    @Test("What only looks like a declaration behind the root's tag is content")
    func content() throws {
        let text = "<!DOCTYPE a [<!ELEMENT a ANY>]><a><![CDATA[<!ENTITY x 'y'>]]><!-- <!ENTITY --></a>"
        #expect(Events.of(try parser(Data(text.utf8))).0.text == "<!ENTITY x 'y'>")
        #expect(try document(text).rootElement()?.stringValue?.hasPrefix("<!ENTITY") == true)
    }
}
