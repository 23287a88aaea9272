import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Request {
    /// Answers a server's authentication challenge (status 401) with this user name and password: with Digest (RFC 7616) if the server
    /// offers it, otherwise with Basic (RFC 7617).
    ///
    /// The credential applies to the origin of the adapted request; after a redirect to another origin only the session's credentials are
    /// used. If the server refuses it, or wants another scheme, the request ends with the 401 response, as it does without credentials.
    /// Nothing is sent before a challenge.
    ///
    /// - Parameters:
    ///   - username: Must not contain a colon for Basic, which cannot send one.
    ///   - password: Kept in memory only.
    ///   - persistence: Whether the session keeps the credential in memory once the server has accepted it, for other requests to the same
    ///     protection space: `.forSession`, the default, or not: `.none`. `.permanent` and `.synchronizable` mean the same as
    ///     `.forSession`: nothing is written to disk.
    @discardableResult
    public func authenticate(username: String, password: String, persistence: URLCredential.Persistence = .forSession) -> Self {
        configure { $0.credential = Credential(user: username, password: password, isKept: persistence != .none) }
    }

    /// Answers an authentication challenge with a credential: see ``authenticate(username:password:persistence:)``.
    ///
    /// - Parameter credential: A credential with user name and password. Other kinds cannot answer such a challenge and are ignored.
    @discardableResult
    public func authenticate(with credential: URLCredential) -> Self {
        guard let user = credential.user, let password = credential.password else { return self }
        return authenticate(username: user, password: password, persistence: credential.persistence)
    }
}
