import Foundation
import Testing

@testable import Firewheel

/// Status lines, fields, interim responses and the limit of heads (RFC 9112 sections 2 to 5).
@Suite("Response reader: heads")
struct ResponseReaderHeadTests {
    private static let malformed = "refused: the response is malformed:"

    private static let headCases = [
        ReaderCase("No reason", "HTTP/1.1 204||", "204 end kept"),
        ReaderCase("An empty reason", "HTTP/1.1 204 ||", "204 end kept"),
        ReaderCase("A reason of several words and bytes above 127", "HTTP/1.1 204 No \u{E9} :x||", "204 end kept"),
        ReaderCase("A status above 599", "HTTP/1.1 999 Odd|Content-Length: 0||", "999 end kept"),
        ReaderCase("LF alone", "HTTP/1.1 204 x\nA: b\n\n", "204 end kept"),
        ReaderCase("LF and CRLF", "HTTP/1.1 204 x\nA: b|\r\n", "204 end kept"),
        ReaderCase("CRLF and LF", "HTTP/1.1 204 x|A: b|\n", "204 end kept"),
        ReaderCase("TLS", "\u{15}\u{3}\u{3}\u{0}\u{2}", "refused: the response is not HTTP"),
        ReaderCase("HTTP/0.9", "<html>", "refused: the response is not HTTP"),
        ReaderCase("Another protocol", "ICY 200 OK||", "refused: the response is not HTTP"),
        ReaderCase("Lower case", "http/1.1 200 OK||", "refused: the response is not HTTP"),
        ReaderCase("An empty line first", "|HTTP/1.1 200 OK||", "refused: the response is not HTTP"),
        ReaderCase("A line cut in the name", "HTT|P/1.1 200 OK||", "refused: the response is not HTTP"),
        ReaderCase("HTTP/2", "HTTP/2 200 OK||", "refused: the response is not HTTP"),
        ReaderCase("HTTP/2.0", "HTTP/2.0 200 OK||", "refused: the response is not HTTP"),
        ReaderCase("A long version", "HTTP/1.10 200 OK||", "refused: the response is not HTTP"),
        ReaderCase("A version without a number", "HTTP/1. 200 OK||", "refused: the response is not HTTP"),
        ReaderCase("No status", "HTTP/1.1||", "\(malformed) its status line is not valid"),
        ReaderCase("A blank status", "HTTP/1.1 ||", "\(malformed) its status line is not valid"),
        ReaderCase("Two spaces", "HTTP/1.1  200 OK||", "\(malformed) its status line is not valid"),
        ReaderCase("Two digits", "HTTP/1.1 20 OK||", "\(malformed) its status line is not valid"),
        ReaderCase("Four digits", "HTTP/1.1 2000 OK||", "\(malformed) its status line is not valid"),
        ReaderCase("A letter in the status", "HTTP/1.1 20x OK||", "\(malformed) its status line is not valid"),
        ReaderCase("A sign", "HTTP/1.1 -20 OK||", "\(malformed) its status line is not valid"),
        ReaderCase("A status below 100", "HTTP/1.1 099 OK||", "\(malformed) its status code is below 100"),
        ReaderCase("A bare CR in the status line", "HTTP/1.1 200 O\rK||", "\(malformed) a header line has a bare CR or a NUL"),
        ReaderCase("No colon", "HTTP/1.1 200 OK|A||", "\(malformed) a header line has no colon"),
        ReaderCase("No name", "HTTP/1.1 200 OK|: b||", "\(malformed) a header line has no name"),
        ReaderCase(
            "White space before the colon", "HTTP/1.1 200 OK|A : b||", "\(malformed) a header line has white space before its colon"),
        ReaderCase(
            "A tab before the colon", "HTTP/1.1 200 OK|Content-Length\t: 1||", "\(malformed) a header line has white space before its colon"
        ),
        ReaderCase("A fold first", "HTTP/1.1 200 OK| A: b||", "\(malformed) the first header line starts with white space"),
        ReaderCase("A bare CR in a value", "HTTP/1.1 200 OK|A: b\rc||", "\(malformed) a header line has a bare CR or a NUL"),
        ReaderCase("A bare CR at a value's end", "HTTP/1.1 200 OK|A: b\r||", "\(malformed) a header line has a bare CR or a NUL"),
        ReaderCase("A bare CR in a name", "HTTP/1.1 200 OK|A\r: b||", "\(malformed) a header line has white space before its colon"),
        ReaderCase("A bare CR as the empty line", "HTTP/1.1 200 OK|A: b|\r||", "\(malformed) a header line has no colon"),
        ReaderCase("A NUL in a value", "HTTP/1.1 200 OK|A: b\u{0}||", "\(malformed) a header line has a bare CR or a NUL"),
        ReaderCase("A NUL in a folded line", "HTTP/1.1 200 OK|A: b| \u{0}||", "\(malformed) a header line has a bare CR or a NUL"),
    ]

    @Test("A head is read as RFC 9112 says, and what it forbids is refused", arguments: headCases)
    func heads(_ example: ReaderCase) { example.check() }

    @Test("Fields keep order, case and repetition; bytes above 127 are ISO-8859-1; folded lines are joined with a space")
    func fields() throws {
        let lines = [
            "HTTP/1.1 200 OK", "B:1", "a:  two words \t", "Set-Cookie: x=1", "X-Empty:", "set-cookie: y=2", "C: caf\u{E9}\u{80}", "D: one",
            " two",
            "\t three ", "Content-Length: 0",
        ]
        let text = lines.joined(separator: "\r\n") + "\r\n\r\n"
        let head = try #require(ReaderBench().run(text).heads.first)
        #expect(
            head.headers.map { "\($0.name):\($0.value)" } == [
                "B:1", "a:two words", "Set-Cookie:x=1", "X-Empty:", "set-cookie:y=2", "C:caf\u{E9}\u{80}", "D:one two three",
                "Content-Length:0",
            ])
        #expect(head.headers.mayContain(.setCookie) && !head.headers.mayContain(.location))
    }

    @Test("The version is that of the status line", arguments: ["HTTP/1.0", "HTTP/1.1", "HTTP/1.9"])
    func versions(version: String) {
        #expect(ReaderBench().run("\(version) 204 x\r\n\r\n").heads.first?.httpVersion == version)
    }

    // MARK: Interim responses

    private static let interimThenFinal =
        "HTTP/1.1 100 Continue\r\n\r\n"
        + "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nContent-Length: 7, 8\r\nTransfer-Encoding: x\r\n\r\n"
        + "HTTP/1.1 200 OK\r\nA: 1\r\nContent-Length: 1\r\n\r\na"

    @Test("Interim responses are skipped, or reported in order if they are wanted (RFC 9110 section 15.2)")
    func interim() {
        #expect(ReaderBench().run(Self.interimThenFinal).story == "200 \"a\" end kept")
        let bench = ReaderBench(wantsInterim: true).run(Self.interimThenFinal)
        #expect(bench.story == "100 103 200 \"a\" end kept")
        #expect(bench.heads.map { $0.headers.first?.description } == [nil, "Link: </a>", "A: 1"])
    }

    @Test("A switch of protocols that was not asked for is refused")
    func switching() {
        let bench = ReaderBench(wantsInterim: true).run("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\nabc")
        #expect(bench.story == "refused: the server switched to another protocol (101), which is not supported")
    }

    @Test("The size of the heads includes interim ones and excludes the body")
    func size() {
        var reader = ResponseReader(for: .get)
        let input = Array(Self.interimThenFinal.utf8)
        _ = input.withUnsafeBytes { reader.read($0) }
        #expect(reader.headBytes == input.count - 1)
        #expect(reader.bodyFraming == .length(1))
    }

    // MARK: Limits

    private static let tooLarge = TransportError.failed(.cannotParseResponse, "the response's header fields are larger than 1 MiB")

    /// Reads pieces of this size, and stops at the first failure.
    private func read(_ bytes: [UInt8], pieces size: Int) -> ReaderBench {
        ReaderBench().run(stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] })
    }

    @Test("A head of exactly 1 MiB is accepted, and one byte more is refused", arguments: [1 << 21, 65_536, 1_000])
    func exactLimit(pieces: Int) {
        for excess in [0, 1] {
            let fields = "HTTP/1.1 204 x\r\nX: \r\n\r\n"
            let value = String(repeating: "a", count: (1 << 20) + excess - fields.utf8.count)
            let bench = read(Array("HTTP/1.1 204 x\r\nX: \(value)\r\n\r\n".utf8), pieces: pieces)
            #expect(bench.error == (excess == 0 ? nil : Self.tooLarge))
        }
    }

    @Test("A status line or a field without end is refused at 1 MiB", arguments: ["HTTP/1.1 200 ", "HTTP/1.1 200 OK\r\nA: "])
    func endlessLine(start: String) {
        let bytes = Array(start.utf8) + Array(repeating: UInt8(ascii: "a"), count: 2 << 20)
        for size in [bytes.count, 65_536, 7_777] { #expect(read(bytes, pieces: size).error == Self.tooLarge) }
        #expect(read(Array(bytes.prefix(1 << 20)), pieces: 65_536).error == nil)
    }

    @Test("100,000 interim responses are refused by the limit, wherever they are cut")
    func manyInterim() {
        let bytes = Array(String(repeating: "HTTP/1.1 103 Early\r\n\r\n", count: 100_000).utf8)
        for size in [bytes.count, 65_536, 1_001] {
            for wanted in [false, true] {
                let pieces = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
                let bench = ReaderBench(wantsInterim: wanted).run(pieces)
                #expect(bench.error == Self.tooLarge)
                #expect(bench.heads.count == (wanted ? (1 << 20) / 22 : 0))
            }
        }
    }
}
