#if os(Linux)
    import Foundation

    /// A transport of Firewheel's own: HTTP/1.1 and HTTP/2 over sockets, on one thread for all sessions of the process. Each transport has
    /// its own connection pool. HTTP/2 needs the system's libnghttp2; without it https speaks HTTP/1.1.
    ///
    /// TLS is the system's OpenSSL 3: version 1.2 or later, verified against the system's authorities, or those of `SSL_CERT_FILE` and
    /// `SSL_CERT_DIR` if set. `SessionConfiguration.tls` changes both. Bodies are decoded according to their `Content-Encoding` with the
    /// system's zlib, brotli and zstd, each to its own end: a truncated one is an error.
    public final class SocketTransport: Transport {
        private let limits: ConnectionLimits
        /// For requests of sessions that have none; nil if the transport has none either.
        private let rules: RouteRules?
        private let places: TLSStorePlaces?
        private let loadTLS: TLSLibrary.Loader
        private let loadHTTP2: HTTP2Library.Loader
        private let network: any NetworkPaths
        private let opened = Locked<Opened?>(nil)

        /// The transport's pool on the loop. Tests inspect it with ``PoolCommand/inspect(_:)``.
        struct Opened: Sendable {
            let inbox: LoopInbox<LoopMessage>
            let pool: PoolReference
        }

        /// Creates a transport with its own connection pool.
        ///
        /// - Parameter configuration: Read for `maximumConnectionsPerHost`, `maximumTotalConnections`, `idleConnectionTimeout`,
        ///   `maximumConnectionLifetime`, `httpVersions` and `tls`. That counts for sessions that leave theirs as it is by default; the
        ///   requests of a session with another one fail. The `proxy`, `unixSocketPath`, `hosts` and `addressFamily` that apply are always
        ///   the session's, and never those of this configuration. Options of a single request are passed with the request.
        public convenience init(configuration: SessionConfiguration = .default) {
            self.init(configuration: configuration, places: nil)
        }

        convenience init(configuration: SessionConfiguration, places: TLSStorePlaces?) {
            self.init(limits: ConnectionLimits(configuration), rules: RouteRules(configuration.tls), places: places)
        }

        /// - Parameters:
        ///   - rules: For requests of sessions that have none. Default: nil, none.
        ///   - places: Where the certificates of the system's authorities are. Default: nil, its own places.
        ///   - loadTLS: Gives OpenSSL. Default: the system's.
        ///   - loadHTTP2: Gives libnghttp2. Default: the system's.
        ///   - network: Asked for routes. Default: the system's network.
        init(
            limits: ConnectionLimits, rules: RouteRules? = nil, places: TLSStorePlaces? = nil,
            loadTLS: @escaping TLSLibrary.Loader = { TLSLibrary.system },
            loadHTTP2: @escaping HTTP2Library.Loader = { HTTP2Library.system }, network: any NetworkPaths = systemNetwork
        ) {
            self.limits = limits
            self.rules = rules
            self.places = places
            self.loadTLS = loadTLS
            self.loadHTTP2 = loadHTTP2
            self.network = network
        }

        deinit {
            post(.close)
        }

        public func start(_ request: TransportRequest, receiver: any TransportReceiver) {
            do throws(TransportError) {
                let opened = try open()
                let completed = try request.completed(by: rules)
                if let problem = completed.problemOnSockets { throw problem }
                let transfer = SocketTransfer(completed, receiver: receiver, pool: opened.pool.object)
                opened.inbox.post(LoopMessage(pool: opened.pool, command: .start(NewTransfer(transfer: transfer))))
            } catch {
                receiver.receive([.notSent(request.id, error)])
            }
        }

        public func cancel(_ id: TransportTaskID) { post(.cancel(id)) }

        public func pause(_ id: TransportTaskID) { post(.pause(id)) }

        public func resume(_ id: TransportTaskID) { post(.resume(id)) }

        public func proceed(_ id: TransportTaskID, _ body: TransportRequest.HeldBody) { post(.proceed(id, body)) }

        public func acknowledge(_ id: TransportTaskID, bytes: Int) { post(.acknowledge(id, bytes: bytes)) }

        public func answer(_ id: TransportTaskID, _ answer: TransportAnswer) { post(.answer(id, answer)) }

        public func send(_ id: TransportTaskID, _ command: WebSocketCommand) { post(.webSocket(id, command)) }

        public func closeIdleConnections() { post(.closeIdleConnections) }

        private func post(_ command: PoolCommand) {
            guard let opened = opened.withLock({ $0 }) else { return }
            opened.inbox.post(LoopMessage(pool: opened.pool, command: command))
        }

        /// The pool on the loop, created on first use: a session that sends nothing needs no thread.
        func open() throws(TransportError) -> Opened {
            if let opened = opened.withLock({ $0 }) { return opened }
            // Here, because the loop is not to wait for files. Otherwise libnghttp2 is loaded before the first handshake.
            if limits.versions == .http2PriorKnowledge { _ = loadHTTP2() }
            _ = CodingLibraries.system
            let loop = try EventLoop.shared()
            return opened.withLock { current in
                if let current { return current }
                let pool = ConnectionPool(
                    loop: loop, limits: limits, places: places, loadTLS: loadTLS, loadHTTP2: loadHTTP2, network: network)
                let new = Opened(inbox: loop.inbox, pool: PoolReference(object: pool))
                current = new
                return new
            }
        }
    }

    extension TransportRequest {
        private static let featuresOfSockets: Set<Feature> = [
            .fileBody, .streamBody, .reportsSent, .reportsInterim, .waitsForConnectivity, .trust, .versionsOfTLS, .identity, .proxy,
            .destination, .webSocket,
        ]

        /// What this transport cannot do of a request.
        var problemOnSockets: TransportError? {
            if opensWebSocket, method != .get || bodySource != nil {
                return .failed(.badURL, "a WebSocket is opened by a GET without a body")
            }
            if let feature = unsupportedFeature(supported: Self.featuresOfSockets) { return .unsupported(feature, by: "SocketTransport") }
            if !route.isDirect {
                let isSecure = target.origin.isSecure || route.proxy?.server?.origin.isSecure == true
                let problem = route.destination?.problem ?? route.proxy?.problem ?? (isSecure ? route.trust?.rules?.problem : nil)
                if let problem { return .failed(.resourceUnavailable, problem) }
            }
            return bodySource?.problemOfNumbers
        }
    }
#endif
