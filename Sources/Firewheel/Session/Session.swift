import Foundation

/// The session that most programs need: `Session.default`.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let HTTP = Session.default

/// Makes requests, with one configuration, one pool of connections and one delegate queue.
///
/// A session need not be kept: when the last reference to it is gone, requests go on, and can still be started. Only those that have a
/// response handler and were never started end, with `sessionInvalidated`, since nobody may ever start them. To end all of them use
/// ``invalidate(cancelling:)``.
public final class Session: Sendable {
    /// A session with the default configuration, also known as ``HTTP``.
    public static let `default` = Session()

    /// The configuration that the session was made with, to read: changing a copy of it changes no session.
    public let configuration: SessionConfiguration

    /// The credentials with which challenges are answered for requests that have none of their own. Empty at first.
    public let credentials = CredentialStore()

    /// The cookies of this session: a jar of its own, or that of its configuration; nil if cookies are off.
    public let cookieJar: CookieJar?

    let engine: Engine
    private let transport: any Transport

    /// - Parameters:
    ///   - configuration: How requests are made.
    ///   - transport: What moves the bytes; nil is libcurl on Linux, URLSession on Apple's systems.
    ///   - delegateQueue: The queue on which the transport's events are handled, and the closure of ``withAllRequests(perform:)`` runs. If
    ///     it is not serial, what the session puts on it still runs one at a time. nil is one of the session's own. Validators, request
    ///     modifiers and convertibles run elsewhere, where they may block.
    ///   - serializationQueue: The queue on which serializers run. nil is threads of the library's own, where those of different requests
    ///     run in parallel.
    ///   - startRequestsImmediately: Whether a request starts when its first response handler is attached, as it does by default. If not,
    ///     `resume()` starts it.
    ///   - interceptor: Adapts and retries every request of the session, before the request's own. Default: nil.
    ///   - redirectHandler: Decides about the redirects of requests that have no handler of their own. Default: nil, and they are followed,
    ///     20 at most.
    ///   - eventMonitors: See every request of the session, in the order of this list. Default: none.
    public init(
        configuration: SessionConfiguration = .default,
        transport: (any Transport)? = nil,
        delegateQueue: DispatchQueue? = nil,
        serializationQueue: DispatchQueue? = nil,
        startRequestsImmediately: Bool = true,
        interceptor: (any RequestInterceptor)? = nil,
        redirectHandler: (any RedirectHandler)? = nil,
        eventMonitors: [any EventMonitor] = []
    ) {
        self.configuration = configuration
        cookieJar = Self.cookieJar(configuration.cookies)
        let rules = SessionRules(
            configuration: configuration, policies: Self.policies(cookieJar, credentials), startsImmediately: startRequestsImmediately,
            interceptor: interceptor,
            redirectHandler: redirectHandler, eventMonitors: eventMonitors)
        engine = Engine(
            configuration: configuration, rules: rules, delegateQueue: delegateQueue, serializationQueue: serializationQueue)
        self.transport = transport ?? defaultTransport(configuration)
    }

    private static func cookieJar(_ use: CookieUse) -> CookieJar? {
        switch use {
        case .perSession: CookieJar()
        case .jar(let jar): jar
        case .off: nil
        }
    }

    /// The policies of its hops, in their order: a cookie of a redirect is stored before the next hop is prepared.
    private static func policies(_ jar: CookieJar?, _ credentials: CredentialStore) -> [any HopPolicy] {
        let cookies: [any HopPolicy] = jar.map { [CookieHopPolicy(jar: $0)] } ?? []
        return cookies + [CredentialHopPolicy(store: credentials), RedirectHopPolicy()]
    }

    deinit {
        engine.sessionIsGone()
    }

    /// Ends the session, and closes its idle connections. Requests that were not started end with `sessionInvalidated`: at once if they
    /// have a response handler, else when they are started.
    ///
    /// - Parameter cancelling: Whether requests under way end with `sessionInvalidated`, too. If not they run to their end. Default: true.
    public func invalidate(cancelling: Bool = true) {
        engine.invalidate(cancelling: cancelling)
        transport.closeIdleConnections()
    }

    /// Calls a closure, on the delegate queue, with every request that has started and is not over.
    public func withAllRequests(perform: @escaping @Sendable (Set<Request>) -> Void) {
        let engine = engine
        engine.delegateQueue.async { perform(Set(engine.registry.all.map(\.request))) }
    }

    /// Cancels every request that has started and is not over.
    ///
    /// - Parameters:
    ///   - queue: Where `completion` is called. Default: the main queue.
    ///   - completion: Called when all have been told; their handlers follow.
    public func cancelAllRequests(completingOnQueue queue: DispatchQueue = .main, completion: (@Sendable () -> Void)? = nil) {
        withAllRequests { requests in
            for request in requests { request.cancel() }
            if let completion { queue.async(execute: completion) }
        }
    }

    /// Closes the connections that no request is on. Requests under way are left alone, and their connections are kept afterwards as
    /// always.
    ///
    /// Over libcurl no later request uses one of them. With no request under way they are closed at once. Else the server hears of their
    /// end at once, and the descriptors are closed within some seconds. Over URLSession it is `URLSession.flush`: later requests use new
    /// connections, and the old ones are closed when the system sees fit.
    public func closeIdleConnections() {
        transport.closeIdleConnections()
    }

    func dataRequest(_ source: RequestSource, _ interceptor: (any RequestInterceptor)?) -> DataRequest {
        DataRequest(call: call(source, .memory, interceptor))
    }

    func downloadRequest(
        _ source: RequestSource, to destination: DownloadRequest.Destination?, _ interceptor: (any RequestInterceptor)?
    ) -> DownloadRequest {
        DownloadRequest(call: call(source, .file(destination), interceptor))
    }

    private func call(_ source: RequestSource, _ body: BodyKind, _ interceptor: (any RequestInterceptor)?) -> Call {
        Call(engine: engine, transport: transport, source: source, body: body, interceptor: interceptor)
    }
}

extension Session: CustomReflectable {
    /// Nothing of what it is made of, which holds credentials and changes meanwhile.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .class) }
}
