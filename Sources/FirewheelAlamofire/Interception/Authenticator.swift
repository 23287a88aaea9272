/// Applies a credential to requests, and refreshes it, in Alamofire's completion form.
///
/// Called by an ``AuthenticationInterceptor`` on any thread, concurrently for several requests, and never under a lock.
public protocol Authenticator: AnyObject, Sendable {
    /// The credential that is added to requests, such as an access token together with the refresh token that renews it.
    associatedtype Credential: AuthenticationCredential & Sendable

    /// Applies the credential to a request. Called for each attempt.
    func apply(_ credential: Credential, to urlRequest: inout URLRequest)

    /// Obtains a new credential to replace this one, and passes it, or an error, to the completion handler.
    ///
    /// Called once for any number of requests that wait for it. The first call of the completion handler counts. If it is released without
    /// having been called, the waiting requests fail. If it is kept and never called, they wait until they are cancelled, their resource
    /// timeout is exceeded, or ``AuthenticationInterceptor/credential`` is set.
    ///
    /// Do not send the request for the new credential with the interceptor: it may have to wait for itself. Use another session, or a
    /// request of a session that has the interceptor on single requests only.
    ///
    /// - Parameters:
    ///   - credential: The one that requires a refresh, or that the server refused.
    ///   - session: The session of the first request that needed it.
    ///   - completion: Takes the result. It may be called at once, and on any thread.
    func refresh(
        _ credential: Credential, for session: Session, completion: @escaping @Sendable (Result<Credential, any Error>) -> Void)

    /// Whether a request failed because the server did not accept its credential. Usually that is `response.statusCode == 401`. Status
    /// codes are failures only with `validate()`.
    ///
    /// - Parameters:
    ///   - urlRequest: The request as it was sent, before redirects.
    ///   - response: Its response.
    ///   - error: The request's error: an ``AFError``.
    func didRequest(
        _ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
    ) -> Bool

    /// Whether a request has this credential. If not, it is retried without a refresh, because it was sent with an earlier one.
    ///
    /// Compare what ``apply(_:to:)`` sets. If the server never revokes credentials, return true. With an implementation that always returns
    /// false, a refused request is sent again and again.
    func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Credential) -> Bool
}

/// Why an ``AuthenticationInterceptor`` cannot authenticate a request: the underlying error of `AFError.requestAdaptationFailed`, or the
/// retry error of `AFError.requestRetryFailed`.
public enum AuthenticationError: Error {
    /// The interceptor has no credential: none was set, or it was set to nil.
    case missingCredential
    /// Another refresh was needed after as many as the ``AuthenticationInterceptor/RefreshWindow`` allows.
    case excessiveRefresh
}

extension AuthenticationError: CustomStringConvertible, LocalizedError {
    /// What is missing, or what happened too often.
    public var description: String {
        switch self {
        case .missingCredential: "the request cannot be authenticated without a credential (set the interceptor's credential)"
        case .excessiveRefresh: "the credential was refreshed too often (see RefreshWindow)"
        }
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}
