/// The conformance cases that `URLSessionTransport` fails on Linux, each with the symptom.
///
/// `Documentation/Platforms.md` has the same table.
enum FoundationNetworkingLimits {
    /// Cases that end the process or endanger the machine, and are not run.
    static let notRun: [String: String] = [
        "Trailer fields are no part of the body": "the process crashes",
        "A body without end is stopped at the limit, and its connection closed":
            "reads on without bound after a cancel, and on a busy machine does not end",
        "A body without end that nobody wants ends at once, and its connection is closed":
            "reads on without bound after a cancel, and on a busy machine does not end",
    ]

    /// Cases that are run and fail.
    static let failing: [String: String] = [
        "Nothing is added but Host, the framing and Accept":
            "adds `User-Agent`, `Accept-Language`, `Accept-Encoding`, and a form's `Content-Type` to a body without one",
        "The target is sent as it is": "removes dot segments from the path",
        "A GET can have a body": "`dataLengthExceedsMaximum`",
        "An IPv6 address is a host": "`badURL`",
        "Fields keep their order, their case and their repetitions": "repeated fields come joined by commas, sorted by name",
        "Bytes above 127 in a field are no failure, and read as ISO-8859-1": "`unknown`",
        "The version is that of the status line": "always HTTP/1.1",
        "A body that is not in its coding is a failure": "`unknown`",
        "Without acknowledgement a transport stops reading": "reads on: what is not acknowledged piles up in memory",
        "A paused request stops, so that the server feels it, and goes on where it was": "`suspend()` has no effect on a request under way",
        "What is paused before it is acknowledged stands still until it goes on": "reads on, whatever is acknowledged",
        "A long body behind a held head waits, and is whole then":
            "reads on while the head is held; behind more than 1 MiB the request fails with `dataLengthExceedsMaximum` if its body is wanted",
        "The idle timeout stands still while a head is held": "it runs on",
        "What is wrong with a body that is wanted is told once it is": "`unknown`",
        "The idle timeout is as short as its fraction says": "counts whole seconds, rounded up",
        "A connection that is lost before the answer is networkConnectionLost": "`badServerResponse` where the server closed",
        "A connection that is lost in the body is networkConnectionLost, and what had come is kept": "`unknown` where the server closed",
        "A chunked body that is cut short is networkConnectionLost": "`unknown`",
        "A chunk size that is no number is a failure": "`unknown`",
        "A status line that is none is a failure": "`unsupportedURL`",
        "Header fields without end are a failure": "`unknown`",
        "Two different lengths are a failure": "the last one is taken",
        "Connections that no request is on are closed when asked for, the others left alone": "they stay open",
        "A request that may not be sent again is not": "a POST without a body is sent again",
        "A request that may be sent again is, when a reused connection is dead": "a request with a body stands still until its timeout",
    ]
}
