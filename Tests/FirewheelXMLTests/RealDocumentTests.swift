import FirewheelXML
import Testing

/// Documents of other programs, with a parser and as a tree.
@Suite("XML of other programs", .timeLimit(.minutes(5)))
struct RealDocumentTests {
    @Test("A parser and a tree have the same elements, and a document type declaration loads nothing", arguments: Fixtures.all)
    func bothWays(text: String) throws {
        let (events, isParsed) = Events.of(try parser(Data(text.utf8)))
        #expect(isParsed && !events.elements.isEmpty)
        #expect(try document(text).elementNames == events.elements)
    }

    @Test("A feed's titles and links are read, with references resolved")
    func atom() throws {
        let (events, _) = Events.of(try parser(Data(Fixtures.atom.utf8)))
        #expect(events.text == "Grüße & <Co>Erste<p class=\"x\">Hallo</p>")
        #expect(events.attributes["href"] == "https://example.org/1?a=1&b=2")
        let root = try #require(try document(Fixtures.atom).rootElement())
        let entry = try #require(root.elements(forName: "entry").first)
        // `attribute(forName:)` finds nothing on Linux where the element is in a namespace.
        #expect(entry.elements(forName: "link").first?.attributes?.map(\.stringValue) == ["https://example.org/1?a=1&b=2"])
        #expect(root.elements(forName: "title").first?.stringValue == "Grüße & <Co>")
    }

    @Test("CDATA sections are text")
    func rss() throws {
        let tree = try document(Fixtures.rss)
        #expect(try tree.nodes(forXPath: "//item/description").map(\.stringValue) == ["<b>Neu</b>", "<b>Alt</b>"])
    }

    @Test("A reference to an entity of a DTD that is not loaded is asked of the delegate, and left in the tree")
    func xhtml() throws {
        let (events, isParsed) = Events.of(try parser(Data(Fixtures.xhtml.utf8)))
        #expect(isParsed && events.unresolved == ["nbsp"] && events.attributes["title"] == "a & <b")
        let tree = try document(Fixtures.xhtml)
        #expect(tree.xmlString.contains("x&nbsp;y é"))
    }

    @Test("Prefixes of namespaces are kept")
    func soap() throws {
        let root = try #require(try document(Fixtures.soap).rootElement())
        #expect(root.name == "soap:Envelope" && root.uri == "http://schemas.xmlsoap.org/soap/envelope/")
    }

    @Test("A property list's text is read as by PropertyListSerialization")
    func propertyList() throws {
        let tree = try document(Fixtures.propertyList)
        #expect(try tree.nodes(forXPath: "/plist/dict/string").first?.stringValue == "Zoë")
    }

    @Test("A document of more than 10 MB is read, with a parser and as a tree")
    func large() throws {
        let body = Data(("<a>" + String(repeating: "<b>" + String(repeating: "x", count: 9_990) + "</b>", count: 1_100) + "</a>").utf8)
        let (events, isParsed) = Events.of(try parser(body))
        #expect(isParsed && events.elements.count == 1_101 && events.text.utf8.count == 10_989_000)
        #expect(try document(body).rootElement()?.childCount == 1_100)
    }

    @Test("Options of XMLDocument apply: white space between elements is kept if asked for")
    func options() throws {
        #expect(try document("<a> <b/> </a>").rootElement()?.childCount == 1)
        #expect(try document("<a> <b/> </a>", options: .nodePreserveWhitespace).rootElement()?.childCount == 3)
    }
}
