import Foundation

/// Answers servers' challenges (status 401, RFC 9110 section 11) with the request's own credential or the session's, and sends previously
/// accepted ones in advance.
///
/// A challenge is answered once, and a second time only if the server reports a stale nonce. Without a valid credential the 401 is the
/// result.
struct CredentialHopPolicy: HopPolicy {
    let store: CredentialStore

    /// Larger bodies are hashed (`auth-int`) on a thread that may be slow, and never in advance.
    private static let maximumBodyHashedAtOnce = 65_536

    var heldStatuses: Set<Int> { [401] }

    // MARK: Requests

    func prepare(_ request: inout HopRequest, of owner: HopOwner) {
        guard let answer = request.answer ?? answerAhead(request, of: owner) else { return }
        request = request.answering(answer).adding([HTTPHeader(name: "Authorization", value: answer.fieldValue)])
    }

    private func answerAhead(_ request: HopRequest, of owner: HopOwner) -> ChallengeAnswer? {
        let own = owner.credential(for: request)
        guard own != nil || store.hasProven, !request.headers.contains(name: "Authorization") else { return nil }
        if let proven = store.proven(for: request.target, own: own) {
            return takesLong(request, proven.coversBody) ? nil : try? ChallengeAnswer(proven, for: request, round: 0)
        }
        // User information in a URL is sent in advance, as in curl and AsyncHTTPClient.
        guard owner.credential == nil, let own, let basic = BasicChallenge(Challenge(scheme: "basic")),
            let proven = try? store.prove(own, to: .basic(basic), at: request.target, generation: store.generation)
        else { return nil }
        return try? ChallengeAnswer(proven, for: request, round: 0)
    }

    private func takesLong(_ request: HopRequest, _ coversBody: Bool) -> Bool {
        coversBody && (request.body?.count ?? 0) > Self.maximumBodyHashedAtOnce
    }

    // MARK: Responses

    func judge(_ head: ResponseHead, of request: HopRequest, facts: () -> HopFacts) -> HopVerdict {
        // A stored response tells nothing about the credential.
        guard head.mark.isNetwork || head.mark.source.isFromServer else { return .pass }
        guard head.statusCode == 401 else { return request.answer.map { check($0, head, of: request) } ?? .pass }
        if let refused = request.answer { store.refused(refused.proven, at: request.target.origin, isFinal: refused.round > 0) }
        return head.headers.mayContain(.wwwAuthenticate) ? answer(head, of: request, for: facts().owner) : .pass
    }

    /// Records whether the server accepted the credential, and verifies its proof.
    private func check(_ answer: ChallengeAnswer, _ head: ResponseHead, of request: HopRequest) -> HopVerdict {
        if let (key, sent) = answer.digest, case .digest(let counter) = answer.proven.proof {
            let information = AuthenticationInfo(head.headers.values(for: "Authentication-Info"))
            if case .mismatch? = try? key.verify(information, of: sent) {
                return .fail(FirewheelError(.authenticationFailed(.serverNotAuthenticated)))
            }
            if let nonce = information.nextNonce { counter.renew(key, nonce: nonce) }
        }
        // Other client errors, and server errors, tell nothing about the credential.
        if head.statusCode < 400, answer.round > 0, answer.proven.credential.isKept {
            store.accepted(answer.proven, at: request.target.origin)
        }
        return .pass
    }

    private func answer(_ head: ResponseHead, of request: HopRequest, for owner: HopOwner) -> HopVerdict {
        let origin = request.target.origin
        let earlier = request.answer
        let own = owner.credential(for: request)
        // A field set by the caller is its answer: only the request's own credential overrides it.
        if own == nil, earlier == nil, request.headers.contains(name: "Authorization") { return .pass }
        // Read before the credential, so that one that is removed in the meantime is not stored.
        let generation = store.generation
        guard own != nil || store.hasCredentials(for: origin) else { return .pass }
        let offered = OfferedChallenges(head.headers.values(for: "WWW-Authenticate"), body: request.digestBody)
        if let obstacle = offered.obstacle {
            return .fail(FirewheelError(.authenticationFailed(.libraryMissing), detail: obstacle.description))
        }
        for challenge in offered.answerable {
            guard let credential = own ?? store.credential(for: origin, realm: challenge.realm), credential.mayAnswer(challenge) else {
                continue
            }
            if let earlier, !earlier.mayBeFollowed(by: challenge, with: credential) { return .pass }
            let round = (earlier?.round ?? 0) + 1
            let answer: @Sendable () -> HopVerdict = {
                Self.answer(challenge, to: request, credential, round, store: store, generation: generation)
            }
            return takesLong(request, challenge.coversBody) ? .ask(answer) : answer()
        }
        return .pass
    }

    /// The request with the answer to a challenge, or the error of an unanswerable one.
    private static func answer(
        _ challenge: OfferedChallenges.Answerable, to request: HopRequest, _ credential: Credential, _ round: Int, store: CredentialStore,
        generation: UInt64
    ) -> HopVerdict {
        do throws(CredentialProblem) {
            let proven = try store.prove(credential, to: challenge, at: request.target, generation: generation)
            guard let answer = try ChallengeAnswer(proven, for: request, round: round) else { return .pass }
            return .again(request.answering(answer))
        } catch {
            return .fail(FirewheelError(.authenticationFailed(.invalidCredential), detail: error.description))
        }
    }
}

extension HopOwner {
    /// The request's own credential, which applies to the origin of the adapted request.
    func credential(for request: HopRequest) -> Credential? {
        let first = first ?? request
        guard credential != nil || first.target.userInfo != nil, first.target.hasSameOrigin(as: request.target) else { return nil }
        return credential ?? first.target.userInfo.flatMap { $0.isEmpty ? nil : Credential(userInfo: $0) }
    }
}
