import Foundation

/// What is the same for all requests of a session.
final class SessionRules: Sendable {
    let policies: [any HopPolicy]
    /// The statuses on which a policy may act.
    let heldHeads: TransportRequest.HeldHeads
    /// Seconds; 0 and less is no limit.
    let resourceTimeout: TimeInterval
    let connectTimeout: TimeInterval?
    let maximumBodySize: Int?
    let startsImmediately: Bool
    let interceptor: (any RequestInterceptor)?
    let redirectHandler: (any RedirectHandler)?
    /// What a request starts with; `validate` of its own replaces them.
    let validators: [Validator]
    let decoder: SessionDecoder
    /// Asked for every request: cheaper than looking at the interceptor and the handler themselves.
    let hasInterceptor: Bool
    let hasRedirectHandler: Bool
    /// What monitors and contexts are told.
    let session: SessionFacts

    init(
        configuration: SessionConfiguration = SessionConfiguration(), policies: [any HopPolicy] = [RedirectHopPolicy()],
        startsImmediately: Bool = true, interceptor: (any RequestInterceptor)? = nil, redirectHandler: (any RedirectHandler)? = nil,
        eventMonitors: [any EventMonitor] = []
    ) {
        self.policies = policies
        let statuses = policies.reduce(into: Set<Int>()) { $0.formUnion($1.heldStatuses) }
        heldHeads = statuses.isEmpty ? .none : .statuses(statuses)
        resourceTimeout = configuration.timeoutIntervalForResource
        connectTimeout = configuration.connectTimeout
        maximumBodySize = configuration.maximumResponseBodySize
        self.startsImmediately = startsImmediately
        self.interceptor = interceptor
        self.redirectHandler = redirectHandler
        validators = Validation.validators(of: configuration.validation)
        decoder = SessionDecoder(configuration.decoder)
        hasInterceptor = interceptor != nil
        hasRedirectHandler = redirectHandler != nil
        session = SessionFacts(baseURL: configuration.baseURL, headers: configuration.headers, monitors: eventMonitors)
    }
}
