/// Cases whose result differs from curl's on purpose, with the reason.
let explained: [Int: String] = [
    129: "a higher minor version is compatible (RFC 9110 section 2.5), but not for libcurl",
    187: "the body of a redirect is waited for, here until a timeout; curl does not wait for one on a connection that is to close",
    393: lengthTooLarge, 395: lengthTooLarge,
    497: limitOfHeads,
    747: "header fields are limited by their size (1 MiB), not by their number",
    771: "two different lengths are an error (RFC 9112 section 6.3), as for a newer libcurl; 7.88 takes the last",
    1122: transferCoding, 1123: transferCoding, 1124: transferCoding, 1125: transferCoding,
    1154: limitOfHeads,
    1170: transferCoding, 1171: transferCoding, 1277: transferCoding,
    1425: "the case is about printing to a terminal",
    1539: headCutShort, 1591: headCutShort, 1598: headCutShort, 2304: headCutShort,
    1546: transferCoding, 1617: transferCoding,
    1641: redirectWithoutEnd, 1642: redirectWithoutEnd, 1643: redirectWithoutEnd,
    2305: "gzip may have several members (RFC 1952 section 2.2); libcurl 7.88 takes one",
    2105: "a CR in a value is replaced by a space (RFC 9110 section 5.5); so does libcurl 7.88, a newer one refuses it",
]

private let lengthTooLarge = "a length that no 64-bit number holds is none (RFC 9112 section 6.3); curl reads until the connection ends"
private let headCutShort = "a head without its empty line is an error (RFC 9112 section 8); for curl it is an answer without a body"
private let redirectWithoutEnd =
    "the body of this redirect ends with a connection that stays open: libcurl waits for it, here until a timeout, and the chain does not"
private let limitOfHeads = "SocketTransport limits header fields by their size (1 MiB) alone; the limits of libcurl are lower"
private let transferCoding = "SocketTransport offers no transfer coding but chunked, and refuses others (RFC 9110 section 10.1.4)"
