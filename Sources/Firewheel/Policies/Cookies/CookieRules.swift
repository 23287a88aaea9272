import Foundation

/// Validation of cookies (RFC 6265bis section 5.7, "Storage Model"), except for rules that depend on stored cookies.
struct CookieRules: Sendable {
    /// The maximum size of a path in octets. An attribute is never as long, but the path of a request may be.
    static let maximumPathSize = 4096

    let suffixes: PublicSuffixes

    /// The cookie of a `Set-Cookie` field; nil if it is rejected.
    func cookie(_ received: SetCookie, from target: CookieTarget, now: Date) -> Cookie? {
        guard let scope = scope(of: received, from: target) else { return nil }
        if received.isSecure, !target.isSecure { return nil }
        let path = received.path.map(FieldOctets.text) ?? target.defaultPath
        // The prefix requires an explicit path: the default path of the request does not count.
        if Self.hasPrefix("__host-", received.name), !received.hasPath { return nil }
        let cookie = Cookie(
            name: received.name, value: received.value, domain: scope.domain, isHostOnly: scope.isHostOnly, path: path,
            expires: expiry(of: received, now: now), isSecure: received.isSecure, isHTTPOnly: received.isHTTPOnly,
            sameSite: received.sameSite, created: now)
        return checked(cookie, now: now)
    }

    /// Validates a cookie that the caller or a file provides, and limits its times; nil if no server could have set it.
    func checked(_ cookie: Cookie, now: Date) -> Cookie? {
        let (name, value) = (cookie.nameOctets, cookie.valueOctets)
        guard !name.isEmpty || !value.isEmpty, name.count + value.count <= SetCookie.maximumSize,
            cookie.path.utf8.count <= Self.maximumPathSize
        else { return nil }
        for octet in [name, value].joined() where CookieOctets.isControl(octet) || octet == UInt8(ascii: ";") { return nil }
        guard !name.contains(UInt8(ascii: "=")), !cookie.path.utf8.contains(where: CookieOctets.isControl) else { return nil }
        guard CookieDomain.isHost(cookie.domain), cookie.isHostOnly || !suffixes.isPublicSuffix(cookie.domain) else { return nil }
        if cookie.sameSite == .none, !cookie.isSecure { return nil }
        // Servers parse a cookie without a name as one whose name is its value (RFC 6265bis section 5.7, step 22).
        if name.isEmpty, Self.hasPrefix("__secure-", value) || Self.hasPrefix("__host-", value) { return nil }
        if Self.hasPrefix("__secure-", name), !cookie.isSecure { return nil }
        if Self.hasPrefix("__host-", name), !cookie.isSecure || !cookie.isHostOnly || cookie.path != "/" { return nil }
        return Self.bounded(cookie, now: now)
    }

    /// nil if the host must not set cookies for the field's domain.
    private func scope(of received: SetCookie, from target: CookieTarget) -> (domain: String, isHostOnly: Bool)? {
        guard !received.domain.isEmpty else { return (target.host, true) }
        guard received.domain.allSatisfy({ $0 < 0x80 }) else { return nil }
        let domain = String(decoding: received.domain, as: UTF8.self)
        if target.isAddress { return CookieDomain.canonical(domain) == target.host ? (target.host, true) : nil }
        if domain == target.host, suffixes.isPublicSuffix(domain) { return (target.host, true) }
        return suffixes.isCookieDomainAcceptable(host: target.host, domain: domain) ? (domain, false) : nil
    }

    /// `Max-Age` takes precedence over `Expires`, regardless of their order.
    private func expiry(of received: SetCookie, now: Date) -> Date? {
        guard let age = received.maxAge else { return received.expires }
        return age > 0 ? now.addingTimeInterval(TimeInterval(age)) : .distantPast
    }

    /// Limits the expiry to 400 days ahead and the creation time to now.
    private static func bounded(_ cookie: Cookie, now: Date) -> Cookie? {
        let limit = now.addingTimeInterval(TimeInterval(SetCookie.maximumAge))
        if let expires = cookie.expires, expires.timeIntervalSince1970.isNaN { return nil }
        // Clamped to a date that all arithmetic can handle.
        let expires = cookie.expires.map { max(min($0, limit), .distantPast) }
        // Compared by seconds, because dates that are NaN compare as equal.
        let (seconds, earliest) = (cookie.created.timeIntervalSince1970, Date.distantPast.timeIntervalSince1970)
        let created = seconds >= earliest && seconds <= now.timeIntervalSince1970 ? cookie.created : now
        return expires == cookie.expires && created == cookie.created ? cookie : cookie.with(expires: expires, created: created)
    }

    private static func hasPrefix(_ prefix: StaticString, _ octets: [UInt8]) -> Bool { CookieOctets.begin(octets, with: prefix) }
}
