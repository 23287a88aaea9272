import Foundation

/// Dates in header fields (RFC 9110 section 5.6.7) in all three forms: `Sun, 06 Nov 1994 08:49:37 GMT`, and the obsolete `Sunday, 06-Nov-94
/// 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
enum HTTPDate {
    /// The date; nil unless the text matches one of the forms exactly, including case, and the date exists. The name of the day is not
    /// checked against the date.
    ///
    /// - Parameter now: Determines the century of a two-digit year: the latest that is at most 50 years ahead.
    static func parse(_ text: some StringProtocol, now: Date) -> Date? {
        var scanner = HTTPDateScanner(bytes: Array(text.utf8)[...])
        guard let fields = scanner.fields(), scanner.isAtEnd else { return nil }
        return fields.date(now: now)
    }
}

/// The numbers of a date, each in the range that its form allows.
private struct HTTPDateFields {
    enum Year {
        case full(Int)
        case lastTwoDigits(Int)
    }

    var year: Year
    /// From 1 to 12.
    var month: Int
    var day: Int
    var secondOfDay: Int

    func date(now: Date) -> Date? {
        switch year {
        case .full(let year):
            return date(year: year)
        case .lastTwoDigits(let digits):
            // A clock outside the range of integer arithmetic cannot determine the century.
            guard abs(now.timeIntervalSince1970) < 1e12 else { return nil }
            let horizon = CivilDay(secondsSince1970: Int(now.timeIntervalSince1970.rounded(.down)))
            let latest = horizon.year + 50
            let candidate = latest - ((latest - digits) % 100 + 100) % 100
            let isLaterInYear = (month, day, secondOfDay) > (horizon.month, horizon.day, horizon.secondOfDay)
            return date(year: candidate == latest && isLaterInYear ? candidate - 100 : candidate)
        }
    }

    private func date(year: Int) -> Date? {
        guard (0...9999).contains(year), day <= CivilDay.days(inMonth: month, ofYear: year) else { return nil }
        return Date(timeIntervalSince1970: TimeInterval(CivilDay.daysSince1970(year, month, day) * 86_400 + secondOfDay))
    }
}

/// A day of the Gregorian calendar in integer arithmetic: Foundation's calendars are slow, and Julian before 1582.
struct CivilDay {
    let year: Int
    let month: Int
    let day: Int
    let secondOfDay: Int

    init(secondsSince1970 seconds: Int) {
        let days = Int((Double(seconds) / 86_400).rounded(.down))
        secondOfDay = seconds - days * 86_400
        // Years begin in March, so that a leap day is the last of its year, in eras of 400 years.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// - Parameter year: Not negative.
    static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    static func days(inMonth month: Int, ofYear year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

/// Parses the three forms from their first byte. Every method consumes what it parses, or returns nil.
private struct HTTPDateScanner {
    var bytes: ArraySlice<UInt8>

    private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let longDays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    var isAtEnd: Bool { bytes.isEmpty }

    mutating func fields() -> HTTPDateFields? {
        // A long name begins with its short form.
        if name(of: Self.longDays) != nil { return obsoleteForm() }
        guard name(of: Self.days) != nil else { return nil }
        return skip(",") ? preferredForm() : asctimeForm()
    }

    /// ` 06 Nov 1994 08:49:37 GMT`
    private mutating func preferredForm() -> HTTPDateFields? {
        guard skip(" "), let day = number(2, 1...31), skip(" "), let month = month(), skip(" "), let year = number(4, 0...9999), skip(" "),
            let time = time(), skip(" GMT")
        else { return nil }
        return HTTPDateFields(year: .full(year), month: month, day: day, secondOfDay: time)
    }

    /// `, 06-Nov-94 08:49:37 GMT`
    private mutating func obsoleteForm() -> HTTPDateFields? {
        guard skip(", "), let day = number(2, 1...31), skip("-"), let month = month(), skip("-"), let year = number(2, 0...99), skip(" "),
            let time = time(), skip(" GMT")
        else { return nil }
        return HTTPDateFields(year: .lastTwoDigits(year), month: month, day: day, secondOfDay: time)
    }

    /// ` Nov  6 08:49:37 1994`
    private mutating func asctimeForm() -> HTTPDateFields? {
        guard skip(" "), let month = month(), skip(" "), let day = skip(" ") ? number(1, 1...9) : number(2, 1...31), skip(" "),
            let time = time(), skip(" "), let year = number(4, 0...9999)
        else { return nil }
        return HTTPDateFields(year: .full(year), month: month, day: day, secondOfDay: time)
    }

    private mutating func month() -> Int? { name(of: Self.months).map { $0 + 1 } }

    /// `08:49:37` as the second of the day. A leap second, 60, is the first second of the next minute.
    private mutating func time() -> Int? {
        guard let hour = number(2, 0...23), skip(":"), let minute = number(2, 0...59), skip(":"), let second = number(2, 0...60) else {
            return nil
        }
        return hour * 3600 + minute * 60 + second
    }

    private mutating func number(_ digits: Int, _ range: ClosedRange<Int>) -> Int? {
        guard bytes.count >= digits else { return nil }
        var value = 0
        for byte in bytes.prefix(digits) {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        bytes = bytes.dropFirst(digits)
        return range.contains(value) ? value : nil
    }

    private mutating func name(of names: [String]) -> Int? {
        for (index, name) in names.enumerated() where skip(name) { return index }
        return nil
    }

    private mutating func skip(_ text: String) -> Bool {
        guard bytes.starts(with: text.utf8) else { return false }
        bytes = bytes.dropFirst(text.utf8.count)
        return true
    }
}
