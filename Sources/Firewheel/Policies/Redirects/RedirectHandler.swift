import Foundation

/// Decides whether and how to follow redirects.
///
/// It is called for each permitted redirect. Redirects to a scheme other than http and https, and those after the twentieth, always fail.
/// Without a handler redirects are followed.
public protocol RedirectHandler: Sendable {
    /// Returns the request for following the redirect, or nil to make the redirect response, with its body, the result.
    ///
    /// - Parameters:
    ///   - context: The state of the request. Its `request` is the first one, before any redirect.
    ///   - request: The redirected request: with the method that the status code requires (RFC 9110 section 15.4), and without credentials
    ///     if it leads to another origin.
    ///   - response: The redirect response.
    /// - Throws: Any error: the request fails with ``FirewheelError`` of kind `redirectHandlingFailed`, with it as `underlyingError`.
    func redirect(_ context: RequestContext, to request: URLRequest, for response: HTTPURLResponse) async throws -> URLRequest?
}

/// Redirect handlers for common cases.
///
/// ```swift
/// HTTP.request("https://example.com/short").redirect(using: .doNotFollow)
/// ```
public struct Redirector: RedirectHandler {
    enum Behavior: Sendable {
        case follow
        case doNotFollow
        case modify(@Sendable (RequestContext, URLRequest, HTTPURLResponse) async throws -> URLRequest?)
    }

    /// Read by the engine, which avoids the call and its values where possible.
    let behavior: Behavior

    /// Whether it runs none of the caller's code.
    var isFixed: Bool {
        switch behavior {
        case .follow, .doNotFollow: true
        case .modify: false
        }
    }

    public func redirect(_ context: RequestContext, to request: URLRequest, for response: HTTPURLResponse) async throws -> URLRequest? {
        switch behavior {
        case .follow: request
        case .doNotFollow: nil
        case .modify(let modify): try await modify(context, request, response)
        }
    }
}

extension RedirectHandler where Self == Redirector {
    /// Follows redirects, as without a handler.
    public static var follow: Redirector { Redirector(behavior: .follow) }

    /// Follows no redirects: the redirect response is the result.
    public static var doNotFollow: Redirector { Redirector(behavior: .doNotFollow) }

    /// Calls a closure for each redirect.
    ///
    /// - Parameter modify: Returns the request for following the redirect, or nil not to follow it; see
    ///   ``RedirectHandler/redirect(_:to:for:)``.
    public static func modify(
        _ modify: @escaping @Sendable (RequestContext, URLRequest, HTTPURLResponse) async throws -> URLRequest?
    ) -> Redirector {
        Redirector(behavior: .modify(modify))
    }
}
