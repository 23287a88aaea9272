import Firewheel

// The properties of Alamofire 4's sessions that can be set after their creation. A change applies to requests that are created afterwards.
extension Session {
    /// Changes the session's requests before they are sent: after the session's interceptor and the one that a request is created with, and
    /// before those that are added to the request. Default: nil.
    public var adapter: (any RequestAdapter)? {
        get { settings?.adapter }
        set { settingsToChange?.change { $0.adapter = newValue } }
    }

    /// Decides whether the session's failed requests are retried, if neither the session's interceptor nor the one with which a request is
    /// created retries them. Those that are added to the request are asked after it. Default: nil, no retry.
    public var retrier: (any RequestRetrier)? {
        get { settings?.retrier }
        set { settingsToChange?.change { $0.retrier = newValue } }
    }

    /// Whether attaching the first response handler starts a request; otherwise `resume()` starts it. Default: as given to the initializer.
    public var startRequestsImmediately: Bool {
        get { settings?.startsImmediately ?? startsRequestsImmediately }
        set { settingsToChange?.change { $0.startsImmediately = newValue } }
    }

    /// Whether the session's requests post the notifications `Notification.Name.Task`. Default: false.
    ///
    /// ```swift
    /// SessionManager.default.postsTaskNotifications = true
    /// ```
    public var postsTaskNotifications: Bool {
        get { settings?.postsNotifications ?? false }
        set { settingsToChange?.change { $0.postsNotifications = newValue } }
    }

    /// Decides which responses the session's cache stores, and in which form, in place of the session's `cachedResponseHandler`: returns
    /// the response to store, or nil to store none. See `CachedResponseHandler.willCache(_:_:)`. It is not called without a cache
    /// (`SessionConfiguration.cache`), and nothing is stored once the session is gone. Default: nil, the session's handler decides.
    ///
    /// In Alamofire 4 this is a property of the session's `delegate`. The `response` of the task is the proposed one.
    public var dataTaskWillCacheResponse: WillCacheResponse? {
        get { settings?.willCacheResponse }
        set { settingsToChange?.change { $0.willCacheResponse = newValue } }
    }

    /// Returns the response to store, or nil to store none.
    public typealias WillCacheResponse =
        @Sendable (_ session: Session, _ dataTask: RequestTask, _ proposedResponse: CachedURLResponse) -> CachedURLResponse?

    private var settings: SessionSettings.Values? { (requestPreparation as? SessionSettings)?.values }

    private var settingsToChange: SessionSettings? { requestPreparation(orSet: SessionSettings(of: self)) as? SessionSettings }
}

/// The settings of a session that can change after its creation.
final class SessionSettings: RequestPreparation {
    struct Values: Sendable {
        var adapter: (any RequestAdapter)?
        var retrier: (any RequestRetrier)?
        /// nil: as the session was created.
        var startsImmediately: Bool?
        var postsNotifications = false
        var willCacheResponse: Session.WillCacheResponse?
    }

    private let state = Locked(Values())
    private let owner: WeakReference<Session>

    init(of session: Session) {
        owner = WeakReference(object: session)
    }

    var session: Session? { owner.object }

    var values: Values { state.withLock { $0 } }

    func change(_ change: (inout Values) -> Void) {
        // What was replaced is released outside the lock, since that may run the caller's deinitializer.
        let replaced = state.withLock { values in
            defer { change(&values) }
            return values
        }
        withExtendedLifetime(replaced) {}
    }

    func prepare(_ request: Request) {
        let values = values
        if let startsImmediately = values.startsImmediately { request.startImmediately(startsImmediately) }
        if values.postsNotifications { request.eventMonitor(TaskNotifications(sender: WeakReference(object: request))) }
        if values.adapter != nil || values.retrier != nil {
            request.interceptor(SettingsInterceptor(settings: self, request: WeakReference(object: request)))
        }
        if values.willCacheResponse != nil { request.cacheResponse(using: SettingsCacher(settings: self)) }
    }
}

/// Asks the current closure of a session about the responses of a request, or the session's handler if there is none any more.
private struct SettingsCacher: CachedResponseHandler {
    let settings: SessionSettings

    func willCache(_ context: RequestContext, _ response: CachedURLResponse) async -> CachedURLResponse? {
        // What cannot be asked about is not stored, because the closure might refuse it.
        guard let session = settings.session else { return nil }
        if let decide = settings.values.willCacheResponse {
            return decide(session, RequestTask(context, receiving: response.response), response)
        }
        guard let handler = session.cachedResponseHandler else { return response }
        return await handler.willCache(context, response)
    }
}

/// Passes one request to the current adapter and retrier of its session.
private struct SettingsInterceptor: RequestInterceptor {
    let settings: SessionSettings
    let request: WeakReference<Request>

    func adapt(_ urlRequest: URLRequest, for context: RequestContext) async throws -> URLRequest {
        try settings.values.adapter?.adapt(urlRequest) ?? urlRequest
    }

    func retry(_ context: RequestContext, dueTo error: any Error) async -> RetryResult {
        guard let retrier = settings.values.retrier, let manager = settings.session, let request = request.object else {
            return .doNotRetry
        }
        return await retryResult { completion in retrier.should(manager, retry: request, with: error, completion: completion) }
    }
}

/// A reference that does not retain.
struct WeakReference<Object: AnyObject & Sendable>: Sendable {
    weak var object: Object?
}
