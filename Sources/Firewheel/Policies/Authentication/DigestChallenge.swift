/// A supported challenge of the Digest scheme (RFC 7616 section 3.3).
struct DigestChallenge: Sendable, Hashable {
    /// Quality of protection: what the answer covers in addition to method and target.
    enum QOP: String, Sendable, Hashable {
        case auth
        /// The body as well.
        case authInt = "auth-int"
    }

    /// Empty if the server omits it.
    let realm: FieldText
    let nonce: FieldText
    /// Returned unchanged.
    let opaque: FieldText?
    let algorithm: HashAlgorithm
    /// The algorithm in the server's spelling, which is returned unchanged; nil if absent.
    let algorithmName: String?
    /// Whether the algorithm ends in `-sess`: A1 covers nonce and cnonce, and is computed once per challenge.
    let isSession: Bool
    /// The supported values offered. Empty for a server of RFC 2069, which has neither qop nor cnonce.
    let qop: Set<QOP>
    /// Whether the previous answer was correct, with a stale nonce.
    let isStale: Bool
    /// Whether the user name is sent hashed (section 3.4.4).
    let hashesUsername: Bool
    /// Whether the server declares UTF-8.
    let isUTF8: Bool
    /// The URIs to which the answer applies, in the server's spelling. Empty for the whole origin.
    let domain: [String]

    /// nil for a challenge of another scheme, without nonce, or with an unsupported algorithm or qop.
    init?(_ challenge: Challenge) {
        guard challenge.scheme == "digest", !challenge.isOversized, let nonce = challenge.parameters["nonce"] else { return nil }
        let parameters = challenge.parameters
        guard let (algorithm, isSession) = Self.algorithm(parameters["algorithm"]), let qop = Self.qop(parameters["qop"]) else {
            return nil
        }
        // A session algorithm needs a cnonce, which requires qop.
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

    /// The algorithm by its name in RFC 7616 section 6.1, case-insensitive; MD5 if absent, nil if unsupported.
    private static func algorithm(_ value: FieldText?) -> (HashAlgorithm, isSession: Bool)? {
        guard let value else { return (.md5, false) }
        let algorithms: [(String, HashAlgorithm)] = [("MD5", .md5), ("SHA-256", .sha256), ("SHA-512-256", .sha512t256)]
        for (name, algorithm) in algorithms {
            if value.isKeyword(name) { return (algorithm, false) }
            if value.isKeyword(name + "-sess") { return (algorithm, true) }
        }
        return nil
    }

    /// The supported values of a list; empty for an empty list, as if absent. nil if none is supported.
    private static func qop(_ value: FieldText?) -> Set<QOP>? {
        guard let value else { return [] }
        let offered = value.string.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }
        let known = Set(offered.compactMap { QOP(rawValue: String($0)) })
        return known.isEmpty && !offered.isEmpty ? nil : known
    }
}
