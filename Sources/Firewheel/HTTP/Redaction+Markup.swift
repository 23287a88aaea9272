import Foundation

/// Redaction of XML and HTML.
extension Redaction {
    /// Replaces the text of elements and the values of attributes that have the name of a secret, and all values of a tag that names one:
    /// `<input name="password" value="…">`.
    static func markup(_ text: String) -> String {
        var output = ""
        var rest = text[...]
        var hidesText = false
        while let open = rest.firstIndex(of: "<") {
            output += shown(rest[..<open], hides: hidesText)
            let close = rest[open...].firstIndex(of: ">") ?? rest.index(before: rest.endIndex)
            let tag = rest[open...close]
            let name = tag.dropFirst().prefix { !$0.isWhitespace && !"/>".contains($0) }
            output += redacted(tag: tag)
            hidesText = isSecret(name: name.split(separator: ":").last ?? name) && !tag.hasSuffix("/>")
            rest = rest[rest.index(after: close)...]
        }
        return output + shown(rest, hides: hidesText)
    }

    private static func shown(_ text: Substring, hides: Bool) -> String {
        hides && !text.allSatisfy(\.isWhitespace) ? mark : json(form(text))
    }

    private static func redacted(tag: Substring) -> String {
        let attributes = tag.matches(of: /([^\s=\/<>"']+)(\s*=\s*)("[^"]*"?|'[^']*'?|[^\s"'>]+)/)
        let namesSecret = attributes.contains { isSecret(name: unquoted($0.3).value) }
        var output = ""
        var end = tag.startIndex
        for attribute in attributes {
            output += tag[end..<attribute.range.lowerBound]
            let (quote, value) = unquoted(attribute.3)
            let hides = isSecret(name: attribute.1) || namesSecret && ["value", "content"].contains(attribute.1.lowercased())
            output += attribute.1 + attribute.2 + quote + (hides ? mark : form(replacingUserInfo(String(value)))) + quote
            end = attribute.range.upperBound
        }
        return output + tag[end...]
    }

    /// The quote around an attribute's value, if there is one, and the value.
    private static func unquoted(_ text: Substring) -> (quote: String, value: Substring) {
        guard let quote = text.first, "\"'".contains(quote) else { return ("", text) }
        return (String(quote), text.dropFirst().prefix { $0 != quote })
    }
}
