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

    /// A coding of a body, to be undone.
    struct Applied: Sendable, Equatable {
        /// As the server wrote it.
        let name: String
        let coding: ContentCoding
    }

    /// The codings to undo, in the order in which they were applied; empty if there is nothing to undo.
    ///
    /// If one of them is unknown, none is undone: the body is passed on as it is (Fetch, "handle content codings"; Go and URLSession do the
    /// same). Servers also send `aws-chunked`, `utf-8`, `binary` and `8bit` there, which mean nothing to a client.
    ///
    /// - Parameter values: The values of all `Content-Encoding` fields.
    /// - Returns: At most one more than ``maximum``, because a head has room for a hundred thousand.
    static func applied(in values: [String]) -> [Applied] {
        var applied: [Applied] = []
        for value in values {
            var rest = value[...]
            while !rest.isEmpty {
                let end = rest.firstIndex(of: ",") ?? rest.endIndex
                let name = rest[..<end].trimmingOptionalWhitespace()
                rest = rest[end...].dropFirst()
                if name.isEmpty { continue }
                switch Name(name) {
                case .known(let coding): applied.append(Applied(name: String(name), coding: coding))
                case .identity: break
                case .unknown: return []
                }
                if applied.count > maximum { return applied }
            }
        }
        return applied
    }

    /// More on one body are refused, as by libcurl: each can enlarge a body a thousand times.
    static let maximum = 5

    /// The codings that a body has when nothing is undone, in lower case and joined; nil if it has none.
    static func joined(in values: [String]) -> String? {
        let names = names(in: values).filter { Name($0) != .identity }
        return names.isEmpty ? nil : names.map { $0.lowercased() }.joined(separator: ", ")
    }

    /// The names in the values of all `Content-Encoding` fields, in the order in which the codings were applied, without empty elements
    /// (RFC 9110 section 5.6.1.2).
    static func names(in values: [String]) -> [String] {
        values.flatMap { $0.split(separator: ",") }.map { String($0.trimmingOptionalWhitespace()) }.filter { !$0.isEmpty }
    }
}
