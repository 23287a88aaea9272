import Foundation
import Testing

@testable import Firewheel

/// The dates of `Expires` (RFC 6265bis section 5.1.1).
@Suite("Dates of cookies", .timeLimit(.minutes(5)))
struct CookieDateTests {
    private func parse(_ text: String) -> Date? { CookieDate.parse(Array(text.utf8)[...]) }

    @Test(
        "A cookie date is read in every form that servers write",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "06-nov-1994 08:49:37",
            "1994 8:49:37 6 NOVEMBER", "nov 6 94 08:49:37", "6;Nov_1994\t08:49:37", "06th Nov 1994x 08:49:37.250",
            "08:49:37 6 Nov 1994 7 Dec 1995",
            "  , 6 nov,1994 - 08:49:37 +0100",
        ])
    func spellings(text: String) {
        #expect(parse(text) == Date(timeIntervalSince1970: 784_111_777))
    }

    @Test(
        "Text without a valid cookie date is refused",
        arguments: [
            "", " ", "Sun", "06 Nov 1994", "06 Nov 08:49:37", "Nov 1994 08:49:37", "06 1994 08:49:37", "06 Nov 1994 08:49",
            "06 Nov 1994 084937",
            "06 Nov 1994 24:00:00", "06 Nov 1994 08:60:37", "06 Nov 1994 08:49:60", "06 Nov 1994 108:49:37", "0 Nov 1994 08:49:37",
            "32 Nov 1994 08:49:37", "31 Nov 1994 08:49:37", "29 Feb 1900 08:49:37", "31 Feb 2010 08:49:37", "06 Nov 1600 08:49:37",
            "06 Nov 100 08:49:37", "06 Nov 19945 08:49:37", "06 No 1994 08:49:37", "0", "06 Nov 1994 08:49:370",
        ])
    func invalid(text: String) {
        #expect(parse(text) == nil)
    }

    @Test("Two-digit years are 1970 to 2069, the first year is 1601, and leap days exist")
    func years() {
        let day = { (text: String) in self.parse("\(text) 00:00:00").map { Int($0.timeIntervalSince1970 / 86_400) } }
        #expect(day("1 Jan 70") == 0 && day("1 Jan 1970") == 0)
        #expect(day("1 Jan 69") == day("1 Jan 2069") && day("31 Dec 99") == day("31 Dec 1999") && day("1 Jan 00") == day("1 Jan 2000"))
        #expect(day("1 Jan 1601") == -134_774)
        #expect(day("29 Feb 2000") == 11_016 && day("29 Feb 2008") != nil)
        #expect(day("31 Dec 9999") == 2_932_896)
    }

    @Test("No bytes trap the cookie date parser")
    func random() {
        var generator = SeededGenerator(state: 614)
        let pieces = [
            "Sun", ", ", "06", "-", "Nov", " ", "1994", "08:49:37", "GMT", ":", "99", "\u{7F}", "é", "00000000000000000000000", "jan",
        ]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0..<12, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            if let date = parse(text) { #expect((-11_644_473_600..<253_402_300_800).contains(date.timeIntervalSince1970), "\(text)") }
        }
    }
}
