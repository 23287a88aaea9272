/// What a session does with cookies.
public enum CookieUse: Sendable {
    /// Each session has a jar of its own, in memory: ``Session/cookieJar``. Sessions made from one configuration, or from copies of it,
    /// share nothing.
    case perSession
    /// The session uses this jar, together with whoever else has it.
    case jar(CookieJar)
    /// No cookie is kept, and only those are sent that a request's own `Cookie` field has.
    case off
}

extension CookieUse: CustomStringConvertible {
    /// Never a cookie.
    public var description: String {
        switch self {
        case .perSession: "perSession"
        case .jar(let jar): "jar(\(jar))"
        case .off: "off"
        }
    }
}
