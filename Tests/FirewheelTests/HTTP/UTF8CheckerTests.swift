import Testing

@testable import Firewheel

@Suite struct UTF8CheckerTests {
    /// How many bytes are accepted one by one, and whether the text may end behind them.
    private func check(_ bytes: [UInt8]) -> (accepted: Int, isComplete: Bool) {
        var checker = UTF8Checker()
        for (index, byte) in bytes.enumerated() {
            guard withUnsafeBytes(of: byte, { checker.accepts($0) }) else { return (index, false) }
        }
        return (bytes.count, checker.isComplete)
    }

    private func isValid(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }

    /// Whether some continuation makes the bytes valid.
    private func isPrefix(_ bytes: [UInt8]) -> Bool {
        let tails: [[UInt8]] = [[], [0x80], [0xBF], [0x80, 0x80], [0xBF, 0x80], [0x80, 0x80, 0x80], [0x90, 0x80, 0x80], [0xA0, 0x80]]
        return tails.contains { isValid(bytes + $0) }
    }

    /// Each first byte, with all second bytes where rules are narrower, and further bytes at the borders of a rule.
    @Test func likeTheStandardLibrary() {
        let borders: [UInt8] = [
            0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xFF,
        ]
        for first in UInt8.min...UInt8.max {
            compare([first])
            for second in first >= 0xE0 ? Array(UInt8.min...UInt8.max) : borders { compare([first, second]) }
        }
        for first in [UInt8](0xDF...0xF5) {
            for second in borders where first < 0xE0 || second >= 0x80 {
                for third in borders {
                    compare([first, second, third])
                    guard [0xEF, 0xF0, 0xF1, 0xF3, 0xF4].contains(first), [0x8F, 0x90, 0xBF].contains(second) else { continue }
                    for fourth in borders { compare([first, second, third, fourth]) }
                }
            }
        }
    }

    private func compare(_ bytes: [UInt8]) {
        let (accepted, isComplete) = check(bytes)
        let expected = (0...bytes.count).reversed().first { isPrefix(Array(bytes[..<$0])) } ?? 0
        if accepted != expected || isComplete != isValid(bytes) {
            Issue.record("\(bytes): \(accepted) accepted, not \(expected); complete: \(isComplete)")
        }
    }

    /// The place of the first wrong byte does not depend on how the text is cut, and words of eight bytes hide none.
    @Test func cutAnywhere() {
        var random = SystemRandomNumberGenerator()
        let parts: [[UInt8]] = [Array("plain text".utf8), Array("größer".utf8), Array("日本".utf8), Array("😀".utf8), [0x61]]
        for _ in 0..<500 {
            var bytes = (0..<Int.random(in: 0...8, using: &random)).flatMap { _ in parts.randomElement(using: &random) ?? [] }
            if !bytes.isEmpty, Bool.random(using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            let expected = check(bytes)
            let cut = Int.random(in: 0...bytes.count, using: &random)
            var checker = UTF8Checker()
            let isAccepted = bytes.withUnsafeBytes {
                checker.accepts(UnsafeRawBufferPointer(rebasing: $0[..<cut]))
                    && checker.accepts(UnsafeRawBufferPointer(rebasing: $0[cut...]))
            }
            #expect(isAccepted == (expected.accepted == bytes.count), "\(bytes) cut at \(cut)")
            if isAccepted { #expect(checker.isComplete == expected.isComplete, "\(bytes) cut at \(cut)") }
            #expect((isAccepted && checker.isComplete) == isValid(bytes), "\(bytes)")
        }
    }
}
