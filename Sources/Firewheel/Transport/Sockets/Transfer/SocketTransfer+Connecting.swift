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
                pool.notePaused(false, in: lane)
                return pool.leaveLane(lane)
            }
            findConnection()
        }

        func findConnection() {
            // A lane may have connections of both versions, if several servers have its address.
            if !lane.extra.shared.isEmpty, let (exchange, isReused) = pool.takePlace(lane) { return run(on: exchange, isReused: isReused) }
            // When it goes again, what the loop has seen of other connections may not have been handled yet.
            if lane.extra.version != .http2, let connection = pool.takeIdle(lane, isLookedAt: tries == 0) {
                return run(on: connection, isReused: true)
            }
            guard pool.mayOpen(lane), pool.mayOpenAnother(lane) else { return waitAgain(isVain: true) }
            openConnection()
        }

        func openConnection() {
            setOpening(true)
            if let family = destination?.family, family != .any {
                if let words = problem(of: server, family) { return failToConnect(words, isServer: true) }
                if let proxy, let words = problem(of: proxy.origin, family) { return failToConnect(words) }
            }
            if looksUpForProxy { return lookUp() }
            if let socket = destination?.unixSocket { return connect(to: socket) }
            let peer = peer
            // RFC 6874 section 2: the percent sign of a zone is escaped in a URL.
            if peer.isAddress { return connect(to: [peer.host.replacing("%25", with: "%", maxReplacements: 1)]) }
            lookUp()
        }

        private func lookUp() {
            let question = question
            if let addresses = NameResolver.shared.cached(question) { return found(addresses) }
            stage = .resolving
            // The server's lookup may have come before the proxy's.
            measured.lookup = (passage?.address == nil ? loop.now : measured.lookup?.start ?? loop.now, loop.now)
            setTimer()
            pool.resolve(question, for: self)
        }

        private func found(_ addresses: [String]) {
            if looksUpForProxy { passToProxy(addresses) } else { connect(to: addresses) }
        }

        /// Which name is being looked up.
        var question: NameResolver.Question {
            NameResolver.Question(host: looksUpForProxy ? server.host : peer.host, family: destination?.family ?? .any)
        }

        func resolved(_ answer: NameResolver.Answer) {
            guard stage == .resolving else { return }
            measured.lookup?.end = loop.now
            switch answer {
            case .success(let addresses): found(addresses)
            case .failure(let failure):
                let words = unreachable(failure.description, isServer: looksUpForProxy)
                if failure.mayBeOffline { return seekNetwork(.anywhere, after: .cannotFindHost, words) }
                fail(.failed(.cannotFindHost, words))
            }
        }

        private func connect(to addresses: [String]) {
            let port = peer.port
            let parsed = addresses.compactMap { SocketAddress(numeric: $0, port: port) }
            guard !parsed.isEmpty else { return failToConnect(ConnectionWords.unusable(addresses)) }
            connect(to: parsed)
        }

        private func beginConnecting() {
            stage = .connecting
            measured.connectStart = loop.now
            (measured.connectEnd, measured.proxyStart, measured.proxyEnd) = (nil, nil, nil)
            setTimer()
        }

        private func connect(to socket: UnixSocket) {
            beginConnecting()
            unixTicket = pool.connect(to: socket, for: self)
        }

        func connectedToUnixSocket(_ answer: UnixConnector.Answer) {
            unixTicket = nil
            guard let socket = destination?.unixSocket else { return }
            switch answer {
            case .success(let descriptor): connected(loop.add(descriptor, owner: NoOwner.shared), SocketAddress(socket))
            case .failure(let failure): failToConnect(failure.description)
            }
        }

        /// The owner of a socket that the loop does not watch yet.
        private final class NoOwner: SocketOwner, Sendable {
            static let shared = NoOwner()

            func socketIsReady(_ readiness: Readiness) {}
        }

        private func connect(to addresses: [SocketAddress]) {
            beginConnecting()
            let connector = Connector(addresses, firstFamily: lane.extra.lastFamily, loop: loop) { [unowned self] outcome in
                self.connector = nil
                switch outcome {
                case .connected(let socket, let address):
                    lane.extra.lastFamily = address.family
                    connected(socket, address)
                case .failed(let code):
                    // Otherwise the host that is connected to is named anyway.
                    let isNamed = proxy == nil && destination?.host != nil
                    let words = isNamed ? ConnectionWords.reason(code) : ConnectionWords.refused(code, peer)
                    guard NetlinkNetwork.wantsRoute(code) else { return failToConnect(words) }
                    seekNetwork(.addresses(addresses.map(\.networkAddress)), after: .cannotConnectToHost, unreachable(words))
                }
            }
            self.connector = connector
            connector.start()
        }

        private func connected(_ socket: WatchedSocket, _ address: SocketAddress) {
            measured.remote = (address.text, address.port)
            wantOfRoute = nil
            if let proxy { return connected(to: proxy, socket, address) }
            if origin.isSecure { return secure(socket, over: nil, to: address) }
            measured.connectEnd = loop.now
            runOnNew(Wire(socket, to: address), protocol: nil)
        }

        /// nil if the host is a name, or an address of the family.
        private func problem(of host: TargetURI.Origin, _ family: AddressFamily) -> String? {
            guard host.isAddress, AddressFamily(of: host.host) != family else { return nil }
            return "\(host.host) is not an \(family.name) address, as the session's addressFamily demands"
        }

        private func failToConnect(_ words: String, isServer: Bool = false) {
            stage = .connecting
            fail(.failed(.cannotConnectToHost, unreachable(words, isServer: isServer)))
        }

        /// - Parameter isServer: Whether the words are about the server, even if there is a proxy. Default: false.
        private func unreachable(_ words: String, isServer: Bool = false) -> String {
            if !isServer, let proxy { return ConnectionWords.unreachable(proxy, words) }
            return destination?.host == nil ? words : "cannot connect to \(place): \(words)"
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
                        fail(proxy == nil ? ConnectionWords.located(error, destination) : error)
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
