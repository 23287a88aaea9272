#if os(Linux)
    import CFirewheelSystem
    import Glibc

    /// Makes a connected socket secure: waits for the authorities to be read, and goes through the TLS handshake. Used on the loop's thread
    /// only.
    final class SecureHandshake: SocketOwner {
        enum Event {
            /// The verdict about the server is wanted: ``SecureHandshake/answer(_:)``.
            case asks(ServerCertificates)
            case done(Wire)
            case failed(TransportError)
        }

        private let peer: TLSPeer
        /// The proxy, if it is the peer.
        private let proxy: ProxyServer?
        private let protocols: () -> [String]
        private let options: TLSOptions
        private let address: SocketAddress
        // Sound because the pool ends its transfers, and they their handshakes, before it is released.
        private unowned(unsafe) let pool: ConnectionPool
        private(set) var socket: WatchedSocket?
        private var stream: TLSStream?
        /// The connection to a proxy that carries this one's bytes; nil if the socket does.
        private var carrier: TLSStream?
        /// Whether its socket was ready, and it has to wait for its step because others had theirs in this turn.
        private(set) var awaitsStep = false
        /// nil when it is over.
        private var handle: ((Event) -> Void)?

        /// - Parameters:
        ///   - socket: The connected socket, which is closed if there is no other owner in the end.
        ///   - carrier: The connection to a proxy that carries the bytes; nil if the socket does.
        ///   - proxy: The proxy, if it is the peer.
        ///   - protocols: The names to offer by ALPN, asked for when the handshake begins.
        ///   - handle: Called any number of times with a question, and then once with the end, unless the handshake is cancelled. May be
        ///     called within ``start()``.
        init(
            _ socket: WatchedSocket, carrier: TLSStream?, to address: SocketAddress, peer: TLSPeer, proxy: ProxyServer?,
            options: TLSOptions,
            protocols: @escaping () -> [String], pool: ConnectionPool, handle: @escaping (Event) -> Void
        ) {
            self.socket = socket
            self.address = address
            self.peer = peer
            self.proxy = proxy
            self.carrier = carrier
            self.options = options
            self.protocols = protocols
            self.pool = pool
            self.handle = handle
            pool.loop.setOwner(self, of: socket)
        }

        private var loop: EventLoop { pool.loop }

        func start() {
            // A socket that can be written would be reported in every turn until the authorities are read.
            if !pool.security.provide(options, to: self, of: pool) { watch([]) }
        }

        /// Begins, now that the authorities are known.
        func begin(_ context: Result<TLSContext, TLSFailure>) {
            guard let socket else { return }
            guard TLSGate.enter() else { return fail(.closed) }
            defer { TLSGate.leave() }
            do throws(TLSFailure) {
                stream = try TLSStream(
                    context.get(), descriptor: socket.descriptor, carrier: carrier, peer: peer, protocols: protocols(),
                    sessions: pool.security.sessions)
            } catch {
                return fail(error)
            }
            // Reported at once, when it is this handshake's turn.
            watch(.writing)
        }

        func cancel() {
            handle = nil
            clear()
        }

        func answer(_ answer: TransportAnswer) {
            guard TLSGate.enter() else { return fail(.closed) }
            defer { TLSGate.leave() }
            stream?.answer(answer)
            watch(.writing)
        }

        func socketIsReady(_ readiness: Readiness) {
            // A step is a millisecond's work at most. The socket is reported again in the next turn.
            awaitsStep = !loop.mayTakeLongStep()
            guard !awaitsStep else { return }
            guard TLSGate.enter() else { return fail(.closed) }
            let step = stream?.handshake()
            // What follows may call the code of others, for whom the process's exit must not wait.
            TLSGate.leave()
            switch step {
            case .wantsReading:
                watch(.reading)
                // What the carrier has received already is announced by no socket.
                if stream?.hasMore == true, let socket { loop.lookAgain(at: socket) }
            case .wantsWriting: watch(.writing)
            case .asks(var certificates):
                // Every other call would ask again.
                watch([])
                certificates.proxy = proxy?.description
                handle?(.asks(certificates))
            case .done: finish()
            case .failed(let failure): fail(failure)
            case nil: break
            }
        }

        private func watch(_ readiness: Readiness) {
            guard var socket else { return }
            let isWatched = loop.watch(&socket, for: readiness)
            self.socket = socket
            if !isWatched { fail(.outOfMemory) }
        }

        private func finish() {
            guard let socket = socket.take(), let stream = stream.take() else { return }
            handle.take()?(.done(Wire(socket, to: address, tls: stream)))
        }

        private func fail(_ failure: TLSFailure) {
            let handle = handle.take()
            clear()
            handle?(.failed(error(for: failure)))
        }

        private func error(for failure: TLSFailure) -> TransportError {
            let error = failure.error(for: peer, options: options)
            // A verdict is recognized by its error.
            if case .refused = failure { return error }
            guard let proxy, case .failed(let code, let words) = error else { return error }
            return .failed(code, ConnectionWords.unreachable(proxy, words))
        }

        private func clear() {
            pool.security.stopProviding(to: self)
            // Closes its carrier, too.
            stream?.close()
            stream = nil
            carrier?.close()
            carrier = nil
            if let socket = socket.take() { loop.close(socket) }
        }
    }
#endif
