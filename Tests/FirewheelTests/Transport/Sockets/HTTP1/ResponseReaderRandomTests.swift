import Foundation
import Testing

@testable import Firewheel

/// Random responses: the same events however they are cut, heads that can be written and read again, and no trap.
@Suite("Response reader: random input")
struct ResponseReaderRandomTests {
    private static let lines = [
        "A: b", "a:", "Content-Length: 5", "Content-Length: 5, 5", "Content-Length: 6", "Content-Length: x", "Transfer-Encoding: chunked",
        "Connection: close", "Set-Cookie: a=\u{E9}", " folded", "\t", "no colon", ": x", "A : b", "Location:  /x ",
        "WWW-Authenticate: Basic",
        "na me: x", "A: b: c", "Content-Length:",
    ]

    private static func head(using generator: inout SeededGenerator) -> String {
        let statuses = ["200 OK", "204", "304 ", "103 Early", "999 x", "20 OK", "099 OK", "2000", "200OK"]
        var text = "HTTP/1.\(Int.random(in: 0...1, using: &generator)) "
        text += statuses[Int.random(in: 0..<statuses.count, using: &generator) / Int.random(in: 1...3, using: &generator)]
        for _ in 0..<Int.random(in: 0...5, using: &generator) {
            text += (Bool.random(using: &generator) ? "\r\n" : "\n") + lines[Int.random(in: 0..<lines.count, using: &generator)]
        }
        return text + "\r\n\r\n"
    }

    @Test("Random heads are refused with a reason, or read the same when they are written again")
    func heads() throws {
        var generator = SeededGenerator(state: 11)
        var (accepted, refused) = (0, 0)
        let rounds = TestDepth.choose(5_000, deep: 20_000)
        for _ in 0..<rounds {
            let bytes = Self.head(using: &generator).unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
            // A response to HEAD, so that the framing alone is no reason to refuse it.
            let bench = ReaderBench(.head).run([bytes[...]])
            if let error = bench.error {
                refused += 1
                guard case .failed(.cannotParseResponse, let reason) = error, !reason.isEmpty else {
                    Issue.record("\(error)")
                    continue
                }
            } else if let head = bench.heads.first, head.headers.allSatisfy({ $0.name.isHTTPToken }) {
                accepted += 1
                let fields = head.headers.map { "\($0.name): \($0.value)\r\n" }.joined()
                let text = "\(head.httpVersion) \(head.statusCode)\r\n\(fields)\r\n"
                let again = ReaderBench(.head).run([text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }[...]])
                #expect(again.heads == [head])
            }
        }
        #expect(accepted > rounds / 10 && refused > rounds / 7)
    }

    private static let pieces = [
        "HTTP/1.1 200 OK\r\n", "HTTP/1.1 103 E\r\n\r\n", "HTTP/1.0 200 OK\n", "Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n",
        "\r\n",
        "\n", "\r", "3\r\nabc\r\n", "0\r\n", "0\r\n\r\n", "a;b", "A: b\r\n", " ", "\u{0}", "ffff", "\u{FF}", "Connection: close\r\n",
        "HTTP/",
    ]

    @Test("5,000 random responses do not trap the reader, and give the same events in any pieces")
    func garbage() {
        var generator = SeededGenerator(state: 12)
        var stories: Set<String> = []
        for _ in 0..<5_000 {
            var text = Bool.random(using: &generator) ? "HTTP/1.1 200 OK\r\n" : ""
            for _ in 0..<Int.random(in: 0...12, using: &generator) {
                text += Self.pieces[Int.random(in: 0..<Self.pieces.count, using: &generator)]
            }
            let bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
            let bench = ReaderBench(Bool.random(using: &generator) ? .get : .head, wantsInterim: true, ending: .closed)
            let whole = bench.run([bytes[...]])
            for longest in [1, 5, 30] {
                let cut = bench.run(ReaderBench.pieces(of: bytes, longest: longest, using: &generator))
                #expect(cut.story == whole.story && cut.heads == whole.heads && cut.trailers == whole.trailers, "\(text.debugDescription)")
            }
            stories.insert(whole.story)
        }
        #expect(stories.count > 100)
    }

    @Test("Random byte strings do not trap the reader")
    func noise() {
        var generator = SeededGenerator(state: 13)
        for _ in 0..<TestDepth.choose(2_500, deep: 10_000) {
            let noise = (0..<Int.random(in: 0...60, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let start = ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"][noise.count % 3]
            let bytes = Array(start.utf8) + noise
            let bench = ReaderBench(ending: .lost)
            #expect(bench.run([bytes[...]]).story == bench.run(bytes.indices.map { bytes[$0...$0] }).story)
        }
    }

    @Test(
        "A response takes time in proportion to its size, also when it comes byte by byte",
        arguments: [
            ("HTTP/1.1 200 OK\r\nA: ", "a", ""), ("HTTP/1.1 200 OK\r\n", "A: b\r\n", ""), ("HTTP/1.1 200 OK\r\nA: b\r\n", " c\r\n", ""),
            ("HTTP/1.1 200 OK\r\nContent-Length: 5", ",5", ""), ("", "HTTP/1.1 103 E\r\n\r\n", ""),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\na\r\n", ""),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "A: b\r\n", ""),
        ])
    func linear(start: String, piece: String, end: String) {
        func seconds(_ size: Int, pieces: Int) -> Double {
            let bytes = Array((start + String(repeating: piece, count: size / piece.utf8.count) + "\r\n\r\n").utf8)
            let cut = stride(from: 0, to: bytes.count, by: pieces).map { bytes[$0..<min($0 + pieces, bytes.count)] }
            var best = Double.infinity
            for _ in 0..<5 {
                let before = processorTime()
                var reader = ResponseReader(for: .get)
                for piece in cut {
                    var rest = piece
                    while true {
                        let (consumed, event) = rest.withUnsafeBytes { reader.read($0) }
                        rest = rest.dropFirst(consumed)
                        if case .needsMore = event { break }
                        if case .failed = event { break }
                        if case .excess = event { break }
                    }
                }
                best = min(best, processorTime() - before)
            }
            return best
        }
        let size = TestDepth.choose(48_000, deep: 160_000)
        for pieces in [1, 1_000_000] {
            let (small, large) = (seconds(size / 16, pieces: pieces), seconds(size, pieces: pieces))
            // Sixteen times the size; a quadratic reader would take 256 times as long.
            #expect(large < max(small, 0.0005) * 80, "\(small) s, \(large) s")
        }
    }
}
