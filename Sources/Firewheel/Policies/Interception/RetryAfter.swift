import Foundation

/// The `Retry-After` field (RFC 9110 section 10.2.3).
enum RetryAfter {
    /// As many seconds as the field asks to wait, from 0 to 2^31; nil if it is neither a number of seconds nor an HTTP date.
    ///
    /// - Parameter now: The time of the wall clock. A date that is not after it is 0 seconds.
    static func seconds(_ text: String, now: Date) -> TimeInterval? {
        let value = text[...].trimmingOptionalWhitespace()
        guard !value.isEmpty else { return nil }
        if value.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            // More digits than Int has are more than enough, too.
            return min(Int(value).map(TimeInterval.init) ?? longest, longest)
        }
        guard let date = HTTPDate.parse(value, now: now) else { return nil }
        let seconds = date.timeIntervalSince(now)
        return seconds > 0 ? min(seconds, longest) : 0
    }

    /// What a number of seconds too large to represent counts as (RFC 9111 section 1.2.2).
    private static let longest: TimeInterval = 2_147_483_648
}
