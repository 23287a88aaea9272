import Foundation
import Testing

@testable import Firewheel

@Suite("Retry-After")
struct RetryAfterTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    private let now = Date(timeIntervalSince1970: 784_111_777)

    @Test(
        "A Retry-After in seconds is read, with any number of digits (RFC 9110 section 10.2.3)",
        arguments: [
            ("0", 0), ("1", 1), ("120", 120), ("007", 7), (" 5\t", 5), ("2147483648", 2_147_483_648), ("2147483649", 2_147_483_648),
            (String(repeating: "9", count: 10_000), 2_147_483_648), ("9223372036854775808", 2_147_483_648),
        ] as [(String, TimeInterval)])
    func seconds(text: String, expected: TimeInterval) {
        #expect(RetryAfter.seconds(text, now: now) == expected)
    }

    @Test(
        "A Retry-After date is read in its three forms, counted from now, and a past one is 0 seconds",
        arguments: [
            ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sunday, 06-Nov-94 08:50:37 GMT", 60), ("Sun Nov  6 08:50:37 1994", 60),
            (" Sun, 06 Nov 1994 08:50:37 GMT ", 60), ("Sun, 06 Nov 1994 08:49:37 GMT", 0), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 2_147_483_648),
        ] as [(String, TimeInterval)])
    func dates(text: String, expected: TimeInterval) {
        #expect(RetryAfter.seconds(text, now: now) == expected)
    }

    @Test(
        "A Retry-After that is neither a number nor a date is ignored",
        arguments: [
            "", " ", "-1", "+1", "1.5", "1,5", "1 2", "1s", "0x10", "1e3", "٣", "soon", "Infinity", "nan", "Sun, 06 Nov 1994", "120, 120",
            "Sun, 06 Nov 1994 08:50:37 GMT, 120",
        ])
    func malformed(text: String) {
        #expect(RetryAfter.seconds(text, now: now) == nil)
    }
}
