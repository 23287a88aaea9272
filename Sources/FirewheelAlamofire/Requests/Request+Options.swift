// The options of a single request.
extension Request {
    /// Answers a server's authentication challenge with this user name and password.
    @discardableResult
    public func authenticate(username: String, password: String, persistence: URLCredential.Persistence = .forSession) -> Self {
        base.authenticate(username: username, password: password, persistence: persistence)
        return self
    }

    /// Answers a server's authentication challenge with this credential.
    @discardableResult
    public func authenticate(with credential: URLCredential) -> Self {
        base.authenticate(with: credential)
        return self
    }

    /// Adds an interceptor, after those that were added before.
    @discardableResult
    public func interceptor(_ interceptor: any RequestInterceptor) -> Self {
        addInterceptor { current in current.map { Interceptor(interceptors: [$0, interceptor]) } ?? interceptor }
        return self
    }

    /// Adds an adapter, after those that were added before.
    @discardableResult
    public func adapt(using adapter: any RequestAdapter) -> Self {
        addInterceptor { Interceptor(adapters: ($0.map { [$0] } ?? []) + [adapter], retriers: $0.map { [$0] } ?? []) }
        return self
    }

    /// Adds a retrier, after those that were added before.
    @discardableResult
    public func retry(using retrier: any RequestRetrier) -> Self {
        addInterceptor { Interceptor(adapters: $0.map { [$0] } ?? [], retriers: ($0.map { [$0] } ?? []) + [retrier]) }
        return self
    }

    /// Decides about redirects of this request, instead of the session's handler.
    @discardableResult
    public func redirect(using handler: any RedirectHandler) -> Self {
        base.redirect(using: handler.engineHandler(of: self))
        return self
    }

    /// Decides which responses of this request the session's cache stores, instead of the session's handler. Without a cache it is not
    /// asked.
    @discardableResult
    public func cacheResponse(using handler: any CachedResponseHandler) -> Self {
        base.cacheResponse(using: handler.engineHandler(of: self))
        return self
    }

    // MARK: Progress

    /// Calls a closure on the main actor when more of the request's body was sent.
    @discardableResult
    public func uploadProgress(closure: @escaping @MainActor (Progress) -> Void) -> Self {
        base.uploadProgress(closure: closure)
        return self
    }

    /// Calls a closure on a queue when more of the request's body was sent.
    @discardableResult
    public func uploadProgress(queue: DispatchQueue, closure: @escaping ProgressHandler) -> Self {
        base.uploadProgress(queue: queue, closure: closure)
        return self
    }

    /// Calls a closure on the main actor when more of the response's body was received.
    @discardableResult
    public func downloadProgress(closure: @escaping @MainActor (Progress) -> Void) -> Self {
        base.downloadProgress(closure: closure)
        return self
    }

    /// Calls a closure on a queue when more of the response's body was received.
    @discardableResult
    public func downloadProgress(queue: DispatchQueue, closure: @escaping ProgressHandler) -> Self {
        base.downloadProgress(queue: queue, closure: closure)
        return self
    }

    // MARK: Observation

    /// The request as an equivalent curl command, with credentials redacted; a text that says so if it has not been created.
    public func cURLDescription() -> String { base.cURLDescription() }

    /// Calls a closure on the session's root queue, once, with the request as a curl command, when it has been created or has failed.
    @discardableResult
    public func cURLDescription(calling handler: @escaping @Sendable (String) -> Void) -> Self {
        cURLDescription(on: underlyingQueue, calling: handler)
    }

    /// Calls a closure on a queue, once, with the request as a curl command, when it has been created or has failed.
    @discardableResult
    public func cURLDescription(on queue: DispatchQueue, calling handler: @escaping @Sendable (String) -> Void) -> Self {
        base.cURLDescription(on: queue, calling: handler)
        return self
    }

    /// Calls a closure on the main actor with each `URLRequest` that is created for this request.
    @discardableResult
    public func onURLRequestCreation(perform handler: @escaping @MainActor (URLRequest) -> Void) -> Self {
        base.onURLRequestCreation(perform: handler)
        return self
    }

    /// Calls a closure on a queue with each `URLRequest` that is created for this request.
    @discardableResult
    public func onURLRequestCreation(on queue: DispatchQueue, perform handler: @escaping @Sendable (URLRequest) -> Void) -> Self {
        base.onURLRequestCreation(on: queue, perform: handler)
        return self
    }
}
