/// Another place where the cookies of a jar are kept: `FirewheelAlamofire` has one for `HTTPCookieStorage`.
package protocol CookieMirror: AnyObject, Sendable {
    /// Whether requests send the jar's cookies.
    var sendsCookies: Bool { get }
    /// Whether the cookies of responses are stored in the jar.
    var storesCookies: Bool { get }

    /// Passes on what has changed on either side. Called before a hop sends cookies, and when those of its response were stored.
    func synchronize(with jar: CookieJar)
}
