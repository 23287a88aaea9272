import Foundation
import Testing

@testable import Firewheel

/// Lines end with LF, CRLF or CR, however the stream is cut.
struct LineSplitterTests {
    @Test(arguments: [
        "", "\n", "\r", "\r\n", "\n\r", "\r\r", "\n\n", "\r\n\r\n", "a", "a\n", "a\rb", "a\r\nb", "a\n\rb\r\r\n\nc", "\u{FEFF}a\nb",
        "\u{FEFF}",
        "\u{FEFF}\u{FEFF}\n", "a\u{FEFF}\n", "\u{FEFF}\n\r", "€\r\n€\n", "\0\n\0",
    ])
    func eachCutGivesTheLinesOfTheWhole(stream: String) throws {
        let reference = ReferenceLines(Array(stream.utf8))
        for pieces in StreamCuts.all(Array(stream.utf8)) {
            let lines = try StreamCuts.lines(pieces)
            #expect(lines.complete == reference.complete && lines.last == reference.last, "\(pieces)")
        }
    }

    @Test func randomStreamsGiveTheLinesOfTheWhole() throws {
        var generator = SeededGenerator(state: 1)
        let interesting: [UInt8] = [0x0A, 0x0D, 0x0A, 0x0D, 0x41, 0x42, 0xEF, 0xBB, 0xBF]
        for _ in 0..<2_000 {
            let stream = (0..<Int.random(in: 0...60, using: &generator)).map { _ in interesting.randomElement(using: &generator) ?? 0 }
            let reference = ReferenceLines(stream)
            let lines = try StreamCuts.lines(StreamCuts.random(stream, using: &generator))
            #expect(lines.complete == reference.complete && lines.last == reference.last, "\(stream)")
        }
    }

    /// The next piece of a live feed may be hours away.
    @Test func aCarriageReturnAtTheEndOfAPieceEndsTheLineAtOnce() throws {
        var splitter = LineSplitter(maximumLength: 100)
        splitter.append(Data("a\r".utf8))
        #expect(try splitter.next { String(decoding: $0, as: UTF8.self) } == "a")
        splitter.append(Data("\nb\n".utf8))
        #expect(try splitter.next { String(decoding: $0, as: UTF8.self) } == "b")
        #expect(try splitter.next { _ in true } == nil)
    }

    @Test func linesOfPiecesThatWereNotReadAreKept() throws {
        var splitter = LineSplitter(maximumLength: 100)
        for piece in ["a\nb", "c\r", "\nd", "\re"] { splitter.append(Data(piece.utf8)) }
        var lines: [String] = []
        while let line = try splitter.finish({ String(decoding: $0, as: UTF8.self) }) { lines.append(line) }
        #expect(lines == ["a", "bc", "d", "e"])
    }

    @Test(arguments: ["aaa\nbbbb\nc", "aaa\rbbbb", "bbbb\n"])
    func aLineAboveTheLimitIsAnErrorOnce(stream: String) throws {
        for pieces in StreamCuts.all(Array(stream.utf8)) {
            var splitter = LineSplitter(maximumLength: 3)
            var (lines, errors) = ([Int](), [LineSplitter.LineTooLong]())
            for piece in pieces + [Array("d\n".utf8)] {
                splitter.append(Data(piece))
                do {
                    while let count = try splitter.next(\.count) { lines.append(count) }
                } catch {
                    errors.append(try #require(error as? LineSplitter.LineTooLong))
                }
            }
            #expect(errors == [.init(limit: 3)] && lines == (stream.hasPrefix("aaa") ? [3] : []), "\(pieces)")
            #expect(try splitter.finish(\.count) == nil)
        }
    }

    @Test func theLastLineHasTheSameLimit() throws {
        #expect(try StreamCuts.lines([Array("aaa".utf8)], maximumLength: 3).last.count == 3)
        #expect(throws: LineSplitter.LineTooLong(limit: 3)) { try StreamCuts.lines([Array("aaaa".utf8)], maximumLength: 3) }
        // An incomplete byte order mark is a line of 2 bytes.
        #expect(throws: LineSplitter.LineTooLong(limit: 1)) { try StreamCuts.lines([[0xEF, 0xBB]], maximumLength: 1) }
        #expect(try StreamCuts.lines([Array("\n\r\n\r".utf8)], maximumLength: -1).complete.count == 3)
    }

    @Test func anErrorOfTheCallersLosesOnlyItsLine() throws {
        struct Refused: Error {}
        for pieces in StreamCuts.all(Array("a\nb\nc".utf8)) {
            var splitter = LineSplitter(maximumLength: 10)
            for piece in pieces { splitter.append(Data(piece)) }
            var lines: [String] = []
            for _ in 0..<4 {
                let line = try? splitter.finish {
                    let line = String(decoding: $0, as: UTF8.self)
                    if line == "b" { throw Refused() }
                    return line
                }
                if let line { lines.append(line) }
            }
            #expect(lines == ["a", "c"])
        }
    }

    /// 1 GB without an end of line, of which no more than the limit is kept.
    @Test func anEndlessLineIsRefusedEarly() {
        var splitter = LineSplitter(maximumLength: 1_000_000)
        let piece = Data(repeating: 0x61, count: 65_536)
        var taken = 0
        #expect(throws: LineSplitter.LineTooLong(limit: 1_000_000)) {
            while taken < 1_000_000_000 {
                splitter.append(piece)
                _ = try splitter.next { _ in true }
                taken += piece.count
            }
        }
        #expect(taken < 1_000_000)
        let kept = Mirror(reflecting: splitter).children.compactMap { ($0.value as? [UInt8])?.capacity }
        #expect(kept == [0])
    }

    /// Each byte is looked at a constant number of times: a line over many pieces takes as long as one in few.
    @Test func aLineOverManyPiecesIsNotSearchedAgain() throws {
        /// The processor's time, which other tests do not stretch.
        func seconds(piece length: Int) throws -> Double {
            var splitter = LineSplitter(maximumLength: .max)
            let piece = Data(repeating: 0x61, count: length)
            let start = processorTime()
            for _ in 0..<(8_000_000 / length) {
                splitter.append(piece)
                _ = try splitter.next { _ in true }
            }
            return processorTime() - start
        }
        // A quadratic search would take 10,000 times as long.
        #expect(try seconds(piece: 800) < 200 * seconds(piece: 800_000) + 0.1)
    }
}
