import Foundation

/// The bytes of a JSON text as UTF-8.
enum JSONText {
    /// JSON is UTF-8 (RFC 8259 section 8.1), but some servers send other encodings. The encoding is that of the byte order mark, or UTF-16 or
    /// UTF-32 by the place of the zeros in the first characters, which are ASCII (RFC 4627 section 3), or else that of the `charset` that the
    /// response declares. Bytes that are not valid in it are left for the parser to reject.
    static func utf8(_ data: Data, contentType: String?) -> Data {
        guard let encoding = encoding(of: data, contentType: contentType) else { return data }
        guard encoding != .utf8 else { return data.starts(with: mark) ? data.dropFirst(mark.count) : data }
        return Charset.decode(data, as: encoding).map { Data($0.utf8) } ?? data
    }

    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// nil if the bytes are to be taken as they are.
    private static func encoding(of data: Data, contentType: String?) -> String.Encoding? {
        let start = Array(data.prefix(4))
        if start.starts(with: mark) { return .utf8 }
        if start == [0, 0, 0xFE, 0xFF] || start == [0xFF, 0xFE, 0, 0] { return .utf32 }
        if start.starts(with: [0xFE, 0xFF]) || start.starts(with: [0xFF, 0xFE]) { return .utf16 }
        switch start.map({ $0 == 0 }) {
        case [true, true, true, false]: return .utf32BigEndian
        case [false, true, true, true]: return .utf32LittleEndian
        case [true, false], [true, false, true, false], [true, false, false, false], [true, false, false, true]: return .utf16BigEndian
        case [false, true], [false, true, false, true], [false, true, false, false], [false, true, true, false]: return .utf16LittleEndian
        default: break
        }
        return contentType.flatMap(Charset.encoding)
    }
}
