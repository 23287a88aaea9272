#if os(Linux)
    import Glibc

    /// Has a proxy connect to a server, on a connection to the proxy. Used on the loop's thread only.
    final class ProxyTunnel: SocketOwner, TimerOwner {
        enum Outcome {
            case connected(Wire)
            case failed(TransportError)
        }

        /// The seconds that the body of a refusal is waited for.
        private static let patience = 5.0

        private let loop: EventLoop
        private var handshake: ConnectHandshake
        /// The number of bytes of the request that were sent.
        private var sent = 0
        private var wire: Wire?
        /// nil when it is over.
        private var done: ((Outcome) -> Void)?
        /// For the body of a refusal.
        private var timer: LoopTimer?

        /// - Parameters:
        ///   - wire: Closed if there is no other owner in the end.
        ///   - done: Called once, unless this is cancelled. May be called within ``start()``.
        init(_ wire: Wire, _ handshake: ConnectHandshake, loop: EventLoop, done: @escaping (Outcome) -> Void) {
            self.wire = wire
            self.handshake = handshake
            self.loop = loop
            self.done = done
            loop.setOwner(self, of: wire.socket)
        }

        func start() { goOn() }

        func cancel() {
            done = nil
            clear()
        }

        /// The error for a time that is over.
        ///
        /// - Parameter words: That of a proxy that has not answered.
        func error(ofTimeout words: TransportError) -> TransportError { handshake.refusal ?? words }

        func timerFired() {
            if let refusal = handshake.refusal { end(.failed(refusal)) }
        }

        /// The beginning of a body is better than none.
        func wasHeldUp(since start: MonotonicInstant, until end: MonotonicInstant) {}

        func socketIsReady(_ readiness: Readiness) { goOn() }

        private func goOn() {
            guard let wire else { return }
            guard send(on: wire) else { return }
            while self.wire != nil {
                switch wire.receive(into: loop.scratch) {
                case .bytes(let count): read(UnsafeRawBufferPointer(rebasing: loop.scratch[..<count]))
                case .nothing: return watch(wire)
                case .end, .cutOff: return end(.failed(handshake.connectionEnded(nil)))
                case .failed(let code): return fail(code)
                case .violated(let error): return end(.failed(handshake.violated(error)))
                }
            }
        }

        /// - Returns: False if this is over.
        private func send(on wire: Wire) -> Bool {
            while sent < handshake.request.count {
                switch handshake.request[sent...].withUnsafeBytes({ wire.send($0) }) {
                case .bytes(let count): sent += count
                case .nothing: return true
                // The response may have come before. No more is sent.
                case .failed(EPIPE): sent = handshake.request.count
                case .failed(let code):
                    fail(code)
                    return false
                }
            }
            return true
        }

        private func read(_ bytes: UnsafeRawBufferPointer) {
            switch handshake.read(bytes) {
            case .connected(let early):
                wire?.early = early
                end(.connected)
            case .failed(let error): end(.failed(error))
            case .needsMore:
                guard timer == nil, handshake.refusal != nil else { return }
                let new = LoopTimer(self)
                timer = new
                loop.set(new, by: loop.now.advanced(by: Self.patience))
            }
        }

        private func watch(_ wire: Wire) {
            var interest = Readiness.reading
            // TLS may have to write before it can read, and to read before it can write.
            if wire.needsWriting || sent < handshake.request.count && !wire.needsReading { interest.insert(.writing) }
            guard loop.watch(&wire.socket, for: interest) else { return fail(ENOMEM) }
            if wire.hasMore { loop.lookAgain(at: wire.socket) }
        }

        private enum Ending {
            case connected
            case failed(TransportError)
        }

        private func fail(_ code: Int32) {
            end(.failed(handshake.connectionEnded(code == ECONNRESET ? "connection reset" : FirewheelError.words(forSystemError: code))))
        }

        private func end(_ ending: Ending) {
            let done = done.take()
            switch ending {
            case .connected:
                endTimer()
                guard let wire = wire.take() else { return }
                done?(.connected(wire))
            case .failed(let error):
                clear()
                done?(.failed(error))
            }
        }

        private func clear() {
            wire.take()?.close(on: loop)
            endTimer()
        }

        private func endTimer() {
            if let timer = timer.take() { loop.end(timer) }
        }
    }
#endif
