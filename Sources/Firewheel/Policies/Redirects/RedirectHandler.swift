import Foundation

/// Decides about redirects: follows them, changes them, or refuses to.
///
/// It is asked about each redirect that the rules allow. Those to another scheme than http and https, and those after the twentieth, fail
/// whatever it would say. Without a handler redirects are followed.
public protocol RedirectHandler: Sendable {
    /// The request with which to follow the redirect, or nil not to follow it: then the redirect's own response, with its body, is the
    /// result.
    ///
    /// - Parameters:
    ///   - context: What is known of the request. Its `request` is the first one, before any redirect.
    ///   - request: The request as the redirect makes it: with the method that follows from the status code (RFC 9110 section 15.4), and
    ///     without the credentials if it leads to another origin.
    ///   - response: The response that redirects.
    /// - Throws: Any error: the request fails with ``FirewheelError`` of kind `redirectHandlingFailed`, whose `underlyingError` it is.
    func redirect(_ context: RequestContext, to request: URLRequest, for response: HTTPURLResponse) async throws -> URLRequest?
}

/// The common ways to treat redirects.
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

    /// The engine reads this to do without a call, and without the values that a call needs, where it can.
    let behavior: Behavior

    /// Whether it runs no code of the caller's.
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

    /// Follows none: the redirect's own response is the result.
    public static var doNotFollow: Redirector { Redirector(behavior: .doNotFollow) }

    /// Asks a closure about each redirect.
    ///
    /// - Parameter modify: Returns the request with which to follow the redirect, or nil not to follow it; see
    ///   ``RedirectHandler/redirect(_:to:for:)``.
    public static func modify(
        _ modify: @escaping @Sendable (RequestContext, URLRequest, HTTPURLResponse) async throws -> URLRequest?
    ) -> Redirector {
        Redirector(behavior: .modify(modify))
    }
}
