import Foundation

/// A session's credentials for servers and HTTP proxies that ask for a user name and password: one per protection space, that is, origin
/// and realm (RFC 9110 section 11.5). Kept in memory only.
///
/// A request's own credential (``Request/authenticate(username:password:persistence:)``) takes precedence. Once a server has accepted it,
/// it is stored here until another is set for its origin.
public final class CredentialStore: Sendable {
    fileprivate struct State {
        /// The caller's credentials by realm; nil for all realms of the origin.
        var set: [TargetURI.Origin: [FieldText?: Credential]] = [:]
        /// Accepted credentials of requests.
        var learned: [TargetURI.Origin: [(realm: FieldText, credential: Credential)]] = [:]
        var proven = ProvenCredentials()
        var counters: [WeakCounter] = []
        /// Incremented when credentials are set or removed, to recognize answers based on an earlier state.
        var generation: UInt64 = 0
    }

    /// Limited, because servers choose the realms.
    private static let maximumLearned = (origins: 1_000, realms: 16)

    private let state = Locked(State())

    init() {}

    /// Sets the credential of a protection space, replacing existing ones, including accepted ones of requests.
    ///
    /// - Parameters:
    ///   - username: Must not contain a colon for Basic (RFC 7617 section 2).
    ///   - password: Kept in memory only.
    ///   - url: Any URL of the origin; only scheme, host and port matter.
    ///   - realm: The realm as named by the server. Default: nil, which covers every realm of the origin that has no credential of its own.
    /// - Throws: ``FirewheelError`` `invalidURL`.
    public func set(username: String, password: String, for url: any URLConvertible, realm: String? = nil) throws {
        try set(Credential(user: username, password: password, isKept: true), for: url, realm: realm)
    }

    /// Sets a credential that answers challenges of Digest, but not of Basic, with which a server could ask for the password itself.
    package func setForDigest(username: String, password: String, for url: any URLConvertible, realm: String?) throws {
        try set(Credential(user: username, password: password, isKept: true, isForDigestOnly: true), for: url, realm: realm)
    }

    private func set(_ credential: Credential, for url: any URLConvertible, realm: String?) throws {
        let origin = try Self.origin(of: url)
        let realm = realm.map(FieldText.init)
        state.withLock { state in
            state.forgetLearned(origin, realm)
            state.set[origin, default: [:]][realm] = credential
        }
    }

    /// Removes the credential of a protection space, including accepted ones of requests.
    ///
    /// - Parameters:
    ///   - url: Any URL of the origin.
    ///   - realm: The realm as sent by the server. Default: nil, which removes the credentials of all realms of the origin.
    /// - Throws: ``FirewheelError`` `invalidURL`.
    public func remove(for url: any URLConvertible, realm: String? = nil) throws {
        let origin = try Self.origin(of: url)
        let realm = realm.map(FieldText.init)
        state.withLock { state in
            state.forgetLearned(origin, realm)
            if let realm { state.set[origin]?[realm] = nil } else { state.set[origin] = nil }
        }
    }

    /// Removes all credentials.
    public func removeAll() {
        state.withLock { $0 = State(generation: $0.generation &+ 1) }
    }

    private static func origin(of url: any URLConvertible) throws -> TargetURI.Origin {
        let text = try url as? String ?? url.asURL().absoluteString
        guard let target = TargetURI(text) else { throw FirewheelError.invalidURL(text, base: nil) }
        return target.origin
    }

    // MARK: Use by the hop policy

    /// The credential for a realm of an origin.
    func credential(for origin: TargetURI.Origin, realm: FieldText) -> Credential? {
        state.withLock { $0.credential(for: origin, realm) }
    }

    func hasCredentials(for origin: TargetURI.Origin) -> Bool {
        state.withLock { $0.set[origin] != nil || $0.learned[origin] != nil }
    }

    /// Whether any credential can be sent in advance. Checked for every hop.
    var hasProven: Bool { state.withLock { !$0.proven.isEmpty } }

    /// The credential to send to a URL before a challenge.
    ///
    /// - Parameter own: The request's own credential, the only candidate; nil for the one that would answer the challenge.
    func proven(for target: TargetURI, own: Credential?) -> ProvenCredential? {
        state.withLock { state in
            state.proven.last(for: target) { proven in
                (own ?? state.credential(for: target.origin, proven.realm))?.isSame(as: proven.credential) ?? false
            }
        }
    }

    /// Incremented with every credential that is set or removed.
    var generation: UInt64 { state.withLock { $0.generation } }

    /// Prepares a credential for a challenge. Concurrent answers to the same challenge share one counter, because a server may give the
    /// same nonce to several requests.
    ///
    /// - Throws: ``CredentialProblem``.
    func prove(
        _ credential: Credential, to challenge: OfferedChallenges.Answerable, at target: TargetURI, generation: UInt64
    ) throws(CredentialProblem) -> ProvenCredential {
        let origin = target.origin
        guard case .digest(let digest) = challenge else {
            return try ProvenCredential(credential, for: challenge, at: target, generation: generation)
        }
        let shared = state.withLock { $0.counter(for: digest, credential, origin) }
        let made = try ProvenCredential(credential, for: challenge, at: target, generation: generation, sharing: shared)
        guard shared == nil, case .digest(let counter) = made.proof else { return made }
        // Another request may have added one in the meantime.
        let first = state.withLock { state -> DigestCounter? in
            if let other = state.counter(for: digest, credential, origin) { return other }
            state.counters.removeAll { $0.counter == nil }
            state.counters.append(WeakCounter(origin: origin, credential: credential, counter: counter))
            return nil
        }
        guard let first else { return made }
        return try ProvenCredential(credential, for: challenge, at: target, generation: generation, sharing: first)
    }

    /// Records that a server accepted a credential, which is then sent in advance, unless it was removed or replaced in the meantime.
    func accepted(_ proven: ProvenCredential, at origin: TargetURI.Origin) {
        state.withLock { state in
            guard proven.generation == state.generation else { return }
            state.proven.keep(proven, at: origin)
            guard state.set[origin]?[proven.realm] == nil else { return }
            var learned = state.learned[origin] ?? []
            if learned.isEmpty, state.learned.count >= Self.maximumLearned.origins, let other = state.learned.keys.first {
                state.learned[other] = nil
            }
            learned.removeAll { $0.realm == proven.realm }
            if learned.count >= Self.maximumLearned.realms { learned.removeFirst() }
            learned.append((proven.realm, proven.credential))
            state.learned[origin] = learned
        }
    }

    /// Records that a server refused a credential.
    ///
    /// - Parameter isFinal: Whether it answered a challenge. One sent in advance may be correct, with a stale nonce.
    func refused(_ proven: ProvenCredential, at origin: TargetURI.Origin, isFinal: Bool) {
        state.withLock { state in
            state.proven.remove(proven, at: origin)
            guard isFinal else { return }
            state.learned[origin]?.removeAll { $0.realm == proven.realm && $0.credential.isSame(as: proven.credential) }
            if state.learned[origin]?.isEmpty == true { state.learned[origin] = nil }
        }
    }

    /// The counter of a Digest key, as long as a request uses it.
    fileprivate struct WeakCounter: @unchecked Sendable {
        // Sound because its content is Sendable and accessed only under the store's lock.
        let origin: TargetURI.Origin
        let credential: Credential
        weak var counter: DigestCounter?
    }
}

extension CredentialStore.State {
    fileprivate func credential(for origin: TargetURI.Origin, _ realm: FieldText) -> Credential? {
        set[origin]?[realm] ?? learned[origin]?.last { $0.realm == realm }?.credential ?? set[origin]?[nil]
    }

    fileprivate func counter(for challenge: DigestChallenge, _ credential: Credential, _ origin: TargetURI.Origin) -> DigestCounter? {
        let same = counters.last { entry in
            entry.origin == origin && entry.credential.isSame(as: credential) && entry.counter?.challenge.hasSameKey(as: challenge) == true
        }
        return same?.counter
    }

    fileprivate mutating func forgetLearned(_ origin: TargetURI.Origin, _ realm: FieldText?) {
        generation &+= 1
        proven.forget(origin)
        guard let realm else {
            learned[origin] = nil
            return
        }
        learned[origin]?.removeAll { $0.realm == realm }
        if learned[origin]?.isEmpty == true { learned[origin] = nil }
    }
}

extension CredentialStore: CustomReflectable {
    /// Empty: the store contains credentials.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .class) }
}
