import Foundation

/// A text read as an HTTP date is written by the C library as the same text, except for the day's name, and what the C library writes is
/// read.
func fuzzHTTPDate(_ input: [UInt8]) {
    for text in [latin1(input), String(decoding: input, as: UTF8.self)] {
        if let seconds = RetryAfter.seconds(text, now: Date(timeIntervalSince1970: 0)) {
            check((0...2_147_483_648).contains(seconds), "\(text) is \(seconds) s")
        }
        guard let date = HTTPDate.parse(text, now: Date(timeIntervalSince1970: 1_792_000_000)) else { continue }
        guard let written = HTTPDateWriter(secondsSince1970: Int(date.timeIntervalSince1970)) else {
            // Only a leap second exceeds the last year with four digits.
            check(text.contains(":60"), "\(text) has no form")
            continue
        }
        check(text.contains(":60") || written.formsWithoutDayName.contains(text.drop { $0.isLetter }), "\(text) is written as \(written)")
    }
    var source = Source(input)
    let seconds = Int(Int64(bitPattern: source.word()) >> 20)
    let now = Date(timeIntervalSince1970: Double(bitPattern: source.word()))
    guard let written = HTTPDateWriter(secondsSince1970: seconds) else { return }
    for text in [written.preferred, written.asctime] {
        check(HTTPDate.parse(text, now: now) == Date(timeIntervalSince1970: TimeInterval(seconds)), "\(text) is read as another")
    }
    if let date = HTTPDate.parse(written.rfc850, now: now) {
        let years = (date.timeIntervalSince1970 - now.timeIntervalSince1970) / (365.2425 * 86_400)
        check((-50.01...50.01).contains(years), "\(written.rfc850) is \(years) years away")
    }
}
