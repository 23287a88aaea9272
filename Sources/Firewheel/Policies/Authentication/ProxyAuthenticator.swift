/// Answers the challenges of a session's proxies (status 407, RFC 9110 section 11.7), and sends in advance what a proxy has accepted.
///
/// The credential of the proxy itself comes first, which is sent as Basic before any challenge, then the session's for the proxy's origin.
/// A challenge is answered once, and a second time only if the proxy reports a stale nonce. The protection space is the whole proxy (RFC
/// 7616 section 3.3).
final class ProxyAuthenticator: Sendable {
    /// What an answer is for, as a digest covers it.
    struct Subject {
        let proxy: ProxyServer
        let method: HTTPMethod
        /// The request target as sent: host and port for CONNECT, otherwise the whole URL.
        let target: String
        let body: DigestBody
    }

    private static let mostProxies = 64

    private let store: CredentialStore
    /// What each proxy has accepted.
    private let proven = Locked<[ProxyServer: ProvenCredential]>([:])

    /// - Parameter store: The session's credentials.
    init(_ store: CredentialStore) {
        self.store = store
    }

    /// The credential for a realm of a proxy; nil without one.
    func credential(for proxy: ProxyServer, realm: FieldText) -> Credential? {
        if let user = proxy.user { return Credential(user: user, password: proxy.password, isKept: false) }
        return store.credential(for: proxy.origin, realm: realm)
    }

    /// The answer to send before a challenge; nil for none.
    func answerAhead(for subject: Subject) -> ChallengeAnswer? {
        if let known = proven.withLock({ $0[subject.proxy] }) {
            let isCurrent = credential(for: subject.proxy, realm: known.realm)?.isSame(as: known.credential) == true
            if isCurrent { return try? ChallengeAnswer(known, for: subject, round: 0) }
        }
        guard subject.proxy.user != nil, let basic = BasicChallenge(Challenge(scheme: "basic")) else { return nil }
        guard let credential = credential(for: subject.proxy, realm: basic.realm),
            let proven = try? prove(credential, to: .basic(basic), of: subject.proxy)
        else { return nil }
        keep(proven, of: subject.proxy)
        return try? ChallengeAnswer(proven, for: subject, round: 0)
    }

    /// The answer to a proxy's 407; nil if there is none.
    ///
    /// - Parameter earlier: The answer that the proxy did not accept; nil if there was none.
    /// - Throws: The error of a credential that cannot be sent, or of a missing library.
    func answer(
        to head: ResponseHead, of subject: Subject, after earlier: ChallengeAnswer?
    ) throws(TransportError) -> ChallengeAnswer? {
        if let earlier { forget(earlier.proven, of: subject.proxy) }
        guard subject.proxy.user != nil || store.hasCredentials(for: subject.proxy.origin) else { return nil }
        let offered = OfferedChallenges(head.headers.values(for: "Proxy-Authenticate"), body: subject.body)
        if let obstacle = offered.obstacle { throw failure(of: subject.proxy, obstacle.description) }
        for challenge in offered.answerable {
            guard let credential = credential(for: subject.proxy, realm: challenge.realm) else { continue }
            if let earlier, !earlier.mayBeFollowed(by: challenge, with: credential) { return nil }
            do throws(CredentialProblem) {
                let proven = try prove(credential, to: challenge, of: subject.proxy)
                return try ChallengeAnswer(proven, for: subject, round: (earlier?.round ?? 0) + 1)
            } catch {
                throw failure(of: subject.proxy, error.description)
            }
        }
        return nil
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
        // tinyproxy refuses wrong credentials with a 401.
        if answer.round > 0, head.statusCode != 401 { keep(answer.proven, of: proxy) }
    }

    private func prove(
        _ credential: Credential, to challenge: OfferedChallenges.Answerable, of proxy: ProxyServer
    ) throws(CredentialProblem) -> ProvenCredential {
        try store.prove(credential, to: challenge, at: TargetURI(of: proxy.origin), generation: store.generation)
    }

    private func keep(_ credential: ProvenCredential, of proxy: ProxyServer) {
        proven.withLock { proven in
            if proven[proxy] == nil, proven.count >= Self.mostProxies { proven.removeAll() }
            proven[proxy] = credential
        }
    }

    private func forget(_ credential: ProvenCredential, of proxy: ProxyServer) {
        proven.withLock { if $0[proxy] === credential { $0[proxy] = nil } }
    }

    private func failure(of proxy: ProxyServer, _ words: String) -> TransportError {
        .failed(.resourceUnavailable, "the challenge of the proxy \(proxy) cannot be answered: \(words)")
    }
}

extension ChallengeAnswer {
    fileprivate convenience init?(_ proven: ProvenCredential, for subject: ProxyAuthenticator.Subject, round: Int) throws(CredentialProblem)
    {
        try self.init(proven, for: subject.method, target: subject.target, body: subject.body, round: round)
    }
}

extension ProxyAuthenticator: Hashable {
    static func == (one: ProxyAuthenticator, other: ProxyAuthenticator) -> Bool { one === other }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
