import Foundation

/// HTTP dates written by the system's C library, as a reference for the parser. The fuzz targets use it too.
struct HTTPDateWriter {
    /// The preferred form of RFC 9110 section 5.6.7.
    let preferred: String
    /// The form of RFC 850, with a two-digit year.
    let rfc850: String
    /// The form of C's `asctime`.
    let asctime: String
    let year: Int

    /// All texts that may be read as this date, without the day's name: `asctime`'s form may also have a zero before a day below 10.
    var formsWithoutDayName: [Substring] {
        [preferred, rfc850, asctime, asctime.replacing("  ", with: " 0")].map { $0.drop { $0.isLetter } }
    }

    /// nil for a year without four digits.
    init?(secondsSince1970 seconds: Int) {
        var time = time_t(seconds)
        var fields = tm()
        guard gmtime_r(&time, &fields) != nil else { return nil }
        let year = Int(fields.tm_year) + 1900
        guard (0...9999).contains(year) else { return nil }
        let month = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][Int(fields.tm_mon)]
        let dayName = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"][Int(fields.tm_wday)]
        let day = Int(fields.tm_mday)
        let clock = [fields.tm_hour, fields.tm_min, fields.tm_sec].map { Self.digits(Int($0), 2) }.joined(separator: ":")
        let fullYear = Self.digits(year, 4)
        preferred = "\(dayName.prefix(3)), \(Self.digits(day, 2)) \(month) \(fullYear) \(clock) GMT"
        rfc850 = "\(dayName), \(Self.digits(day, 2))-\(month)-\(fullYear.suffix(2)) \(clock) GMT"
        asctime = "\(dayName.prefix(3)) \(month) \(day < 10 ? " " : "")\(day) \(clock) \(fullYear)"
        self.year = year
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = "\(number)"
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}
