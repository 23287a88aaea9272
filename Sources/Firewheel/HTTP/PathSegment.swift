import Foundation

extension DefaultStringInterpolation {
    /// One segment of a URL's path: `"repos/\(segment: name)/issues"`.
    ///
    /// Everything but letters and digits of ASCII and `-._~` is percent-encoded as UTF-8 (RFC 3986 section 2.3), `/`, `?`, `#` and `%`
    /// included, so that the value is one segment whatever it holds: `../admin` is `..%2Fadmin`. What is percent-encoded already is
    /// encoded again.
    ///
    /// No escape keeps `.` and `..` from being resolved (RFC 3986 section 5.2.4), and an empty segment is often taken for none: of these
    /// three a mark is left that no URL may hold, and the request fails with `invalidURL` before anything is sent.
    public mutating func appendInterpolation(segment value: some CustomStringConvertible) {
        appendInterpolation(PathSegment.text(of: value.description))
    }
}

/// The segments that are interpolated into a path.
enum PathSegment {
    /// A noncharacter of Unicode, U+FDD0, which is for internal use and in no text.
    private static let boundary = String(decoding: [0xEF, 0xB7, 0x90] as [UInt8], as: UTF8.self)
    private static let markStart = boundary + "segment-"
    /// As Foundation's URL has it, which encodes every character.
    private static let encodedBoundary = "%EF%B7%90"
    private static let encodedMarkStart = encodedBoundary + "segment-"

    static func text(of value: String) -> String {
        if value.isEmpty || value == "." || value == ".." { return markStart + value + boundary }
        return Percent.encodingAllButUnreserved(value)
    }

    /// The error of a URL with a segment that is empty, `.` or `..`.
    static func problem(in url: String) -> FirewheelError? {
        // Most URLs have neither of these bytes, which are quickly looked for.
        if url.utf8.contains(0xEF), url.contains(markStart) { return problem(in: url, markStart, boundary) }
        guard url.utf8.contains(UInt8(ascii: "%")), url.contains(encodedMarkStart) else { return nil }
        return problem(in: url, encodedMarkStart, encodedBoundary)
    }

    private static func problem(in url: String, _ start: String, _ end: String) -> FirewheelError {
        let written = url.replacingOccurrences(of: start, with: "\\(segment: \"").replacingOccurrences(of: end, with: "\")")
        return FirewheelError(
            .invalidURL, detail: "the URL \"\(Redaction.possibleURL(written))\" has a path segment that is empty, \".\" or \"..\"")
    }
}
