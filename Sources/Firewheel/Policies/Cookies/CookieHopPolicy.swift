/// The cookie hop policy: adds the jar's cookies to each hop, and stores those of its response, whatever its status.
struct CookieHopPolicy: HopPolicy {
    let jar: CookieJar

    /// No response is held, because cookies never change the verdict.
    var heldStatuses: Set<Int> { [] }

    func prepare(_ request: inout HopRequest, of owner: HopOwner) {
        guard request.handlesCookies else { return }
        if let mirror = jar.mirror {
            guard mirror.sendsCookies else { return }
            mirror.synchronize(with: jar)
        }
        // A field set by the caller replaces the jar's cookies.
        guard !jar.isEmpty, !request.headers.contains(name: CookieField.name) else { return }
        if let field = CookieField.header(jar.cookies(for: request.target)) { request = request.adding([field]) }
    }

    func judge(_ head: ResponseHead, of request: HopRequest, facts: () -> HopFacts) -> HopVerdict {
        // A cookie of a stored response may have been removed since. Most heads have none, and need no target.
        guard request.handlesCookies, head.headers.mayContain(.setCookie), !head.mark.hasStoredCookies else { return .pass }
        store(head, from: request.target)
        return .pass
    }

    /// Stores the cookies of a response.
    func store(_ head: ResponseHead, from target: TargetURI) {
        guard jar.mirror?.storesCookies != false else { return }
        jar.store(head.headers.values(for: "Set-Cookie"), from: target)
        jar.mirror?.synchronize(with: jar)
    }
}
