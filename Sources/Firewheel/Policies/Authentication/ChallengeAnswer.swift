/// What a hop says about its credential.
final class ChallengeAnswer: Sendable {
    let proven: ProvenCredential
    /// How many challenges in a row have been answered, this one included; 0: the credential goes ahead of a challenge.
    let round: Int
    /// The value of the `Authorization` field.
    let fieldValue: String
    /// With Digest what was sent and the key that made it, to be compared with what the server says of it.
    let digest: (key: DigestKey, sent: DigestAnswer)?

    /// nil once a Digest nonce has been used as often as can be counted.
    ///
    /// - Throws: ``CredentialProblem``.
    init?(_ proven: ProvenCredential, for request: HopRequest, round: Int) throws(CredentialProblem) {
        self.proven = proven
        self.round = round
        switch proven.proof {
        case .basic(let value):
            fieldValue = value
            digest = nil
        case .digest(let counter):
            guard let (key, count) = counter.next() else { return nil }
            let sent = try key.answer(
                method: request.method.rawValue, target: request.target.pathAndQuery, body: .known(request.body), nonceCount: count)
            fieldValue = sent.fieldValue
            digest = (key, sent)
        }
    }

    /// Whether a further answer, to a challenge that came after this one, may be a better one.
    func mayBeFollowed(by challenge: OfferedChallenges.Answerable, with credential: Credential) -> Bool {
        switch challenge {
        // The same credential would be sent again, in the same form.
        case .basic: round == 0 && !(isBasic && proven.credential.isSame(as: credential))
        // The credential may be right, and its nonce too old: one that went ahead the server need not say that of.
        case .digest(let challenge): round == 0 || round == 1 && !isBasic && challenge.isStale
        }
    }

    private var isBasic: Bool { digest == nil }
}
