import Foundation

/// A fault that a ``MockServer`` injects into its response.
///
/// "Reset" is an RST: the client's next read or write fails with `ECONNRESET`. "Close" is a FIN: the client reads the end of the stream.
/// Negative counts mean zero, and filler is limited to 1 GiB. The delays and the throttle of the response apply to its fault too.
public enum MockFault: Sendable, Equatable {
    /// Resets as soon as the request's head has arrived, without reading its body. In a route this needs `beforeBody: true`; otherwise the
    /// body is read.
    case resetBeforeReading
    /// Reads the whole request, sends no byte, resets.
    case resetBeforeHead
    /// Reads the whole request, sends no byte, closes.
    case closeBeforeHead
    /// Sends this many bytes of the head, then closes.
    case closeInHead(after: Int)
    /// Sends the head and this many bytes of the content, then resets after the bytes have reached the client's system.
    case resetInBody(after: Int)
    /// Sends the head and this many bytes of the content, then closes.
    case closeInBody(after: Int)
    /// Declares a Content-Length that exceeds the body by this many bytes, sends the body, closes.
    case bodyShorter(by: Int)
    /// Declares the body's length but sends this many more bytes. The connection stays open, as if the server had not noticed.
    case bodyLonger(by: Int)
    /// Sends the body chunked and closes inside a chunk, after this many bytes of content.
    case cutChunk(after: Int)
    /// Sends the body chunked, with an invalid size line in place of the last chunk; then closes.
    case badChunk
    /// Sends the body chunked and closes without the final empty chunk (RFC 9112 §8: the message is incomplete).
    case missingFinalChunk
    /// Sends a line that is not HTTP in place of the status line, then closes.
    case garbageStatusLine
    /// Sends the head and then header lines endlessly, until the client disconnects or the server is shut down.
    case endlessHeaders
    /// Adds a header line of this many bytes (at least 8) to an otherwise valid response.
    case longHeaderLine(bytes: Int)
    /// Sends the body and then bytes endlessly, until the client disconnects or the server is shut down. Without a length, or chunked if
    /// the framing is chunked.
    case endlessBody
    /// Reads the whole request and never responds; the connection stays open until the client closes it or the server is shut down.
    case noAnswer
    /// Responds as if the connection stayed open, then closes it at once.
    case closeAfterResponse
    /// Responds as if the connection stayed open, then closes it if no further request begins within this many seconds.
    case closeIdle(after: TimeInterval)
}
