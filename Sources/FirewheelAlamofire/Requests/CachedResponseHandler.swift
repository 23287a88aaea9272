/// Decides which responses the session's cache stores, and in which form, in Alamofire's completion form.
///
/// It is asked about those that may be stored, and not at all in a session without a cache. A session gets one by the `configure` of its
/// initializer: `Session { $0.cache = HTTPCache() }`.
public protocol CachedResponseHandler: Sendable {
    /// Passes the response to store to the completion handler, or nil to store none.
    ///
    /// - Parameters:
    ///   - task: Has what is known of the request, and the response that is proposed.
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
    /// Weak, because the request retains the engine's, which retains this. It may have ended: a response is revalidated after the request
    /// has got a stale one.
    private weak let request: Request?

    init(_ handler: any CachedResponseHandler, of request: Request) {
        self.handler = handler
        self.request = request
    }

    func willCache(_ context: RequestContext, _ response: CachedURLResponse) async -> CachedURLResponse? {
        let task = CachingTask(of: request, context, response.response)
        return await Completion<CachedURLResponse?>.of(or: nil) { completion in
            handler.dataTask(task, willCacheResponse: response) { completion($0) }
        }
    }
}

/// The task that a handler of cached responses gets. Its request has not got the response yet, and may be gone.
private final class CachingTask: URLSessionDataTask, @unchecked Sendable {
    // Sound because its stored properties are constants of Sendable types, and a weak one.
    private weak let owner: Request?
    private let context: RequestContext
    private let proposed: URLResponse

    init(of owner: Request?, _ context: RequestContext, _ proposed: URLResponse) {
        self.owner = owner
        self.context = context
        self.proposed = proposed
        super.init()
    }

    override var taskIdentifier: Int { Int(truncatingIfNeeded: context.id) }
    override var originalRequest: URLRequest? { context.request }
    override var currentRequest: URLRequest? { owner?.task?.currentRequest ?? context.request }
    override var response: URLResponse? { proposed }
    override var error: (any Error)? { nil }
    override var state: URLSessionTask.State { owner?.task?.state ?? .completed }

    override func resume() { owner?.resume() }
    override func suspend() { owner?.suspend() }
    override func cancel() { owner?.cancel() }
}
