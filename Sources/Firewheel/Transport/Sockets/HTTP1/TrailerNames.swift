/// The fields that a trailer section may not have (RFC 9110 section 6.5.1): those for framing, routing, authentication, request modifiers,
/// response control and the content's format. A receiver that took them late would have acted without them.
enum TrailerNames {
    private static let forbidden: Set<String> = [
        // Framing and the connection.
        "content-length", "transfer-encoding", "trailer", "connection", "keep-alive", "proxy-connection", "te", "upgrade",
        // Routing and request modifiers.
        "host", "cache-control", "expect", "max-forwards", "pragma", "range", "if-match", "if-none-match", "if-modified-since",
        "if-unmodified-since", "if-range",
        // Authentication and state.
        "authorization", "proxy-authorization", "www-authenticate", "proxy-authenticate", "cookie", "set-cookie",
        // Response control.
        "age", "date", "expires", "location", "retry-after", "vary", "warning",
        // The content's format.
        "content-encoding", "content-type", "content-range",
    ]

    static func isAllowed(_ name: String) -> Bool { !forbidden.contains(name.lowercased()) }
}
