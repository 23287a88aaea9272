import Firewheel

/// Makes requests in the manner of AFNetworking's `AFHTTPSessionManager`: with a serializer for requests, one for responses, and a handler
/// each for success and failure.
///
/// ```swift
/// let manager = HTTPSessionManager(baseURL: URL(string: "https://api.example.com/v1"))
/// manager.requestSerializer.setValue("1.0", forHTTPHeaderField: "X-Version")
/// manager.get("users", parameters: ["page": 2], success: { request, value in
///     print(value ?? "nothing")
/// }, failure: { request, error in
///     print(error)
/// })
/// ```
///
/// Every method is a short form of the ``session``'s, and returns its request. All properties can be set at any time on any thread; a
/// change applies to requests that are made afterwards. Changes of the serializers in place, such as `setValue`, wait for each other, so
/// that none is lost.
///
/// Handlers are called on ``completionQueue``, so in Swift 6 mode they belong to no actor. Those of a view model, which the main actor
/// calls, are attached to the request instead: `manager.get("users")?.responseJSON { self.users = $0.value }`.
///
/// A class that inherits from it, for example for a shared instance, should only have constant properties of Sendable types.
open class HTTPSessionManager: @unchecked Sendable {
    // Sound because all stored properties are constants, of Sendable types and a lock.

    /// Called with the request and the value that ``responseSerializer`` made, nil for an empty body.
    public typealias SuccessHandler = @Sendable (_ request: DataRequest, _ value: sending Any?) -> Void
    /// Called with the error, and the request; nil if the parameters could not be serialized, or if it ended without having started and is
    /// not retained.
    ///
    /// The error of a response is a `FirewheelError`; its `FirewheelError.responseValue` is the parsed body of a response whose status
    /// code is not acceptable.
    public typealias FailureHandler = @Sendable (_ request: DataRequest?, _ error: any Error) -> Void
    /// Called when the progress of a request's or a response's body has changed, on ``completionQueue``.
    public typealias ProgressHandler = @Sendable (Progress) -> Void

    struct Settings: Sendable {
        var requestSerializer = HTTPRequestSerializer()
        var responseSerializer = HTTPResponseSerializer.json
        var completionQueue: DispatchQueue?
        var completionGroup: DispatchGroup?
        /// nil for the shared one.
        var reachabilityManager: AFNetworkReachabilityManager?

        var queue: DispatchQueue { completionQueue ?? .main }
    }

    /// The session that makes the requests.
    public let session: Session

    private let state = Locked(Settings())
    /// Held while a serializer is changed in place. Only other threads' changes wait for it: whoever makes one may use the manager.
    private let changes = NSRecursiveLock()

    /// Creates a manager with a session of its own.
    ///
    /// - Parameters:
    ///   - baseURL: The base of relative URLs (RFC 3986 section 5). A slash is appended to its path unless it ends with one or is empty.
    ///     Default: nil: that of the configuration.
    ///   - configuration: How requests are made. Default: `.default`.
    ///   - securityPolicy: Which servers https requests are sent to. Default: those that the system or the configuration's `tls` trusts.
    public init(baseURL: URL? = nil, configuration: SessionConfiguration = .default, securityPolicy: SecurityPolicy = .default) {
        var configuration = configuration
        if let base = baseURL ?? configuration.baseURL {
            configuration.baseURL = base.path.isEmpty || base.absoluteString.hasSuffix("/") ? base : base.appendingPathComponent("")
        }
        session = Session(configuration: configuration, serverTrustManager: securityPolicy.manager)
    }

    /// Creates a manager for a session with interceptors, a redirect handler or event monitors.
    ///
    /// - Parameter session: Its configuration has the base of relative URLs.
    public init(session: Session) {
        self.session = session
    }

    // MARK: Settings

    /// The base of relative URLs; nil for none.
    public var baseURL: URL? { session.configuration.baseURL }

    /// Creates requests: with default header fields and settings, and encoded parameters. Default: a form.
    public var requestSerializer: HTTPRequestSerializer {
        get { settings.requestSerializer }
        _modify { yield &self[changing: \.requestSerializer] }
    }

    /// Checks and parses responses. Default: JSON.
    public var responseSerializer: HTTPResponseSerializer {
        get { settings.responseSerializer }
        _modify { yield &self[changing: \.responseSerializer] }
    }

    /// A serializer, which other threads do not change while it is changed in place.
    private subscript<Serializer: Sendable>(changing path: WritableKeyPath<Settings, Serializer> & Sendable) -> Serializer {
        get { settings[keyPath: path] }
        _modify {
            changes.lock()
            var serializer = settings[keyPath: path]
            defer {
                // Exchanged, so that what was replaced is released outside the lock of the settings.
                state.withLock { swap(&$0[keyPath: path], &serializer) }
                changes.unlock()
            }
            yield &serializer
        }
    }

    /// Where handlers are called. Default: nil, the main queue.
    public var completionQueue: DispatchQueue? {
        get { settings.completionQueue }
        set { state.withLock { $0.completionQueue = newValue } }
    }

    /// A group that is entered when a request is made, and left after its handler was called, or when a request that was never started is
    /// released. Default: nil.
    public var completionGroup: DispatchGroup? {
        get { settings.completionGroup }
        set { state.withLock { $0.completionGroup = newValue } }
    }

    /// Tells the program whether the network is reachable. Requests do not depend on it, and the program has to start it. Default: the
    /// shared one.
    public var reachabilityManager: AFNetworkReachabilityManager {
        get { settings.reachabilityManager ?? .shared() }
        set {
            // What was there is released outside the lock.
            var new = Optional(newValue)
            state.withLock { swap(&$0.reachabilityManager, &new) }
        }
    }

    /// Decides which responses the cache of the session stores, and in which form: sets ``Firewheel/Session/dataTaskWillCacheResponse`` of
    /// the ``session``, for requests that are made afterwards. nil, the default: the session's `cachedResponseHandler` decides.
    @preconcurrency
    public func setDataTaskWillCacheResponseBlock(_ block: Session.WillCacheResponse?) {
        session.dataTaskWillCacheResponse = block
    }

    // MARK: Requests

    /// The requests that were started and have not ended, in the order of their creation.
    public var tasks: [Request] { session.runningRequests }
    /// Those of ``tasks`` that keep the response in memory and are no uploads.
    public var dataTasks: [DataRequest] { tasks.compactMap { $0 is UploadRequest ? nil : $0 as? DataRequest } }
    /// Those of ``tasks`` that are uploads.
    public var uploadTasks: [UploadRequest] { tasks.compactMap { $0 as? UploadRequest } }
    /// Those of ``tasks`` that are downloads.
    public var downloadTasks: [DownloadRequest] { tasks.compactMap { $0 as? DownloadRequest } }

    /// Invalidates the ``session``: no more requests can start.
    ///
    /// - Parameter cancelling: Whether running requests also end, with `sessionInvalidated`. Default: true.
    public func invalidate(cancelling: Bool = true) {
        session.invalidate(cancelling: cancelling)
    }

    /// Creates a request with the ``requestSerializer``, without starting it. The methods for single HTTP methods call this one.
    ///
    /// - Parameters:
    ///   - method: The HTTP method.
    ///   - urlString: A relative URL is resolved against the ``baseURL``; an empty one is the base itself.
    ///   - parameters: A dictionary with `String` keys, or what else the ``requestSerializer`` can encode. Default: nil, none.
    ///   - headers: Override the serializer's fields of the same name. Default: none.
    ///   - uploadProgress: Called with the progress of the request's body. Default: nil.
    ///   - downloadProgress: Called with the progress of the response's body. Default: nil.
    ///   - success: Called with the value. Default: nil.
    ///   - failure: Called with the error. Default: nil. Exactly one of both is called.
    /// - Returns: The request, to be started with `resume()`; nil if it could not be serialized, with a call of `failure` to follow.
    @preconcurrency
    open func dataTask(
        withHTTPMethod method: HTTPMethod, urlString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        uploadProgress: ProgressHandler? = nil, downloadProgress: ProgressHandler? = nil, success: SuccessHandler? = nil,
        failure: FailureHandler? = nil
    ) -> DataRequest? {
        let serialized = serialize(failure) { serializer in
            var request = try serializer.request(withMethod: method, urlString: target(urlString), parameters: parameters)
            for (name, value) in headers ?? [:] { request.headers.update(name: name, value: value) }
            return request
        }
        guard let serialized else { return nil }
        let request = session.request(serialized)
        watch(request, uploadProgress, downloadProgress)
        report(request, success, failure)
        return request
    }

    /// Creates a request that sends a multipart form, and starts it.
    ///
    /// - Parameters:
    ///   - urlString: A relative URL is resolved against the ``baseURL``; an empty one is the base itself.
    ///   - parameters: Each value becomes a part. Default: nil, none.
    ///   - headers: Override the serializer's fields of the same name. Default: none.
    ///   - append: Appends further parts. Called at once.
    ///   - progress: Called with the progress of the request's body. Default: nil.
    ///   - success: Called with the value. Default: nil.
    ///   - failure: Called with the error. Default: nil.
    /// - Returns: The request; nil if it could not be serialized, with a call of `failure` to follow.
    @preconcurrency
    @discardableResult
    public func post(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        constructingBodyWith append: (MultipartFormData) -> Void, progress: ProgressHandler? = nil, success: SuccessHandler? = nil,
        failure: FailureHandler? = nil
    ) -> UploadRequest? {
        let serialized = serialize(failure) { serializer in
            var (request, form) = try serializer.multipartFormRequest(
                withMethod: .post, urlString: target(urlString), parameters: parameters, constructingBodyWith: append)
            for (name, value) in headers ?? [:] { request.headers.update(name: name, value: value) }
            return (request, form)
        }
        guard let (urlRequest, form) = serialized else { return nil }
        let request = session.upload(multipartFormData: form, with: urlRequest)
        watch(request, progress, nil)
        report(request, success, failure)
        return request.resume()
    }

    // MARK: Parts

    var settings: Settings { state.withLock { $0 } }

    /// The URL of a request. An empty one is the ``baseURL`` (RFC 3986 section 5.4), which a session does not accept otherwise.
    private func target(_ urlString: String) -> String { urlString.isEmpty && baseURL != nil ? "./" : urlString }

    /// Serializes a request; nil after an error, which the handler gets.
    private func serialize<Serialized>(
        _ failure: FailureHandler?, _ serialize: (HTTPRequestSerializer) throws -> Serialized
    ) -> Serialized? {
        let settings = settings
        do {
            return try serialize(settings.requestSerializer)
        } catch {
            settings.queue.async(group: settings.completionGroup) { failure?(nil, error) }
            return nil
        }
    }

    func watch(_ request: Request, _ upload: ProgressHandler?, _ download: ProgressHandler?) {
        let queue = settings.queue
        if let upload { request.uploadProgress(queue: queue, closure: upload) }
        if let download { request.downloadProgress(queue: queue, closure: download) }
    }

    private func report(_ request: DataRequest, _ success: SuccessHandler?, _ failure: FailureHandler?) {
        respond(to: request) { request, response in
            switch response.result {
            case .success(let value):
                // Sound because the serializer made the value for this handler alone.
                nonisolated(unsafe) let value = value
                // A request with a value was started, so it is there.
                if let request { success?(request, value) }
            case .failure(let error): failure?(request, error)
            }
        }
    }

    /// Attaches a handler that gets the value of the ``responseSerializer``. It does not start the request.
    func respond(to request: DataRequest, _ handler: @escaping @Sendable (DataRequest?, DataResponse<Any?>) -> Void) {
        let settings = settings
        let entry = GroupEntry(settings.completionGroup)
        request.startImmediately(false)
        let reference = HandlerRequest(request)
        let serializer = settings.responseSerializer.dataResponseSerializer.mapResult { result, _ in
            reference.retain()
            return result
        }
        request.response(queue: settings.queue, responseSerializer: serializer) { response in
            handler(reference.value, response)
            entry.leave()
        }
    }
}
