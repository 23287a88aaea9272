/// The schemes of WebSockets (RFC 6455 section 3), whose handshake is a request over http or https.
enum WebSocketURL {
    /// A URL with the scheme http or https in place of ws or wss.
    static func httpForm(of url: String) -> String { replacingScheme(of: url, by: ["ws": "http", "wss": "https"]) }

    /// A URL with the scheme ws or wss in place of http or https.
    static func webSocketForm(of url: String) -> String { replacingScheme(of: url, by: ["http": "ws", "https": "wss"]) }

    private static func replacingScheme(of url: String, by schemes: [String: String]) -> String {
        guard let colon = url.firstIndex(of: ":"), let scheme = schemes[url[..<colon].lowercased()] else { return url }
        return scheme + url[colon...]
    }
}
