import Foundation

/// A credential with what it comes to for the challenge of a protection space: enough to prove it again there without being asked.
final class ProvenCredential: Sendable {
    enum Proof: Sendable {
        /// The value of the `Authorization` field.
        case basic(String)
        case digest(DigestCounter)
    }

    let credential: Credential
    let realm: FieldText
    /// Where it may be sent without being asked for.
    let space: ProtectionSpace
    let proof: Proof
    /// Of the store when it was made: what has been removed from the store since then does not come back by it.
    let generation: UInt64

    /// - Parameter counter: Of the same key, if there is one.
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

    /// Whether an answer takes the request's body into account.
    var coversBody: Bool {
        guard case .digest(let counter) = proof else { return false }
        return counter.challenge.coversBody
    }

    /// Whether both say the same of the same place.
    func replaces(_ other: ProvenCredential) -> Bool {
        guard realm == other.realm, credential.user == other.credential.user else { return false }
        switch (proof, other.proof) {
        case (.basic, .basic): return space == other.space
        case (.digest, .digest): return true
        case (.basic, .digest), (.digest, .basic): return false
        }
    }
}

/// A Digest key with the number of answers that have been made with its nonce: no two requests get the same one, however many run at once.
final class DigestCounter: Sendable {
    let challenge: DigestChallenge
    private let state: Locked<(key: DigestKey, count: UInt32)>

    init(_ key: DigestKey) {
        challenge = key.challenge
        state = Locked((key, 0))
    }

    /// The key and the number of its next answer. nil once a nonce has been used as often as can be counted.
    func next() -> (key: DigestKey, count: UInt32)? {
        state.withLock { state in
            guard state.count < .max else { return nil }
            state.count += 1
            return state
        }
    }

    /// A response to an answer made with `old` brought a new nonce.
    func renew(_ old: DigestKey, nonce: FieldText) {
        state.withLock { state in
            // Of responses to several requests at once the first counts.
            guard state.key.nonce == old.nonce, nonce != old.nonce else { return }
            state = (old.with(nonce: nonce), 0)
        }
    }
}

extension DigestChallenge {
    /// Whether answers to both count as answers with one nonce.
    func hasSameKey(as other: DigestChallenge) -> Bool {
        nonce == other.nonce && realm == other.realm && algorithm == other.algorithm && isSession == other.isSession && qop == other.qop
            && opaque == other.opaque
    }

    /// Whether the answer takes the body into account: only if nothing else is offered.
    fileprivate var coversBody: Bool { qop == [.authInt] }
}

extension OfferedChallenges.Answerable {
    /// Whether the answer takes the request's body into account.
    var coversBody: Bool {
        guard case .digest(let challenge) = self else { return false }
        return challenge.coversBody
    }
}

/// The credentials that servers have accepted, by origin. How many there are is bounded: a server may name a new realm each time.
struct ProvenCredentials: Sendable {
    private static let maximumOrigins = 1_000
    private static let maximumOfOrigin = 16

    /// Those of an origin in the order in which they were learned.
    private var known: [TargetURI.Origin: [ProvenCredential]] = [:]

    var isEmpty: Bool { known.isEmpty }

    /// The one for a place that was learned last.
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
