import Foundation

extension TransportRequest {
    /// What a request may ask for and not every transport can do. Each names itself and what to do without it. `expectsContinue` is not
    /// among them: it is a hint.
    enum Feature: String, CaseIterable {
        case fileBody = "send a body from a file; read it into memory"
        case streamBody = "send a body from a stream; collect it in memory"
        case reportsSent = "report how much of a body was sent; leave reportsSent off"
        case reportsInterim = "report interim responses; leave reportsInterim off"
        case waitsForConnectivity = "wait for the network; leave the session's waitsForConnectivity off"
        case destination = """
            connect to Unix sockets, to other hosts than the URL's or to one family of addresses; leave the session's unixSocketPath, \
            hosts and addressFamily as they are by default
            """
        case proxy = "use a proxy of the session's own, or none at all; leave the session's proxy as it is by default"
        case trust = """
            verify servers by rules of the session's own; leave its tls, its serverTrustManager and its route as they are by default
            """
        case versionsOfTLS = "choose versions of TLS; leave the session's tls.minimumVersion and tls.maximumVersion as they are by default"
        case webSocket = "open WebSockets"
        case identity = "present client certificates; leave the session's tls.identities empty, and its route as it is by default"
    }

    /// The first feature that the request asks for and the transport lacks; nil if there is none.
    ///
    /// - Parameter supported: The features of the transport. Default: none.
    func unsupportedFeature(supported: Set<Feature> = []) -> Feature? {
        switch bodySource {
        case .file where !supported.contains(.fileBody): return .fileBody
        case .stream where !supported.contains(.streamBody): return .streamBody
        default: break
        }
        if reportsSent, !supported.contains(.reportsSent) { return .reportsSent }
        if reportsInterim, !supported.contains(.reportsInterim) { return .reportsInterim }
        if waitsForConnectivity, !supported.contains(.waitsForConnectivity) { return .waitsForConnectivity }
        if opensWebSocket, !supported.contains(.webSocket) { return .webSocket }
        if route.isDirect { return nil }
        // First, because the route to a Unix socket may say that no proxy of the system is used.
        if route.destination != nil, !supported.contains(.destination) { return .destination }
        if route.proxy != nil, !supported.contains(.proxy) { return .proxy }
        if route.identity != nil, !supported.contains(.identity) { return .identity }
        let hasVersions = route.minimumTLSVersion != .v1_2 || route.maximumTLSVersion != nil
        if hasVersions, !supported.contains(.versionsOfTLS) { return .versionsOfTLS }
        // Last, because the route of every session with a tls of its own has it.
        if route.trust != nil, !supported.contains(.trust) { return .trust }
        return nil
    }
}

extension TransportError {
    /// The error for a request that asks for what the transport cannot do. Nothing of it was sent.
    static func unsupported(_ feature: TransportRequest.Feature, by transport: String) -> TransportError {
        .failed(.resourceUnavailable, "\(transport) cannot \(feature.rawValue)")
    }
}

extension TransportEvent {
    /// The end of a request of which nothing was sent.
    static func notSent(_ id: TransportTaskID, _ error: TransportError) -> TransportEvent {
        let now = MonotonicInstant.now()
        return TransportEvent(id: id, kind: .finished(TransportResult(error: error, metrics: TransportMetrics(start: now, end: now))))
    }
}
