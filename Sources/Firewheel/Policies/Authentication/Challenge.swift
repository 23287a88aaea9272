/// A challenge of any scheme in a `WWW-Authenticate` field (RFC 9110 section 11.3).
struct Challenge: Sendable, Hashable {
    /// The scheme, which is case-insensitive, in lower case.
    let scheme: String
    /// The data of schemes without parameters, such as Negotiate.
    var token68: String?
    /// The parameters by lower-case name, with quoting removed. The last of several with the same name counts, as in curl.
    var parameters: [String: FieldText] = [:]

    /// Parses the challenges of all `WWW-Authenticate` fields of a head, in order. Invalid ones are skipped.
    static func parse(_ fields: [String]) -> [Challenge] {
        var parser = ChallengeParser()
        for field in fields { parser.parse(FieldText.octets(ofField: field)) }
        return parser.challenges
    }

    /// What a proxy asks for, in words for an error: the schemes that it offers; nil if it offers none.
    ///
    /// - Parameter fields: The values of all `Proxy-Authenticate` fields of a head.
    static func wanted(by fields: [String]) -> String? {
        let (known, most) = (["ntlm": "NTLM"], 8)
        var names: [String] = []
        for challenge in parse(fields) where challenge.scheme.utf8.count <= 32 {
            let name = known[challenge.scheme] ?? challenge.scheme.prefix(1).uppercased() + challenge.scheme.dropFirst()
            if !names.contains(name) { names.append(name) }
        }
        guard !names.isEmpty else { return nil }
        let list = names.count > most ? names.prefix(most).joined(separator: " or ") + " or others" : names.joined(separator: " or ")
        if names.contains("Basic") || names.contains("Digest") {
            let isSupported = !OfferedChallenges(fields, body: .known(nil)).answerable.isEmpty
            return isSupported ? list : "\(list), in a form that is not supported"
        }
        switch names.count {
        case 1: return "\(list), which is not supported"
        case 2: return "\(list), neither of which is supported"
        default: return "\(list), none of which is supported"
        }
    }

    /// Whether the challenge is too large: most of it would have to be returned in a request that servers would then reject.
    var isOversized: Bool { parameters.values.reduce(0) { $0 + $1.octets.count } > Self.maximumSize }

    /// The maximum total size of all parameter values, in bytes.
    private static let maximumSize = 16_384
}
