import Foundation

/// Recognises the byte order mark with which a stream of UTF-8 may begin, also when it comes in several pieces.
///
/// The Encoding standard's "UTF-8 decode" removes one mark, and only at the start.
struct ByteOrderMark: Sendable {
    private static let bytes: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The number of bytes of the mark that have come; nil once it is known whether there is one.
    private var matched: Int? = 0

    /// Takes a piece of the stream.
    ///
    /// - Returns: How many of its first bytes belong to the mark, or may belong to it, and the bytes of earlier pieces that turned out not
    ///   to be part of a mark.
    mutating func take(_ piece: Data) -> (skipped: Int, restored: ArraySlice<UInt8>) {
        guard let before = matched else { return (0, []) }
        let common = zip(Self.bytes[before...], piece).prefix { $0 == $1 }.count
        let total = before + common
        if total == Self.bytes.count {
            matched = nil
            return (common, [])
        }
        // The piece is too short to tell.
        if common == piece.count {
            matched = total
            return (common, [])
        }
        matched = nil
        return (0, Self.bytes[..<before])
    }

    /// The bytes of an incomplete mark, with which the stream has ended.
    mutating func finish() -> ArraySlice<UInt8> {
        defer { matched = nil }
        return Self.bytes[..<(matched ?? 0)]
    }
}
