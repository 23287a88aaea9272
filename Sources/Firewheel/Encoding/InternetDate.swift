import Foundation

/// Dates in the format of RFC 3339, in UTC and whole seconds: `2026-01-31T12:00:00Z`.
enum InternetDate {
    /// - Throws: ``ParameterFailure/dateOutOfRange(path:)`` if the year does not have four digits, for which Foundation would write another
    ///   date.
    static func text(of date: Date, path: @autoclosure () -> String) throws -> String {
        guard range.contains(date.timeIntervalSince1970) else { throw ParameterFailure.dateOutOfRange(path: path()) }
        return date.formatted(.iso8601)
    }

    /// The years 1 to 9999 of Foundation's calendar, which is Julian before 1582.
    private static let range = Date.distantPast.timeIntervalSince1970..<253_402_300_800
}
