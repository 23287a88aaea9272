/// A challenge as it stands in a `WWW-Authenticate` field (RFC 9110 section 11.3), of whatever scheme.
struct Challenge: Sendable, Hashable {
    /// The scheme in lower case, since case does not matter in it.
    let scheme: String
    /// What stands in the place of parameters, such as Negotiate's data.
    var token68: String?
    /// The parameters under their names in lower case, with quoting undone. Of several with one name the last counts, as in curl.
    var parameters: [String: FieldText] = [:]

    /// The challenges of all `WWW-Authenticate` fields of a head, in their order.
    ///
    /// What cannot be read is left out, and the rest is kept.
    static func parse(_ fields: [String]) -> [Challenge] {
        var parser = ChallengeParser()
        for field in fields { parser.parse(FieldText.octets(ofField: field)) }
        return parser.challenges
    }

    /// Whether it is larger than what fits into a request that any server accepts, and most of which would have to be sent back.
    var isOversized: Bool { parameters.values.reduce(0) { $0 + $1.octets.count } > Self.maximumSize }

    /// Bytes of all parameters' values.
    private static let maximumSize = 16_384
}
