/// A list in a header field (RFC 9110 section 5.6.1) whose members may contain quoted text.
enum QuotedList {
    /// The members without surrounding white space. Empty ones are left out.
    static func members(of field: String) -> [Substring] {
        var members: [Substring] = []
        var (start, isQuoted, isEscaped) = (field.startIndex, false, false)
        func end(at index: String.Index) {
            let member = field[start..<index].trimmingOptionalWhitespace()
            if !member.isEmpty { members.append(member) }
        }
        for index in field.utf8.indices {
            switch field.utf8[index] {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isQuoted: isEscaped = true
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted:
                end(at: index)
                start = field.utf8.index(after: index)
            default: break
            }
        }
        end(at: field.endIndex)
        return members
    }

    /// The content of a quoted text (section 5.6.4). Other text is returned unchanged.
    static func unquoted(_ text: Substring) -> String {
        guard text.utf8.count >= 2, text.utf8.first == UInt8(ascii: "\""), text.utf8.last == UInt8(ascii: "\"") else { return String(text) }
        var content = ""
        var isEscaped = false
        for scalar in text.unicodeScalars.dropFirst().dropLast() {
            if scalar == "\\", !isEscaped {
                isEscaped = true
            } else {
                content.unicodeScalars.append(scalar)
                isEscaped = false
            }
        }
        return content
    }
}
