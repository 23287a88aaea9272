/// The shared session: `Session.default`.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let AF = Session.default

/// Creates requests that share a configuration, connections and queues.
///
/// When it is released, all of its requests that have not ended end with `AFError.sessionDeinitialized`, as in Alamofire. It may be
/// subclassed: every method with a URL calls the one with a `URLRequestConvertible`.
open class Session: @unchecked Sendable {
    // Sound because its stored properties are constants of Sendable types, except for a configuration that nobody else has and that is
    // never changed; a subclass declares what it adds. The file is longer than others because methods that subclasses may override must be
    // declared in the class itself.

    /// A session with Alamofire's default configuration, also available as ``AF``.
    public static let `default` = Session()

    /// Changes a request after its URL, method and headers are set and before its parameters are encoded.
    public typealias RequestModifier = @Sendable (inout URLRequest) throws -> Void

    /// When the `URLRequest` of a request is made and adapted.
    public enum RequestSetup: Sendable {
        /// When the request starts.
        case lazy
        /// When the request is created, as before Alamofire 5.11.
        case eager
    }

    /// The queue through which all handlers are called. Closures that are given this queue are called in the order of what they report.
    public let rootQueue: DispatchQueue
    /// Whether the first response handler starts a request, unless the request has a setting of its own.
    public let startRequestsImmediately: Bool
    /// When the `URLRequest` of a request is made and adapted.
    public let requestSetup: RequestSetup
    /// The queue on which adapters are called, and on which `URLRequest`s are made if it was given.
    public let requestQueue: DispatchQueue
    /// The queue on which responses are serialized, if it was given. Otherwise threads of the engine serialize different requests in
    /// parallel.
    public let serializationQueue: DispatchQueue
    /// Adapts and retries every request, before the request's own.
    public let interceptor: (any RequestInterceptor)?
    /// Decides which servers https requests are sent to.
    public let serverTrustManager: ServerTrustManager?
    /// Decides about redirects of requests without a handler of their own.
    public let redirectHandler: (any RedirectHandler)?
    /// Decides which responses are stored, for requests without a handler of their own.
    public let cachedResponseHandler: (any CachedResponseHandler)?
    /// Calls the session's monitors.
    public let eventMonitor: CompositeEventMonitor
    /// The configuration that the session was created with. It is a copy: changing it has no effect on the session.
    public var sessionConfiguration: URLSessionConfiguration { configuration.copied }

    let base: Firewheel.Session
    private let configuration: URLSessionConfiguration
    private let makesRequestsOnQueue: Bool
    /// Why no request can be made; nil if they can.
    private let problem: UnsupportedConfiguration?
    /// Keeps the session's credentials those of the configuration's storage.
    private let credentials: CredentialStorageBridge?

    /// Creates a session with connections of its own.
    ///
    /// - Parameters:
    ///   - configuration: How requests are made. A field with a value that cannot be honored makes every request fail with an error that
    ///     names it. Default: Foundation's defaults with `HTTPHeaders.default`.
    ///   - rootQueue: The queue through which all handlers are called. Default: a private queue.
    ///   - startRequestsImmediately: Whether the first response handler starts a request. Default: true; otherwise `resume()` starts it.
    ///   - requestSetup: When the `URLRequest` of a request is made and adapted. Default: when it starts.
    ///   - requestQueue: The queue on which `URLRequest`s are made and adapted. Default: nil. Adapters are then called on a queue that
    ///     targets the root queue, and `URLRequest`s are made on threads of the engine.
    ///   - serializationQueue: The queue on which responses are serialized. Default: nil, threads of the engine.
    ///   - interceptor: Adapts and retries every request, before the request's own. Default: nil.
    ///   - serverTrustManager: Decides which servers https requests are sent to. Default: nil, those that the system trusts.
    ///   - redirectHandler: Decides about redirects of requests without a handler of their own. Default: nil, which follows up to 20.
    ///   - cachedResponseHandler: Decides which responses the cache stores that `configure` has set, for requests without a handler of
    ///     their own. Default: nil, which stores those that may be stored.
    ///   - eventMonitors: Called with the events of all requests, in this order. Default: one that posts notifications.
    ///   - transport: The network implementation. Default: nil, that of the platform.
    ///   - configure: Changes what the engine makes of `configuration`: a cache (`{ $0.cache = HTTPCache() }`), proxies, client
    ///     certificates and other settings for which `URLSessionConfiguration` has no place. Default: nil.
    public init(
        configuration: URLSessionConfiguration = URLSessionConfiguration.af.default,
        rootQueue: DispatchQueue = DispatchQueue(label: "firewheel.alamofire.root"),
        startRequestsImmediately: Bool = true,
        requestSetup: RequestSetup = .lazy,
        requestQueue: DispatchQueue? = nil,
        serializationQueue: DispatchQueue? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        serverTrustManager: ServerTrustManager? = nil,
        redirectHandler: (any RedirectHandler)? = nil,
        cachedResponseHandler: (any CachedResponseHandler)? = nil,
        eventMonitors: [any EventMonitor] = [AlamofireNotifications()],
        transport: (any Transport)? = nil,
        configure: ((inout SessionConfiguration) -> Void)? = nil
    ) {
        // A queue of its own, because the order of handlers must not depend on whether the caller's queue is serial.
        let root = rootQueue === DispatchQueue.main ? rootQueue : DispatchQueue(label: rootQueue.label, target: rootQueue)
        self.rootQueue = root
        self.startRequestsImmediately = startRequestsImmediately
        self.requestSetup = requestSetup
        self.requestQueue = requestQueue ?? DispatchQueue(label: "\(root.label).request", target: root)
        self.serializationQueue = serializationQueue ?? DispatchQueue(label: "\(root.label).serialization", target: root)
        self.interceptor = interceptor
        self.serverTrustManager = serverTrustManager
        self.redirectHandler = redirectHandler
        self.cachedResponseHandler = cachedResponseHandler
        eventMonitor = CompositeEventMonitor(queue: root, eventMonitors.map { CompositeEventMonitor.Listener($0) })
        makesRequestsOnQueue = requestQueue != nil
        self.configuration = configuration.copied
        let settings = SessionSettings(configuration)
        problem = settings.problem.map(UnsupportedConfiguration.init)
        var engineConfiguration = settings.configuration
        configure?(&engineConfiguration)
        base = Firewheel.Session(
            configuration: engineConfiguration, transport: transport, serializationQueue: serializationQueue,
            startRequestsImmediately: startRequestsImmediately, serverTrustManager: serverTrustManager)
        credentials = settings.shareCredentials(with: base)
    }

    deinit {
        base.invalidate()
    }

    /// Calls a closure on the root queue with all requests that were started, or made eagerly, and have not ended.
    public func withAllRequests(perform action: @escaping @Sendable (Set<Request>) -> Void) {
        let base = base
        rootQueue.async { action(Set(base.runningRequests.compactMap { $0.companion as? Request })) }
    }

    /// Cancels all requests that have not ended.
    ///
    /// - Parameters:
    ///   - queue: The queue of `completion`. Default: the main queue.
    ///   - completion: Called when all were cancelled; their handlers follow.
    public func cancelAllRequests(completingOnQueue queue: DispatchQueue = .main, completion: (@Sendable () -> Void)? = nil) {
        withAllRequests { requests in
            for request in requests { request.cancel() }
            if let completion { queue.async(execute: completion) }
        }
    }

    // MARK: Making requests

    /// What makes the `URLRequest` for the engine.
    private func source(_ convertible: any URLRequestConvertible) -> any URLRequestConvertible {
        if let problem { return FailingConvertible(error: problem) }
        return makesRequestsOnQueue ? QueuedConvertible(convertible: convertible, queue: requestQueue) : convertible
    }

    /// The options of a URL, if the engine may make the `URLRequest` by itself.
    private func plain(_ convertible: any URLRequestConvertible) -> RequestConvertible? {
        guard problem == nil, !makesRequestsOnQueue else { return nil }
        return convertible as? RequestConvertible
    }

    private func settings(_ interceptor: (any RequestInterceptor)?, _ shouldAutomaticallyResume: Bool?) -> RequestSettings {
        RequestSettings(session: self, interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume)
    }

    private func prepared<Kind: Request>(_ request: Kind) -> Kind {
        if requestSetup == .eager { request.prepare() }
        return request
    }

    // MARK: Data requests

    /// Creates a request with named parameters.
    ///
    /// - Parameters:
    ///   - convertible: The URL.
    ///   - method: Default: GET.
    ///   - parameters: Default: none.
    ///   - encoding: Default: URL-encoded, in the query for GET, HEAD and DELETE and in the body for other methods.
    ///   - headers: Override the session's fields of the same name. Default: none.
    ///   - interceptor: Adapts and retries this request, after the session's interceptor. Default: nil.
    ///   - shouldAutomaticallyResume: Whether the first response handler starts the request. Default: nil, as the session says.
    ///   - requestModifier: Changes the request before its parameters are encoded. Default: nil.
    open func request(
        _ convertible: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
        encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil,
        shouldAutomaticallyResume: Bool? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        let convertible = RequestConvertible(
            url: convertible, method: method, parameters: parameters, encoding: encoding, headers: headers, requestModifier: requestModifier
        )
        return request(convertible, interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume)
    }

    /// Creates a request with an encodable value as parameters.
    ///
    /// - Parameters:
    ///   - convertible: The URL.
    ///   - method: Default: GET.
    ///   - parameters: Default: none.
    ///   - encoder: Default: URL-encoded, in the query for GET, HEAD and DELETE and in the body for other methods.
    ///   - headers: Override the session's fields of the same name. Default: none.
    ///   - interceptor: Adapts and retries this request, after the session's interceptor. Default: nil.
    ///   - shouldAutomaticallyResume: Whether the first response handler starts the request. Default: nil, as the session says.
    ///   - requestModifier: Changes the request before its parameters are encoded. Default: nil.
    open func request<Value: Encodable & Sendable>(
        _ convertible: any URLConvertible, method: HTTPMethod = .get, parameters: Value? = nil,
        encoder: any ParameterEncoder = URLEncodedFormParameterEncoder.default, headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        shouldAutomaticallyResume: Bool? = nil, requestModifier: RequestModifier? = nil
    ) -> DataRequest {
        let convertible = EncodableRequestConvertible(
            url: convertible, method: method, parameters: parameters, encoder: encoder, headers: headers, requestModifier: requestModifier)
        return request(convertible, interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume)
    }

    /// Creates a request from a `URLRequest`, or from a value that creates one.
    open func request(
        _ convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil
    ) -> DataRequest {
        let made =
            plain(convertible).map {
                base.request(
                    $0.url, method: $0.method, parameters: $0.parameters, encoding: $0.encoding, headers: $0.headers,
                    requestModifier: $0.requestModifier)
            } ?? base.request(source(convertible))
        return prepared(DataRequest(made, convertible: convertible, settings: settings(interceptor, shouldAutomaticallyResume)))
    }

    // MARK: Streams

    /// Creates a request whose response is handed over as it arrives, with an encodable value as parameters.
    ///
    /// - Parameters:
    ///   - convertible: The URL.
    ///   - method: Default: GET.
    ///   - parameters: Default: none.
    ///   - encoder: Default: URL-encoded, in the query for GET, HEAD and DELETE and in the body for other methods.
    ///   - headers: Override the session's fields of the same name. Default: none.
    ///   - automaticallyCancelOnStreamError: Whether an element that cannot be made ends the request. Default: false.
    ///   - interceptor: Adapts and retries this request, after the session's interceptor. Default: nil.
    ///   - shouldAutomaticallyResume: Whether the first response handler starts the request. Default: nil, as the session says.
    ///   - requestModifier: Changes the request before its parameters are encoded. Default: nil.
    open func streamRequest<Value: Encodable & Sendable>(
        _ convertible: any URLConvertible, method: HTTPMethod = .get, parameters: Value? = nil,
        encoder: any ParameterEncoder = URLEncodedFormParameterEncoder.default, headers: HTTPHeaders? = nil,
        automaticallyCancelOnStreamError: Bool = false,
        interceptor: (any RequestInterceptor)? = nil,
        shouldAutomaticallyResume: Bool? = nil, requestModifier: RequestModifier? = nil
    ) -> DataStreamRequest {
        let convertible = EncodableRequestConvertible(
            url: convertible, method: method, parameters: parameters, encoder: encoder, headers: headers, requestModifier: requestModifier)
        return streamRequest(
            convertible, automaticallyCancelOnStreamError: automaticallyCancelOnStreamError, interceptor: interceptor,
            shouldAutomaticallyResume: shouldAutomaticallyResume)
    }

    /// Creates a request whose response is handed over as it arrives, without parameters.
    ///
    /// - Parameters:
    ///   - convertible: The URL.
    ///   - method: Default: GET.
    ///   - headers: Override the session's fields of the same name. Default: none.
    ///   - automaticallyCancelOnStreamError: Whether an element that cannot be made ends the request. Default: false.
    ///   - interceptor: Adapts and retries this request, after the session's interceptor. Default: nil.
    ///   - shouldAutomaticallyResume: Whether the first response handler starts the request. Default: nil, as the session says.
    ///   - requestModifier: Changes the request before its parameters are encoded. Default: nil.
    open func streamRequest(
        _ convertible: any URLConvertible, method: HTTPMethod = .get, headers: HTTPHeaders? = nil,
        automaticallyCancelOnStreamError: Bool = false,
        interceptor: (any RequestInterceptor)? = nil,
        shouldAutomaticallyResume: Bool? = nil, requestModifier: RequestModifier? = nil
    ) -> DataStreamRequest {
        let convertible = RequestConvertible(
            url: convertible, method: method, parameters: nil, encoding: URLEncoding.default, headers: headers,
            requestModifier: requestModifier)
        return streamRequest(
            convertible, automaticallyCancelOnStreamError: automaticallyCancelOnStreamError, interceptor: interceptor,
            shouldAutomaticallyResume: shouldAutomaticallyResume)
    }

    /// Creates a request from a value that creates a `URLRequest`, whose response is handed over as it arrives.
    open func streamRequest(
        _ convertible: any URLRequestConvertible, automaticallyCancelOnStreamError: Bool = false,
        interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil
    ) -> DataStreamRequest {
        // The engine's own option would end the request for elements that this module does not make.
        let made = base.streamRequest(source(convertible))
        return prepared(
            DataStreamRequest(
                made, convertible: convertible, automaticallyCancelOnStreamError: automaticallyCancelOnStreamError,
                settings: settings(interceptor, shouldAutomaticallyResume)))
    }

    // MARK: Downloads

    /// Creates a request whose response is written to a file, with named parameters.
    ///
    /// - Parameters:
    ///   - convertible: The URL.
    ///   - method: Default: GET.
    ///   - parameters: Default: none.
    ///   - encoding: Default: URL-encoded, in the query for GET, HEAD and DELETE and in the body for other methods.
    ///   - headers: Override the session's fields of the same name. Default: none.
    ///   - interceptor: Adapts and retries this request, after the session's interceptor. Default: nil.
    ///   - shouldAutomaticallyResume: Whether the first response handler starts the request. Default: nil, as the session says.
    ///   - requestModifier: Changes the request before its parameters are encoded. Default: nil.
    ///   - destination: Where the file is moved. Default: nil, the temporary folder, where it stays until the caller moves or removes it.
    open func download(
        _ convertible: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
        encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil,
        shouldAutomaticallyResume: Bool? = nil, requestModifier: RequestModifier? = nil,
        to destination: DownloadRequest.Destination? = nil
    ) -> DownloadRequest {
        let convertible = RequestConvertible(
            url: convertible, method: method, parameters: parameters, encoding: encoding, headers: headers, requestModifier: requestModifier
        )
        return download(convertible, interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume, to: destination)
    }

    /// Creates a request whose response is written to a file, with an encodable value as parameters.
    ///
    /// - Parameters:
    ///   - convertible: The URL.
    ///   - method: Default: GET.
    ///   - parameters: Default: none.
    ///   - encoder: Default: URL-encoded, in the query for GET, HEAD and DELETE and in the body for other methods.
    ///   - headers: Override the session's fields of the same name. Default: none.
    ///   - interceptor: Adapts and retries this request, after the session's interceptor. Default: nil.
    ///   - shouldAutomaticallyResume: Whether the first response handler starts the request. Default: nil, as the session says.
    ///   - requestModifier: Changes the request before its parameters are encoded. Default: nil.
    ///   - destination: Where the file is moved. Default: nil, the temporary folder, where it stays until the caller moves or removes it.
    open func download<Value: Encodable & Sendable>(
        _ convertible: any URLConvertible, method: HTTPMethod = .get, parameters: Value? = nil,
        encoder: any ParameterEncoder = URLEncodedFormParameterEncoder.default, headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        shouldAutomaticallyResume: Bool? = nil, requestModifier: RequestModifier? = nil,
        to destination: DownloadRequest.Destination? = nil
    ) -> DownloadRequest {
        let convertible = EncodableRequestConvertible(
            url: convertible, method: method, parameters: parameters, encoder: encoder, headers: headers, requestModifier: requestModifier)
        return download(convertible, interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume, to: destination)
    }

    /// Creates a request from a value that creates a `URLRequest`, whose response is written to a file.
    open func download(
        _ convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil,
        to destination: DownloadRequest.Destination? = nil
    ) -> DownloadRequest {
        let made =
            plain(convertible).map {
                base.download(
                    $0.url, method: $0.method, parameters: $0.parameters, encoding: $0.encoding, headers: $0.headers, to: destination,
                    requestModifier: $0.requestModifier)
            } ?? base.download(source(convertible), to: destination)
        return prepared(
            DownloadRequest(made, downloadable: .request(convertible), settings: settings(interceptor, shouldAutomaticallyResume)))
    }

    /// Creates a request that goes on with a download.
    ///
    /// - Parameters:
    ///   - data: The resume data of a ``DownloadRequest``, its response or its error.
    ///   - interceptor: Adapts and retries this request, after the session's interceptor. Default: nil.
    ///   - shouldAutomaticallyResume: Whether the first response handler starts the request. Default: nil, as the session says.
    ///   - destination: Where the file is moved. Default: nil, the temporary folder.
    open func download(
        resumingWith data: Data, interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil,
        to destination: DownloadRequest.Destination? = nil
    ) -> DownloadRequest {
        let made = problem.map { base.download(FailingConvertible(error: $0)) } ?? base.download(resumingWith: data, to: destination)
        return prepared(
            DownloadRequest(made, downloadable: .resumeData(data), settings: settings(interceptor, shouldAutomaticallyResume)))
    }

    // MARK: Uploads

    /// Creates a request that sends data.
    ///
    /// - Parameters:
    ///   - data: The body.
    ///   - convertible: The URL.
    ///   - method: Default: POST.
    ///   - headers: Override the session's fields of the same name. No `Content-Type` is added. Default: none.
    ///   - interceptor: Adapts and retries this request, after the session's interceptor. Default: nil.
    ///   - shouldAutomaticallyResume: Whether the first response handler starts the request. Default: nil, as the session says.
    ///   - fileManager: Has no effect: files are read by the engine. Default: the shared one.
    ///   - requestModifier: Changes the request before it is sent. Default: nil.
    open func upload(
        _ data: Data, to convertible: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil, fileManager: FileManager = .default,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        let convertible = RequestConvertible(
            url: convertible, method: method, parameters: nil, encoding: URLEncoding.default, headers: headers,
            requestModifier: requestModifier)
        return upload(
            data, with: convertible, interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume,
            fileManager: fileManager)
    }

    /// Creates a request that sends data, from a value that creates a `URLRequest`.
    open func upload(
        _ data: Data, with convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil,
        shouldAutomaticallyResume: Bool? = nil, fileManager: FileManager = .default
    ) -> UploadRequest {
        let made = base.upload(data, with: source(convertible))
        return prepared(
            UploadRequest(
                made, upload: UploadRequest.Uploadable.data(data), fileManager: fileManager, convertible: convertible,
                settings: settings(interceptor, shouldAutomaticallyResume)))
    }

    /// Creates a request that sends a file.
    ///
    /// - Parameters:
    ///   - fileURL: The file, which is read while it is sent.
    ///   - convertible: The URL.
    ///   - method: Default: POST.
    ///   - headers: Override the session's fields of the same name. No `Content-Type` is added. Default: none.
    ///   - interceptor: Adapts and retries this request, after the session's interceptor. Default: nil.
    ///   - shouldAutomaticallyResume: Whether the first response handler starts the request. Default: nil, as the session says.
    ///   - fileManager: Has no effect: files are read by the engine. Default: the shared one.
    ///   - requestModifier: Changes the request before it is sent. Default: nil.
    open func upload(
        _ fileURL: URL, to convertible: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil, fileManager: FileManager = .default,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        let convertible = RequestConvertible(
            url: convertible, method: method, parameters: nil, encoding: URLEncoding.default, headers: headers,
            requestModifier: requestModifier)
        return upload(
            fileURL, with: convertible, interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume,
            fileManager: fileManager)
    }

    /// Creates a request that sends a file, from a value that creates a `URLRequest`.
    open func upload(
        _ fileURL: URL, with convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil,
        shouldAutomaticallyResume: Bool? = nil, fileManager: FileManager = .default
    ) -> UploadRequest {
        let made = base.upload(fileURL, with: source(convertible))
        return prepared(
            UploadRequest(
                made, upload: UploadRequest.Uploadable.file(fileURL, shouldRemove: false), fileManager: fileManager,
                convertible: convertible,
                settings: settings(interceptor, shouldAutomaticallyResume)))
    }

    /// Creates a request that sends a stream.
    ///
    /// - Parameters:
    ///   - stream: The stream. It can be read once only, so that the body cannot be sent again.
    ///   - convertible: The URL.
    ///   - method: Default: POST.
    ///   - headers: Override the session's fields of the same name. No `Content-Type` is added. Default: none.
    ///   - interceptor: Adapts and retries this request, after the session's interceptor. Default: nil.
    ///   - shouldAutomaticallyResume: Whether the first response handler starts the request. Default: nil, as the session says.
    ///   - fileManager: Has no effect: files are read by the engine. Default: the shared one.
    ///   - requestModifier: Changes the request before it is sent. Default: nil.
    open func upload(
        _ stream: InputStream, to convertible: any URLConvertible, method: HTTPMethod = .post, headers: HTTPHeaders? = nil,
        interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil, fileManager: FileManager = .default,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        let convertible = RequestConvertible(
            url: convertible, method: method, parameters: nil, encoding: URLEncoding.default, headers: headers,
            requestModifier: requestModifier)
        return upload(
            stream, with: convertible, interceptor: interceptor, shouldAutomaticallyResume: shouldAutomaticallyResume,
            fileManager: fileManager)
    }

    /// Creates a request that sends a stream, from a value that creates a `URLRequest`.
    open func upload(
        _ stream: InputStream, with convertible: any URLRequestConvertible, interceptor: (any RequestInterceptor)? = nil,
        shouldAutomaticallyResume: Bool? = nil, fileManager: FileManager = .default
    ) -> UploadRequest {
        // The caller gives the stream away, which Alamofire's signature cannot say.
        let body = TransferBox(value: stream)
        let made = base.upload(body.value, with: source(convertible))
        return prepared(
            UploadRequest(
                made, upload: UploadRequest.Uploadable.stream(stream), fileManager: fileManager, convertible: convertible,
                settings: settings(interceptor, shouldAutomaticallyResume)))
    }

    // MARK: Forms

    /// Creates a request that sends a form, which a closure fills.
    ///
    /// - Parameters:
    ///   - multipartFormData: Fills the form, at once.
    ///   - url: The URL.
    ///   - encodingMemoryThreshold: The size of all parts, in bytes, from which the form is written to a temporary file instead of being
    ///     encoded in memory. Default: 10,000,000.
    ///   - method: Default: POST.
    ///   - headers: Override the session's fields of the same name. Default: none.
    ///   - interceptor: Adapts and retries this request, after the session's interceptor. Default: nil.
    ///   - fileManager: Its temporary folder is where a large form is written before it is sent. Default: the shared one.
    ///   - requestModifier: Changes the request before it is sent. Default: nil.
    open func upload(
        multipartFormData: @escaping (MultipartFormData) -> Void, to url: any URLConvertible,
        usingThreshold encodingMemoryThreshold: UInt64 = MultipartFormData.encodingMemoryThreshold, method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, fileManager: FileManager = .default,
        requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        let form = MultipartFormData(fileManager: fileManager)
        multipartFormData(form)
        return upload(
            multipartFormData: form, to: url, usingThreshold: encodingMemoryThreshold, method: method, headers: headers,
            interceptor: interceptor, fileManager: fileManager, requestModifier: requestModifier)
    }

    /// Creates a request that sends a form, which a closure fills, from a value that creates a `URLRequest`.
    open func upload(
        multipartFormData: @escaping (MultipartFormData) -> Void, with request: any URLRequestConvertible,
        usingThreshold encodingMemoryThreshold: UInt64 = MultipartFormData.encodingMemoryThreshold,
        interceptor: (any RequestInterceptor)? = nil, fileManager: FileManager = .default
    ) -> UploadRequest {
        let form = MultipartFormData(fileManager: fileManager)
        multipartFormData(form)
        return upload(
            multipartFormData: form, with: request, usingThreshold: encodingMemoryThreshold, interceptor: interceptor,
            fileManager: fileManager)
    }

    /// Creates a request that sends a form, to which parts can be added until the request is made.
    open func upload(
        multipartFormData: MultipartFormData, to url: any URLConvertible,
        usingThreshold encodingMemoryThreshold: UInt64 = MultipartFormData.encodingMemoryThreshold, method: HTTPMethod = .post,
        headers: HTTPHeaders? = nil, interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil,
        fileManager: FileManager = .default, requestModifier: RequestModifier? = nil
    ) -> UploadRequest {
        let convertible = RequestConvertible(
            url: url, method: method, parameters: nil, encoding: URLEncoding.default, headers: headers, requestModifier: requestModifier)
        return upload(
            multipartFormData: multipartFormData, with: convertible, usingThreshold: encodingMemoryThreshold, interceptor: interceptor,
            shouldAutomaticallyResume: shouldAutomaticallyResume, fileManager: fileManager)
    }

    /// Creates a request that sends a form, from a value that creates a `URLRequest`. Parts can be added until the request is made, by
    /// `asURLRequest()` too.
    open func upload(
        multipartFormData: MultipartFormData, with request: any URLRequestConvertible,
        usingThreshold encodingMemoryThreshold: UInt64 = MultipartFormData.encodingMemoryThreshold,
        interceptor: (any RequestInterceptor)? = nil, shouldAutomaticallyResume: Bool? = nil, fileManager: FileManager = .default
    ) -> UploadRequest {
        let form = MultipartUpload(multipartFormData, threshold: encodingMemoryThreshold, with: request)
        let made = base.upload(form: form, with: source(request))
        return prepared(
            UploadRequest(
                made, upload: form, fileManager: fileManager, convertible: form,
                settings: settings(interceptor, shouldAutomaticallyResume)))
    }
}

extension Session: CustomReflectable {
    /// Empty, so that `dump` and debuggers show nothing of the configuration, whose header fields and cookies may be credentials.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .class) }
}
