import Foundation
import Testing

@testable import Firewheel

@Suite("HTTP dates")
struct HTTPDateTests {
    private static let now = Date(timeIntervalSince1970: 1_792_000_000)  // 2026

    private func seconds(_ text: String, now: Date = now) -> Int? {
        HTTPDate.parse(text, now: now).map { Int($0.timeIntervalSince1970) }
    }

    @Test(
        "Dates are read in the three forms of RFC 9110 section 5.6.7",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun Nov 06 08:49:37 1994",
        ])
    func forms(text: String) {
        #expect(seconds(text) == 784_111_777)
    }

    @Test(
        "Leap days, leap seconds, the first and last year, and a wrong day name are read",
        arguments: [
            ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800), ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
            ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
            ("Mon, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Wed Nov 16 08:49:37 1994", 784_975_777),
        ])
    func edges(text: String, expected: Int) {
        #expect(seconds(text) == expected)
    }

    @Test(
        "Other forms, spaces, cases, time zones and impossible days are not dates",
        arguments: [
            "", " ", "0", "Sun", "Sunday", "Sun,", "06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 08:49:37 gmt", "sun, 06 Nov 1994 08:49:37 GMT",
            "Sun, 06 nov 1994 08:49:37 GMT",
            "SUN, 06 NOV 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun,  06 Nov 1994 08:49:37 GMT",
            " Sun, 06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 06 Nov 1994 08:60:00 GMT",
            "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
            "Sun, 32 Dec 1994 08:49:37 GMT",
            "Wed, 29 Feb 2023 00:00:00 GMT", "Thu, 29 Feb 1900 00:00:00 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT",
            "Sunday, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT", "Sunday 06-Nov-94 08:49:37 GMT",
            "Sun Nov 6 08:49:37 1994",
            "Sun Nov 06 08:49:37 94", "Sun Nov  0 08:49:37 1994", "Sun Nov  6 08:49:37 1994 GMT", "1994-11-06T08:49:37Z", "-1",
            "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov +994 08:49:37 GMT", "Sun, ٠٦ Nov 1994 08:49:37 GMT",
        ])
    func refused(text: String) {
        #expect(seconds(text) == nil)
    }

    @Test("A two-digit year means the latest year at most 50 years ahead")
    func centuries() throws {
        let now = try #require(seconds("Tue, 06 Oct 2026 12:00:00 GMT").map { Date(timeIntervalSince1970: TimeInterval($0)) })
        for (text, year) in [
            ("Tuesday, 06-Oct-76 12:00:00 GMT", 2076), ("Tuesday, 06-Oct-76 12:00:01 GMT", 1976), ("Monday, 05-Oct-76 13:00:00 GMT", 2076),
            ("Sunday, 01-Nov-76 00:00:00 GMT", 1976), ("Friday, 01-Jan-77 00:00:00 GMT", 1977), ("Thursday, 31-Dec-26 00:00:00 GMT", 2026),
            ("Thursday, 31-Dec-00 00:00:00 GMT", 2000), ("Friday, 31-Dec-99 00:00:00 GMT", 1999),
        ] {
            let date = try #require(HTTPDate.parse(text, now: now), "\(text)")
            #expect(HTTPDateWriter(secondsSince1970: Int(date.timeIntervalSince1970))?.year == year, "\(text)")
        }
    }

    @Test("A nonsensical system time does not trap the date parser", arguments: [0, -1e11, 1e11, 1e18, .infinity, -.infinity, .nan, 1e300])
    func clocks(now: TimeInterval) {
        _ = HTTPDate.parse("Tuesday, 29-Feb-00 12:00:00 GMT", now: Date(timeIntervalSince1970: now))
        #expect(seconds("Sun, 06 Nov 1994 08:49:37 GMT", now: Date(timeIntervalSince1970: now)) == 784_111_777)
    }

    @Test("20,000 random dates written by the C library are read back in each form")
    func written() throws {
        var generator = SeededGenerator(state: 9110)
        for _ in 0..<20_000 {
            let seconds = Int.random(in: -62_167_219_200...253_402_300_799, using: &generator)
            let text = try #require(HTTPDateWriter(secondsSince1970: seconds))
            #expect(self.seconds(text.preferred) == seconds, "\(text.preferred)")
            #expect(self.seconds(text.asctime) == seconds, "\(text.asctime)")
            // Read at the date itself, two-digit years have its century.
            #expect(self.seconds(text.rfc850, now: Date(timeIntervalSince1970: TimeInterval(seconds))) == seconds, "\(text.rfc850)")
        }
    }

    @Test("20,000 damaged dates are refused, or read as a date that is written as the same text")
    func mutated() throws {
        var generator = SeededGenerator(state: 850)
        let letters = Array("0123456789 :,-GMTSunJanFebDecdayNov".utf8)
        var accepted = 0
        for _ in 0..<20_000 {
            let seconds = Int.random(in: -62_167_219_200...253_402_300_799, using: &generator)
            let text = try #require(HTTPDateWriter(secondsSince1970: seconds))
            var bytes = Array([text.preferred, text.rfc850, text.asctime][Int.random(in: 0..<3, using: &generator)].utf8)
            for _ in 0...Int.random(in: 0..<3, using: &generator) {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes.remove(at: index)
                case 1: bytes.insert(letters.randomElement(using: &generator) ?? 0, at: index)
                case 2: bytes[index] = UInt8.random(in: 0...127, using: &generator)
                default: bytes[index] = letters.randomElement(using: &generator) ?? 0
                }
            }
            let changed = String(decoding: bytes, as: UTF8.self)
            guard let date = HTTPDate.parse(changed, now: Self.now) else { continue }
            accepted += 1
            let again = try #require(HTTPDateWriter(secondsSince1970: Int(date.timeIntervalSince1970)))
            // The day's name is not compared, and a leap second is written as the next second.
            #expect(changed.contains(":60") || again.formsWithoutDayName.contains(changed.drop { $0.isLetter }), "\(changed)")
        }
        #expect(accepted > 100)
    }
}
