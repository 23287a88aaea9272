/// Answers the challenges of a session's proxies (status 407, RFC 9110 section 11.7), and sends in advance what a proxy has accepted.
///
/// The credential of the proxy itself comes first, which is sent as Basic before any challenge, then the session's for the proxy's origin.
/// A challenge is answered once, and a second time only if the proxy reports a stale nonce. The protection space is the whole proxy (RFC
/// 7616 section 3.3). A proxy that has accepted Digest gets no Basic any more: otherwise somebody on the way to it, or a server behind it,
/// could ask for the password in clear text.
final class ProxyAuthenticator: Sendable {
    /// What an answer is for, as a digest covers it.
    struct Subject {
        let proxy: ProxyServer
        let method: HTTPMethod
        /// The request target as sent: host and port for CONNECT, otherwise the whole URL.
        let target: String
        let body: DigestBody
    }

    /// A credential to send, which makes another answer each time that a request is written.
    struct Proof {
        let proven: ProvenCredential
        /// The number of consecutive challenges answered, including this one; 0 for a credential sent before a challenge.
        let round: Int
    }

    private struct State {
        /// What each proxy is sent ahead: what it has accepted, or its own credential as Basic.
        var ahead: [ProxyServer: ProvenCredential] = [:]
        /// The proxies that have accepted Digest.
        var withDigest: Set<ProxyServer> = []
    }

    private static let mostProxies = 1_000

    private let store: CredentialStore
    private let state = Locked(State())

    /// - Parameter store: The session's credentials.
    init(_ store: CredentialStore) {
        self.store = store
    }

    /// The credential for a realm of a proxy; nil without one.
    func credential(for proxy: ProxyServer, realm: FieldText) -> Credential? {
        if let user = proxy.user { return Credential(user: user, password: proxy.password, isKept: false) }
        return store.credential(for: proxy.origin, realm: realm)
    }

    /// Whether there is any credential for a proxy.
    func hasCredential(for proxy: ProxyServer) -> Bool { proxy.user != nil || store.hasCredentials(for: proxy.origin) }

    /// What to send before a challenge; nil for nothing.
    func proofAhead(for proxy: ProxyServer) -> Proof? {
        let (known, hasDigest) = state.withLock { ($0.ahead[proxy], $0.withDigest.contains(proxy)) }
        // What was accepted before credentials were set or removed is asked for anew.
        let isOfNow = proxy.user != nil || known?.generation == store.generation
        if let known, isOfNow, isCurrent(known, of: proxy) { return Proof(proven: known, round: 0) }
        guard proxy.user != nil, !hasDigest, let basic = BasicChallenge(Challenge(scheme: "basic")),
            let credential = credential(for: proxy, realm: basic.realm), let proven = try? prove(credential, to: .basic(basic), of: proxy)
        else { return nil }
        keep(proven, of: proxy)
        return Proof(proven: proven, round: 0)
    }

    /// What answers a proxy's 407; nil if nothing does.
    ///
    /// - Parameter earlier: The answer that the proxy did not accept; nil if there was none.
    /// - Throws: The error of a credential that cannot be sent, or of a missing library.
    func proof(
        answering head: ResponseHead, of subject: Subject, after earlier: ChallengeAnswer?
    ) throws(TransportError) -> Proof? {
        let proxy = subject.proxy
        if let earlier { forget(earlier.proven, of: proxy) }
        guard hasCredential(for: proxy) else { return nil }
        let offered = OfferedChallenges(head.headers.values(for: "Proxy-Authenticate"), body: subject.body)
        if let obstacle = offered.obstacle { throw failure(of: proxy, obstacle.description) }
        for challenge in offered.answerable {
            guard let credential = credential(for: proxy, realm: challenge.realm), credential.mayAnswer(challenge) else { continue }
            if let earlier, !earlier.mayBeFollowed(by: challenge, with: credential) { return nil }
            if case .basic = challenge, earlier?.digest != nil || state.withLock({ $0.withDigest.contains(proxy) }) { return nil }
            do throws(CredentialProblem) {
                return Proof(proven: try prove(credential, to: challenge, of: proxy), round: (earlier?.round ?? 0) + 1)
            } catch {
                throw failure(of: proxy, error.description)
            }
        }
        return nil
    }

    /// The answer to write; nil if the credential was removed in the meantime.
    func answer(with proof: Proof, for subject: Subject) -> ChallengeAnswer? {
        guard isCurrent(proof.proven, of: subject.proxy) else { return nil }
        return try? ChallengeAnswer(
            proof.proven, for: subject.method, target: subject.target, body: subject.body, round: proof.round)
    }

    private func isCurrent(_ proven: ProvenCredential, of proxy: ProxyServer) -> Bool {
        credential(for: proxy, realm: proven.realm)?.isSame(as: proven.credential) == true
    }

    /// Records that a proxy has accepted an answer, and verifies its own proof (`Proxy-Authentication-Info`, RFC 7616 section 3.5).
    ///
    /// - Parameter head: A response of the proxy, or of a server through it, other than a 407.
    func check(_ head: ResponseHead, of proxy: ProxyServer, to answer: ChallengeAnswer) throws(TransportError) {
        if let (key, sent) = answer.digest, case .digest(let counter) = answer.proven.proof {
            let information = AuthenticationInfo(head.headers.values(for: "Proxy-Authentication-Info"))
            if case .mismatch? = try? key.verify(information, of: sent) {
                throw .failed(.badServerResponse, "the proxy \(proxy) did not prove that it knows the password")
            }
            if let nonce = information.nextNonce { counter.renew(key, nonce: nonce) }
        }
        guard answer.round > 0 else { return }
        keep(answer.proven, of: proxy)
        if answer.digest != nil { state.withLock { _ = $0.withDigest.insert(proxy) } }
    }

    private func prove(
        _ credential: Credential, to challenge: OfferedChallenges.Answerable, of proxy: ProxyServer
    ) throws(CredentialProblem) -> ProvenCredential {
        try store.prove(credential, to: challenge, at: TargetURI(of: proxy.origin), generation: store.generation)
    }

    private func keep(_ credential: ProvenCredential, of proxy: ProxyServer) {
        state.withLock { state in
            if state.ahead[proxy] == nil, state.ahead.count >= Self.mostProxies { state.ahead.removeAll() }
            state.ahead[proxy] = credential
        }
    }

    private func forget(_ credential: ProvenCredential, of proxy: ProxyServer) {
        state.withLock { if $0.ahead[proxy] === credential { $0.ahead[proxy] = nil } }
    }

    private func failure(of proxy: ProxyServer, _ words: String) -> TransportError {
        .failed(.resourceUnavailable, "the challenge of the proxy \(proxy) cannot be answered: \(words)")
    }
}

extension ProxyAuthenticator: Hashable {
    static func == (one: ProxyAuthenticator, other: ProxyAuthenticator) -> Bool { one === other }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
