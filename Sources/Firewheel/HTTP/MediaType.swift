/// A media type without its parameters (RFC 9110 section 8.3.1), or a media range (section 12.5.1).
struct MediaType: Equatable {
    let type: String
    let subtype: String

    /// nil unless the text before the first semicolon is two parts separated by a slash.
    init?(_ text: some StringProtocol) {
        let parts = String(text).prefix { $0 != ";" }.trimmingOptionalWhitespace().lowercased()
            .split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].isHTTPToken, parts[1].isHTTPToken else { return nil }
        type = String(parts[0])
        subtype = String(parts[1])
    }

    var isWildcard: Bool { type == "*" && subtype == "*" }

    /// Whether a body of this type is JSON, or lines of it.
    var isJSON: Bool { subtype.contains("json") }

    /// Whether a body of this type is readable text.
    var isTextual: Bool {
        type == "text" || ["json", "xml", "text", "x-www-form-urlencoded", "javascript", "yaml", "csv"].contains { subtype.contains($0) }
    }

    /// Whether this media range includes `other`.
    func matches(_ other: MediaType) -> Bool {
        (type == "*" || type == other.type) && (subtype == "*" || subtype == other.subtype)
    }
}

extension StringProtocol where SubSequence == Substring {
    /// The parts between separators that are not in quoted strings (RFC 9110 section 5.6.4).
    func splitOutsideQuotes(at separator: Character) -> [Substring] {
        var parts: [Substring] = []
        var start = startIndex
        var isQuoted = false
        var isEscaped = false
        for index in indices {
            let character = self[index]
            if isEscaped {
                isEscaped = false
            } else if isQuoted, character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character == separator, !isQuoted {
                parts.append(self[start..<index])
                start = self.index(after: index)
            }
        }
        parts.append(self[start...])
        return parts
    }
}

extension Substring {
    /// The text without surrounding spaces and tabs (RFC 9110 section 5.6.3).
    func trimmingOptionalWhitespace() -> Substring {
        func isSpace(_ character: Character) -> Bool { character == " " || character == "\t" }
        let head = drop(while: isSpace)
        return head.lastIndex { !isSpace($0) }.map { head[...$0] } ?? head[head.endIndex...]
    }
}
