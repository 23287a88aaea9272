#if os(Linux)
    import Foundation

    /// The transport on Linux: libcurl, driven by one thread for all sessions of the process. Each transport has its own connection pool.
    ///
    /// Certificates are verified against the system's authorities, or those of `SSL_CERT_FILE` and `SSL_CERT_DIR` if set. HTTP/2 is used if
    /// the server offers it over TLS; requests share its connections with libcurl 8.5. Bodies are decoded according to their
    /// `Content-Encoding`, even if that coding was not offered. libcurl does not detect a truncated gzip body; an unknown coding fails with
    /// `cannotDecodeContentData`.
    ///
    /// It sends bodies from memory only, straight to the origin, and reports neither interim responses, `sent` events nor trailer fields: a
    /// request that asks for more fails with `resourceUnavailable` before anything is sent.
    public final class CurlTransport: Transport {
        private let maximumConnectionsPerHost: Int
        private let ages: CurlConnectionAges
        private let certificates: CurlCertificates
        private let opened = Locked<Opened?>(nil)

        /// The transport's channel on the loop. Tests inspect it with ``CurlCommand/inspect(_:)``.
        struct Opened: Sendable {
            let inbox: LoopInbox<CurlCommand>
            let reference: CurlChannelReference
        }

        /// Creates a transport with its own connection pool.
        ///
        /// - Parameter configuration: Read for `maximumConnectionsPerHost`, `idleConnectionTimeout` and `maximumConnectionLifetime`;
        ///   options of a single request are passed with the request.
        public convenience init(configuration: SessionConfiguration = .default) {
            self.init(configuration: configuration, certificates: .fromEnvironment())
        }

        init(configuration: SessionConfiguration, certificates: CurlCertificates) {
            maximumConnectionsPerHost = configuration.maximumConnectionsPerHost
            ages = CurlConnectionAges(configuration)
            self.certificates = certificates
        }

        deinit {
            if let opened = opened.withLock({ $0 }) { opened.inbox.post(.close(opened.reference)) }
        }

        public func start(_ request: TransportRequest, receiver: any TransportReceiver) {
            do {
                let opened = try open()
                opened.inbox.post(.start(opened.reference, request, receiver))
            } catch {
                receiver.receive([.notSent(request.id, error as? TransportError ?? .failed(.unknown, "\(error)"))])
            }
        }

        public func cancel(_ id: TransportTaskID) {
            post { .cancel($0, id) }
        }

        public func pause(_ id: TransportTaskID) {
            post { .pause($0, id) }
        }

        public func resume(_ id: TransportTaskID) {
            post { .resume($0, id) }
        }

        public func proceed(_ id: TransportTaskID, _ body: TransportRequest.HeldBody) {
            post { .proceed($0, id, body) }
        }

        public func acknowledge(_ id: TransportTaskID, bytes: Int) {
            post { .acknowledge($0, id, bytes: bytes) }
        }

        public func closeIdleConnections() {
            post { .closeIdleConnections($0) }
        }

        private func post(_ command: (CurlChannelReference) -> CurlCommand) {
            guard let opened = opened.withLock({ $0 }) else { return }
            opened.inbox.post(command(opened.reference))
        }

        /// The channel on the loop, created on first use: a session that sends nothing needs no thread.
        func open() throws -> Opened {
            if let opened = opened.withLock({ $0 }) { return opened }
            let loop = try CurlLoop.shared()
            return opened.withLock { current in
                if let current { return current }
                let channel = CurlChannel(
                    loop: loop, maximumConnectionsPerHost: maximumConnectionsPerHost, ages: ages, certificates: certificates)
                let new = Opened(inbox: loop.inbox, reference: CurlChannelReference(channel))
                current = new
                return new
            }
        }
    }
#endif
