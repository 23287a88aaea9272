#if os(Linux)
    import Foundation

    /// How a request gets a connection: an idle one, or a new one behind a name lookup.
    extension SocketTransfer {
        /// Handles that the request may run.
        func leaveQueue() {
            // Behind a challenge of a proxy the connect timeout begins anew.
            if measured.leftQueue == nil { measured.leftQueue = loop.now } else { lastActivity = loop.now }
            guard !isPaused else {
                stage = .parked
                return pool.leaveLane(lane)
            }
            findConnection()
        }

        func findConnection() {
            if lane.extra.version == .http2 {
                if let (exchange, isReused) = pool.takePlace(lane) { return run(on: exchange, isReused: isReused) }
                guard pool.mayOpen(lane) else { return waitAgain() }
            } else {
                // When it goes again, what the loop has seen of other connections may not have been handled yet.
                if let connection = pool.takeIdle(lane, isLookedAt: tries == 0) { return run(on: connection, isReused: true) }
            }
            openConnection()
        }

        func openConnection() {
            setOpening(true)
            if looksUpForProxy { return lookUp(origin.host) }
            let peer = peer
            // RFC 6874 section 2: the percent sign of a zone is escaped in a URL.
            if peer.isAddress { return connect(to: [peer.host.replacing("%25", with: "%", maxReplacements: 1)]) }
            lookUp(peer.host)
        }

        private func lookUp(_ host: String) {
            if let addresses = NameResolver.shared.cached(host) { return found(addresses) }
            stage = .resolving
            // The server's lookup may have come before the proxy's.
            measured.lookup = (passage?.address == nil ? loop.now : measured.lookup?.start ?? loop.now, loop.now)
            setTimer()
            pool.resolve(host, for: self)
        }

        private func found(_ addresses: [String]) {
            if looksUpForProxy { passToProxy(addresses) } else { connect(to: addresses) }
        }

        /// The host whose name is being looked up.
        var hostToResolve: String { looksUpForProxy ? origin.host : peer.host }

        func resolved(_ answer: NameResolver.Answer) {
            guard stage == .resolving else { return }
            measured.lookup?.end = loop.now
            switch answer {
            case .success(let addresses): found(addresses)
            case .failure(let failure):
                let proxy = looksUpForProxy ? nil : proxy
                fail(.failed(.cannotFindHost, proxy.map { ConnectionWords.unreachable($0, failure.description) } ?? failure.description))
            }
        }

        private func connect(to addresses: [String]) {
            stage = .connecting
            measured.connectStart = loop.now
            (measured.connectEnd, measured.proxyStart, measured.proxyEnd) = (nil, nil, nil)
            setTimer()
            let parsed = addresses.compactMap { SocketAddress(numeric: $0, port: peer.port) }
            guard !parsed.isEmpty else { return failToConnect(ConnectionWords.unusable(addresses)) }
            let connector = Connector(parsed, firstFamily: lane.extra.lastFamily, loop: loop) { [unowned self] outcome in
                self.connector = nil
                switch outcome {
                case .connected(let socket, let address):
                    lane.extra.lastFamily = address.family
                    measured.remote = address
                    if let proxy { return connected(to: proxy, socket, address) }
                    if origin.isSecure { return secure(socket, over: nil, to: address) }
                    measured.connectEnd = loop.now
                    runOnNew(Wire(socket, to: address), protocol: nil)
                case .failed(let code): failToConnect(ConnectionWords.refused(code, peer))
                }
            }
            self.connector = connector
            connector.start()
        }

        private func failToConnect(_ words: String) {
            fail(.failed(.cannotConnectToHost, proxy.map { ConnectionWords.unreachable($0, words) } ?? words))
        }

        /// - Parameter carrier: The connection to a proxy within which this one is; nil if there is none over TLS.
        func secure(_ socket: WatchedSocket, over carrier: TLSStream?, to address: SocketAddress) {
            measured.secureStart = loop.now
            secure(
                socket, over: carrier, to: address, proxy: nil, protocols: { [unowned self] in pool.protocols(for: lane) },
                done: { [unowned self] wire in
                    measured.secureEnd = loop.now
                    measured.connectEnd = loop.now
                    runOnNew(wire, protocol: wire.tls?.negotiatedProtocol)
                })
        }

        /// - Parameter proxy: The proxy, if the connection leads there; nil for the server.
        func secure(
            _ socket: WatchedSocket, over carrier: TLSStream?, to address: SocketAddress, proxy: ProxyServer?,
            protocols: @escaping () -> [String], done: @escaping (Wire) -> Void
        ) {
            let new = SecureHandshake(
                socket, carrier: carrier, to: address, peer: TLSPeer(proxy?.origin ?? origin), proxy: proxy,
                options: proxy == nil ? request.route.tlsOptions : request.route.tlsOptionsOfProxy, protocols: protocols, pool: pool,
                handle: { [unowned self] event in
                    switch event {
                    case .asks(let certificates):
                        isAsking = true
                        pool.post(.question(.trust(certificates)), of: self)
                    case .failed(let error):
                        self.handshake = nil
                        fail(error)
                    case .done(let wire):
                        self.handshake = nil
                        done(wire)
                    }
                })
            handshake = new
            new.start()
        }

        /// Passes the client's verdict about the server on.
        func answer(_ answer: TransportAnswer) {
            guard isAsking, let handshake else { return }
            isAsking = false
            handshake.answer(answer)
            setTimer()
        }

        func run(on exchange: any Exchange, isReused: Bool) {
            tries += 1
            stage = .running
            self.exchange = exchange
            measured.isReused = isReused
            lastActivity = loop.now
            exchange.begin(self)
            setTimer()
        }
    }
#endif
