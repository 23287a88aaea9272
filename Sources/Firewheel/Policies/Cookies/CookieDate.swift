import Foundation

/// Parses `Expires` dates by the lenient algorithm of RFC 6265bis section 5.1.1: the first token that matches each of time, day, month and
/// year counts, in any order.
enum CookieDate {
    /// The date; nil if a part is missing or out of range, or if the day does not exist.
    static func parse(_ bytes: ArraySlice<UInt8>) -> Date? {
        var (time, day, month, year): (Int?, Int?, Int?, Int?)
        for token in bytes.split(whereSeparator: isDelimiter) {
            if time == nil, let found = timeFields(token) {
                guard found.hour <= 23, found.minute <= 59, found.second <= 59 else { return nil }
                time = found.hour * 3600 + found.minute * 60 + found.second
            } else if day == nil, let found = number(token, 1...2) {
                day = found
            } else if month == nil, let found = monthNumber(token) {
                month = found
            } else if year == nil, let found = number(token, 2...4) {
                year = found
            }
        }
        guard let time, let day, let month, let written = year else { return nil }
        let century = written <= 69 ? 2000 : written <= 99 ? 1900 : 0
        guard written + century >= 1601, (1...CivilDay.days(inMonth: month, ofYear: written + century)).contains(day) else { return nil }
        return Date(timeIntervalSince1970: TimeInterval(CivilDay.daysSince1970(written + century, month, day) * 86_400 + time))
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// `hh:mm:ss` with one or two digits each, followed by a non-digit or the end.
    private static func timeFields(_ token: ArraySlice<UInt8>) -> (hour: Int, minute: Int, second: Int)? {
        let parts = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count <= 2, parts[1].count <= 2, let hour = number(parts[0], 1...2),
            let minute = number(parts[1], 1...2), let second = number(parts[2], 1...2)
        else { return nil }
        // Only the last part may have trailing characters.
        guard parts[0].allSatisfy(\.isASCIIDigit), parts[1].allSatisfy(\.isASCIIDigit) else { return nil }
        return (hour, minute, second)
    }

    /// The number at the beginning, whose digit count must be in the range.
    private static func number(_ token: ArraySlice<UInt8>, _ count: ClosedRange<Int>) -> Int? {
        let digits = token.prefix(count.upperBound + 1).prefix { $0.isASCIIDigit }
        guard count.contains(digits.count) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func monthNumber(_ token: ArraySlice<UInt8>) -> Int? {
        let months: [StaticString] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        return months.firstIndex { CookieOctets.begin(token, with: $0) }.map { $0 + 1 }
    }
}
