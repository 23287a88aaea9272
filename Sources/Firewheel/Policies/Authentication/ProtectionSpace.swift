/// The URLs to which an accepted credential may be sent in advance. Never includes another origin.
struct ProtectionSpace: Sendable, Hashable {
    let origin: TargetURI.Origin
    /// Prefixes of the paths in it.
    private let prefixes: [String]

    /// For Basic: the folder of the challenged resource, with everything below it (RFC 7617 section 2.2).
    init(basicAt target: TargetURI) {
        origin = target.origin
        let path = target.pathAndQuery.prefix { $0 != "?" }
        prefixes = [path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/"]
    }

    /// For Digest: everything that begins with one of the challenge's `domain` URIs, or the whole origin without them (RFC 7616 section
    /// 3.3).
    ///
    /// URIs of other origins are ignored: a server must not direct credentials to another one.
    init(_ challenge: DigestChallenge, at target: TargetURI) {
        let origin = target.origin
        self.origin = origin
        let paths = challenge.domain.compactMap { text -> String? in
            if text.hasPrefix("/"), !text.hasPrefix("//") { return text }
            guard let uri = TargetURI(text.hasPrefix("//") ? "\(origin.isSecure ? "https:" : "http:")\(text)" : text) else { return nil }
            return uri.origin == origin ? uri.pathAndQuery : nil
        }
        if challenge.domain.isEmpty {
            prefixes = ["/"]
        } else {
            prefixes = paths.isEmpty ? [String(target.pathAndQuery.prefix { $0 != "?" })] : paths
        }
    }

    func contains(_ target: TargetURI) -> Bool {
        guard target.origin == origin else { return false }
        if prefixes.contains("/") { return true }
        let path = target.pathAndQuery
        // Only the server knows where a path with such segments leads.
        guard !Self.hasDotSegment(path) else { return false }
        return prefixes.contains { path.hasPrefix($0) }
    }

    /// Whether a segment is `..`, possibly percent-encoded.
    private static func hasDotSegment(_ path: String) -> Bool {
        path.prefix { $0 != "?" }.split(separator: "/").contains { segment in
            let plain = segment.lowercased().replacing("%2e", with: ".")
            // Some servers treat what follows these characters as parameters or as another segment.
            return plain == ".." || plain.hasPrefix("..;") || plain.hasPrefix("..%2f") || plain.hasPrefix("..%5c")
        }
    }
}

extension TargetURI {
    /// The path, with the query if there is one.
    var pathAndQuery: String { String(string.dropFirst(origin.description.count)) }
}
