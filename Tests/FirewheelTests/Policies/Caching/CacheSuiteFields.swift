import Firewheel
import Foundation

extension CacheSuiteExchange {
    /// Whether the suite's server sends no content with a status.
    static func isBodiless(status: Int?) -> Bool { status == 204 || status == 304 }
}

extension CacheSuiteField {
    /// The field as sent: numbers in date fields are dates, and magic locations are below a base.
    ///
    /// - Parameters:
    ///   - milliseconds: The server's time since 1970; nil if it is not known.
    ///   - base: The path of the request; nil if it is not known.
    func fixed(milliseconds: Int?, base: String?, _ exchange: CacheSuiteExchange) -> HTTPHeader {
        let dates: Set = ["date", "expires", "last-modified", "if-modified-since", "if-unmodified-since"]
        let locations: Set = ["location", "content-location"]
        switch value {
        case .number(let seconds):
            guard let milliseconds, dates.contains(name.lowercased()) else { return HTTPHeader(name: name, value: "\(seconds)") }
            return HTTPHeader(name: name, value: CacheSuiteDate.text(milliseconds: milliseconds + seconds * 1000))
        case .text(let text):
            guard let base, exchange.magicLocations, locations.contains(name.lowercased()) else {
                return HTTPHeader(name: name, value: text)
            }
            return HTTPHeader(name: name, value: text.isEmpty ? base : "\(base)/\(text)")
        }
    }
}

/// The dates of the suite's server.
enum CacheSuiteDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// A date as `Sun, 06 Nov 1994 08:49:37 GMT`, rounded down to a second.
    static func text(milliseconds: Int) -> String {
        // The system's calendar, since the library's is under test.
        var seconds = time_t((Double(milliseconds) / 1000).rounded(.down))
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let day = days[Int(parts.tm_wday)]
        let month = months[Int(parts.tm_mon)]
        func padded(_ number: Int32, _ width: Int = 2) -> String {
            let digits = "\(number)"
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let date = "\(padded(parts.tm_mday)) \(month) \(padded(parts.tm_year + 1900, 4))"
        return "\(day), \(date) \(padded(parts.tm_hour)):\(padded(parts.tm_min)):\(padded(parts.tm_sec)) GMT"
    }
}
