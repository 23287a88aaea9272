import FirewheelXML
import Testing

/// Documents cut at every byte, changed at random, and made of pieces of markup: a value or an error, never a trap.
@Suite("Cut and random XML", .timeLimit(.minutes(5)))
struct RandomXMLTests {
    /// Reads both ways. Returns whether the tree is there.
    @discardableResult
    private func read(_ body: Data, type: String? = nil) throws -> Bool {
        if let parser = try? parser(body, type: type) { _ = Events.of(parser) }
        do {
            let tree = try document(body, type: type)
            _ = (tree.elementNames, tree.xmlString, tree.rootElement()?.stringValue)
            return true
        } catch let error as FirewheelError {
            let failure = try #require(error.underlyingError as? XMLFailure)
            #expect(!failure.description.isEmpty)
            return false
        }
    }

    @Test("A document cut at any byte of its root element is an error", arguments: Fixtures.all)
    func cut(text: String) throws {
        for encoding in [String.Encoding.utf8, .utf16LittleEndian] {
            let end = try #require(text.lastIndex(of: ">"))
            let body = try #require(String(text[...end]).data(using: encoding))
            for count in 1..<body.count {
                #expect(try !read(Data(body.prefix(count))), "\(count) bytes")
            }
            #expect(try read(body))
        }
    }

    @Test("Changed documents are a value or an error", arguments: Fixtures.all)
    func changed(text: String) throws {
        var random = SplitMix(seed: UInt64(text.utf8.count))
        let body = Data(text.utf8)
        for _ in 0..<400 {
            var changed = body
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 0..<changed.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: changed[index] = .random(in: 0...255, using: &random)
                case 1: changed.remove(at: index)
                default:
                    changed.insert(contentsOf: Array("<>&'\"!-[]?;%=/".utf8).randomElement(using: &random).map { [$0] } ?? [], at: index)
                }
            }
            try read(changed, type: Bool.random(using: &random) ? nil : "text/xml; charset=utf-16")
        }
    }

    private static let pieces = [
        "<?xml version='1.0'", " encoding='", "UTF-8", "ISO-8859-1", "'", "?>", "<!DOCTYPE a", " SYSTEM 'x'", " [", "]", ">",
        "<!ELEMENT a ANY>",
        "<!ATTLIST a b CDATA 'c'>", "<!ENTITY x 'y'>", "%x;", "<!--", "-->", "--", "<?p", " x?>", "<a", " b='c'", " xmlns:p='u'", "<p:a>",
        "/>", "</a>", "<a>", "&amp;", "&x;", "&#65;", "&#0;", "<![CDATA[", "]]>", "text", "\u{E9}", "\u{0}", "\u{FEFF}", " ", "\n", "\"",
        "=",
    ]

    @Test("Random markup is a value or an error")
    func soup() throws {
        var random = SplitMix(seed: 7)
        for _ in 0..<3_000 {
            let text = (0..<Int.random(in: 0...14, using: &random)).compactMap { _ in Self.pieces.randomElement(using: &random) }.joined()
            try read(Data(text.utf8) + Data(" ".utf8))
            try read(Data("<a>\(text)</a>".utf8))
        }
        for _ in 0..<1_000 {
            try read(Data((0..<Int.random(in: 1...40, using: &random)).map { _ in .random(in: 0...255, using: &random) }))
        }
    }

    @Test("Documents are read on several threads at once")
    func threads() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { try self.readAll(times: 40) }
            }
            try await group.waitForAll()
        }
    }

    private func readAll(times: Int) throws {
        for _ in 0..<times {
            for text in Fixtures.all { #expect(try read(Data(text.utf8))) }
        }
    }
}

/// A small generator, so that every run has the same inputs.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
