import Foundation

/// A cookie, as RFC 6265bis has it: what goes back to the server, and to which requests.
///
/// Its value is taken for a secret: it is in no description and not in what `dump` shows.
public struct Cookie: Sendable, Hashable {
    /// For which requests of other sites a browser would send the cookie. A client without documents has no such requests: it is kept, and
    /// not enforced.
    public enum SameSite: String, Sendable, Hashable {
        /// The server did not say.
        case `default`
        /// Also with a navigation from another site by a safe method, such as a link that is followed.
        case lax
        /// Only with requests that a page of the same site makes.
        case strict
        /// Only together with `Secure`.
        case none
    }

    /// The name as bytes. Empty where the server gave none, and then the value is sent alone.
    let nameOctets: [UInt8]
    let valueOctets: [UInt8]
    /// The host, or the domain, in lower case and without a leading dot; an IPv6 address without brackets.
    public let domain: String
    /// Whether it goes to that host only, and not to the hosts below it too. Always true where the domain is an IP address.
    public let isHostOnly: Bool
    /// Requests to this path and below it send the cookie (RFC 6265bis section 5.1.4).
    public let path: String
    /// nil for a session cookie, which has no time of its own.
    public let expires: Date?
    /// Whether it goes over https only.
    public let isSecure: Bool
    /// Whether scripts of a page may not see it, which is kept for whoever reads it: there are no scripts here.
    public let isHTTPOnly: Bool
    /// What the server said about requests of other sites; `.default` if nothing.
    public let sameSite: SameSite
    /// When the cookie was first stored: of two with paths of one length the older is sent first.
    public let created: Date

    /// The name as text: UTF-8 if it is that, else ISO-8859-1. Empty if the server gave none.
    public var name: String { FieldOctets.text(nameOctets) }

    /// The value as text: UTF-8 if it is that, else ISO-8859-1. Nothing in it is decoded, and quotes are part of it.
    public var value: String { FieldOctets.text(valueOctets) }

    /// A cookie to be stored by hand. ``CookieJar/store(_:)`` says whether it is one that can be kept.
    ///
    /// - Parameters:
    ///   - name: Without `=` and `;`. Sent as UTF-8.
    ///   - value: Without `;`. Sent as UTF-8, and as it is: what is to be encoded has to be already.
    ///   - domain: A host or a domain; international names in their ASCII form (`xn--...`).
    ///   - isHostOnly: Whether it is for that host only. Default: true.
    ///   - path: Where it is sent, with all below. What does not begin with a slash counts as `/`, the default.
    ///   - expires: Default: nil, a session cookie. At most 400 days ahead count (RFC 6265bis section 5.5).
    ///   - isSecure: Whether it goes over https only. Default: false.
    ///   - isHTTPOnly: Default: false.
    ///   - sameSite: Default: as if the server had not said.
    ///   - created: Default: now. A cookie that replaces another takes over that one's.
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

    /// The same cookie with other times.
    func with(expires: Date?, created: Date) -> Cookie {
        Cookie(
            name: nameOctets, value: valueOctets, domain: domain, isHostOnly: isHostOnly, path: path, expires: expires, isSecure: isSecure,
            isHTTPOnly: isHTTPOnly, sameSite: sameSite, created: created)
    }

    /// Of those of one domain with the same identity a jar keeps only one (RFC 6265bis section 5.7, step 23).
    struct Identity: Sendable, Hashable {
        let name: [UInt8]
        let isHostOnly: Bool
        let path: String
    }

    var identity: Identity { Identity(name: nameOctets, isHostOnly: isHostOnly, path: path) }

    func isExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }
}

extension Cookie: CustomStringConvertible, CustomReflectable {
    /// All but the value.
    public var description: String {
        var text = "Cookie(\(name.isEmpty ? "" : "\(name)=")\(Redaction.mark); \(isHostOnly ? "Host" : "Domain")=\(domain); Path=\(path)"
        if let expires { text += "; Expires=\(Self.text(expires))" }
        if isSecure { text += "; Secure" }
        if isHTTPOnly { text += "; HttpOnly" }
        if sameSite != .default { text += "; SameSite=\(sameSite.rawValue)" }
        return (text + ")").onOneLine
    }

    /// What `dump` and debuggers show: all but the value.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "name": name, "value": Redaction.mark, "domain": domain, "isHostOnly": isHostOnly, "path": path,
                "expires": expires.map(Self.text) as Any,
                "isSecure": isSecure, "isHTTPOnly": isHTTPOnly, "sameSite": sameSite, "created": Self.text(created),
            ], displayStyle: .struct)
    }

    /// Foundation ends the program where it is to describe a date that is not a number.
    private static func text(_ date: Date) -> String { date.timeIntervalSince1970.isNaN ? "NaN" : "\(date)" }
}
