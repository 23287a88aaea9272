import Foundation

/// What a ``MockServer`` answers: a value to build, to change and to give to ``MockServer/enqueue(_:)`` or to return from a route.
///
/// ```swift
/// server.enqueue(.text("hello").delayed(head: 0.2), .failure(.resetBeforeHead))
/// server.route("/slow") { _ in .data(large).framed(.chunked([1000])).throttled(bytes: 1000, every: 0.01) }
/// ```
public struct MockResponse: Sendable {
    /// How the end of the body is told to the client (RFC 9112 §6).
    public enum Framing: Sendable, Equatable {
        /// A Content-Length field, unless the headers already have one.
        case contentLength
        /// Chunked transfer coding: the content bytes of each chunk in turn, the last size repeated for the rest. Sizes below 1 are left
        /// out; with none left the whole body is one chunk.
        case chunked([Int])
        /// No length; the connection's end is the end of the body.
        case untilClose
        /// No framing field and no body. The connection is closed if nothing else tells the end of the message, as for a 200 without any
        /// length.
        case none
    }

    /// The status code; any number is sent as it is. 200 by default.
    public var status: Int
    /// The reason phrase; nil sends the usual one for the status.
    public var reason: String?
    /// "HTTP/1.1" by default. With "HTTP/1.0" the connection is closed after the response unless the headers say `Connection: keep-alive`.
    public var httpVersion = "HTTP/1.1"
    /// The header fields, sent in this order; names may repeat. What the framing and the connection need is added unless it is here. A
    /// `Content-Type` that ``text(_:status:headers:)`` and its like put here is not sent if there is another one.
    public var headers: [(String, String)]
    /// The media type that a factory put into the headers for want of another.
    var assumedType: String?
    /// Header lines sent as they are, without their CRLF, after ``headers``: for values that are not UTF-8, lines without a colon, and so
    /// on.
    public var rawHeaderLines: [Data] = []
    /// The content. Not sent, but declared, in answer to HEAD; not sent with 1xx, 204 and 304.
    public var body: Data
    /// ``Framing/contentLength`` by default.
    public var framing: Framing = .contentLength
    /// Trailer fields, sent after a chunked body (RFC 9112 §7.1.2).
    public var trailers: [(String, String)] = []
    /// Interim responses, sent at once and before the head's delay, in this order: 100, 102, 103 (RFC 9110 §15.2).
    public var informational: [(status: Int, headers: [(String, String)])] = []
    /// Seconds between the request and the head.
    public var headDelay: TimeInterval = 0
    /// Seconds between the head and the body.
    public var bodyDelay: TimeInterval = 0
    /// Sends the body in parts of this many bytes (framing included), with this many seconds between the parts.
    public var throttle: (bytes: Int, every: TimeInterval)?
    /// Sends `Connection: close` and closes after the response.
    public var closesConnection = false
    /// Answers as soon as the request's head is there, and closes after the response if the request has a body. Holds for enqueued
    /// responses; a route says it with `beforeBody`.
    public var answersBeforeBody = false
    /// What goes wrong on purpose.
    public var fault: MockFault?

    public init(status: Int = 200, headers: [(String, String)] = [], body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
