import FirewheelXML
import Testing

/// Documents that are small to send and dear to parse end in an error, soon and with little memory.
@Suite("Limits of XML", .timeLimit(.minutes(5)))
struct LimitTests {
    private func attributes(_ count: Int, _ prefix: String = "a") -> String {
        (0..<count).map { " \(prefix)\($0)='u'" }.joined()
    }

    @Test("1,000 attributes are read, more are refused: the parser's time grows with their square")
    func manyAttributes() throws {
        #expect(Events.of(try parser(Data("<a\(attributes(1_000))/>".utf8))).0.attributes.count == 1_000)
        #expect(try document("<a\(attributes(1_000))/>").rootElement()?.attributes?.count == 1_000)
        let failure = try failure("<a>\n<b\(attributes(1_001))/></a>")
        #expect(failure.reason == .tooManyAttributes && failure.line == 2 && failure.column == 1)
        // Would take minutes.
        #expect(try self.failureOfLarge("<a><b\(attributes(200_000))/></a>") == .tooManyAttributes)
    }

    @Test("A document that ends before it has an element is an error, also where the parser finds no fault with it")
    func short() throws {
        for text in [" ", "\n\n\n\n", "\u{FEFF}", "<", "<a", "<a/", "\u{FEFF}<a", "<!-- c -->", "<?xml version='1.0'?>\n<b"] {
            let failure = try failure(text)
            #expect(failure.reason == .notWellFormed, "\(text)")
            let words = text.contains("<a") || text.hasSuffix("<") || text.hasSuffix("<b") ? "ends too early" : "no root element"
            #expect(failure.description.contains(words), "\(failure)")
        }
        #expect(try parser(Data("<a/>".utf8)).parse())
    }

    @Test("Attributes are counted in tags alone: not in text, comments and CDATA sections, and not twice in quotes")
    func attributesElsewhere() throws {
        let many = attributes(3_000)
        let text = "<a><!-- <b\(many)/> --><![CDATA[<b\(many)/>]]>\(many)<b c=\"\(many)\" d='>'\(attributes(900))/><?p <b\(many)/>?></a>"
        #expect(Events.of(try parser(Data(text.utf8))).0.attributes.count == 902)
        #expect(try document(text).elementNames == ["a", "b"])
    }

    @Test("1,000 namespaces in scope are read, more are refused: the parser searches all of them for each name")
    func manyNamespaces() throws {
        let (half, other) = (attributes(500, "xmlns:a"), attributes(500, "xmlns:b"))
        #expect(try document("<x\(half)><y\(other)><z/></y><y\(other)/></x>").elementNames == ["x", "y", "z", "y"])
        #expect(try failure("<x\(half)><y\(other)><z xmlns='u'/></y></x>").reason == .tooManyNamespaces)
        // Siblings are not in each other's scope.
        let siblings = String(repeating: "<y\(attributes(20, "xmlns:b"))><z xmlns='u'/></y><e xmlns='u'/>", count: 200)
        #expect(try document("<x>\(siblings)</x>").rootElement()?.childCount == 400)
        // Would take minutes.
        let nested = (0..<100).map { "<a\(attributes(900, "xmlns:n\($0)_"))>" }.joined()
        #expect(try failureOfLarge(nested + String(repeating: "<n0_0:b/>", count: 300_000)) == .tooManyNamespaces)
    }

    private func failureOfLarge(_ text: String) throws -> XMLFailure.Reason {
        let failure = try documentFailure(Data(text.utf8))
        #expect(throws: FirewheelError.self) { try parser(Data(text.utf8)) }
        return failure.reason
    }

    @Test("Long names, attributes, comments and sections end in an error of the parser's limits")
    func long() throws {
        let long = String(repeating: "x", count: 12_000_000)
        for text in ["<a b='\(long)'/>", "<\(long)/>", "<a><!--\(long)--></a>", "<a><![CDATA[\(long)]]></a>", "<a>&\(long);</a>"] {
            let body = Data(text.utf8)
            let failure = try documentFailure(body)
            #expect(failure.reason == .notWellFormed && failure.underlyingError != nil)
            let (events, isParsed) = Events.of(try parser(body))
            #expect(!isParsed && !events.errors.isEmpty, "\(text.prefix(12))")
        }
    }

    @Test("A tree has a limited depth; a parser reads any, and reports tags that are not closed")
    func deep() throws {
        let (open, close) = (String(repeating: "<a>", count: 3_000), String(repeating: "</a>", count: 3_000))
        #expect(try documentFailure(Data((open + close).utf8)).reason == .notWellFormed)
        #expect(Events.of(try parser(Data((open + close).utf8))).0.elements.count == 3_000)
        let endless = Data(String(repeating: "<a>", count: 300_000).utf8)
        #expect(try documentFailure(endless).reason == .notWellFormed)
        #expect(!Events.of(try parser(endless)).0.errors.isEmpty)
    }
}
