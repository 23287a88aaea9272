import Foundation

/// The `Retry-After` field (RFC 9110 section 10.2.3).
enum RetryAfter {
    /// The seconds to wait, from 0 to 2^31; nil if the field is neither a number of seconds nor an HTTP date.
    ///
    /// - Parameter now: The wall-clock time. A date that is not later counts as 0 seconds.
    static func seconds(_ text: String, now: Date) -> TimeInterval? {
        let value = text[...].trimmingOptionalWhitespace()
        guard !value.isEmpty else { return nil }
        if value.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            // Numbers that overflow count as the maximum.
            return min(Int(value).map(TimeInterval.init) ?? longest, longest)
        }
        guard let date = HTTPDate.parse(value, now: now) else { return nil }
        let seconds = date.timeIntervalSince(now)
        return seconds > 0 ? min(seconds, longest) : 0
    }

    /// The value for a number of seconds too large to represent (RFC 9111 section 1.2.2).
    private static let longest: TimeInterval = 2_147_483_648
}
