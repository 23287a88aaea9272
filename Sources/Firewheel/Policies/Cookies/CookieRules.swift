import Foundation

/// Which cookies are kept (RFC 6265bis section 5.7, "Storage Model"), but for what depends on the cookies that are there already.
struct CookieRules: Sendable {
    /// Octets of a path. An attribute is never as long, but the path of a request may be.
    static let maximumPathSize = 4096

    let suffixes: PublicSuffixes

    /// The cookie that a `Set-Cookie` field makes; nil if it is refused.
    func cookie(_ received: SetCookie, from target: CookieTarget, now: Date) -> Cookie? {
        guard let scope = scope(of: received, from: target) else { return nil }
        if received.isSecure, !target.isSecure { return nil }
        let path = received.path.map(FieldOctets.text) ?? target.defaultPath
        // A cookie of this kind says that its path is its own, and not that of the page that happened to set it.
        if Self.hasPrefix("__host-", received.name), !received.hasPath { return nil }
        let cookie = Cookie(
            name: received.name, value: received.value, domain: scope.domain, isHostOnly: scope.isHostOnly, path: path,
            expires: expiry(of: received, now: now), isSecure: received.isSecure, isHTTPOnly: received.isHTTPOnly,
            sameSite: received.sameSite, created: now)
        return checked(cookie, now: now)
    }

    /// A cookie from elsewhere, with its times kept within bounds; nil if no server could have set it.
    func checked(_ cookie: Cookie, now: Date) -> Cookie? {
        let (name, value) = (cookie.nameOctets, cookie.valueOctets)
        guard !name.isEmpty || !value.isEmpty, name.count + value.count <= SetCookie.maximumSize,
            cookie.path.utf8.count <= Self.maximumPathSize
        else { return nil }
        for octet in [name, value].joined() where CookieOctets.isControl(octet) || octet == UInt8(ascii: ";") { return nil }
        guard !name.contains(UInt8(ascii: "=")), !cookie.path.utf8.contains(where: CookieOctets.isControl) else { return nil }
        guard CookieDomain.isHost(cookie.domain), cookie.isHostOnly || !suffixes.isPublicSuffix(cookie.domain) else { return nil }
        if cookie.sameSite == .none, !cookie.isSecure { return nil }
        // Servers read a cookie without a name as one whose name is its value (RFC 6265bis section 5.7, step 22).
        if name.isEmpty, Self.hasPrefix("__secure-", value) || Self.hasPrefix("__host-", value) { return nil }
        if Self.hasPrefix("__secure-", name), !cookie.isSecure { return nil }
        if Self.hasPrefix("__host-", name), !cookie.isSecure || !cookie.isHostOnly || cookie.path != "/" { return nil }
        return Self.bounded(cookie, now: now)
    }

    /// nil if the field's domain is not one for which this host may set cookies.
    private func scope(of received: SetCookie, from target: CookieTarget) -> (domain: String, isHostOnly: Bool)? {
        guard !received.domain.isEmpty else { return (target.host, true) }
        guard received.domain.allSatisfy({ $0 < 0x80 }) else { return nil }
        let domain = String(decoding: received.domain, as: UTF8.self)
        if target.isAddress { return CookieDomain.canonical(domain) == target.host ? (target.host, true) : nil }
        if domain == target.host, suffixes.isPublicSuffix(domain) { return (target.host, true) }
        return suffixes.isCookieDomainAcceptable(host: target.host, domain: domain) ? (domain, false) : nil
    }

    /// `Max-Age` counts before `Expires`, wherever they stand.
    private func expiry(of received: SetCookie, now: Date) -> Date? {
        guard let age = received.maxAge else { return received.expires }
        return age > 0 ? now.addingTimeInterval(TimeInterval(age)) : .distantPast
    }

    /// With a time of expiry that is a time, at most 400 days ahead, and not created in the future.
    private static func bounded(_ cookie: Cookie, now: Date) -> Cookie? {
        let limit = now.addingTimeInterval(TimeInterval(SetCookie.maximumAge))
        if let expires = cookie.expires, expires.timeIntervalSince1970.isNaN { return nil }
        // Further back no clock has been, and such a date still is a number of seconds.
        let expires = cookie.expires.map { max(min($0, limit), .distantPast) }
        // By its seconds, since dates that are not a number compare as equal.
        let (seconds, earliest) = (cookie.created.timeIntervalSince1970, Date.distantPast.timeIntervalSince1970)
        let created = seconds >= earliest && seconds <= now.timeIntervalSince1970 ? cookie.created : now
        return expires == cookie.expires && created == cookie.created ? cookie : cookie.with(expires: expires, created: created)
    }

    private static func hasPrefix(_ prefix: StaticString, _ octets: [UInt8]) -> Bool { CookieOctets.begin(octets, with: prefix) }
}
