import Foundation

/// Decodes a stream of UTF-8 piece by piece without splitting a sequence, as the Encoding standard's "UTF-8 decode" does: a byte order mark
/// at the start is removed, and each maximal subpart of an invalid sequence becomes U+FFFD.
///
/// However the bytes are cut, the texts together are what the whole would be decoded to.
struct UTF8Splitter: Sendable {
    /// The beginning of a sequence that continues in the next piece: at most 3 bytes.
    private var beginning: [UInt8] = []
    private var mark = ByteOrderMark()

    /// The text of all sequences that are complete by now. Empty if there is none.
    mutating func text(of piece: Data) -> String {
        let (skipped, restored) = mark.take(piece)
        let new = piece.dropFirst(skipped)
        let before = beginning + restored
        guard before.isEmpty else {
            return (before + new).withUnsafeBytes { decode($0) }
        }
        return new.withUnsafeBytes { decode($0) }
    }

    /// The text of an incomplete sequence at the end of the stream: U+FFFD, or nothing.
    mutating func finish() -> String {
        defer { beginning = [] }
        return String(decoding: beginning + mark.finish(), as: UTF8.self)
    }

    private mutating func decode(_ bytes: UnsafeRawBufferPointer) -> String {
        let incomplete = Self.incompleteCount(bytes)
        beginning = Array(bytes.suffix(incomplete))
        return String(decoding: bytes.dropLast(incomplete), as: UTF8.self)
    }

    /// The number of last bytes that are the beginning of a sequence.
    private static func incompleteCount(_ bytes: UnsafeRawBufferPointer) -> Int {
        for count in 1...3 where count <= bytes.count {
            let first = bytes[bytes.count - count]
            if (0x80...0xBF).contains(first) { continue }
            guard let following = Following(first), count <= following.count else { return 0 }
            // The later bytes are continuation bytes, of which only the second has a narrower range.
            return count == 1 || following.second.contains(bytes[bytes.count - count + 1]) ? count : 0
        }
        return 0
    }

    /// What may follow the first byte of a sequence of several bytes (Unicode, table 3-7).
    private struct Following {
        /// The number of further bytes.
        let count: Int
        let second: ClosedRange<UInt8>

        init?(_ first: UInt8) {
            switch first {
            case 0xC2...0xDF: (count, second) = (1, 0x80...0xBF)
            case 0xE0: (count, second) = (2, 0xA0...0xBF)
            case 0xED: (count, second) = (2, 0x80...0x9F)
            case 0xE1...0xEF: (count, second) = (2, 0x80...0xBF)
            case 0xF0: (count, second) = (3, 0x90...0xBF)
            case 0xF1...0xF3: (count, second) = (3, 0x80...0xBF)
            case 0xF4: (count, second) = (3, 0x80...0x8F)
            default: return nil
            }
        }
    }
}
