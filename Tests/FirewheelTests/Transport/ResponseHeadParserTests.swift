import Foundation
import Testing

@testable import Firewheel

@Suite("Response head parser")
struct ResponseHeadParserTests {
    /// Feeds lines one at a time with their line breaks, like libcurl, and returns the last step.
    private func parse(_ lines: [[UInt8]], with parser: inout ResponseHeadParser) -> ResponseHeadParser.Step {
        var step = ResponseHeadParser.Step.more
        for line in lines {
            step = line.withUnsafeBytes { parser.consume($0) }
            if case .malformed = step { break }
        }
        return step
    }

    private func lines(_ text: String) -> [[UInt8]] { text.components(separatedBy: "|").map { Array(($0 + "\r\n").utf8) } }

    private func head(_ text: String) throws -> ResponseHead {
        var parser = ResponseHeadParser()
        #expect(parse(lines(text + "|"), with: &parser) == .complete, "\(text)")
        return try #require(parser.head)
    }

    private func isMalformed(_ text: String) -> Bool {
        var parser = ResponseHeadParser()
        if case .malformed = parse(lines(text + "|"), with: &parser) { return true }
        return false
    }

    /// libcurl joins lines that arrive while a transfer is paused.
    @Test("Header lines that arrive joined are parsed one by one")
    func joined() throws {
        let text = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nA: 1\r\nContent-Length: 3\nB: 2\r\n\r\nTrailer: t\r\n"
        for first in 0..<text.utf8.count {
            // The text cut once between any two of its lines.
            let bytes = Array(text.utf8)
            guard first == 0 || bytes[first - 1] == UInt8(ascii: "\n") else { continue }
            var parser = ResponseHeadParser()
            let steps = [bytes[..<first], bytes[first...]].filter { !$0.isEmpty }.map { $0.withUnsafeBytes { parser.consume($0) } }
            #expect(steps.filter { $0 == .complete }.count == 1, "cut at \(first)")
            let head = try #require(parser.head)
            #expect(head.statusCode == 200 && parser.contentLength == 3)
            #expect(head.headers.map(\.description) == ["A: 1", "Content-Length: 3", "B: 2"])
        }
        var parser = ResponseHeadParser()
        #expect(
            parse([Array("HTTP/1.1 200 OK\r\nA: 1\r\nno colon\r\nB: 2\r\n\r\n".utf8)], with: &parser)
                == .malformed("the response is malformed: a header line has no colon"))
    }

    // MARK: Status lines

    @Test(
        "Valid status lines are parsed (RFC 9112 section 4)",
        arguments: [
            ("HTTP/1.1 200 OK", 200, "HTTP/1.1"), ("HTTP/1.1 404 Not Found here", 404, "HTTP/1.1"), ("HTTP/1.0 200 OK", 200, "HTTP/1.0"),
            ("HTTP/1.1 204", 204, "HTTP/1.1"), ("HTTP/1.1 204 ", 204, "HTTP/1.1"), ("HTTP/2 200 ", 200, "HTTP/2"),
            ("HTTP/2.0 200 OK", 200, "HTTP/2"),
            ("HTTP/1.1 999 Odd", 999, "HTTP/1.1"), ("HTTP/1.1 101 Switching", 101, "HTTP/1.1"),
        ])
    func statusLines(line: String, status: Int, version: String) throws {
        let head = try head(line)
        #expect((head.statusCode, head.httpVersion) == (status, version))
        #expect(head.headers.isEmpty)
    }

    @Test(
        "Invalid status lines are refused",
        arguments: [
            "", "200 OK", "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1  200 OK", "HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "HTTP/1.1 20x OK",
            "HTTP/1.1 000 OK", "HTTP/1.1 099 OK", "HTTP/2 099", "HTTP/1.1 -20 OK", "ICY 200 OK", "http/1.1 200 OK", "XHTTP/1.1 200 OK",
        ])
    func noStatusLine(line: String) {
        #expect(isMalformed(line))
    }

    // MARK: Fields

    @Test("Fields keep order, case and repetition, without white space around their values (RFC 9112 section 5)")
    func fields() throws {
        let headers = try head("HTTP/1.1 200 OK|B:1|a:  two words \t|Set-Cookie: x=1|X-Empty:|X-Blank: \t |set-cookie: y=2|C: a:b: c")
            .headers
        #expect(headers.map(\.name) == ["B", "a", "Set-Cookie", "X-Empty", "X-Blank", "set-cookie", "C"])
        #expect(headers.map(\.value) == ["1", "two words", "x=1", "", "", "y=2", "a:b: c"])
        #expect(headers.values(for: "Set-Cookie") == ["x=1", "y=2"])
    }

    @Test("A header line may end with LF alone (RFC 9112 section 2.2)")
    func bareLineFeeds() throws {
        var parser = ResponseHeadParser()
        #expect(parse([Array("HTTP/1.1 200 OK\n".utf8), Array("A: 1\n".utf8), Array("\n".utf8)], with: &parser) == .complete)
        #expect(parser.head?.headers["A"] == "1")
    }

    @Test("Bytes above 127 are ISO-8859-1 (obs-text, RFC 9110 section 5.5)")
    func obsText() throws {
        var parser = ResponseHeadParser()
        let line = Array("X: caf".utf8) + [0xE9, 0x80, 0xFF, 0xC3, 0xA9] + Array("\r\n".utf8)
        #expect(parse(lines("HTTP/1.1 200 OK") + [line] + lines(""), with: &parser) == .complete)
        #expect(
            parser.head?.headers["X"].map { Array($0.unicodeScalars.map(\.value)) } == [0x63, 0x61, 0x66, 0xE9, 0x80, 0xFF, 0xC3, 0xA9])
    }

    @Test("A folded line continues the last value (obs-fold, RFC 9112 section 5.2)")
    func obsFold() throws {
        let headers = try head("HTTP/1.1 200 OK|A: one| two|\t three |B: x").headers
        #expect(headers["A"] == "one two three")
        #expect(headers["B"] == "x")
        #expect(isMalformed("HTTP/1.1 200 OK| folded"))
        #expect(try head("HTTP/1.1 200 OK|A: one| two").headers["A"] == "one two")
    }

    @Test(
        "A folded value has no white space at its ends, whichever of its lines are empty",
        arguments: [("A:| b", "b"), ("A: |\t| b", "b"), ("A: b| ", "b"), ("A: b| | c|\t", "b c"), ("A:| ", "")])
    func emptyFolds(lines: String, value: String) throws {
        #expect(try head("HTTP/1.1 200 OK|\(lines)").headers["A"] == value)
        #expect(try head("HTTP/1.1 200 OK|\(lines)|B: c").headers["A"] == value)
    }

    @Test("Many folded lines of one field take no longer than the same lines in many fields")
    func manyFolds() {
        func seconds(linesOfOneField count: Int) -> Double {
            let field = lines("A: b") + Array(repeating: lines("  aaaaaaaaaa")[0], count: count)
            let fields = (0..<50_000 / count).flatMap { _ in field }
            var best = Double.infinity
            for _ in 0..<2 {
                var parser = ResponseHeadParser()
                let start = processorTime()
                #expect(parse(lines("HTTP/1.1 200 OK") + fields + lines(""), with: &parser) == .complete)
                best = min(best, processorTime() - start)
                #expect(parser.head?.headers.first?.value.utf8.count == 1 + count * 11)
            }
            return best
        }
        let (few, many) = (seconds(linesOfOneField: 100), seconds(linesOfOneField: 50_000))
        #expect(many < few * 4, "\(few) s, \(many) s")
    }

    @Test(
        "A line without a colon or name, or with white space before the colon, is refused (RFC 9112 section 5.1)",
        arguments: ["no colon", ": value", " : value", "x", "A : value", "A\t: value", "A \t : value", "Content-Length : 2"])
    func noField(line: String) {
        #expect(isMalformed("HTTP/1.1 200 OK|\(line)"))
    }

    @Test("CR and NUL in a value are replaced by a space, or the message refused (RFC 9110 section 5.5)", arguments: [UInt8(0x0D), 0x00])
    func controlCharacters(byte: UInt8) {
        var parser = ResponseHeadParser()
        let line = Array("X: a".utf8) + [byte] + Array("b\r\n".utf8)
        let step = parse(lines("HTTP/1.1 200 OK") + [line] + lines(""), with: &parser)
        if case .malformed = step { return }
        #expect(parser.head?.headers["X"] == "a b")
    }

    @Test("A CR or NUL is trimmed like white space at a value's ends, and refused before the colon", arguments: [UInt8(0x0D), 0x00])
    func controlCharactersAtTheEnds(byte: UInt8) {
        func parse(_ line: [UInt8]) -> (step: ResponseHeadParser.Step, head: ResponseHead?) {
            var parser = ResponseHeadParser()
            let step = self.parse(lines("HTTP/1.1 200 OK") + [line + Array("\r\n".utf8)] + lines(""), with: &parser)
            return (step, parser.head)
        }
        #expect(parse(Array("X:".utf8) + [byte] + Array(" a".utf8) + [byte, byte]).head?.headers["X"] == "a")
        #expect(
            parse(Array("X".utf8) + [byte] + Array(": a".utf8)).step
                == .malformed("the response is malformed: a header line has white space before its colon"))
    }

    // MARK: Interim responses and trailers

    @Test("Interim responses and their fields are skipped (RFC 9110 section 15.2)")
    func interim() throws {
        var parser = ResponseHeadParser()
        #expect(parse(lines("HTTP/1.1 100 Continue|"), with: &parser) == .interim)
        #expect(parser.head == nil)
        #expect(parse(lines("HTTP/1.1 103 Early Hints|Link: </a>|Content-Length: 7|"), with: &parser) == .interim)
        #expect(parse(lines("HTTP/1.1 200 OK|A: 1|"), with: &parser) == .complete)
        #expect(parser.head?.headers.map(\.name) == ["A"])
        #expect(parser.contentLength == nil)
        #expect(
            parser.bytes
                == "HTTP/1.1 100 Continue||HTTP/1.1 103 Early Hints|Link: </a>|Content-Length: 7||HTTP/1.1 200 OK|A: 1||"
                .replacingOccurrences(of: "|", with: "\r\n").utf8.count)
    }

    @Test("Lines after the final head are trailers and change nothing")
    func trailers() throws {
        var parser = ResponseHeadParser()
        _ = parse(lines("HTTP/1.1 200 OK|A: 1|"), with: &parser)
        let before = parser.head
        #expect(parse(lines("A: 2|Content-Length: 9|no colon||"), with: &parser) == .trailer)
        #expect(parser.head == before)
        #expect(parser.contentLength == nil)
    }

    // MARK: Content-Length

    @Test(
        "A Content-Length is digits, and may be repeated if equal (RFC 9112 section 6.3)",
        arguments: [
            ("Content-Length: 5", 5), ("Content-Length: 0", 0), ("content-LENGTH:  5 ", 5), ("Content-Length: 5|Content-Length: 5", 5),
            ("Content-Length: 5, 5", 5), ("Content-Length: 5,5|Content-Length: 5", 5), ("Content-Length: 005", 5),
            ("Content-Length: 5\t,\t5", 5),
            ("Content-Length: 9223372036854775807", Int64.max), ("Transfer-Encoding: chunked|Content-Length: 5", nil), ("A: 1", nil),
        ] as [(String, Int64?)])
    func lengths(fields: String, expected: Int64?) {
        var parser = ResponseHeadParser()
        #expect(parse(lines("HTTP/1.1 200 OK|\(fields)|"), with: &parser) == .complete)
        #expect(parser.contentLength == expected)
    }

    @Test(
        "Different or invalid Content-Length values are refused (RFC 9112 section 6.3)",
        arguments: [
            "Content-Length: 5|Content-Length: 6", "Content-Length: 5, 6", "Content-Length: 5,", "Content-Length: ,5", "Content-Length:",
            "Content-Length: -1",
            "Content-Length: +5", "Content-Length: 0x5", "Content-Length: 5.0", "Content-Length: 5a", "Content-Length: 5 6",
            "Content-Length: 5;6",
            "Content-Length: five", "Content-Length: 9223372036854775808", "Content-Length: 99999999999999999999999999",
            "Content-Length: 5|X: y|content-length: 50",
        ])
    func noLength(fields: String) {
        #expect(isMalformed("HTTP/1.1 200 OK|\(fields)"))
    }

    // MARK: Limits

    @Test("Response heads are limited to 1 MiB together, interim ones included")
    func limit() {
        func feed(_ block: String, until end: Int) -> (bytes: Int, step: ResponseHeadParser.Step) {
            var parser = ResponseHeadParser()
            var step = parse(lines("HTTP/1.1 200 OK"), with: &parser)
            let block = lines(block)
            while step == .more || step == .interim, parser.bytes < end { step = parse(block, with: &parser) }
            return (parser.bytes, step)
        }
        let long = "X-Long: " + String(repeating: "a", count: 1000)
        let (bytes, step) = feed(long, until: 3 << 20)
        #expect(step != .more)
        #expect((1 << 20...(1 << 20) + 2048).contains(bytes))

        var parser = ResponseHeadParser()
        var rounds = 0
        while parse(lines("HTTP/1.1 100 Continue|A: b|"), with: &parser) == .interim, rounds < 100_000 { rounds += 1 }
        #expect(rounds < 100_000)
        #expect(parser.bytes <= (1 << 20) + 64)
    }

    @Test("Trailer fields count towards the limit together with the heads before them")
    func trailerLimit() {
        var parser = ResponseHeadParser()
        _ = parse(lines("HTTP/1.1 200 OK|X: \(String(repeating: "a", count: 600_000))|"), with: &parser)
        #expect(parse(lines("T: \(String(repeating: "a", count: 400_000))"), with: &parser) == .trailer)
        guard case .malformed(let reason) = parse(lines("T: \(String(repeating: "a", count: 400_000))"), with: &parser) else {
            Issue.record("1.4 MB of fields were taken")
            return
        }
        #expect(reason.contains("1 MiB"))
        // The metrics report the size of the heads alone.
        #expect(parser.bytes < 700_000)
    }

    @Test("A response head of exactly 1 MiB is accepted, and one byte more is refused", arguments: [0, 1])
    func exactLimit(excess: Int) {
        var parser = ResponseHeadParser()
        let rest = (1 << 20) + excess - "HTTP/1.1 200 OK\r\nX: \r\n\r\n".utf8.count
        let step = parse(lines("HTTP/1.1 200 OK|X: \(String(repeating: "a", count: rest))|"), with: &parser)
        #expect((step == .complete) == (excess == 0))
    }

    @Test("50,000 random heads do not trap the parser")
    func random() {
        var generator = SeededGenerator(state: 5)
        let pieces = [
            "HTTP/1.1 200 OK", "HTTP/1.1 100", "HTTP/", " ", ":", "\t", "A", "Content-Length", "5", ",", "Transfer-Encoding: chunked", "\r",
            "\n", "\u{0}", "é", "",
            "99999999999999999999", "-1",
        ]
        var complete = 0
        for _ in 0..<50_000 {
            var parser = ResponseHeadParser()
            if Bool.random(using: &generator) { _ = parse(lines("HTTP/1.1 200 OK"), with: &parser) }
            for _ in 0..<Int.random(in: 1...5, using: &generator) {
                var line = ""
                for _ in 0..<Int.random(in: 0...4, using: &generator) {
                    line += pieces[Int.random(in: 0..<pieces.count, using: &generator)]
                }
                let step = parse([Array((line + (Bool.random(using: &generator) ? "\r\n" : "")).utf8)], with: &parser)
                if step == .complete { complete += 1 }
                if case .malformed = step { break }
            }
        }
        #expect(complete > 1_000)
    }
}
