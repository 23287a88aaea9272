import Foundation

extension FirewheelError {
    /// The error for a text that is not a valid URL of a request, with the reason where it is known.
    ///
    /// - Parameter base: The session's `baseURL`, against which a relative URL would have been resolved.
    static func invalidURL(_ text: String, base: URL?) -> FirewheelError {
        guard !text.isEmpty else { return FirewheelError(.invalidURL, detail: "the URL is empty").with(subject: .url(text)) }
        let hint = base == nil ? "" : hint(for: text)
        return FirewheelError(.invalidURL, detail: "the URL \"\(Redaction.possibleURL(text))\" \(problem(of: text, base: base))\(hint)")
            .with(subject: .url(text))
    }

    /// How to write a relative path whose first segment has a colon, such as `images:annotate`: with a dot segment (RFC 3986 section 4.2).
    /// Empty for other texts.
    private static func hint(for text: String) -> String {
        let segment = text.prefix { !"/?#".contains($0) }
        guard let colon = segment.firstIndex(of: ":"), !["http", "https"].contains(segment[..<colon].lowercased()),
            !text[colon...].hasPrefix("://"), isReference("./" + text)
        else { return "" }
        return " (for a path below the baseURL write \"./\(Redaction.possibleURL(text))\")"
    }

    private static func problem(of text: String, base: URL?) -> String {
        if case .failure(.unsupportedScheme) = TargetURI.parse(text) {
            // RFC 3986 section 3.1 reads `localhost:8080` as a scheme and a path, but a person who writes it means a host and a port.
            let rest = text.drop { $0 != ":" }.dropFirst()
            return rest.first?.isNumber == true ? "has no scheme (http:// or https://)" : "is neither http nor https"
        }
        guard let colon = text.firstIndex(of: ":"), ["http", "https"].contains(text[..<colon].lowercased()) else {
            guard base == nil, isReference(text) else { return "is not valid" }
            // `www.example.com/users`
            let hint = text.prefix { $0 != "/" }.contains(".") ? " (http:// or https:// missing?)" : ""
            return "is relative, and the session has no baseURL\(hint)"
        }
        let text = Percent.escapingZone(text)
        let rest = text[text.index(after: colon)...]
        guard rest.hasPrefix("//") else { return "has no host" }
        let authority = rest.dropFirst(2).prefix { !"/?#".contains($0) }
        let host = authority[(authority.lastIndex(of: "@").map(authority.index(after:)) ?? authority.startIndex)...]
        if host.isEmpty || host.hasPrefix(":") { return "has no host" }
        let name = host.prefix { $0 != ":" }.lowercased()
        if host.hasPrefix("[") {
            if HostAddress.ipv6(String(host.dropFirst().prefix { $0 != "]" })) == nil { return "has an invalid IPv6 address" }
        } else if HostAddress.looksLikeIPv4(name), HostAddress.ipv4(name) == nil {
            return "has an invalid IPv4 address"
        }
        let port = host.drop { $0 != "]" && host.hasPrefix("[") }.drop { $0 != ":" }.dropFirst()
        let isPort = port.isEmpty || port.utf8.allSatisfy(\.isASCIIDigit) && Int(port).map { (1...65535).contains($0) } == true
        return isPort ? "is not valid" : "has an invalid port"
    }

    /// Whether a text without a scheme could be resolved against a base.
    private static func isReference(_ text: String) -> Bool {
        Percent.hasPlainAuthority(text) && !text.hasPrefix("//") && !text.contains { $0.isNewline || $0 == "\0" }
    }
}
