/// Decides whether and how to follow redirects, in Alamofire's completion form.
public protocol RedirectHandler: Sendable {
    /// Passes the request for following a redirect to the completion handler, or nil to make the redirect response the result.
    ///
    /// - Parameters:
    ///   - task: The task of the request's attempt.
    ///   - request: The request for the redirect's target.
    ///   - response: The redirect response.
    ///   - completion: Takes the decision. The first call counts.
    func task(
        _ task: URLSessionTask, willBeRedirectedTo request: URLRequest, for response: HTTPURLResponse,
        completion: @escaping (URLRequest?) -> Void)
}

/// Redirect handlers for common cases.
public struct Redirector: RedirectHandler {
    /// What to do with redirects.
    public enum Behavior: Sendable {
        /// Follow them.
        case follow
        /// Make the redirect response the result.
        case doNotFollow
        /// Ask a closure for the request; nil makes the redirect response the result.
        case modify(@Sendable (_ task: URLSessionTask, _ request: URLRequest, _ response: HTTPURLResponse) -> URLRequest?)
    }

    /// Follows redirects.
    public static let follow = Redirector(behavior: .follow)
    /// Follows no redirects.
    public static let doNotFollow = Redirector(behavior: .doNotFollow)

    /// What to do with redirects.
    public let behavior: Behavior

    /// Creates a handler with this behavior.
    public init(behavior: Behavior) {
        self.behavior = behavior
    }

    public func task(
        _ task: URLSessionTask, willBeRedirectedTo request: URLRequest, for response: HTTPURLResponse,
        completion: @escaping (URLRequest?) -> Void
    ) {
        switch behavior {
        case .follow: completion(request)
        case .doNotFollow: completion(nil)
        case .modify(let closure): completion(closure(task, request, response))
        }
    }
}

extension RedirectHandler where Self == Redirector {
    /// Follows redirects.
    public static var follow: Redirector { .follow }
    /// Follows no redirects: the redirect response is the result.
    public static var doNotFollow: Redirector { .doNotFollow }
    /// Asks a closure for the request that follows a redirect; nil makes the redirect response the result.
    public static func modify(using closure: @escaping @Sendable (URLSessionTask, URLRequest, HTTPURLResponse) -> URLRequest?) -> Redirector
    {
        Redirector(behavior: .modify(closure))
    }
}

extension RedirectHandler {
    /// The engine's handler: its own where it needs no call.
    func engineHandler(of request: Request) -> any Firewheel.RedirectHandler {
        switch (self as? Redirector)?.behavior {
        case .follow: .follow as Firewheel.Redirector
        case .doNotFollow: .doNotFollow as Firewheel.Redirector
        case .modify, nil: RedirectBridge(self, of: request)
        }
    }
}

/// Calls a redirect handler in the completion form when the engine asks for one.
struct RedirectBridge: Firewheel.RedirectHandler {
    private let handler: any RedirectHandler
    /// Weak, because the request retains the engine's, which retains this.
    private weak let request: Request?

    init(_ handler: any RedirectHandler, of request: Request) {
        self.handler = handler
        self.request = request
    }

    func redirect(_ context: RequestContext, to request: URLRequest, for response: HTTPURLResponse) async throws -> URLRequest? {
        guard let task = self.request?.task else { return nil }
        let uncalled = UncalledCompletionError(type: type(of: handler), method: "task(_:willBeRedirectedTo:for:)")
        let result = await Completion<Result<URLRequest?, any Error>>.of(
            or: .failure(CancellationError()), ifReleased: .failure(uncalled)
        ) { completion in
            handler.task(task, willBeRedirectedTo: request, for: response) { completion(.success($0)) }
        }
        return try result.get()
    }
}
