/// Fields that a message should have once (RFC 9110 section 5.5), in messages that have them more than once.
extension HTTPHeaders {
    /// The value of a field that should be there once; nil if there is none.
    ///
    /// Of several values it is:
    /// - for `Content-Type`, the last valid media type (Fetch, "extract a MIME type");
    /// - for `Retry-After`, the list of all, whose longest delay counts;
    /// - for `Content-Length`, the one that all of them are (RFC 9110 section 8.6), or none;
    /// - for `Content-Range`, `Date`, `ETag` and `Last-Modified`, none: nothing can be compared with them;
    /// - for any other field, the first one.
    ///
    /// - Parameter name: As it is spelled here.
    package func singleton(_ name: String) -> String? {
        let values = values(for: name)
        guard let first = values.first else { return nil }
        switch name {
        case "Content-Type": return Self.mediaType(values)
        case "Retry-After": return values.joined(separator: ", ")
        case "Content-Length": return values.allSatisfy { $0 == first } ? first : nil
        case "Content-Range", "Date", "ETag", "Last-Modified": return values.count == 1 ? first : nil
        default: return first
        }
    }

    /// The last media type that is valid and not `*/*`, each value being a list of them. It keeps the charset of an earlier one of the same
    /// type if it has none itself. If none is valid, the result is the whole text.
    private static func mediaType(_ values: [String]) -> String {
        let joined = values.count == 1 ? values[0] : values.joined(separator: ", ")
        guard joined.utf8.contains(UInt8(ascii: ",")) else { return joined }
        var last: (type: MediaType, text: Substring)?
        var charset: Substring?
        for member in joined.splitOutsideQuotes(at: ",") {
            guard let type = MediaType(member), !type.isWildcard else { continue }
            if type != last?.type { charset = nil }
            charset = member.splitOutsideQuotes(at: ";").dropFirst().first(where: Charset.isCharset) ?? charset
            last = (type, member.trimmingOptionalWhitespace())
        }
        guard let last else { return joined }
        let hasCharset = last.text.splitOutsideQuotes(at: ";").dropFirst().contains(where: Charset.isCharset)
        return String(last.text) + (hasCharset ? "" : charset.map { ";\($0)" } ?? "")
    }
}
