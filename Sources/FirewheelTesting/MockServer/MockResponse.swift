import Foundation

/// A response of a ``MockServer``: a value to create, change and pass to ``MockServer/enqueue(_:)-(MockResponse...)``, or to return from a
/// route.
///
/// ```swift
/// server.enqueue(.text("hello").delayed(head: 0.2), .failure(.resetBeforeHead))
/// server.route("/slow") { _ in .data(large).framed(.chunked([1000])).throttled(bytes: 1000, every: 0.01) }
/// ```
public struct MockResponse: Sendable {
    /// The message framing (RFC 9112 §6).
    public enum Framing: Sendable, Equatable {
        /// A Content-Length field, unless the headers already have one.
        case contentLength
        /// Chunked transfer coding with these chunk sizes, the last one repeated for the rest. Sizes below 1 are ignored; without any size
        /// the whole body is one chunk.
        case chunked([Int])
        /// No length: the end of the connection ends the body.
        case untilClose
        /// No framing field and no body. The connection is closed if nothing else ends the message, as for a 200 without a length.
        case none
    }

    /// The status code; any number is sent unmodified. Default: 200.
    public var status: Int
    /// The reason phrase; nil for the status's usual one.
    public var reason: String?
    /// The version. Default: "HTTP/1.1". With "HTTP/1.0" the connection is closed after the response unless the headers contain
    /// `Connection: keep-alive`.
    public var httpVersion = "HTTP/1.1"
    /// The header fields, sent in this order; names may repeat. Fields for framing and the connection are added unless they are here. A
    /// `Content-Type` added by `text(_:status:headers:)` or a similar function is not sent if there is another one.
    public var headers: [(String, String)]
    /// The media type that a factory function added because the headers named none.
    var assumedType: String?
    /// Raw header lines without their CRLF, sent after ``headers``: for values that are not UTF-8, lines without a colon, and so on.
    public var rawHeaderLines: [Data] = []
    /// The content. Declared but not sent in response to HEAD; not sent with 1xx, 204 and 304.
    public var body: Data
    /// The message framing. Default: ``Framing/contentLength``.
    public var framing: Framing = .contentLength
    /// Trailer fields, sent after a chunked body (RFC 9112 §7.1.2).
    public var trailers: [(String, String)] = []
    /// Interim responses, sent in order before the head's delay: 100, 102, 103 (RFC 9110 §15.2).
    public var informational: [(status: Int, headers: [(String, String)])] = []
    /// Seconds between the request and the head.
    public var headDelay: TimeInterval = 0
    /// Seconds between the head and the body.
    public var bodyDelay: TimeInterval = 0
    /// Sends the body in parts of this many bytes (framing included), with this many seconds between the parts.
    public var throttle: (bytes: Int, every: TimeInterval)?
    /// Sends `Connection: close` and closes after the response.
    public var closesConnection = false
    /// Responds as soon as the request's head has arrived, and closes after the response if the request has a body. Applies to enqueued
    /// responses; routes use `beforeBody`.
    public var answersBeforeBody = false
    /// The fault to inject.
    public var fault: MockFault?

    /// Creates a response that is sent at once and as a whole, with `Content-Length`.
    ///
    /// - Parameters:
    ///   - status: Default: 200.
    ///   - headers: Names and values, sent unchanged in this order. Default: none.
    ///   - body: Default: empty.
    public init(status: Int = 200, headers: [(String, String)] = [], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
