import FirewheelXML
import Foundation
import Testing

/// Documents that are small to send and expensive to read, and large ones: an error, or read, in bounded time and memory.
@Suite("Bounds of XML", .timeLimit(.minutes(5)))
struct BoundTests {
    private static let file = "file:///etc/passwd"
    private static let laughs =
        "<!DOCTYPE l [<!ENTITY l0 \"lol\">"
        + (1...20).map { "<!ENTITY l\($0) \"\(String(repeating: "&l\($0 - 1);", count: 10))\">" }.joined() + "]><l>&l20;</l>"

    /// Documents that are refused.
    static let refused: [(name: String, body: @Sendable () -> Data)] = [
        ("billion laughs", { Data(laughs.utf8) }),
        ("billion laughs in UTF-16", { laughs.data(using: .utf16) ?? Data() }),
        ("billion laughs in UTF-32, little-endian", { laughs.data(using: .utf32LittleEndian) ?? Data() }),
        (
            "quadratic blow-up",
            {
                let (value, uses) = (String(repeating: "x", count: 200_000), String(repeating: "&q;", count: 200_000))
                return Data("<!DOCTYPE l [<!ENTITY q '\(value)'>]><l>\(uses)</l>".utf8)
            }
        ),
        ("external entity", { Data("<!DOCTYPE a [<!ENTITY x SYSTEM \"\(file)\">]><a>&x;</a>".utf8) }),
        (
            "external entity of a parameter entity",
            { Data("<!DOCTYPE a [<!ENTITY % x SYSTEM \"\(file)\"> %x;]><a>&s;</a>".utf8) }
        ),
        (
            "parameter entities in each other",
            {
                let more = (1...20).map { "<!ENTITY % l\($0) \"\(String(repeating: "%l\($0 - 1);", count: 10))\">" }.joined()
                return Data("<!DOCTYPE l [<!ENTITY % l0 \"lol\">\(more)%l20;]><l/>".utf8)
            }
        ),
        (
            "a DTD with many attributes",
            { Data("<!DOCTYPE a [<!ATTLIST a \((0..<200_000).map { "a\($0) CDATA #IMPLIED " }.joined())>]><a/>".utf8) }
        ),
        (
            "a DTD with an attribute of many values",
            { Data("<!DOCTYPE a [<!ATTLIST a b (\((0..<200_000).map { "b\($0)|" }.joined())b) #IMPLIED>]><a/>".utf8) }
        ),
        (
            "an attribute that the DTD adds to many elements",
            {
                let value = String(repeating: "x", count: 60_000)
                return Data("<!DOCTYPE a [<!ATTLIST b c CDATA '\(value)'>]><a>\(String(repeating: "<b/>", count: 200_000))</a>".utf8)
            }
        ),
    ]

    @Test("Entities, and declarations that would be expensive, are refused before a parser reads them", arguments: refused.indices)
    func refusal(index: Int) throws {
        let body = Self.refused[index].body()
        let reasons: [XMLFailure.Reason] = [.entityDeclaration, .internalSubsetTooLarge, .tooManyAttributeDefaults]
        #expect(reasons.contains(try documentFailure(body).reason))
        #expect(throws: FirewheelError.self) { try parser(body) }
    }

    @Test("A DTD of 64 KiB is read, and attributes that a DTD adds to some elements")
    func declarations() throws {
        let subset = (0..<3_000).map { "<!ELEMENT e\($0) ANY>" }.joined()
        let room = XMLFailure.maximumInternalSubset - subset.utf8.count - 1
        let text = { (spaces: Int) in "<!DOCTYPE a [\(subset)\(String(repeating: " ", count: spaces))]><a/>" }
        #expect(try document(text(room)).elementNames == ["a"])
        let failure = try failure(text(room + 1))
        #expect(failure.reason == .internalSubsetTooLarge && failure.line == 1 && failure.column == 14)
        let list = "<!DOCTYPE a [<!ATTLIST b c CDATA 'd' e CDATA 'f'>]><a>\(String(repeating: "<b/>", count: 100_000))</a>"
        #expect(try document(list).rootElement()?.childCount == 100_000)
    }

    #if os(Linux)
        /// In a process of its own, whose peak is not that of other tests.
        @Test("Bombs, a million nested elements, and large attributes, texts and comments take memory in proportion to the body")
        func memory() async {
            await #expect(processExitsWith: .success) {
                let isDeep = ProcessInfo.processInfo.environment["FIREWHEEL_DEEP"] == "1"
                let long = String(repeating: "x", count: isDeep ? 100_000_000 : 12_000_000)
                let (open, close) = (String(repeating: "<a>", count: 1_000_000), String(repeating: "</a>", count: 1_000_000))
                var bodies: [(name: String, body: () -> Data)] = BoundTests.refused.map { ($0.name, $0.body) }
                bodies.append(("elements in each other, never closed", { Data(open.utf8) }))
                bodies.append(("elements in each other", { Data((open + close).utf8) }))
                bodies.append(("an attribute", { Data("<a b='\(long)'/>".utf8) }))
                bodies.append(("a text", { Data("<a>\(long)</a>".utf8) }))
                bodies.append(("a comment", { Data("<a><!--\(long)--></a>".utf8) }))
                bodies.append(("a section", { Data("<a><![CDATA[\(long)]]></a>".utf8) }))
                bodies.append(("an instruction", { Data("<a><?p \(long)?></a>".utf8) }))
                bodies.append(("a text in UTF-16", { "<a>\(long.prefix(1_000_000))</a>".data(using: .utf16) ?? Data() }))
                _ = Events.of(try parser(Data("<a/>".utf8)))
                _ = try document("<a/>")
                for (name, make) in bodies {
                    let body = make()
                    // From here on the peak is that of this document (proc_pid_clear_refs(5)).
                    try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
                    let before = try #require(BoundTests.peakMemory)
                    let start = BoundTests.processorTime
                    if let parser = try? parser(body) {
                        let counter = Counter()
                        parser.delegate = counter
                        _ = parser.parse()
                        #expect(counter.size <= body.count, "\(name)")
                    }
                    _ = try? document(body)
                    let duration = BoundTests.processorTime - start
                    let growth = try #require(BoundTests.peakMemory) - before
                    print("\(name): \(body.count) bytes, \(growth >> 20) MiB, \(duration) s")
                    #expect(growth < 8 * body.count + 64 << 20, "\(name): \(growth) bytes")
                    #expect(duration < 60, "\(name)")
                }
            }
        }

        /// This thread's processor time in seconds, which does not depend on other load.
        private static var processorTime: Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }

        /// The process's largest resident set so far, in bytes.
        private static var peakMemory: Int? {
            let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
        }
    #endif
}

/// Counts what a parser reports, without keeping it.
private final class Counter: NSObject, XMLParserDelegate {
    private(set) var size = 0

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?, attributes: [String: String]
    ) {
        size += attributes.reduce(name.utf8.count) { $0 + $1.value.utf8.count }
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) { size += text.utf8.count }

    func parser(_ parser: XMLParser, foundCDATA data: Data) { size += data.count }

    func parser(_ parser: XMLParser, foundComment comment: String) { size += comment.utf8.count }
}
