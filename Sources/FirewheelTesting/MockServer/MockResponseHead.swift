import Foundation

/// Serializes the status line and the header lines.
enum MockResponseHead {
    static func bytes(_ response: MockResponse, framing: (name: String, value: String)?, connection: String?) -> Data {
        var text = "\(response.httpVersion) \(response.status) \(response.reason ?? ReasonPhrase.usual(for: response.status))\r\n"
        for (name, value) in fields(of: response) { text += "\(name): \(value)\r\n" }
        if let framing { text += "\(framing.name): \(framing.value)\r\n" }
        if let connection, !declares("connection", response) { text += "Connection: \(connection)\r\n" }
        guard !response.rawHeaderLines.isEmpty else { return Data((text + "\r\n").utf8) }

        var data = Data(text.utf8)
        for line in response.rawHeaderLines { data += line + Data("\r\n".utf8) }
        return data + Data("\r\n".utf8)
    }

    /// The header fields, without the assumed media type if there is another one.
    private static func fields(of response: MockResponse) -> [(String, String)] {
        guard let index = response.headers.firstIndex(where: { $0.0 == "Content-Type" && $0.1 == response.assumedType }) else {
            return response.headers
        }
        var others = response
        others.headers.remove(at: index)
        return declares("content-type", others) ? others.headers : response.headers
    }

    static func interim(_ status: Int, _ headers: [(String, String)]) -> Data {
        bytes(MockResponse(status: status, headers: headers), framing: nil, connection: nil)
    }

    /// Whether the test set a field of this name (in lower case), as a field or as a raw line.
    static func declares(_ name: String, _ response: MockResponse) -> Bool {
        let length = name.utf8.count
        return response.headers.contains { $0.0.utf8.count == length && $0.0.lowercased() == name }
            || response.rawHeaderLines.contains { String(decoding: $0.prefix(length + 1), as: UTF8.self).lowercased() == name + ":" }
    }

    /// Whether the response's own version and headers end the connection (RFC 9112 §9.3).
    static func closes(_ response: MockResponse) -> Bool {
        let options = response.headers.filter { $0.0.lowercased() == "connection" }.map { $0.1.lowercased() }
        if options.contains(where: { $0.contains("close") }) { return true }
        return response.httpVersion == "HTTP/1.0" && !options.contains { $0.contains("keep-alive") }
    }
}
