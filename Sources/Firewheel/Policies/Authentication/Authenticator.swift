import Foundation

/// What an ``Authenticator`` puts into requests: an access token with its refresh token, for instance.
///
/// If it is `Equatable`, a refresh that returns an equal one is recognised; see ``AuthenticationInterceptor``.
public protocol AuthenticationCredential: Sendable {
    /// Whether it is to be refreshed before it is used again, since it has expired or is about to. It is asked for each attempt of each
    /// request, on any thread, so it should be quick.
    var requiresRefresh: Bool { get }
}

/// How requests are authenticated with a credential, and how the credential is refreshed.
///
/// An ``AuthenticationInterceptor`` calls it, on any thread and for several requests at once, but never holds a lock meanwhile.
public protocol Authenticator: Sendable {
    /// What is put into requests, such as an access token together with the refresh token that renews it.
    associatedtype Credential: AuthenticationCredential

    /// Puts the credential into a request. It is called for each attempt, with a request that has none of an earlier attempt.
    ///
    /// Put it into a field that redirects to another origin drop, such as `Authorization` (``HTTPHeader/authorization(bearerToken:)``).
    func apply(_ credential: Credential, to urlRequest: inout URLRequest)

    /// Gets a new credential in the place of this one. There is one call at a time, however many requests wait for it; a call that was
    /// given up, after its timeout or since a credential was set, may still be running beside the next.
    ///
    /// It may use the session that has the interceptor: its own requests do not wait for it, and the interceptor leaves them as they are.
    /// What they need of the credential they set themselves.
    ///
    /// - Parameters:
    ///   - credential: The one that requires a refresh, or that the server refused.
    ///   - request: The request that was the first to need it. The others wait as well.
    /// - Returns: The new credential.
    /// - Throws: Any error: all requests that wait fail with ``FirewheelError`` of kind `authenticationFailed(.refreshFailed)`, whose
    ///   `underlyingError` it is. An error that says that something was cancelled makes it `authenticationFailed(.refreshCancelled)`.
    func refresh(_ credential: Credential, for request: RequestContext) async throws -> Credential

    /// Whether a request failed because the server did not accept its credential. Mostly that is `response.statusCode == 401` (RFC 9110
    /// section 15.5.2, RFC 6750 section 3.1). Status codes are failures only where the request has `validate()`.
    ///
    /// - Parameters:
    ///   - urlRequest: The request as it was sent, before redirects.
    ///   - response: Its response. After a redirect its `url` is another than the request's, maybe of an origin to which the credential was
    ///     not sent.
    ///   - error: Why the request failed.
    func didRequest(
        _ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
    ) -> Bool

    /// Whether a request carries this credential. If not, it was sent with an earlier one and is sent again without a refresh, or
    /// something else has authenticated it, and it is not retried.
    ///
    /// Compare what ``apply(_:to:)`` sets. `true` for every request is wrong: each request that comes back late would start another
    /// refresh.
    func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Credential) -> Bool
}
