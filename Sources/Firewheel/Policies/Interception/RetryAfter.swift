import Foundation

/// The `Retry-After` field (RFC 9110 section 10.2.3), read leniently: a value that is not exact errs to the longer delay.
enum RetryAfter {
    /// The seconds to wait, from 0 to 2^31; nil if the field has neither a number of seconds nor a date.
    ///
    /// A fraction is rounded up. A date may be in any form that the date of a cookie may have (RFC 6265bis section 5.1.1), and in another
    /// time zone. Of several values, which are separated by commas, the longest delay counts.
    ///
    /// - Parameter now: The wall-clock time. A date that is not later counts as 0 seconds.
    static func seconds(_ text: String, now: Date) -> TimeInterval? {
        // The three forms of RFC 9110 section 5.6.7 have commas, too.
        let exact = HTTPDate.parse(text[...].trimmingOptionalWhitespace(), now: now)
        // The comma of a date follows the name of the day, which says nothing.
        let members = text.utf8.split(separator: UInt8(ascii: ","))
        let delays =
            exact.map { [$0.timeIntervalSince(now)] }
            ?? members.compactMap { number(trimmed($0)) ?? date(trimmed($0))?.timeIntervalSince(now) }
        return delays.max().map { min(max($0, 0), longest) }
    }

    /// The value for a number of seconds too large to represent (RFC 9111 section 1.2.2).
    private static let longest: TimeInterval = 2_147_483_648

    /// Digits, perhaps with a decimal point.
    private static func number(_ member: Substring.UTF8View) -> TimeInterval? {
        let parts = member.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard member.contains(where: \.isASCIIDigit), parts.allSatisfy({ $0.allSatisfy(\.isASCIIDigit) }) else { return nil }
        return Double(String(Substring(member)))?.rounded(.up) ?? longest
    }

    private static func date(_ member: Substring.UTF8View) -> Date? {
        var (words, offset) = ([UInt8](), 0)
        for word in member.split(separator: UInt8(ascii: " ")) {
            if let seconds = zone(word) { offset = seconds } else { words += [UInt8](word) + [UInt8(ascii: " ")] }
        }
        return CookieDate.parse(words[...])?.addingTimeInterval(TimeInterval(-offset))
    }

    /// The seconds east of Greenwich of a time zone (RFC 5322 sections 3.3 and 4.3), perhaps behind `GMT` or `UTC`; nil for other words.
    private static func zone(_ word: Substring.UTF8View) -> Int? {
        var text = Substring(word).uppercased()[...]
        if let hours = namedZones[String(text)] { return hours * 3_600 }
        if text.hasPrefix("GMT") || text.hasPrefix("UTC") { text = text.dropFirst(3) }
        guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
        let digits = text.dropFirst().filter { $0 != ":" }
        guard [1, 2, 4].contains(digits.utf8.count), digits.utf8.allSatisfy(\.isASCIIDigit), let number = Int(digits) else { return nil }
        let seconds = digits.utf8.count == 4 ? number / 100 * 3_600 + number % 100 * 60 : number * 3_600
        return sign == "-" ? -seconds : seconds
    }

    private static let namedZones = ["EDT": -4, "EST": -5, "CDT": -5, "CST": -6, "MDT": -6, "MST": -7, "PDT": -7, "PST": -8]

    private static func trimmed(_ member: Substring.UTF8View) -> Substring.UTF8View {
        Substring(member).trimmingOptionalWhitespace().utf8
    }
}
