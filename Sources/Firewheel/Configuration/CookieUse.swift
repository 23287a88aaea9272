/// How a session handles cookies.
public enum CookieUse: Sendable {
    /// Each session has its own jar, in memory: ``Session/cookieJar``. Sessions made from one configuration, or from copies of it, share
    /// nothing.
    case perSession
    /// The session uses this jar, which may be shared.
    case jar(CookieJar)
    /// Cookies are not stored, and only a request's own `Cookie` field is sent.
    case off
}

extension CookieUse: CustomStringConvertible {
    /// The kind of use, without any cookie.
    public var description: String {
        switch self {
        case .perSession: "perSession"
        case .jar(let jar): "jar(\(jar))"
        case .off: "off"
        }
    }
}
