import Firewheel
import Foundation

/// Gives a session the credentials of a `URLCredentialStorage`, and follows its changes as long as it lives.
///
/// A session looks credentials up by origin and realm. One that is stored for Digest does not answer Basic. What servers accept of single
/// requests stays with the session, and does not come into the storage.
final class CredentialStorageBridge: Sendable {
    private let storage: URLCredentialStorage
    private let store: CredentialStore
    private let state = Locked(State())
    private let observation = Locked<Observation?>(nil)

    /// A protection space, as far as the session tells them apart.
    private struct Place: Hashable {
        let url: String
        var realm: String?
        /// Whether Basic, which sends the password itself, is no answer there.
        var isForDigestOnly: Bool
        /// Foundation takes the host for the realm of a challenge that names none.
        private var isHostAsRealm: Bool

        /// The place of challenges without a realm, if this one stands for them, too.
        var withoutRealm: Place? {
            guard isHostAsRealm else { return nil }
            var place = self
            (place.realm, place.isHostAsRealm) = ("", false)
            return place
        }

        /// nil for spaces that no request of HTTP leads to.
        init?(_ space: URLProtectionSpace) {
            let scheme = space.isProxy() ? space.proxyType : space.protocol
            guard let scheme = scheme?.lowercased(), ["http", "https"].contains(scheme) else { return nil }
            let host = space.host.contains(":") && !space.host.hasPrefix("[") ? "[\(space.host)]" : space.host
            url = "\(scheme)://\(host)" + (space.port > 0 ? ":\(space.port)" : "")
            realm = space.realm
            isForDigestOnly = space.authenticationMethod == NSURLAuthenticationMethodHTTPDigest
            isHostAsRealm = space.realm == space.host
        }
    }

    private struct Login: Hashable {
        let user: String
        let password: String
    }

    /// The default credential of a space.
    private struct Entry: Hashable {
        let space: ObjectIdentifier
        let place: Place
        let login: Login

        init?(_ space: URLProtectionSpace, in storage: URLCredentialStorage) {
            guard let place = Place(space), let credential = storage.defaultCredential(for: space), let user = credential.user,
                let password = credential.password
            else { return nil }
            (self.space, self.place, login) = (ObjectIdentifier(space), place, Login(user: user, password: password))
        }
    }

    private struct State {
        /// What the storage had at last.
        var entries: Set<Entry> = []
        /// What the session has from here.
        var given: [Place: Login] = [:]
    }

    init(from storage: URLCredentialStorage, to store: CredentialStore) {
        (self.storage, self.store) = (storage, store)
        // Before the first look, so that no change is missed.
        let observation = Observation(of: storage) { [weak self] in self?.pass() }
        self.observation.withLock { $0 = observation }
        pass()
    }

    private func pass() {
        state.withLock { state in
            let entries = Set(storage.allCredentials.keys.compactMap { Entry($0, in: storage) })
            var found: [Place: Login] = [:]
            // Foundation on Linux may have several entries for one space, since equal spaces have different hashes: the newest counts.
            for entry in entries where found[entry.place] == nil || state.given[entry.place] == entry.login {
                found[entry.place] = entry.login
            }
            for entry in entries.subtracting(state.entries) { found[entry.place] = entry.login }
            for (place, login) in found {
                if let silent = place.withoutRealm, found[silent] == nil { found[silent] = login }
            }
            // One for both schemes answers Digest as well.
            for place in found.keys where place.isForDigestOnly {
                var other = place
                other.isForDigestOnly = false
                if found[other] != nil { found[place] = nil }
            }
            let gone = state.given.keys.filter { found[$0] == nil }
            for place in gone { try? store.remove(for: place.url, realm: place.realm) }
            // Removing that of all realms removes those of each. A host that is not valid is left out, because it has no requests.
            for (place, login) in found where !gone.isEmpty || state.given[place] != login { try? set(login, at: place) }
            state = State(entries: entries, given: found)
        }
    }

    private func set(_ login: Login, at place: Place) throws {
        if place.isForDigestOnly {
            try store.setForDigest(username: login.user, password: login.password, for: place.url, realm: place.realm)
        } else {
            try store.set(username: login.user, password: login.password, for: place.url, realm: place.realm)
        }
    }

    /// Ends with its object.
    private final class Observation: @unchecked Sendable {
        // Sound because the token is never changed, and the notification center may be called on any thread.
        private let token: any NSObjectProtocol

        init(of storage: URLCredentialStorage, _ changed: @escaping @Sendable () -> Void) {
            token = NotificationCenter.default.addObserver(forName: .NSURLCredentialStorageChanged, object: storage, queue: nil) { _ in
                changed()
            }
        }

        deinit { NotificationCenter.default.removeObserver(token) }
    }
}

extension CredentialStorageBridge: CustomReflectable {
    /// Empty: it has credentials.
    var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .class) }
}
