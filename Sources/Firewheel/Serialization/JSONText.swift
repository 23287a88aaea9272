import Foundation

/// The bytes of a JSON text as UTF-8.
enum JSONText {
    /// JSON is UTF-8, and the `charset` parameter has no effect (RFC 8259 sections 8.1 and 11), but some servers send other encodings. The
    /// encoding is that of the byte order mark, or UTF-16 or UTF-32 by the place of the zeros in the first characters, which are ASCII
    /// (RFC 4627 section 3), or else UTF-8. Only if the bytes are not valid UTF-8 is it that of the `charset` that the response declares.
    ///
    /// - Throws: ``FirewheelError`` if the bytes are not valid in that encoding. What is taken for UTF-8 is left for the parser to check.
    static func utf8(_ data: Data, contentType: String?) throws -> Data {
        let candidates = try candidates(for: data, contentType: contentType)
        if candidates == [.utf8] { return data.starts(with: mark) ? data.dropFirst(mark.count) : data }
        for candidate in candidates {
            // Foundation's parser would take a NUL here for a sign of yet another encoding, too.
            if let text = Charset.decode(data, as: candidate), !text.utf8.prefix(4).contains(0) { return Data(text.utf8) }
        }
        throw invalid(candidates.last ?? .utf8)
    }

    /// The encodings that the text may have: it has the first one in which its bytes are valid.
    private static func candidates(for data: Data, contentType: String?) throws -> [String.Encoding] {
        if let encoding = try encoding(of: data) { return [encoding] }
        let label = contentType.flatMap { Charset.encoding(ofContentType: $0) }
        // In UTF-16 and UTF-32 the bytes would tell.
        guard let label, !Charset.wide.contains(label) else { return [.utf8] }
        return Charset.candidatesOfJSON(for: data, label: label)
    }

    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private static func invalid(_ encoding: String.Encoding) -> FirewheelError {
        FirewheelError(.responseSerializationFailed(.stringSerializationFailed(encoding)))
    }

    /// nil if the bytes do not tell.
    private static func encoding(of data: Data) throws -> String.Encoding? {
        let start = Array(data.prefix(4))
        if start.starts(with: mark) { return .utf8 }
        if start == [0, 0, 0xFE, 0xFF] || start == [0xFF, 0xFE, 0, 0] { return .utf32 }
        if start.starts(with: [0xFE, 0xFF]) || start.starts(with: [0xFF, 0xFE]) { return .utf16 }
        let isZero = start.map { $0 == 0 }
        if isZero == [true, true, true, false] { return .utf32BigEndian }
        if isZero == [false, true, true, true] { return .utf32LittleEndian }
        if isZero.starts(with: [true, false]) { return .utf16BigEndian }
        if isZero.starts(with: [false, true]) { return .utf16LittleEndian }
        // No JSON has a NUL, which Foundation's parser would take for a sign of yet another encoding.
        if isZero.contains(true) { throw invalid(.utf8) }
        return nil
    }
}
