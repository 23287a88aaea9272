import Testing

@testable import Firewheel

/// Chunks and trailer sections (RFC 9112 section 7.1).
@Suite("Response reader: chunks and trailers")
struct ResponseReaderChunkTests {
    private static let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    private func read(_ chunks: String, sourceLocation: SourceLocation = #_sourceLocation) -> ReaderBench {
        ReaderBench().run(Self.head + chunks.replacingOccurrences(of: "|", with: "\r\n"), sourceLocation: sourceLocation)
    }

    @Test(
        "A chunk's size is hexadecimal; an extension or white space behind it is skipped",
        arguments: [
            ("a|0123456789|0||", "0123456789"), ("A|0123456789|0||", "0123456789"), ("0000000000000003|abc|000||", "abc"),
            ("3 \t|abc|0 ||", "abc"),
            ("3;a|abc|0;b=c||", "abc"), ("3 ; a=\"b;c\"; d|abc|0||", "abc"), ("3;|abc|0||", "abc"), ("3;5|abc|0||", "abc"),
            ("3;\u{E9}|abc|0||", "abc"),
            ("3\nabc\n0\n\n", "abc"), ("3|\r\na|0||", "\r\na"),
        ])
    func sizes(chunks: String, body: String) {
        let bench = read(chunks)
        #expect(bench.body == Array(body.utf8) && bench.error == nil && bench.trailers?.isEmpty == true)
        #expect(bench.story.hasSuffix("end kept"))
    }

    @Test(
        "A size that is not plain hexadecimal, or above Int64, is refused",
        arguments: [
            "|", "||", "0x2|ab|0||", "+2|ab|0||", "-2|ab|0||", " 2|ab|0||", "\t2|ab|0||", ";a|0||", "g|", "2g|ab|0||", "2,|ab|0||",
            "2 2|ab|0||",
            "2\r;a|ab|0||", "2\rab", "2;a\rb|ab|0||", "10000000000000000|", "ffffffffffffffff|", "8000000000000000|",
            "00000000000000002|ab|0||",
            "\u{0}|", "2\u{0}|ab|0||", "2\u{B}|ab|0||", "\u{FF}2|ab|0||", "/|", ":|", "@|", "G|", "`|",
        ])
    func noSize(chunks: String) {
        #expect(read(chunks).story == "200 refused: the response is malformed: its chunks have no valid size")
    }

    @Test("A chunk that goes on behind its size is refused", arguments: ["2|abc|0||", "2|ab0||", "2|ab\r0||", "2|ab\r\r\n0||", "2|ab;|"])
    func noEnd(chunks: String) {
        #expect(read(chunks).story == "200 \"ab\" refused: the response is malformed: a chunk does not end where its size says")
    }

    @Test("The largest size is accepted as the beginning of a chunk")
    func largest() {
        #expect(read("7fffffffffffffff|abc").story == "200 \"abc\"…")
    }

    @Test("Chunk extensions may have 16 KiB more than the body, and no byte more")
    func extensions() {
        func story(free: Int, chunks: Int) -> String {
            let first = "1;" + String(repeating: "x", count: free - 1) + "\r\na\r\n"
            let pieces = [Array((Self.head + first + String(repeating: "1;\r\na\r\n", count: chunks) + "0\r\n\r\n").utf8)[...]]
            return ReaderBench().run(pieces).events.last ?? ""
        }
        #expect(story(free: 16_384, chunks: 100) == "end kept")
        #expect(story(free: 16_385, chunks: 0) == "refused: the response's chunk extensions are longer than its body and 16 KiB")
        #expect(story(free: 16_384, chunks: 0) == "end kept")
        let small = Array((Self.head + String(repeating: "1;xxxxxxxxx\r\na\r\n", count: 10_000)).utf8)
        #expect(ReaderBench().run([small[...]]).error == .failed(.cannotParseResponse, ChunkReader.longExtensions))
    }

    // MARK: Trailers

    @Test("Trailer fields come with the end, in order and with repetitions, and folded ones are joined")
    func trailers() {
        let bench = read("1|a|0|X-Sum: 1|x-b:  two|\t words |X-Sum: 2||")
        #expect(bench.story == "200 \"a\" end kept")
        #expect(bench.trailers?.map(\.description) == ["X-Sum: 1", "x-b: two words", "X-Sum: 2"])
        #expect(bench.heads.first?.headers.contains(name: "X-Sum") == false)
    }

    @Test(
        "Names that trailers may not have are dropped (RFC 9110 section 6.5.1)",
        arguments: [
            "Content-Length", "transfer-encoding", "Host", "Authorization", "Set-Cookie", "WWW-Authenticate", "Location",
            "Content-Encoding",
            "Content-Type", "Content-Range", "Trailer", "Connection", "Cache-Control", "TE",
        ])
    func forbidden(name: String) {
        let bench = read("0|\(name): 99, 98|X: y|")
        #expect(bench.story == "200")
        #expect(read("0|\(name): 99, 98|X: y||").trailers?.map(\.name) == ["X"])
    }

    @Test(
        "A trailer line that is not a field is refused",
        arguments: [
            ("no colon", "a header line has no colon"), (": x", "a header line has no name"),
            ("A : b", "a header line has white space before its colon"), (" A: b", "the first header line starts with white space"),
            ("A: b\rc", "a header line has a bare CR or a NUL"), ("A: \u{0}", "a header line has a bare CR or a NUL"),
        ])
    func malformed(line: String, reason: String) {
        #expect(read("0|\(line)||").story == "200 refused: the response is malformed: \(reason)")
    }

    @Test("Trailer fields count towards the limit together with the heads before them")
    func limit() {
        let field = "X: \(String(repeating: "a", count: 600_000))\r\n"
        for (count, isRefused) in [(400_000, false), (500_000, true)] {
            let text =
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\(field)\r\n0\r\nT: \(String(repeating: "a", count: count))\r\n\r\n"
            let bench = ReaderBench().run([Array(text.utf8)[...]])
            #expect((bench.events.last == "refused: the response's header and trailer fields are larger than 1 MiB") == isRefused)
            #expect((bench.trailers?.count == 1) != isRefused)
        }
    }
}
