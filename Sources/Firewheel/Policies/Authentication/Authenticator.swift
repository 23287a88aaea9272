import Foundation

/// A credential of an ``Authenticator``, for example an access token with its refresh token.
///
/// If it is `Equatable`, a refresh that returns an equal one is recognized; see ``AuthenticationInterceptor``.
public protocol AuthenticationCredential: Sendable {
    /// Whether it must be refreshed before its next use, because it has expired or is about to. Called for each attempt of each request on
    /// any thread, so it should be fast.
    var requiresRefresh: Bool { get }
}

/// Applies a credential to requests, and refreshes it.
///
/// Called by an ``AuthenticationInterceptor`` on any thread, concurrently for several requests, and never under a lock.
public protocol Authenticator: Sendable {
    /// The credential that is added to requests, such as an access token together with the refresh token that renews it.
    associatedtype Credential: AuthenticationCredential

    /// Applies the credential to a request. Called for each attempt, with a request that has no credential of an earlier attempt.
    ///
    /// Use a field that is removed on redirects to another origin, such as `Authorization` (``HTTPHeader/authorization(bearerToken:)``).
    func apply(_ credential: Credential, to urlRequest: inout URLRequest)

    /// Obtains a new credential to replace this one. Calls do not overlap, however many requests are waiting; but one that was abandoned,
    /// after its timeout or because a credential was set, may still be running during the next.
    ///
    /// It may use the session that has the interceptor: its own requests do not wait for it, and are not authenticated by the interceptor.
    /// They must set the credentials that they need themselves.
    ///
    /// - Parameters:
    ///   - credential: The one that requires a refresh, or that the server refused.
    ///   - request: The first request that needed it. Others are waiting as well.
    /// - Returns: The new credential.
    /// - Throws: Any error: all waiting requests fail with ``FirewheelError`` of kind `authenticationFailed(.refreshFailed)`, with it as
    ///   `underlyingError`. For a cancellation error the kind is `authenticationFailed(.refreshCancelled)`.
    func refresh(_ credential: Credential, for request: RequestContext) async throws -> Credential

    /// Whether a request failed because the server did not accept its credential. Usually that is `response.statusCode == 401` (RFC 9110
    /// section 15.5.2, RFC 6750 section 3.1). Status codes are failures only with `validate()`.
    ///
    /// - Parameters:
    ///   - urlRequest: The request as it was sent, before redirects.
    ///   - response: Its response. After a redirect its `url` differs from the request's, and may be of an origin to which the credential
    ///     was not sent.
    ///   - error: The request's error.
    func didRequest(
        _ urlRequest: URLRequest, with response: HTTPURLResponse, failDueToAuthenticationError error: any Error
    ) -> Bool

    /// Whether a request has this credential. If not, it was either sent with an earlier one and is retried without a refresh, or
    /// authenticated by other means and is not retried.
    ///
    /// Compare what ``apply(_:to:)`` sets. Returning `true` for every request is wrong: each late response would start another refresh.
    func isRequest(_ urlRequest: URLRequest, authenticatedWith credential: Credential) -> Bool
}
