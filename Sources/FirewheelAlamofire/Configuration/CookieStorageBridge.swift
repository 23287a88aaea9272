import Firewheel
import Foundation

/// Keeps a jar in step with a cookie storage of Foundation, in both directions: the program may set and delete cookies in its
/// `HTTPCookieStorage` at any time, and finds there what servers have set.
///
/// The jar decides which cookies are valid and which are sent. It does not send what RFC 6265bis forbids, although the storage keeps it.
final class CookieStorageBridge: CookieMirror {
    /// The cookies of both sides when they were last compared.
    private struct State {
        /// As the storage returned them.
        var originals: [HTTPCookie] = []
        var stored: [Key: Cookie] = [:]
        var jar: [Cookie] = []
    }

    /// What a cookie replaces another by.
    private struct Key: Hashable {
        let name: String
        let domain: String
        let isHostOnly: Bool
        let path: String

        init(_ cookie: Cookie) {
            (name, domain, isHostOnly, path) = (cookie.name, cookie.domain, cookie.isHostOnly, cookie.path)
        }
    }

    let sendsCookies: Bool
    let storesCookies: Bool
    private let storage: HTTPCookieStorage
    private let state = Locked(State())

    init(_ storage: HTTPCookieStorage, sendsCookies: Bool, storesCookies: Bool) {
        (self.storage, self.sendsCookies, self.storesCookies) = (storage, sendsCookies, storesCookies)
    }

    /// Passes on what has changed on either side since the last call. If both have changed the same cookie, the program's counts.
    func synchronize(with jar: CookieJar) {
        state.withLock { last in
            let originals = storage.cookies ?? []
            guard jar.cookies != last.jar || !originals.elementsEqual(last.originals, by: ===) else { return }
            var stored = Self.byKey(originals.map(Cookie.init(foundation:)))
            let changed = Set(stored.keys.filter { stored[$0] != last.stored[$0] } + last.stored.keys.filter { stored[$0] == nil })
            for key in changed {
                if let new = stored[key], jar.store(new) { continue }
                // Deleted, or replaced by one that is not valid.
                if let old = last.stored[key] { jar.remove(old) }
            }
            let cookies = jar.cookies
            let (now, before) = (Self.byKey(cookies), Self.byKey(last.jar))
            for (key, cookie) in now where before[key] != cookie && !changed.contains(key) {
                guard let new = HTTPCookie(cookie) else { continue }
                storage.setCookie(new)
                stored[key] = Cookie(foundation: new)
            }
            for key in before.keys where now[key] == nil && !changed.contains(key) && stored[key] != nil {
                stored[key] = nil
                for original in originals where Key(Cookie(foundation: original)) == key { storage.deleteCookie(original) }
            }
            last = State(originals: originals, stored: stored, jar: cookies)
        }
    }

    private static func byKey(_ cookies: [Cookie]) -> [Key: Cookie] {
        Dictionary(cookies.map { (Key($0), $0) }) { _, last in last }
    }
}

extension CookieStorageBridge: CustomReflectable {
    /// Empty: it has cookies.
    var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .class) }
}

extension Cookie {
    /// Foundation marks cookies that are sent to subdomains too with a dot before the domain.
    fileprivate init(foundation cookie: HTTPCookie) {
        let isHostOnly = !cookie.domain.hasPrefix(".")
        let created = (cookie.properties?[.created] as? NSNumber).map { Date(timeIntervalSinceReferenceDate: $0.doubleValue) }
        self.init(
            name: cookie.name, value: cookie.value, domain: isHostOnly ? cookie.domain : String(cookie.domain.dropFirst()),
            isHostOnly: isHostOnly, path: cookie.path, expires: cookie.expiresDate, isSecure: cookie.isSecure,
            isHTTPOnly: cookie.isHTTPOnly, created: created ?? .distantPast)
    }
}

extension HTTPCookie {
    /// nil for a cookie that Foundation cannot have, such as one without a name on Apple's systems.
    fileprivate convenience init?(_ cookie: Cookie) {
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: cookie.name, .value: cookie.value, .domain: cookie.isHostOnly ? cookie.domain : ".\(cookie.domain)", .path: cookie.path,
        ]
        if let expires = cookie.expires { properties[.expires] = expires }
        if cookie.isSecure { properties[.secure] = "TRUE" }
        if cookie.isHTTPOnly { properties[.httpOnly] = "TRUE" }
        self.init(properties: properties)
    }
}

extension HTTPCookiePropertyKey {
    // Foundation has these without a public name.
    fileprivate static let created = HTTPCookiePropertyKey("Created")
    fileprivate static let httpOnly = HTTPCookiePropertyKey("HttpOnly")
}
