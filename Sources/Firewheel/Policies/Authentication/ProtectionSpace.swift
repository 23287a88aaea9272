/// Where the credentials that answered a challenge may be sent without being asked for. Never to another origin.
struct ProtectionSpace: Sendable, Hashable {
    let origin: TargetURI.Origin
    /// What the paths in it begin with.
    private let prefixes: [String]

    /// For Basic: the challenged resource's folder and all below it (RFC 7617 section 2.2).
    init(basicAt target: TargetURI) {
        origin = target.origin
        let path = target.pathAndQuery.prefix { $0 != "?" }
        prefixes = [path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/"]
    }

    /// For Digest: what begins like one of the challenge's `domain` URIs, all of the origin if there are none (RFC 7616 section 3.3).
    ///
    /// URIs of other origins are left out, since one server's word is not enough to send another one an answer.
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
        // Where a path with such segments leads the server decides.
        guard !Self.hasDotSegment(path) else { return false }
        return prefixes.contains { path.hasPrefix($0) }
    }

    /// Whether a segment is `..`, percent-encoded or not.
    private static func hasDotSegment(_ path: String) -> Bool {
        path.prefix { $0 != "?" }.split(separator: "/").contains { segment in
            let plain = segment.lowercased().replacing("%2e", with: ".")
            // Some servers take what stands behind these for parameters, or for another segment.
            return plain == ".." || plain.hasPrefix("..;") || plain.hasPrefix("..%2f") || plain.hasPrefix("..%5c")
        }
    }
}

extension TargetURI {
    /// What comes behind the origin: a path, with a query if there is one.
    var pathAndQuery: String { String(string.dropFirst(origin.description.count)) }
}
