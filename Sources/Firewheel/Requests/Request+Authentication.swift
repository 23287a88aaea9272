import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Request {
    /// Answers a server's challenge (status 401) for a user name and password with this credential: Digest (RFC 7616) if the server offers
    /// it, else Basic (RFC 7617).
    ///
    /// It is for the origin of the request as adapters have left it; where a redirect leads to another origin only the session's
    /// credentials are used. A server that refuses it, or wants another kind, ends the request with its 401 response, as one without
    /// credentials does. Before it was challenged the request says nothing.
    ///
    /// - Parameters:
    ///   - username: Without a colon for Basic, which cannot send one.
    ///   - password: Kept in memory only.
    ///   - persistence: Whether the session keeps the credential in memory once the server has accepted it, for other requests to the same
    ///     protection space: `.forSession`, the default, or not: `.none`. `.permanent` and `.synchronizable` mean the same as
    ///     `.forSession`: nothing is written to disk.
    @discardableResult
    public func authenticate(username: String, password: String, persistence: URLCredential.Persistence = .forSession) -> Self {
        configure { $0.credential = Credential(user: username, password: password, isKept: persistence != .none) }
    }

    /// Answers a server's challenge with a credential: see ``authenticate(username:password:persistence:)``.
    ///
    /// - Parameter credential: One with user name and password. Any other answers no challenge of this kind, and is ignored.
    @discardableResult
    public func authenticate(with credential: URLCredential) -> Self {
        guard let user = credential.user, let password = credential.password else { return self }
        return authenticate(username: user, password: password, persistence: credential.persistence)
    }
}
