import Foundation

/// A failure, as data: what a ``MockServer`` does wrong on purpose when it answers.
///
/// "Reset" is an RST: the client's next read or write fails with `ECONNRESET`. "Close" is a FIN: the client reads the end of the stream.
/// Counts below zero mean zero, and those of filler bytes 1 GiB at most. The delays and the throttle of the response hold for its fault
/// too.
public enum MockFault: Sendable, Equatable {
    /// Resets as soon as the request's head has arrived, its body unread. In a route this needs `beforeBody: true`; without, the body is
    /// read.
    case resetBeforeReading
    /// Reads the whole request, sends no byte, resets.
    case resetBeforeHead
    /// Reads the whole request, sends no byte, closes.
    case closeBeforeHead
    /// Sends this many bytes of the head, then closes.
    case closeInHead(after: Int)
    /// Sends the head and this many bytes of the content, then resets. (The bytes have reached the client's system before the reset does.)
    case resetInBody(after: Int)
    /// Sends the head and this many bytes of the content, then closes.
    case closeInBody(after: Int)
    /// Declares a Content-Length greater than the body by this many bytes, sends the body, closes.
    case bodyShorter(by: Int)
    /// Declares the body's length and sends this many bytes more after it; the connection stays open, as for a server that does not notice.
    case bodyLonger(by: Int)
    /// Sends the body chunked and closes inside a chunk, after this many bytes of content.
    case cutChunk(after: Int)
    /// Sends the body chunked, and in place of the last chunk a size line that is no number; then closes.
    case badChunk
    /// Sends the body chunked and closes without the last, empty chunk (RFC 9112 §8: the message is incomplete).
    case missingFinalChunk
    /// Sends a line that is not HTTP in place of the status line, then closes.
    case garbageStatusLine
    /// Sends the head and then header lines without end, until the client goes away or the server is shut down.
    case endlessHeaders
    /// Adds a header line of this many bytes (at least 8) to the response, which is otherwise as it should be.
    case longHeaderLine(bytes: Int)
    /// Sends the body and after it bytes without end, until the client goes away or the server is shut down. Without a length, or chunked
    /// if the framing is chunked.
    case endlessBody
    /// Reads the whole request and never answers; the connection stays open until the client closes it or the server is shut down.
    case noAnswer
    /// Answers as if the connection stayed open, then closes it at once.
    case closeAfterResponse
    /// Answers as if the connection stayed open, then closes it if no further request begins within this many seconds.
    case closeIdle(after: TimeInterval)
}
