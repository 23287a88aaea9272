import Foundation
import Testing

@testable import Firewheel

/// Lines end with LF, CRLF or CR, wherever the body is cut.
@Suite("Lines of a stream")
struct LineFramingTests {
    /// The lines that come of a body in pieces, and whether it ended with `lineTooLong`.
    private func lines(of pieces: [Data], maximumLength: Int = .max) throws -> (lines: [String], isTooLong: Bool) {
        let framing = LineFraming(maximumLength: maximumLength)
        var lines: [String] = []
        do {
            for piece in pieces {
                framing.append(piece)
                while try framing.advance() { lines.append(try #require(framing.take())) }
            }
            framing.finish()
            while try framing.advance() { lines.append(try #require(framing.take())) }
            return (lines, false)
        } catch let error as FirewheelError {
            #expect(error.kind == .responseStreamFailed(.lineTooLong(limit: maximumLength)))
            return (lines, true)
        }
    }

    /// A simple reference: one byte after the other.
    private func reference(_ body: Data) -> [String] {
        var (lines, line, last): ([String], [UInt8], UInt8) = ([], [], 0)
        for byte in body {
            switch byte {
            case 0x0A where last == 0x0D: break
            case 0x0A, 0x0D:
                lines.append(String(decoding: line, as: UTF8.self))
                line = []
            default: line.append(byte)
            }
            last = byte
        }
        return line.isEmpty ? lines : lines + [String(decoding: line, as: UTF8.self)]
    }

    @Test(
        "Cut at every byte",
        arguments: [
            "", "\n", "\r", "\r\n", "a", "a\n", "\n\n\n", "\r\r\n\n", "a\nb\r\nc\rd", "é\r\n\n\rx\r",
            "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12",
            "1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n8\r\n", "\n\n\n\n\n\n\n\n\n\n\r\n\r\n\r\r",
        ])
    func cuts(_ text: String) throws {
        let body = Data(text.utf8)
        let expected = reference(body)
        for cut in 0...body.count {
            #expect(try lines(of: [body.prefix(cut), body.dropFirst(cut)]).lines == expected)
        }
        #expect(try lines(of: body.map { Data([$0]) }).lines == expected)
    }

    @Test("Random bodies in random pieces")
    func random() throws {
        var generator = SeededGenerator(state: 80)
        for _ in 0..<2_000 {
            let letters: [UInt8] = [0x0A, 0x0D, 0x61, 0x62]
            let body = Data((0..<Int.random(in: 0...80, using: &generator)).map { _ in letters.randomElement(using: &generator) ?? 0x61 })
            var (pieces, rest): ([Data], Data) = ([], body)
            while !rest.isEmpty {
                let count = Int.random(in: 1...rest.count, using: &generator)
                pieces.append(Data(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            #expect(try lines(of: pieces).lines == reference(body), "\(Array(body)) in \(pieces.map(\.count))")
        }
    }

    @Test("A line that is too long comes as an error after the lines before it", arguments: [0, 1, 6, 7, 8, 20])
    func tooLong(linesBefore: Int) throws {
        let body = Data(String(repeating: "abc\n", count: linesBefore).utf8) + Data("abcd\nabc\n".utf8)
        for cut in 0...body.count {
            let (lines, isTooLong) = try lines(of: [body.prefix(cut), body.dropFirst(cut)], maximumLength: 3)
            #expect(lines == Array(repeating: "abc", count: linesBefore))
            #expect(isTooLong)
        }
    }
}
