import Foundation

/// A strong validator (RFC 9110 section 8.8.1): if the server says that it is unchanged, the file is the same, byte by byte.
enum ResumeValidator: Equatable, Sendable {
    case entityTag(String)
    /// `Last-Modified`, and the `Date` with which it came.
    case lastModified(String, date: String)

    /// A strong entity tag (section 8.8.3).
    init?(entityTag tag: String) {
        let inner = tag.utf8.dropFirst().dropLast()
        guard tag.utf8.count >= 2, tag.hasPrefix("\""), tag.hasSuffix("\""), tag.utf8.count <= 1024 else { return nil }
        guard inner.allSatisfy({ $0 == 0x21 || (0x23...0x7E).contains($0) }) else { return nil }
        self = .entityTag(tag)
    }

    /// A modification date is strong if it is at least a second before the `Date` of the same response, since it would be another one after
    /// another change (section 8.8.2.2).
    init?(lastModified: String, date: String) {
        // Any `now` does: years of two digits are obsolete, and both dates are read in the same way.
        let now = Date()
        guard let modified = HTTPDate.parse(lastModified, now: now), let sent = HTTPDate.parse(date, now: now),
            sent.timeIntervalSince(modified) >= 1
        else { return nil }
        self = .lastModified(lastModified, date: date)
    }

    /// The strong validator of a response; nil if it has none. A field that is repeated is none.
    init?(_ head: ResponseHead) {
        if let tag = head.headers.singleton("ETag"), let validator = ResumeValidator(entityTag: tag) {
            self = validator
        } else if !head.headers.contains(name: "ETag"), let modified = head.headers.singleton("Last-Modified"),
            let date = head.headers.singleton("Date"),
            let validator = ResumeValidator(lastModified: modified, date: date)
        {
            self = validator
        } else {
            return nil
        }
    }

    /// The value of `If-Range` (section 13.1.5).
    var fieldValue: String {
        switch self {
        case .entityTag(let tag): tag
        case .lastModified(let modified, _): modified
        }
    }

    /// Whether a partial response is of the same file. One that does not say so is not.
    func matches(_ head: ResponseHead) -> Bool {
        switch self {
        case .entityTag(let tag): head.headers.singleton("ETag") == tag
        case .lastModified(let modified, _): head.headers.singleton("Last-Modified") == modified
        }
    }
}
