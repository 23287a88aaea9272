import Foundation

extension DefaultStringInterpolation {
    /// One segment of a URL's path: `"repos/\(segment: name)/issues"`.
    ///
    /// Everything but letters and digits of ASCII and `-._~` is percent-encoded as UTF-8 (RFC 3986 section 2.3), `/`, `?`, `#` and `%`
    /// included, so that any value stays one segment: `../admin` becomes `..%2Fadmin`. A value that is already percent-encoded is encoded
    /// again.
    ///
    /// No escape keeps `.` and `..` from being resolved (RFC 3986 section 5.2.4), and servers often ignore an empty segment. For these
    /// three a marker is inserted that no URL may contain, so that the request fails with `invalidURL` before anything is sent.
    public mutating func appendInterpolation(segment value: some CustomStringConvertible) {
        appendInterpolation(PathSegment.text(of: value.description))
    }
}

/// Checks the segments that are interpolated into a path.
enum PathSegment {
    /// The Unicode noncharacter U+FDD0, which is reserved for internal use and not part of any text.
    private static let boundary = String(decoding: [0xEF, 0xB7, 0x90] as [UInt8], as: UTF8.self)
    private static let markStart = boundary + "segment-"
    /// The marker as percent-encoded by Foundation's URL.
    private static let encodedBoundary = "%EF%B7%90"
    private static let encodedMarkStart = encodedBoundary + "segment-"

    static func text(of value: String) -> String {
        if value.isEmpty || value == "." || value == ".." { return markStart + value + boundary }
        return Percent.encodingAllButUnreserved(value)
    }

    /// The error of a URL with a segment that is empty, `.` or `..`.
    static func problem(in url: String) -> FirewheelError? {
        // Most URLs contain no byte of a marker, and a search for one byte is fast.
        if url.utf8.contains(0xEF), url.contains(markStart) { return problem(in: url, markStart, boundary) }
        guard url.utf8.contains(UInt8(ascii: "%")), url.contains(encodedMarkStart) else { return nil }
        return problem(in: url, encodedMarkStart, encodedBoundary)
    }

    private static func problem(in url: String, _ start: String, _ end: String) -> FirewheelError {
        let written = url.replacingOccurrences(of: start, with: "\\(segment: \"").replacingOccurrences(of: end, with: "\")")
        return FirewheelError(
            .invalidURL, detail: "the URL \"\(Redaction.possibleURL(written))\" has a path segment that is empty, \".\" or \"..\""
        ).with(subject: .url(written))
    }
}
