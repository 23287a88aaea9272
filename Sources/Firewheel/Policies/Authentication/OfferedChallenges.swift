/// The answerable challenges of a response, strongest first.
///
/// Bearer, NTLM, Negotiate and unknown schemes are skipped, as are Digest challenges with an unsupported algorithm or qop.
struct OfferedChallenges: Sendable {
    enum Answerable: Sendable, Hashable {
        case digest(DigestChallenge)
        case basic(BasicChallenge)

        var realm: FieldText {
            switch self {
            case .digest(let challenge): challenge.realm
            case .basic(let challenge): challenge.realm
            }
        }

        /// The order: Digest with SHA-512/256, SHA-256, MD5, then Basic.
        fileprivate var strength: Int {
            guard case .digest(let challenge) = self else { return 0 }
            switch challenge.algorithm {
            // Digest has no SHA-1 (RFC 7616 section 6.1).
            case .md5, .sha1: return 1
            case .sha256: return 2
            case .sha512t256: return 3
            }
        }
    }

    /// Challenges of equal strength are in the server's order.
    let answerable: [Answerable]
    /// The error if a Digest challenge cannot be answered because a library is missing.
    ///
    /// Basic is not answered then, because that would send the password although the server offers Digest. An algorithm that the library
    /// lacks is skipped like an unknown one.
    let obstacle: SystemLibraryError?

    /// - Parameters:
    ///   - fields: The values of all `WWW-Authenticate` fields of a head, one by one.
    ///   - body: If unknown, challenges that only offer `auth-int` are skipped.
    init(_ fields: [String], body: DigestBody) {
        self.init(fields, body: body) { $0.obstacle }
    }

    init(_ fields: [String], body: DigestBody, obstacle: (HashAlgorithm) -> SystemLibraryError?) {
        var found: [Answerable] = []
        var missing: SystemLibraryError?
        for challenge in Challenge.parse(fields) {
            if let basic = BasicChallenge(challenge) { found.append(.basic(basic)) }
            guard let digest = DigestChallenge(challenge) else { continue }
            if case .unknown = body, digest.qop == [.authInt] { continue }
            switch obstacle(digest.algorithm) {
            case nil: found.append(.digest(digest))
            case let error?: missing = error.isAboutAlgorithm ? missing : missing ?? error
            }
        }
        self.obstacle = missing
        // The index makes the sort stable.
        answerable =
            missing != nil
            ? []
            : found.enumerated().sorted { ($1.element.strength, $0.offset) < ($0.element.strength, $1.offset) }.map(\.element)
    }
}

extension SystemLibraryError {
    /// Whether the library is present and lacks only this algorithm.
    fileprivate var isAboutAlgorithm: Bool {
        if case .algorithmRefused = reason { return true }
        return false
    }
}
