extension String {
    /// The text with line breaks, control characters and bidirectional formatting characters escaped as in Swift literals. So text from
    /// outside can neither forge a line in a log nor send commands to a terminal.
    package var onOneLine: String {
        guard unicodeScalars.contains(where: Self.isEscaped) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\0": text += "\\0"
            case _ where Self.isEscaped(scalar): text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }

    private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0: true
        // Line and paragraph separators, and bidirectional marks, embeddings, overrides and isolates.
        case 0x2028...0x202E, 0x200E...0x200F, 0x2066...0x2069, 0x061C: true
        default: false
        }
    }

    /// The text, or its beginning with an ellipsis if it is longer.
    func cut(to length: Int) -> String {
        utf8.count > length ? prefix(length) + (prefix(length).endIndex == endIndex ? "" : "…") : self
    }
}
