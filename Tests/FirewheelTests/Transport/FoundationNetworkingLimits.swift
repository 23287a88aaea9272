/// The conformance cases that `URLSessionTransport` fails on Linux, each with the symptom.
///
/// `Documentation/Platforms.md` has the same table.
enum FoundationNetworkingLimits {
    /// Cases that end the process, endanger the machine or hold up other requests for long, and are not run.
    static let notRun: [String: String] = [
        "Trailer fields are not part of the body": "the process crashes",
        "An endless body is stopped at the limit, and its connection is closed":
            "keeps reading without limit after a cancel, and may never end on a busy machine",
        "Discarding an endless body ends the request at once and closes its connection":
            "keeps reading without limit after a cancel, and may never end on a busy machine",
        "A reader is closed once when the connection is lost":
            "while a stream has no piece, the loss is not noticed, and no request of the process goes on until the idle timeout",
    ]

    /// Cases that are run and fail.
    static let failing: [String: String] = [
        "Only Host, framing fields and Accept are added":
            "adds `User-Agent`, `Accept-Language`, `Accept-Encoding`, and a form's `Content-Type` to a body without one",
        "The target is sent unchanged": "removes dot segments from the path",
        "A GET can have a body": "`dataLengthExceedsMaximum`",
        "An IPv6 address is accepted as a host": "`badURL`",
        "Response fields keep their order, case and repetition": "repeated fields are joined by commas, and sorted by name",
        "Bytes above 127 in a field are read as ISO-8859-1, and are not a failure": "`unknown`",
        "The HTTP version is that of the status line": "always HTTP/1.1",
        "A body that does not match its content coding is a failure": "`unknown`",
        "Without acknowledgements a transport stops reading": "keeps reading: unacknowledged data accumulates in memory",
        "A paused request stops reading from the server, and continues where it stopped":
            "`suspend()` has no effect on a request under way",
        "A request paused before an acknowledgement stays paused until it is resumed": "keeps reading, regardless of acknowledgements",
        "A long body behind a held head waits, and then arrives completely":
            "keeps reading while the head is held; with more than 1 MiB the request fails with `dataLengthExceedsMaximum` if its body is wanted",
        "The idle timeout does not run while a head is held": "it keeps running",
        "A faulty body behind a held head fails only once it is wanted": "`unknown`",
        "The idle timeout may be a fraction of a second": "counts whole seconds, rounded up",
        "A connection lost before the response is networkConnectionLost": "`badServerResponse` where the server closed",
        "A connection lost in the body is networkConnectionLost, and the received bytes are kept": "`unknown` where the server closed",
        "A chunked body that is cut short is networkConnectionLost": "`unknown`",
        "A chunk size that is not a number is a failure": "`unknown`",
        "A malformed status line is a failure": "`unsupportedURL`",
        "Endless header fields are a failure": "`unknown`",
        "Two different Content-Length values are a failure": "the last one is taken",
        "closeIdleConnections closes idle connections and no others": "they stay open",
        "A request without allowsResend is not sent again": "a POST without a body is sent again",
        "A paused request takes nothing from its stream, and continues where it stopped":
            "pausing has no effect on a body, because waiting would hold up every request of the process",
    ]
}
