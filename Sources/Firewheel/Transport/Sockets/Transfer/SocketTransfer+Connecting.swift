#if os(Linux)
    import Foundation

    /// How a request gets a connection: an idle one, or a new one behind a name lookup.
    extension SocketTransfer {
        /// Handles that the request may run.
        func leaveQueue() {
            measured.leftQueue = loop.now
            guard !isPaused else {
                stage = .parked
                return pool.leaveLane(lane)
            }
            findConnection()
        }

        func findConnection() {
            tries += 1
            // When it goes again, what the loop has seen of other connections may not have been handled yet.
            if let connection = pool.takeIdle(lane, isLookedAt: tries == 1) { return run(on: connection, isReused: true) }
            if origin.isAddress { return connect(to: [origin.host]) }
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
            let connector = Connector(parsed, firstFamily: lane.extra.lastFamily, loop: loop) { [unowned self] outcome in
                self.connector = nil
                switch outcome {
                case .connected(let socket, let address):
                    lane.extra.lastFamily = address.family
                    measured.connectEnd = loop.now
                    run(on: HTTP1Connection(Wire(socket, to: address), pool: pool, lane: lane), isReused: false)
                case .failed(let code):
                    fail(.failed(.cannotConnectToHost, ConnectionWords.refused(code, origin)))
                }
            }
            self.connector = connector
            connector.start()
        }

        private func run(on exchange: any Exchange, isReused: Bool) {
            stage = .running
            self.exchange = exchange
            measured.isReused = isReused
            lastActivity = loop.now
            exchange.begin(self)
            setTimer()
        }
    }
#endif
