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
            "", " ", "-1", "+1", ".", "1.2.3", "1 2", "1s", "0x10", "1e3", "٣", "soon", "Infinity", "nan", "Sun, 06 Nov 1994", ",", ",,",
            "2026-11-27T10:00:00Z", "Sun, 06 Foo 1994 08:50:37 GMT", "Sun, 31 Feb 1994 08:50:37 GMT",
        ])
    func malformed(text: String) {
        #expect(RetryAfter.seconds(text, now: now) == nil)
    }

    @Test(
        "A Retry-After that is not exact errs to the longer delay",
        arguments: [
            ("1.5", 2), ("299.997", 300), ("0.001", 1), ("2.0", 2), ("2.", 2), (".5", 1), ("0.0", 0),
            ("2147483647.5", 2_147_483_648), (String(repeating: "9", count: 400) + ".5", 2_147_483_648),
        ] as [(String, TimeInterval)])
    func fractions(text: String, expected: TimeInterval) {
        #expect(RetryAfter.seconds(text, now: now) == expected)
    }

    /// All of them are 60 seconds from now.
    @Test(
        "The date of a Retry-After is read as leniently as a cookie's, and in its time zone",
        arguments: [
            "Sun, 06 Nov 1994 08:50:37 +0000", "Sun, 06 Nov 1994 08:50:37 -0000", "Sun, 6 Nov 1994 08:50:37 GMT",
            "Sun, 06-Nov-1994 08:50:37 GMT", "Sun, 06 Nov 1994 08:50:37 UTC", "sun, 06 nov 1994 08:50:37 gmt", "06 Nov 1994 08:50:37",
            "Sun, 06 Nov 94 08:50:37 GMT", "Nov 6 1994 8:50:37", "Sun, 06 Nov 1994 00:50:37 -0800", "Sun, 06 Nov 1994 10:50:37 +02:00",
            "Sun Nov 6 00:50:37 -0800 1994", "Sun, 06 Nov 1994 03:50:37 EST", "Sun, 06 Nov 1994 01:50:37 pdt",
            "Sun Nov 06 1994 00:50:37 GMT-0800 (Pacific Standard Time)",
            "Sun, 06 Nov 1994 10:50:37 UTC+2", "Sun, 06 Nov 1994 09:50:37 +01", "Sun Nov 06 08:50:37 1994",
        ])
    func lenientDates(text: String) {
        #expect(RetryAfter.seconds(text, now: now) == 60)
    }

    @Test(
        "Of several Retry-After values the longest delay counts",
        arguments: [
            ("1, 1", 1), ("120, 120", 120), ("1,5", 5), ("7, 3", 7), ("Sun, 06 Nov 1994 08:50:37 GMT, 120", 120),
            ("Sun, 06 Nov 1994 08:50:37 GMT, 2", 60), ("2, Sunday, 06-Nov-94 08:50:37 GMT", 60), ("soon, 5", 5), ("5, -1", 5),
            ("1.5, 1", 2),
            (String(repeating: "1,", count: 10_000) + "2", 2),
        ] as [(String, TimeInterval)])
    func several(text: String, expected: TimeInterval) {
        #expect(RetryAfter.seconds(text, now: now) == expected)
    }

    @Test("No random Retry-After is out of range or traps")
    func random() {
        var generator = SeededGenerator(state: 9110)
        let pieces = [
            "1", "59", "1994", ".", ",", " ", "Sun", "Nov", "06", ":", "08:50:37", "+", "-", "0800", "GMT", "PST", "é", "\t", "\u{0}",
        ]
        var known = 0
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...9, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            guard let seconds = RetryAfter.seconds(text, now: now) else { continue }
            known += 1
            #expect((0...2_147_483_648).contains(seconds), "\(text)")
        }
        #expect(known > 1_000)
    }
}
