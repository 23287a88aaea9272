import Foundation

/// The credentials of a session, for servers that ask for a user name and password: one for each protection space, which is an origin and a realm
/// (RFC 9110 section 11.5). In memory alone.
///
/// A request's own credential (``Request/authenticate(username:password:persistence:)``) goes before it, and comes here once a server has accepted it.
public final class CredentialStore: Sendable {
    struct Key: Hashable {
        let origin: TargetURI.Origin
        /// nil: every realm of the origin.
        let realm: FieldText?
    }

    private struct State {
        var credentials: [Key: Credential] = [:]
        var proven = ProvenCredentials()
    }

    /// Above as many the session keeps no more of what servers name. Those that are set are not counted.
    private static let maximumKept = 10_000

    private let state = Locked(State())

    init() {}

    /// Keeps a credential for a protection space, in the place of the one that was there.
    ///
    /// - Parameters:
    ///   - url: Any URL of the origin: scheme, host and port count.
    ///   - realm: As the server names it; nil, the default, is every realm of the origin that has no credential of its own.
    /// - Throws: ``FirewheelError`` `invalidURL`.
    public func set(username: String, password: String, for url: any URLConvertible, realm: String? = nil) throws {
        let key = try Key(origin: Self.origin(of: url), realm: realm.map(FieldText.init))
        state.withLock { state in
            state.credentials[key] = Credential(user: username, password: password, isKept: true)
            state.proven.forget(key.origin)
        }
    }

    /// Removes the credential of a protection space, if there is one.
    ///
    /// - Parameters:
    ///   - url: Any URL of the origin.
    ///   - realm: As the server names it; nil, the default, removes the credentials of all realms of the origin.
    /// - Throws: ``FirewheelError`` `invalidURL`.
    public func remove(for url: any URLConvertible, realm: String? = nil) throws {
        let origin = try Self.origin(of: url)
        let realm = realm.map(FieldText.init)
        state.withLock { state in
            state.credentials = state.credentials.filter { $0.key.origin != origin || realm != nil && $0.key.realm != realm }
            state.proven.forget(origin)
        }
    }

    /// Removes all credentials.
    public func removeAll() {
        state.withLock { $0 = State() }
    }

    private static func origin(of url: any URLConvertible) throws -> TargetURI.Origin {
        let text = try url as? String ?? url.asURL().absoluteString
        guard let target = TargetURI(text) else { throw FirewheelError(.invalidURL, detail: Redaction.possibleURL(text)) }
        return target.origin
    }

    // MARK: For the policy

    /// The credential for a realm of an origin.
    func credential(for origin: TargetURI.Origin, realm: FieldText) -> Credential? {
        state.withLock { $0.credentials[Key(origin: origin, realm: realm)] ?? $0.credentials[Key(origin: origin, realm: nil)] }
    }

    func hasCredentials(for origin: TargetURI.Origin) -> Bool {
        state.withLock { state in state.credentials.keys.contains { $0.origin == origin } }
    }

    /// Whether there is anything that may go ahead of a challenge. Asked for every hop.
    var hasProven: Bool { state.withLock { !$0.proven.isEmpty } }

    /// What may go ahead of a challenge to this place.
    ///
    /// - Parameter own: The request's own credential: no other is sent then. nil: any.
    func proven(for target: TargetURI, own: Credential?) -> ProvenCredential? {
        state.withLock { $0.proven.credential(for: target, own: own) }
    }

    /// A server has accepted a credential: it goes ahead from now on.
    func keep(_ proven: ProvenCredential, at origin: TargetURI.Origin) {
        state.withLock { state in
            let key = Key(origin: origin, realm: proven.realm)
            if state.credentials[key] == nil, state.credentials.count >= Self.maximumKept { return }
            state.credentials[key] = proven.credential
            state.proven.keep(proven, at: origin)
        }
    }

    /// A server has refused what went ahead.
    func drop(_ proven: ProvenCredential, at origin: TargetURI.Origin) {
        state.withLock { $0.proven.remove(proven, at: origin) }
    }
}

extension CredentialStore: CustomReflectable {
    /// Nothing of what it holds.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .class) }
}
