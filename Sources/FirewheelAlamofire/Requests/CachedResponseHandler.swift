/// Decides which responses the session's cache stores, and in which form, in Alamofire's completion form.
///
/// It is asked about those that may be stored, and not at all in a session without a cache. A session gets one by the `configure` of its
/// initializer: `Session { $0.cache = HTTPCache() }`.
public protocol CachedResponseHandler: Sendable {
    /// Passes the response to store to the completion handler, or nil to store none.
    ///
    /// - Parameters:
    ///   - task: The task of the request's attempt.
    ///   - response: The server's response.
    ///   - completion: Takes the decision. The first call counts. If it is released without a call, nothing is stored.
    func dataTask(
        _ task: URLSessionDataTask, willCacheResponse response: CachedURLResponse, completion: @escaping (CachedURLResponse?) -> Void)
}

/// Handlers of cached responses for common cases.
public struct ResponseCacher: CachedResponseHandler {
    /// What to do with responses that may be stored.
    public enum Behavior: Sendable {
        /// Store them.
        case cache
        /// Store none.
        case doNotCache
        /// Ask a closure for the response to store; nil stores none.
        case modify(@Sendable (_ task: URLSessionDataTask, _ cachedResponse: CachedURLResponse) -> CachedURLResponse?)
    }

    /// Stores responses that may be stored.
    public static let cache = ResponseCacher(behavior: .cache)
    /// Stores no responses.
    public static let doNotCache = ResponseCacher(behavior: .doNotCache)

    /// What to do with responses that may be stored.
    public let behavior: Behavior

    /// Creates a handler with this behavior.
    public init(behavior: Behavior) {
        self.behavior = behavior
    }

    public func dataTask(
        _ task: URLSessionDataTask, willCacheResponse response: CachedURLResponse, completion: @escaping (CachedURLResponse?) -> Void
    ) {
        switch behavior {
        case .cache: completion(response)
        case .doNotCache: completion(nil)
        case .modify(let closure): completion(closure(task, response))
        }
    }
}

extension CachedResponseHandler where Self == ResponseCacher {
    /// Stores responses that may be stored.
    public static var cache: ResponseCacher { .cache }
    /// Stores no responses.
    public static var doNotCache: ResponseCacher { .doNotCache }
    /// Asks a closure for the response to store; nil stores none.
    public static func modify(
        using closure: @escaping @Sendable (URLSessionDataTask, CachedURLResponse) -> CachedURLResponse?
    ) -> ResponseCacher {
        ResponseCacher(behavior: .modify(closure))
    }
}

extension CachedResponseHandler {
    /// The engine's handler: its own where it needs no call.
    func engineHandler(of request: Request) -> any Firewheel.CachedResponseHandler {
        switch (self as? ResponseCacher)?.behavior {
        case .cache: .cache as Firewheel.ResponseCacher
        case .doNotCache: .doNotCache as Firewheel.ResponseCacher
        case .modify, nil: CachedResponseBridge(self, of: request)
        }
    }
}

/// Calls a handler of cached responses in the completion form when the engine asks for one.
struct CachedResponseBridge: Firewheel.CachedResponseHandler {
    private let handler: any CachedResponseHandler
    /// Weak, because the request retains the engine's, which retains this.
    private weak let request: Request?

    init(_ handler: any CachedResponseHandler, of request: Request) {
        self.handler = handler
        self.request = request
    }

    func willCache(_ context: RequestContext, _ response: CachedURLResponse) async -> CachedURLResponse? {
        // What cannot be asked about is not stored, because the handler might refuse it.
        guard let task = request?.task as? URLSessionDataTask else { return nil }
        return await Completion<CachedURLResponse?>.of(or: nil) { completion in
            handler.dataTask(task, willCacheResponse: response) { completion($0) }
        }
    }
}
