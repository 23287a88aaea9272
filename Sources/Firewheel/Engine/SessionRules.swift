import Foundation

/// The rules that apply to all requests of a session.
final class SessionRules: Sendable {
    let policies: [any HopPolicy]
    /// The status codes on which a policy may act.
    let heldHeads: TransportRequest.HeldHeads
    /// In seconds; 0 or less means no limit.
    let resourceTimeout: TimeInterval
    let connectTimeout: TimeInterval?
    let connectionWaitTimeout: TimeInterval?
    let waitsForConnectivity: Bool
    let maximumBodySize: Int?
    let decodesContent: Bool
    let expectsContinue: ContinueExpectation
    /// Answers whether servers are trusted; nil if the transport judges alone.
    let trust: TrustJudge?
    /// nil if all routes are direct.
    let routes: RouteRules?
    /// The proxy of the configuration; none with a Unix socket.
    let proxy: ProxyConfiguration
    let limits: TransferLimits
    /// The folder for the files of downloads; nil for the system's.
    let temporaryDirectory: URL?
    let startsImmediately: Bool
    let interceptor: (any RequestInterceptor)?
    let redirectHandler: (any RedirectHandler)?
    let cachedResponseHandler: (any CachedResponseHandler)?
    /// The validators of a new request; its own `validate` replaces them.
    let validators: [Validator]
    let decoder: SessionDecoder
    /// Cached, because reading the interceptor and the handlers for every request is slower.
    let hasInterceptor: Bool
    let hasHandlers: Bool
    let hasCache: Bool
    /// The facts about the session that monitors and contexts receive.
    let session: SessionFacts

    init(
        configuration: SessionConfiguration = SessionConfiguration(), policies: [any HopPolicy] = [RedirectHopPolicy()],
        credentials: CredentialStore = CredentialStore(),
        startsImmediately: Bool = true, interceptor: (any RequestInterceptor)? = nil, serverTrustManager: ServerTrustManager? = nil,
        redirectHandler: (any RedirectHandler)? = nil, cachedResponseHandler: (any CachedResponseHandler)? = nil,
        eventMonitors: [any EventMonitor] = []
    ) {
        self.policies = policies
        let statuses = policies.reduce(into: Set<Int>()) { $0.formUnion($1.heldStatuses) }
        heldHeads = statuses.isEmpty ? .none : .statuses(statuses)
        resourceTimeout = configuration.timeoutIntervalForResource
        connectTimeout = configuration.connectTimeout
        connectionWaitTimeout = configuration.connectionWaitTimeout
        waitsForConnectivity = configuration.waitsForConnectivity
        maximumBodySize = configuration.maximumResponseBodySize
        decodesContent = configuration.decodesContent
        expectsContinue = configuration.expectsContinue
        // The system's proxies cannot reach a socket of this machine.
        proxy = configuration.unixSocketPath == nil ? configuration.proxy : .none
        var choosesProxies = false
        if case .custom = proxy { choosesProxies = true }
        routes = RouteRules(
            configuration.tls, proxies: choosesProxies ? nil : ProxyRules(proxy, system: .system),
            choosesProxies: choosesProxies, destinations: DestinationRules(configuration), credentials: credentials,
            manager: serverTrustManager)
        trust = serverTrustManager.map { TrustJudge($0) }
        limits = TransferLimits(configuration.bandwidth)
        temporaryDirectory = configuration.temporaryDirectory
        self.startsImmediately = startsImmediately
        self.interceptor = interceptor
        self.redirectHandler = redirectHandler
        self.cachedResponseHandler = cachedResponseHandler
        validators = Validation.validators(of: configuration.validation)
        decoder = SessionDecoder(configuration.decoder)
        hasInterceptor = interceptor != nil
        hasCache = configuration.cache != nil
        hasHandlers = redirectHandler != nil || cachedResponseHandler != nil
        session = SessionFacts(
            baseURL: configuration.baseURL, headers: configuration.headers, monitors: eventMonitors, warning: serverTrustManager?.warning)
    }
}
