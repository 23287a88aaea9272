import Foundation

/// A cookie of RFC 6265bis.
///
/// Its value is treated as a secret: descriptions and `dump` do not show it.
public struct Cookie: Sendable, Hashable {
    /// The cross-site requests for which a browser would send the cookie. A client without documents has no such requests, so the value is
    /// kept but not enforced.
    public enum SameSite: String, Sendable, Hashable {
        /// The attribute is absent.
        case `default`
        /// Also sent with a navigation from another site with a safe method, such as following a link.
        case lax
        /// Only sent with requests from pages of the same site.
        case strict
        /// Requires `Secure`.
        case none
    }

    /// The name's bytes. Empty if the server gave no name; then only the value is sent.
    let nameOctets: [UInt8]
    let valueOctets: [UInt8]
    /// The host or domain, in lower case and without a leading dot; an IPv6 address has no brackets.
    public let domain: String
    /// Whether it is sent only to that host, not to its subdomains. Always true for IP addresses.
    public let isHostOnly: Bool
    /// The path at and below which it is sent (RFC 6265bis section 5.1.4).
    public let path: String
    /// nil for a session cookie, which does not expire.
    public let expires: Date?
    /// Whether it is sent only over https.
    public let isSecure: Bool
    /// Whether the scripts of a page may not read it. Kept for information; this client runs no scripts.
    public let isHTTPOnly: Bool
    /// The `SameSite` attribute; `.default` if the server set none.
    public let sameSite: SameSite
    /// When the cookie was first stored: with paths of equal length the older one is sent first.
    public let created: Date

    /// The name as text: UTF-8 if valid, otherwise ISO-8859-1. Empty if the server gave no name.
    public var name: String { FieldOctets.text(nameOctets) }

    /// The value as text: UTF-8 if valid, otherwise ISO-8859-1. It is not decoded, and quotes are part of it.
    public var value: String { FieldOctets.text(valueOctets) }

    /// Creates a cookie. ``CookieJar/store(_:)`` reports whether it can be stored.
    ///
    /// - Parameters:
    ///   - name: Must not contain `=` or `;`. Sent as UTF-8.
    ///   - value: Must not contain `;`. Sent unchanged as UTF-8, so it must already be encoded if necessary.
    ///   - domain: A host or a domain; international names in their ASCII form (`xn--...`).
    ///   - isHostOnly: Whether it is sent only to that host. Default: true.
    ///   - path: The path at and below which it is sent. Without a leading slash it counts as `/`, the default.
    ///   - expires: Default: nil, a session cookie. Limited to 400 days ahead (RFC 6265bis section 5.5).
    ///   - isSecure: Whether it is sent only over https. Default: false.
    ///   - isHTTPOnly: Default: false.
    ///   - sameSite: Default: as if the attribute were absent.
    ///   - created: Default: now. A cookie that replaces another keeps that one's time.
    public init(
        name: String, value: String, domain: String, isHostOnly: Bool = true, path: String = "/", expires: Date? = nil,
        isSecure: Bool = false, isHTTPOnly: Bool = false, sameSite: SameSite = .default, created: Date = Date()
    ) {
        self.init(
            name: Array(name.utf8), value: Array(value.utf8), domain: domain, isHostOnly: isHostOnly, path: path, expires: expires,
            isSecure: isSecure, isHTTPOnly: isHTTPOnly, sameSite: sameSite, created: created)
    }

    init(
        name: [UInt8], value: [UInt8], domain: String, isHostOnly: Bool, path: String, expires: Date?, isSecure: Bool, isHTTPOnly: Bool,
        sameSite: SameSite, created: Date
    ) {
        nameOctets = name
        valueOctets = value
        let domain = CookieDomain.canonical(domain)
        self.domain = domain
        self.isHostOnly = isHostOnly || CookieDomain.isAddress(domain)
        self.path = path.utf8.first == UInt8(ascii: "/") ? path : "/"
        self.expires = expires
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.sameSite = sameSite
        self.created = created
    }

    /// The cookie with other times.
    func with(expires: Date?, created: Date) -> Cookie {
        Cookie(
            name: nameOctets, value: valueOctets, domain: domain, isHostOnly: isHostOnly, path: path, expires: expires, isSecure: isSecure,
            isHTTPOnly: isHTTPOnly, sameSite: sameSite, created: created)
    }

    /// The key of a cookie within its domain: a jar keeps one cookie for each (RFC 6265bis section 5.7, step 23).
    struct Identity: Sendable, Hashable {
        let name: [UInt8]
        let isHostOnly: Bool
        let path: String
    }

    var identity: Identity { Identity(name: nameOctets, isHostOnly: isHostOnly, path: path) }

    func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }
}

extension Cookie: CustomStringConvertible, CustomReflectable {
    /// Everything except the value.
    public var description: String {
        var text = "Cookie(\(name.isEmpty ? "" : "\(name)=")\(Redaction.mark); \(isHostOnly ? "Host" : "Domain")=\(domain); Path=\(path)"
        if let expires { text += "; Expires=\(Self.text(expires))" }
        if isSecure { text += "; Secure" }
        if isHTTPOnly { text += "; HttpOnly" }
        if sameSite != .default { text += "; SameSite=\(sameSite.rawValue)" }
        return (text + ")").onOneLine
    }

    /// What `dump` and debuggers show: everything except the value.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "name": name, "value": Redaction.mark, "domain": domain, "isHostOnly": isHostOnly, "path": path,
                "expires": expires.map(Self.text) as Any,
                "isSecure": isSecure, "isHTTPOnly": isHTTPOnly, "sameSite": sameSite, "created": Self.text(created),
            ], displayStyle: .struct)
    }

    /// Foundation traps when it describes a date that is NaN.
    private static func text(_ date: Date) -> String { date.timeIntervalSince1970.isNaN ? "NaN" : "\(date)" }
}
