import Foundation

/// A request as it was received by a ``MockServer``, for inspection in tests.
public struct RecordedRequest: Sendable {
    /// The method as sent, case-sensitive (RFC 9110 §9.1).
    public let method: String
    /// The request target as sent: usually a path with query, an absolute URL if the server is used as a proxy (RFC 9112 §3.2).
    public let target: String
    /// The version as sent, such as "HTTP/1.1".
    public let httpVersion: String
    /// Request line and header lines byte for byte, with line breaks, without the empty line.
    public let head: Data
    /// The header lines exactly as sent, in order, without CRLF. Decoded as UTF-8 if valid, otherwise as ISO 8859-1.
    public let headerLines: [String]
    /// The header fields in order; names as sent, values without surrounding white space.
    public let headers: [(name: String, value: String)]
    /// The content, without its chunked framing. Empty if the response was sent before the body was read.
    public internal(set) var body = Data()
    /// The size of each chunk as sent, without the final empty one. Empty if the body was not chunked.
    public internal(set) var chunkSizes: [Int] = []
    /// The trailer lines of a chunked body, without CRLF (RFC 9112 §7.1.2).
    public internal(set) var trailerLines: [String] = []
    /// The number of its connection: 0 for the first one accepted.
    public let connectionNumber: Int
    /// The number of the request on its connection: 0 for the first, more on a reused connection.
    public let sequenceNumber: Int

    /// The target before the "?".
    public var path: String { String(target.prefix { $0 != "?" }) }

    /// The target after the first "?"; nil if there is none.
    public var query: String? {
        target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
    }

    /// The body as text; bytes that are not UTF-8 become U+FFFD.
    public var bodyText: String { String(decoding: body, as: UTF8.self) }

    /// The first value of a field, case-insensitive; nil if there is none.
    public func header(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name.lowercased() == name }?.value
    }

    /// All values of a field, in order, case-insensitive.
    public func headerValues(_ name: String) -> [String] {
        let name = name.lowercased()
        return headers.filter { $0.name.lowercased() == name }.map(\.value)
    }
}
