import Foundation

/// The shared session: `Session.default`.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let HTTP = Session.default

/// Creates requests that share a configuration, a connection pool and a delegate queue.
///
/// A session need not be retained: its requests continue after its release, and can still be started. Only unstarted requests with a
/// response handler end, with `sessionInvalidated`, because nothing might ever start them. Use ``invalidate(cancelling:)`` to end all
/// requests.
public final class Session: Sendable {
    /// A session with the default configuration, also available as ``HTTP``.
    public static let `default` = Session()

    /// The configuration that the session was created with. Changing a copy of it does not change the session.
    public let configuration: SessionConfiguration

    /// The credentials for challenges to requests without their own. Initially empty.
    public let credentials = CredentialStore()

    /// The session's cookies: its own jar, or that of its configuration; nil if cookies are off.
    public let cookieJar: CookieJar?

    let engine: Engine
    /// What prepares the session's requests; nil if nothing does.
    let preparation = Locked<(any RequestPreparation)?>(nil)
    private let transport: any Transport

    /// Creates a session with its own connections and credentials, and with the cookies of its configuration.
    ///
    /// - Parameters:
    ///   - configuration: How requests are made.
    ///   - transport: The network implementation. nil is ``SocketTransport`` on Linux and ``URLSessionTransport`` on Apple platforms.
    ///   - delegateQueue: The queue that handles the transport's events and calls the closure of ``withAllRequests(perform:)``. On a
    ///     concurrent queue the session's work is still serialized. nil is a private queue. Validators, request modifiers and convertibles
    ///     run on other threads that may block.
    ///   - serializationQueue: The queue on which serializers run. nil uses the library's threads, which serialize different requests in
    ///     parallel.
    ///   - startRequestsImmediately: Whether attaching the first response handler starts a request. Default: true; otherwise `resume()`
    ///     starts it.
    ///   - interceptor: Adapts and retries every request of the session, before the request's own. Default: nil.
    ///   - serverTrustManager: Decides which servers https requests are sent to. Default: nil, for those that the system or the
    ///     configuration's `tls` trusts.
    ///   - redirectHandler: Decides about redirects of requests without their own handler. Default: nil, which follows up to 20 redirects.
    ///   - cachedResponseHandler: Decides which responses the cache of the configuration stores, for requests without their own handler.
    ///     Default: nil, which stores those that may be stored.
    ///   - eventMonitors: Observe every request of the session, in this order. Default: none.
    public init(
        configuration: SessionConfiguration = .default,
        transport: (any Transport)? = nil,
        delegateQueue: DispatchQueue? = nil,
        serializationQueue: DispatchQueue? = nil,
        startRequestsImmediately: Bool = true,
        interceptor: (any RequestInterceptor)? = nil,
        serverTrustManager: ServerTrustManager? = nil,
        redirectHandler: (any RedirectHandler)? = nil,
        cachedResponseHandler: (any CachedResponseHandler)? = nil,
        eventMonitors: [any EventMonitor] = []
    ) {
        self.configuration = configuration
        cookieJar = Self.cookieJar(configuration.cookies)
        let rules = SessionRules(
            configuration: configuration, policies: Self.policies(cookieJar, credentials, configuration),
            credentials: credentials, startsImmediately: startRequestsImmediately, interceptor: interceptor,
            serverTrustManager: serverTrustManager,
            redirectHandler: redirectHandler, cachedResponseHandler: cachedResponseHandler, eventMonitors: eventMonitors)
        engine = Engine(
            configuration: configuration, rules: rules, delegateQueue: delegateQueue, serializationQueue: serializationQueue)
        var layers = transport ?? defaultTransport(configuration)
        if case .custom(let choose) = rules.proxy, let routes = rules.routes {
            layers = ProxyChooser(of: layers, routes: routes, choose: choose)
        }
        if let cache = configuration.cache {
            let registry = engine.registry
            layers = CachingTransport(
                over: layers, cache: cache, background: Self.background(cookieJar, rules.trust),
                rule: { registry.call(for: $0.request)?.storingRule ?? .none })
        }
        self.transport = layers
    }

    /// Who judges servers and stores cookies when a stored response is revalidated without a request of the caller's.
    private static func background(_ jar: CookieJar?, _ trust: TrustJudge?) -> CacheBackground {
        var background = CacheBackground.Rules()
        if let trust {
            background.judge = { certificates, id, answer in
                trust.judge(certificates, of: id) { verdict in
                    answer(verdict)
                    _ = trust.end(id)
                }
            }
        }
        if let jar { background.storeCookies = { head, target in CookieHopPolicy(jar: jar).store(head, from: target) } }
        return CacheBackground(background)
    }

    private static func cookieJar(_ use: CookieUse) -> CookieJar? {
        switch use {
        case .perSession: CookieJar()
        case .jar(let jar): jar
        case .off: nil
        }
    }

    /// The session's hop policies in order: a redirect's cookie is stored before the next hop is prepared.
    private static func policies(
        _ jar: CookieJar?, _ credentials: CredentialStore, _ configuration: SessionConfiguration
    ) -> [any HopPolicy] {
        let cookies: [any HopPolicy] = jar.map { [CookieHopPolicy(jar: $0)] } ?? []
        let expectation = ExpectationHopPolicy(rule: configuration.expectsContinue)
        return cookies + [CredentialHopPolicy(store: credentials), expectation, RedirectHopPolicy()]
    }

    deinit {
        engine.sessionIsGone()
    }

    /// Invalidates the session and closes its idle connections. Unstarted requests end with `sessionInvalidated`: at once if they have a
    /// response handler, otherwise when they are started.
    ///
    /// - Parameter cancelling: Whether running requests also end with `sessionInvalidated`. Otherwise they run to completion. Default:
    ///   true.
    public func invalidate(cancelling: Bool = true) {
        engine.invalidate(cancelling: cancelling)
        transport.closeIdleConnections()
    }

    /// Invalidates the session as ``invalidate(cancelling:)`` with `cancelling: false`, and returns when no request runs any more and
    /// every response handler has returned.
    ///
    /// For the end of a program or a service: running requests go on to their end, including retries and redirects, and nothing new starts.
    /// If a running request starts another one, such as the refresh of a token with the same session, that one fails with
    /// `sessionInvalidated`. A suspended request has no end until it is resumed or cancelled. Neither has the stream of a feed or an event
    /// source: end these with ``cancelAllRequests(completingOnQueue:completion:)``.
    ///
    /// This waits for handlers on the main actor, so the main thread must not be blocked. A handler must not wait for this, nor must an
    /// interceptor, a validation, a serializer, or a handler of redirects or cached responses of a running request.
    ///
    /// Some calls may come afterwards: the last one of a stream's handler, a call of a stream's or an event source's handler that is under
    /// way when its request is cancelled, `onClose` of an event source, closures that only observe, such as those of progress, a handler of
    /// cached responses for a response that is revalidated in the background, and code behind an `await` of a value.
    ///
    /// If the task is cancelled while it waits, the requests that still run end with `sessionInvalidated`, as with
    /// ``invalidate(cancelling:)``, so that this returns soon. May be called more than once, and concurrently.
    public func invalidateAndFinish() async {
        invalidate(cancelling: false)
        let engine = engine
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                engine.registry.whenFinished { continuation.resume() }
            }
        } onCancel: {
            engine.invalidate(cancelling: true)
        }
        // Those of the last requests, which have become idle since.
        transport.closeIdleConnections()
    }

    /// Calls a closure on the delegate queue with all running requests.
    public func withAllRequests(perform: @escaping @Sendable (Set<Request>) -> Void) {
        let engine = engine
        engine.delegateQueue.async { perform(Set(engine.registry.all.map(\.request))) }
    }

    /// Cancels all running requests, and closes the event sources that have connected.
    ///
    /// - Parameters:
    ///   - queue: The queue of `completion`. Default: the main queue.
    ///   - completion: Called when all were cancelled; their handlers follow.
    public func cancelAllRequests(completingOnQueue queue: DispatchQueue = .main, completion: (@Sendable () -> Void)? = nil) {
        let series = engine.series
        withAllRequests { requests in
            for request in requests { request.cancel() }
            series.end(with: FirewheelError(.explicitlyCancelled))
            if let completion { queue.async(execute: completion) }
        }
    }

    /// Closes idle connections. Connections with running requests are left alone, and return to the pool afterwards as usual.
    ///
    /// On Linux the connections are closed at once, and no later request uses one of them. With URLSession this is `URLSession.flush`:
    /// later requests use new connections, and the system decides when to close the old ones.
    public func closeIdleConnections() {
        transport.closeIdleConnections()
    }

    func dataRequest(_ source: RequestSource, _ interceptor: (any RequestInterceptor)?) -> DataRequest {
        prepared(DataRequest(call: call(source, .memory, interceptor)))
    }

    func uploadRequest(_ source: RequestSource, _ interceptor: (any RequestInterceptor)?) -> UploadRequest {
        prepared(UploadRequest(call: call(source, .memory, interceptor)))
    }

    func downloadRequest(
        _ source: RequestSource, to destination: DownloadRequest.Destination?, _ interceptor: (any RequestInterceptor)?
    ) -> DownloadRequest {
        prepared(DownloadRequest(call: call(source, .file(destination), interceptor)))
    }

    func streamRequest(
        _ source: RequestSource, _ automaticallyCancelOnStreamError: Bool, _ interceptor: (any RequestInterceptor)?
    ) -> DataStreamRequest {
        let sink = StreamSink()
        let call = call(source, .stream(sink), interceptor)
        return prepared(
            DataStreamRequest(call: call, sink: sink, automaticallyCancelOnStreamError: automaticallyCancelOnStreamError))
    }

    func webSocketRequest(
        _ source: RequestSource, _ offer: WebSocketOffer, _ interceptor: (any RequestInterceptor)?
    ) -> WebSocketRequest {
        let channel = WebSocketChannel(offer)
        let request = prepared(WebSocketRequest(call: call(source, .webSocket(channel), interceptor), channel: channel))
        return request.configure { options in
            options.allowsQuietBody = true
            options.totalTimeout = 0
        }
    }

    private func call(_ source: RequestSource, _ body: BodyKind, _ interceptor: (any RequestInterceptor)?) -> Call {
        Call(engine: engine, transport: transport, source: source, body: body, interceptor: interceptor)
    }
}

extension Session: CustomReflectable {
    /// Empty: the parts contain credentials, and change concurrently.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .class) }
}
