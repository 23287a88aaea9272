#if os(Linux)
    import Glibc

    /// Has a proxy connect to a server, on a connection to the proxy. Used on the loop's thread only.
    final class ProxyTunnel: SocketOwner, TimerOwner {
        enum Outcome {
            /// With the response of an HTTP proxy.
            case connected(Wire, ResponseHead?)
            /// With the proxy's response and the error for it. The proxy takes another request on the connection, if there is one.
            case refused(ResponseHead, TransportError, Wire?)
            /// - Parameter hasAnswered: Whether the proxy has sent anything.
            case failed(TransportError, hasAnswered: Bool)
        }

        /// The seconds that the body of a refusal is waited for, and of one that is a challenge.
        private static let patience = 5.0
        private static let patienceWithChallenge = 0.5

        private let loop: EventLoop
        private let mayAnswer: Bool
        private var handshake: any TunnelHandshake
        /// The number of bytes that were sent.
        private var sent = 0
        private var wire: Wire?
        /// nil when it is over.
        private var done: ((Outcome) -> Void)?
        /// For the body of a refusal.
        private var timer: LoopTimer?

        /// - Parameters:
        ///   - wire: Closed if there is no other owner in the end.
        ///   - mayAnswer: Whether a challenge may be answered, so that its body is of little interest.
        ///   - done: Called once, unless this is cancelled. May be called within ``start()``.
        init(
            _ wire: Wire, _ handshake: any TunnelHandshake, mayAnswer: Bool, loop: EventLoop, done: @escaping (Outcome) -> Void
        ) {
            self.mayAnswer = mayAnswer
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
            if handshake.refusal != nil { take(.refused(stays: false)) }
        }

        /// The beginning of a body is better than none.
        func wasHeldUp(since start: MonotonicInstant, until end: MonotonicInstant) {}

        func socketIsReady(_ readiness: Readiness) { goOn() }

        private func goOn() {
            guard let wire else { return }
            while self.wire != nil {
                guard send(on: wire) else { return }
                switch wire.receive(into: loop.scratch) {
                case .bytes(let count): take(handshake.read(UnsafeRawBufferPointer(rebasing: loop.scratch[..<count])))
                case .nothing: return watch(wire)
                case .end, .cutOff: return take(handshake.connectionEnded(nil))
                case .failed(let code): return fail(code)
                case .violated(let error): return take(handshake.violated(error))
                }
            }
        }

        /// - Returns: False if this is over.
        private func send(on wire: Wire) -> Bool {
            while sent < handshake.output.count {
                switch handshake.output[sent...].withUnsafeBytes({ wire.send($0) }) {
                case .bytes(let count): sent += count
                case .nothing: return true
                // The response may have come before. No more is sent.
                case .failed(EPIPE): sent = handshake.output.count
                case .failed(let code):
                    fail(code)
                    return false
                }
            }
            return true
        }

        private func take(_ step: TunnelStep) {
            switch step {
            case .connected where sent < handshake.output.count:
                take(handshake.violated(.failed(.badServerResponse, "it answered before it was asked")))
            case .connected(let early):
                guard let wire = release() else { return }
                wire.early = early
                done.take()?(.connected(wire, handshake.head))
            case .refused(let stays):
                guard let head = handshake.head, let refusal = handshake.refusal else { return }
                let wire = stays && sent == handshake.output.count ? release() : nil
                clear()
                done.take()?(.refused(head, refusal, wire))
            case .failed(let error):
                clear()
                done.take()?(.failed(error, hasAnswered: handshake.hasBegun))
            case .needsMore:
                guard timer == nil, handshake.refusal != nil else { return }
                let new = LoopTimer(self)
                timer = new
                let isChallenge = mayAnswer && handshake.head?.statusCode == 407
                loop.set(new, by: loop.now.advanced(by: isChallenge ? Self.patienceWithChallenge : Self.patience))
            }
        }

        private func watch(_ wire: Wire) {
            var interest = Readiness.reading
            // TLS may have to write before it can read, and to read before it can write.
            if wire.needsWriting || sent < handshake.output.count && !wire.needsReading { interest.insert(.writing) }
            guard loop.watch(&wire.socket, for: interest) else { return fail(ENOMEM) }
            if wire.hasMore { loop.lookAgain(at: wire.socket) }
        }

        private func fail(_ code: Int32) {
            take(handshake.connectionEnded(code == ECONNRESET ? "connection reset" : FirewheelError.words(forSystemError: code)))
        }

        /// The connection, which is somebody else's from now on.
        private func release() -> Wire? {
            endTimer()
            return wire.take()
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
