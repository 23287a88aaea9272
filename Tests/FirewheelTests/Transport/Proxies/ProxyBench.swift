#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel

    /// Sessions that use a proxy.
    enum ProxyBench {
        static func session(_ proxy: ProxyConfiguration, _ change: (inout SessionConfiguration) -> Void = { _ in }) -> Session {
            var configuration = SessionConfiguration()
            configuration.timeoutIntervalForRequest = 20
            configuration.proxy = proxy
            change(&configuration)
            return Session(configuration: configuration)
        }
    }

    /// A transport whose requests use a proxy. A command takes effect when its call returns, in contrast to those of a session's request.
    final class ProxyClient: TransportReceiver {
        let transport: any Transport
        private let route: TransportRoute
        private let results = Journal<(id: TransportTaskID, result: TransportResult)>()
        private let lastID = Locked<UInt64>(0)

        /// - Parameters:
        ///   - rules: Which proxy the requests lead through.
        ///   - transport: What gets them. Default: sockets.
        init(
            _ rules: ProxyRules, of url: String, transport: any Transport = SocketTransport(),
            credentials: CredentialStore = CredentialStore()
        )
            throws
        {
            self.transport = transport
            let routes = RouteRules(TLSConfiguration(), proxies: rules, credentials: credentials)
            route = try routes?.route(to: #require(TargetURI(url)).origin) ?? .direct
        }

        func receive(_ events: [TransportEvent]) {
            for event in events { if case .finished(let result) = event.kind { results.add((event.id, result)) } }
        }

        @discardableResult
        func start(_ url: String, method: HTTPMethod = .get, change: (inout TransportRequest) -> Void = { _ in }) throws -> TransportTaskID
        {
            let number = lastID.withLock { last in
                last += 1
                return last
            }
            let id = TransportTaskID(request: number)
            var request = TransportRequest(id: id, method: method, target: try #require(TargetURI(url)), idleTimeout: 20)
            request.allowsResend = method == .get
            request.route = route
            change(&request)
            transport.start(request, receiver: self)
            return id
        }

        /// The end of a request; nil before it.
        func end(of id: TransportTaskID) -> TransportResult? { results.entries.first { $0.id == id }?.result }

        func result(_ id: TransportTaskID) async throws -> TransportResult {
            try await waitUntil("the end of \(id)") { self.end(of: id) != nil }
            return try #require(end(of: id))
        }

        /// The body of a request's response.
        func text(_ id: TransportTaskID) async throws -> String? {
            try await result(id).body.map { String(decoding: $0, as: UTF8.self) }
        }
    }
#endif
