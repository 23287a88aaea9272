import FirewheelXML
import Testing

/// Documents that end a program with FoundationXML's parser alone (`Quirks/ParserTraps.swift`).
@Suite("Documents that Foundation's parser traps on", .timeLimit(.minutes(5)))
struct ParserTrapTests {
    @Test(
        "Instructions without data and every kind of declaration are read",
        arguments: [
            "<a><?p?></a>", "<?p?><a/>", "<a/><?p?>", "<?p?><?q?><a><?é-1.x?><!-- c --><?r d?></a>", "<a><?p?><![CDATA[x]]><?q?></a>",
            "<!DOCTYPE a [<!NOTATION n SYSTEM 'x'>]><a/>", "<!DOCTYPE a [<!NOTATION n PUBLIC 'x'>]><a/>",
            "<!DOCTYPE a [<!ATTLIST a b CDATA #IMPLIED>]><a/>", "<!DOCTYPE a [<!ATTLIST a b (c|d) #REQUIRED e ID #IMPLIED>]><a b='c'/>",
            "<!DOCTYPE a [<?p?><!-- <?p?> --><!ELEMENT a ANY>]><a/>",
        ])
    func wellFormed(text: String) throws {
        let (events, isParsed) = Events.of(try parser(Data(text.utf8)))
        #expect(isParsed && events.errors.isEmpty && events.elements == ["a"])
        #expect(try document(text).elementNames == ["a"])
    }

    @Test("What looks like an instruction in a comment or a section is not changed")
    func text() throws {
        let text = "<a><?p?><![CDATA[<?php?>]]><!-- <?php?> --></a>"
        #expect(Events.of(try parser(Data(text.utf8))).0.text == "<?php?>")
    }

    @Test(
        "Malformed documents are an error, whatever an instruction seems to be part of",
        arguments: [
            "<a><!-- \u{1} <?p?> --></a>", "<a><![CDATA[\u{1}<?p?>]]></a>", "<a><!-- -- <?p?> --></a>", "<a><?p?", "<a><?p?><b></a>",
            "<a><?p <?q?></a>\u{1}", "<a b='<?p?>'/>", "<a <?p?>/>", "<a><!<?p?>", "<a><!-- <?p?>",
            "<!DOCTYPE a [<!ATTLIST a b CDATA >]><a>",
            "<?xml?><a/>", "<a><?xml?></a>",
        ])
    func malformed(text: String) throws {
        if let parser = try? parser(Data(text.utf8)) { #expect(!Events.of(parser).0.errors.isEmpty) }
        #expect(try documentFailure(Data(text.utf8)).reason == .notWellFormed)
    }

    @Test(
        "Malformed declarations, which the parser does not see, are an error of both serializers",
        arguments: [
            "<!ELEMENT b foo>", "<!NOTATION n FOO>", "<!ATTLIST a b CDATA '<'>", "<!ELEMENT b (c>", "<!ELEMENT>", "<!ATTLIST a b FOO 'x'>",
            "<!ELEMENT b (c|d,e)>", "<!ATTLIST a b CDATA '&'>", "<!NOTATION n>", "<!ELEMENT b ANY><!ELEMENT 1 ANY>",
        ])
    func declarations(subset: String) throws {
        #expect(try failure("<!DOCTYPE a [\(subset)]><a>text</a>").reason == .notWellFormed)
        #expect(try failure("<!DOCTYPE a SYSTEM 'x' [<!ELEMENT a ANY>\n\(subset)]><a>text</a>").reason == .notWellFormed)
    }

    @Test("Declarations that only make the content an error are an error of the tree")
    func declarationsForContent() throws {
        let list = { (list: String) in "<!DOCTYPE a [<!ATTLIST a \(list)>]><a/>" }
        #expect(try documentFailure(Data(list("p:b CDATA 'c'").utf8)).reason == .notWellFormed)
        #expect(try document(list("p:b CDATA 'c' xmlns:p CDATA 'u'")).elementNames == ["a"])
    }

    @Test("Warnings about a document with declarations are no errors, and a parser reads it at any depth")
    func accepted() throws {
        let text = "<!DOCTYPE a SYSTEM 'x' [<!ELEMENT a ANY>]><a xmlns='relative' xml:lang='1'>&nbsp;</a>"
        #expect(try document(text).elementNames == ["a"])
        let deep = String(repeating: "<a>", count: 1_000) + String(repeating: "</a>", count: 1_000)
        #expect(Events.of(try parser(Data("<!DOCTYPE a [<!ELEMENT a ANY>]>\(deep)".utf8))).0.elements.count == 1_000)
    }
}
