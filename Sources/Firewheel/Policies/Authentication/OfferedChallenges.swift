/// The challenges of a response that can be answered, the strongest first.
///
/// Bearer, NTLM, Negotiate and schemes that nobody knows are left out, and so are Digest challenges with an unknown algorithm or qop.
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

        /// Digest with SHA-512/256, SHA-256, MD5, then Basic.
        fileprivate var strength: Int {
            guard case .digest(let challenge) = self else { return 0 }
            switch challenge.algorithm {
            case .md5: return 1
            case .sha256: return 2
            case .sha512t256: return 3
            }
        }
    }

    /// Those of equal strength are in the server's order.
    let answerable: [Answerable]
    /// Why a Digest challenge cannot be answered here: a library is missing.
    ///
    /// Basic is not answerable then: the password would go out where the server offered to do without. An algorithm that the library does
    /// not have is only skipped, as one that nobody knows.
    let obstacle: SystemLibraryError?

    /// - Parameters:
    ///   - fields: The values of all `WWW-Authenticate` fields of a head, one by one.
    ///   - body: A challenge that offers only `auth-int` is left out if it is not known.
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
        // Stable: the index decides among those of equal strength.
        answerable =
            missing != nil
            ? []
            : found.enumerated().sorted { ($1.element.strength, $0.offset) < ($0.element.strength, $1.offset) }.map(\.element)
    }
}

extension SystemLibraryError {
    /// Whether the library is there, and lacks a single algorithm.
    fileprivate var isAboutAlgorithm: Bool {
        if case .algorithmRefused = reason { return true }
        return false
    }
}
