#if os(Linux)
    import Foundation

    /// How a request gets a connection: an idle one, or a new one behind a name lookup.
    extension SocketTransfer {
        /// Handles that the request may run.
        func leaveQueue() {
            if measured.leftQueue == nil { measured.leftQueue = loop.now }
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
            setOpening(true)
            // RFC 6874 section 2: the percent sign of a zone is escaped in a URL.
            if origin.isAddress { return connect(to: [origin.host.replacing("%25", with: "%", maxReplacements: 1)]) }
            if let addresses = NameResolver.shared.cached(origin.host) { return connect(to: addresses) }
            stage = .resolving
            measured.lookup = (loop.now, loop.now)
            setTimer()
            pool.resolve(origin.host, for: self)
        }

        func resolved(_ answer: NameResolver.Answer) {
            guard stage == .resolving else { return }
            measured.lookup?.end = loop.now
            switch answer {
            case .success(let addresses): connect(to: addresses)
            case .failure(let failure): fail(.failed(.cannotFindHost, failure.description))
            }
        }

        private func connect(to addresses: [String]) {
            stage = .connecting
            measured.connectStart = loop.now
            setTimer()
            let parsed = addresses.compactMap { SocketAddress(numeric: $0, port: origin.port) }
            guard !parsed.isEmpty else { return fail(.failed(.cannotConnectToHost, ConnectionWords.unusable(addresses))) }
            let connector = Connector(parsed, firstFamily: lane.extra.lastFamily, loop: loop) { [unowned self] outcome in
                self.connector = nil
                switch outcome {
                case .connected(let socket, let address):
                    lane.extra.lastFamily = address.family
                    measured.remote = address
                    if origin.isSecure { return secure(socket, to: address) }
                    measured.connectEnd = loop.now
                    runOnNew(Wire(socket, to: address), protocol: nil)
                case .failed(let code):
                    fail(.failed(.cannotConnectToHost, ConnectionWords.refused(code, origin)))
                }
            }
            self.connector = connector
            connector.start()
        }

        private func secure(_ socket: WatchedSocket, to address: SocketAddress) {
            measured.secureStart = loop.now
            let new = SecureHandshake(
                socket, to: address, peer: TLSPeer(origin), options: request.route.tlsOptions,
                protocols: { [unowned self] in pool.protocols(for: lane) }, pool: pool,
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
                        measured.secureEnd = loop.now
                        measured.connectEnd = loop.now
                        runOnNew(wire, protocol: wire.tls?.negotiatedProtocol)
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
