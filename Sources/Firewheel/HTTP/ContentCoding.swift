/// Content codings (RFC 9110 section 8.4.1).
enum ContentCoding: String, Sendable, CaseIterable {
    case gzip
    case deflate
    case br
    case zstd

    /// One of the names in a `Content-Encoding`, in any case.
    enum Name: Sendable, Equatable {
        case known(ContentCoding)
        /// No coding. Servers also send `none` for it, although it is not registered.
        case identity
        case unknown

        init(_ name: some StringProtocol) {
            switch name.lowercased() {
            case "gzip", "x-gzip": self = .known(.gzip)
            case "deflate": self = .known(.deflate)
            case "br": self = .known(.br)
            case "zstd": self = .known(.zstd)
            case "identity", "none": self = .identity
            default: self = .unknown
            }
        }
    }

    /// The names in the values of all `Content-Encoding` fields, in the order in which the codings were applied, without empty elements
    /// (RFC 9110 section 5.6.1.2).
    static func names(in values: [String]) -> [String] {
        values.flatMap { $0.split(separator: ",") }.map { String($0.trimmingOptionalWhitespace()) }.filter { !$0.isEmpty }
    }
}
