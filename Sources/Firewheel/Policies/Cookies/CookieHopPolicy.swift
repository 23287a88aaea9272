/// Cookies as a policy of hops: each sends those that a jar has for it, and stores what its response sets, whatever its status.
struct CookieHopPolicy: HopPolicy {
    let jar: CookieJar

    /// It only looks on: no response waits for it.
    var heldStatuses: Set<Int> { [] }

    func prepare(_ request: inout HopRequest, of owner: HopOwner) {
        // What the caller has set is all that is sent.
        guard !jar.isEmpty, !request.headers.contains(name: CookieField.name) else { return }
        if let field = CookieField.header(jar.cookies(for: request.target)) { request = request.adding([field]) }
    }

    func judge(_ head: ResponseHead, of request: HopRequest, facts: () -> HopFacts) -> HopVerdict {
        if head.headers.mayContain(.setCookie) { jar.store(head.headers.values(for: "Set-Cookie"), from: request.target) }
        return .pass
    }
}
