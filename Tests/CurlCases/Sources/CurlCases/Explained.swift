/// Cases whose result differs from curl's on purpose, with the reason.
let explained: [Int: String] = [
    187: "the body of a redirect is waited for, here until a timeout; curl does not wait for one on a connection that is to close",
    393: lengthTooLarge, 395: lengthTooLarge,
    747: "header fields are limited by their size (1 MiB), not by their number",
    771: "two different lengths are an error (RFC 9112 section 6.3), as for a newer libcurl; 7.88 takes the last",
    1425: "the case is about printing to a terminal",
    1539: headCutShort, 1591: headCutShort, 1598: headCutShort, 2304: headCutShort,
    2105: "a CR in a value is replaced by a space (RFC 9110 section 5.5); so does libcurl 7.88, a newer one refuses it",
]

private let lengthTooLarge = "a length that no 64-bit number holds is none (RFC 9112 section 6.3); curl reads until the connection ends"
private let headCutShort = "a head without its empty line is an error (RFC 9112 section 8); for curl it is an answer without a body"
