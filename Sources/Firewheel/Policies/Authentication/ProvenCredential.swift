import Foundation

/// A credential prepared for the challenge of a protection space, so that it can be sent there in advance.
final class ProvenCredential: Sendable {
    enum Proof: Sendable {
        /// The value of the `Authorization` field.
        case basic(String)
        case digest(DigestCounter)
    }

    let credential: Credential
    let realm: FieldText
    /// Where it may be sent in advance.
    let space: ProtectionSpace
    let proof: Proof
    /// The store's generation at its creation, so that a removed credential is not stored again.
    let generation: UInt64

    /// - Parameter counter: The existing counter for the same key, if any.
    /// - Throws: ``CredentialProblem``.
    init(
        _ credential: Credential, for challenge: OfferedChallenges.Answerable, at target: TargetURI, generation: UInt64,
        sharing counter: DigestCounter? = nil
    ) throws(CredentialProblem) {
        self.credential = credential
        self.generation = generation
        realm = challenge.realm
        switch challenge {
        case .basic(let challenge):
            space = ProtectionSpace(basicAt: target)
            proof = .basic(try challenge.fieldValue(username: credential.user, password: credential.password))
        case .digest(let challenge):
            space = ProtectionSpace(challenge, at: target)
            if let counter {
                proof = .digest(counter)
                return
            }
            let key = try DigestKey(
                challenge, username: credential.user, password: credential.password, cnonce: DigestKey.randomCnonce())
            proof = .digest(DigestCounter(key))
        }
    }

    /// Whether its answers cover the request's body.
    var coversBody: Bool {
        guard case .digest(let counter) = proof else { return false }
        return counter.challenge.coversBody
    }

    /// Whether it replaces another one for the same protection space and user.
    func replaces(_ other: ProvenCredential) -> Bool {
        guard realm == other.realm, credential.user == other.credential.user else { return false }
        switch (proof, other.proof) {
        case (.basic, .basic): return space == other.space
        case (.digest, .digest): return true
        case (.basic, .digest), (.digest, .basic): return false
        }
    }
}

/// A Digest key with its nonce count: each request gets a different count, even concurrently.
final class DigestCounter: Sendable {
    let challenge: DigestChallenge
    private let state: Locked<(key: DigestKey, count: UInt32)>

    init(_ key: DigestKey) {
        challenge = key.challenge
        state = Locked((key, 0))
    }

    /// The key and the count of its next answer; nil if the count is exhausted.
    func next() -> (key: DigestKey, count: UInt32)? {
        state.withLock { state in
            guard state.count < .max else { return nil }
            state.count += 1
            return state
        }
    }

    /// Replaces the nonce with one from the response to an answer made with `old`.
    func renew(_ old: DigestKey, nonce: FieldText) {
        state.withLock { state in
            // Of several concurrent responses the first counts.
            guard state.key.nonce == old.nonce, nonce != old.nonce else { return }
            state = (old.with(nonce: nonce), 0)
        }
    }
}

extension DigestChallenge {
    /// Whether answers to both challenges share a nonce count.
    func hasSameKey(as other: DigestChallenge) -> Bool {
        nonce == other.nonce && realm == other.realm && algorithm == other.algorithm && isSession == other.isSession && qop == other.qop
            && opaque == other.opaque
    }

    /// Whether the answer covers the body: only if nothing else is offered.
    fileprivate var coversBody: Bool { qop == [.authInt] }
}

extension OfferedChallenges.Answerable {
    /// Whether the answer covers the request's body.
    var coversBody: Bool {
        guard case .digest(let challenge) = self else { return false }
        return challenge.coversBody
    }
}

/// The accepted credentials by origin. Their number is limited, because a server may send a new realm each time.
struct ProvenCredentials: Sendable {
    private static let maximumOrigins = 1_000
    private static let maximumOfOrigin = 16

    /// The credentials of an origin, oldest first.
    private var known: [TargetURI.Origin: [ProvenCredential]] = [:]

    var isEmpty: Bool { known.isEmpty }

    /// The most recently added credential for a URL.
    func last(for target: TargetURI, where isRight: (ProvenCredential) -> Bool) -> ProvenCredential? {
        known[target.origin]?.last { $0.space.contains(target) && isRight($0) }
    }

    mutating func keep(_ proven: ProvenCredential, at origin: TargetURI.Origin) {
        if known[origin] == nil, known.count >= Self.maximumOrigins, let other = known.keys.first { known[other] = nil }
        var here = known[origin] ?? []
        here.removeAll { $0.replaces(proven) }
        if here.count >= Self.maximumOfOrigin { here.removeFirst() }
        here.append(proven)
        known[origin] = here
    }

    mutating func remove(_ proven: ProvenCredential, at origin: TargetURI.Origin) {
        known[origin]?.removeAll { $0 === proven }
        if known[origin]?.isEmpty == true { known[origin] = nil }
    }

    mutating func forget(_ origin: TargetURI.Origin) {
        known[origin] = nil
    }
}
