/// A challenge of the Digest scheme (RFC 7616 section 3.3) that can be answered.
struct DigestChallenge: Sendable, Hashable {
    /// Quality of protection: what the answer covers besides method and target.
    enum QOP: String, Sendable, Hashable {
        case auth
        /// The body too.
        case authInt = "auth-int"
    }

    /// Empty if the server names none.
    let realm: FieldText
    let nonce: FieldText
    /// Sent back as it is.
    let opaque: FieldText?
    let algorithm: HashAlgorithm
    /// The algorithm as the server spells it, which is how it is sent back; nil if it names none.
    let algorithmName: String?
    /// Whether the algorithm ends in `-sess`: A1 covers nonce and cnonce, and stays the same for all requests that the challenge is
    /// answered for.
    let isSession: Bool
    /// What is offered. Empty for a server of RFC 2069, which knows neither qop nor cnonce.
    let qop: Set<QOP>
    /// Whether the answer before this challenge was right, and only its nonce too old.
    let isStale: Bool
    /// Whether the user name is sent as a hash (section 3.4.4).
    let hashesUsername: Bool
    /// Whether the server says that it reads UTF-8.
    let isUTF8: Bool
    /// URIs that the same answer is for, as the server spells them. Empty: all of the origin.
    let domain: [String]

    /// nil unless it is a challenge of this scheme with a nonce, a known algorithm and, if it has a qop, a known one.
    init?(_ challenge: Challenge) {
        guard challenge.scheme == "digest", !challenge.isOversized, let nonce = challenge.parameters["nonce"] else { return nil }
        let parameters = challenge.parameters
        guard let (algorithm, isSession) = Self.algorithm(parameters["algorithm"]), let qop = Self.qop(parameters["qop"]) else {
            return nil
        }
        // Without qop there is no cnonce, and A1 of a session needs one.
        guard !isSession || !qop.isEmpty else { return nil }
        realm = parameters["realm"] ?? FieldText("")
        self.nonce = nonce
        opaque = parameters["opaque"]
        self.algorithm = algorithm
        algorithmName = parameters["algorithm"]?.string
        self.isSession = isSession
        self.qop = qop
        isStale = parameters["stale"]?.isKeyword("true") == true
        hashesUsername = parameters["userhash"]?.isKeyword("true") == true
        isUTF8 = parameters["charset"]?.isKeyword("utf-8") == true
        domain = parameters["domain"].map { $0.string.split { $0 == " " || $0 == "\t" }.map(String.init) } ?? []
        guard ![realm, nonce, opaque].contains(where: { $0?.hasControlCharacter == true }) else { return nil }
    }

    /// The names of RFC 7616 section 6.1, in any case. Without one it is MD5. nil: another.
    private static func algorithm(_ value: FieldText?) -> (HashAlgorithm, isSession: Bool)? {
        guard let value else { return (.md5, false) }
        let algorithms: [(String, HashAlgorithm)] = [("MD5", .md5), ("SHA-256", .sha256), ("SHA-512-256", .sha512t256)]
        for (name, algorithm) in algorithms {
            if value.isKeyword(name) { return (algorithm, false) }
            if value.isKeyword(name + "-sess") { return (algorithm, true) }
        }
        return nil
    }

    /// The known ones of a list; none for an empty list, as if it were not there. nil: only unknown ones.
    private static func qop(_ value: FieldText?) -> Set<QOP>? {
        guard let value else { return [] }
        let offered = value.string.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }
        let known = Set(offered.compactMap { QOP(rawValue: String($0)) })
        return known.isEmpty && !offered.isEmpty ? nil : known
    }
}
