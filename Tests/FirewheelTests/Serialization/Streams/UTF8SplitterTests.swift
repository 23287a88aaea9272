import Foundation
import Testing

@testable import Firewheel

/// Text is decoded as the Encoding standard's "UTF-8 decode" does, however it is cut.
struct UTF8SplitterTests {
    @Test(
        arguments: [
            [], Array("plain".utf8), Array("€豆腐 𝄞 é e\u{301} 👩‍👩‍👧".utf8),
            // The last of each length, a surrogate, overlong forms, and values above U+10FFFF.
            [0xDF, 0xBF, 0xEF, 0xBF, 0xBF, 0xF4, 0x8F, 0xBF, 0xBF], [0xED, 0xA0, 0x80], [0xE0, 0x9F, 0x80], [0xF0, 0x8F, 0x80, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xF5, 0x80, 0x80, 0x80], [0xFF, 0xFE, 0x41],
            // Sequences that are cut off, by the end and by another one.
            [0x41, 0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xF0], [0xE2, 0x82, 0x41], [0xF0, 0x9F, 0xE2, 0x82, 0xAC],
            [0xE2, 0xE2, 0x82, 0xC3, 0xA9],
            [0x80, 0xBF, 0x80], [0xF0, 0x9F, 0x98, 0x80, 0x80],
        ] as [[UInt8]])
    func eachCutGivesTheTextOfTheWhole(bytes: [UInt8]) {
        let whole = Array(String(decoding: bytes, as: UTF8.self).utf8)
        for pieces in StreamCuts.all(bytes) { #expect(StreamCuts.text(pieces) == whole, "\(pieces)") }
    }

    @Test(
        arguments: [
            ([0xEF, 0xBB, 0xBF], ""), ([0xEF, 0xBB, 0xBF, 0x41], "A"), ([0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF], "\u{FEFF}"),
            ([0x41, 0xEF, 0xBB, 0xBF], "A\u{FEFF}"), ([0xEF, 0xBB], "\u{FFFD}"), ([0xEF, 0xBB, 0x41], "\u{FFFD}A"),
            ([0xEF, 0xBF, 0xBD], "\u{FFFD}"),
        ] as [([UInt8], String)])
    func onlyTheFirstByteOrderMarkIsRemoved(bytes: [UInt8], text: String) {
        for pieces in StreamCuts.all(bytes) { #expect(StreamCuts.text(pieces) == Array(text.utf8), "\(pieces)") }
    }

    @Test func completeSequencesAreNotHeldBack() {
        var splitter = UTF8Splitter()
        #expect(splitter.text(of: Data("a€".utf8)) == "a€")
        #expect(splitter.text(of: Data([0x62, 0xE2, 0x82])) == "b")
        #expect(splitter.text(of: Data([0xAC])) == "€")
        // No sequence begins with these bytes.
        #expect(splitter.text(of: Data([0xE2, 0xC0])) == "\u{FFFD}\u{FFFD}")
        #expect(splitter.finish() == "")
    }

    @Test func randomBytesGiveTheTextOfTheWhole() {
        var generator = SeededGenerator(state: 8)
        let interesting: [UInt8] = [0x41, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBB, 0xBF, 0xC2, 0xE0, 0xE2, 0xED, 0xEF, 0xF0, 0xF4, 0xFF]
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in interesting.randomElement(using: &generator) ?? 0 }
            let whole = Array(String(decoding: withoutByteOrderMark(bytes), as: UTF8.self).utf8)
            let pieces = StreamCuts.random(bytes, using: &generator)
            #expect(StreamCuts.text(pieces) == whole, "\(pieces)")
        }
    }
}
