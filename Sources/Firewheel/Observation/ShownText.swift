import Foundation

/// Decodes bytes that may be text.
enum ShownText {
    /// The text, in the encoding that the serializers would take.
    ///
    /// - Parameter isCut: Whether the last character may be incomplete.
    /// - Returns: nil unless both type and content are those of text: a body with an undecoded content coding may still have a text type.
    static func of(_ data: Data, contentType: String?, isCut: Bool) -> String? {
        guard contentType.flatMap({ MediaType($0) })?.isTextual ?? (contentType == nil) else { return nil }
        // Bytes without a type are no text in an encoding that takes all of them.
        let candidates = contentType == nil ? [.utf8] : Charset.candidates(for: data, contentType: contentType)
        for candidate in candidates {
            for excess in 0...(isCut ? 3 : 0) {
                guard let text = Charset.decode(data.dropLast(excess), as: candidate) else { continue }
                return isBinary(text) ? nil : text
            }
        }
        return nil
    }

    private static func isBinary(_ text: String) -> Bool {
        var (count, controls) = (0, 0)
        for scalar in text.unicodeScalars {
            count += 1
            switch scalar.value {
            case 0: return true
            case 0x09...0x0D, 0x1B: break
            case 0x01..<0x20, 0x7F..<0xA0: controls += 1
            default: break
            }
        }
        return controls > count / 16
    }
}
