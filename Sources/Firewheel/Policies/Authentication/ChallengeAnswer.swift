/// The answer to a challenge that a hop sends.
final class ChallengeAnswer: Sendable {
    let proven: ProvenCredential
    /// The number of consecutive challenges answered, including this one; 0 for a credential sent before a challenge.
    let round: Int
    /// The value of the `Authorization` field, or of `Proxy-Authorization`.
    let fieldValue: String
    /// For Digest, the answer and its key, for checking the server's response.
    let digest: (key: DigestKey, sent: DigestAnswer)?

    /// nil if a Digest nonce's counter is exhausted.
    ///
    /// - Parameters:
    ///   - target: The request target as sent.
    ///   - round: The number of consecutive challenges answered, including this one; 0 before a challenge.
    /// - Throws: ``CredentialProblem``.
    init?(
        _ proven: ProvenCredential, for method: HTTPMethod, target: String, body: DigestBody, round: Int
    ) throws(CredentialProblem) {
        self.proven = proven
        self.round = round
        switch proven.proof {
        case .basic(let value):
            fieldValue = value
            digest = nil
        case .digest(let counter):
            guard let (key, count) = counter.next() else { return nil }
            let sent = try key.answer(method: method.rawValue, target: target, body: body, nonceCount: count)
            fieldValue = sent.fieldValue
            digest = (key, sent)
        }
    }

    /// For a server.
    convenience init?(_ proven: ProvenCredential, for request: HopRequest, round: Int) throws(CredentialProblem) {
        try self.init(
            proven, for: request.method, target: request.target.pathAndQuery, body: request.digestBody, round: round)
    }

    /// Whether answering a challenge that follows this answer may succeed.
    func mayBeFollowed(by challenge: OfferedChallenges.Answerable, with credential: Credential) -> Bool {
        switch challenge {
        // The same answer would be sent again.
        case .basic: round == 0 && !(isBasic && proven.credential.isSame(as: credential))
        // The credential may be correct and only its nonce stale, which the server need not state for an answer sent in advance.
        case .digest(let challenge): round == 0 || round == 1 && !isBasic && challenge.isStale
        }
    }

    private var isBasic: Bool { digest == nil }
}
