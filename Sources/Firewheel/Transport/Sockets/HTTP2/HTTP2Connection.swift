#if os(Linux)
    import Foundation
    import Glibc

    /// A connection that speaks HTTP/2: moves the bytes between a socket and a codec, for any number of exchanges at a time. Used on the
    /// loop's thread only.
    ///
    /// What is sent waits for the end of the loop's turn, so that one call sends what all exchanges have written in it.
    final class HTTP2Connection: PooledConnection, SocketOwner, TimerOwner, HTTP2ConnectionOwner {
        /// The most bytes that are received in one turn, so that a fast server does not hold up other connections.
        private static let mostBytes = 2 << 20

        // Sound because the pool owns its connections and closes them before it is released.
        unowned(unsafe) let pool: ConnectionPool
        let lane: ConnectionPool.Queue.Lane
        let wire: Wire
        let codec: HTTP2Codec
        private let opened: MonotonicInstant
        @exclusivity(unchecked) private(set) var idleSince: MonotonicInstant
        @exclusivity(unchecked) private(set) var isOpen = true
        /// Whether the pool counts it among the idle ones.
        @exclusivity(unchecked) var isCounted = false
        @exclusivity(unchecked) private var timer: LoopTimer?

        // The exchanges.
        /// When a request last began on the idle connection, or ended.
        @exclusivity(unchecked) private(set) var busySince: MonotonicInstant
        /// How many requests have this connection.
        @exclusivity(unchecked) private(set) var activeCount = 0
        /// Requests that have a place here and are not submitted: they wait for a pong, or are paused.
        @exclusivity(unchecked) private var unsubmitted: [HTTP2Exchange] = []
        /// Whether a request was ever submitted.
        @exclusivity(unchecked) private var wasUsed = false
        /// Whether the server refuses requests that its limits allow.
        @exclusivity(unchecked) private var refuses = false

        // The ping before an old connection is used.
        @exclusivity(unchecked) private(set) var lastReceived: MonotonicInstant
        /// When to give up waiting for the pong; nil if none is awaited.
        @exclusivity(unchecked) private(set) var pongDue: MonotonicInstant?
        /// When to give up waiting for the server's SETTINGS; nil once that is over.
        @exclusivity(unchecked) private var settingsDue: MonotonicInstant?
        /// Whether the pong or the SETTINGS did not come in time. Whatever comes ends that, but not without the SETTINGS.
        @exclusivity(unchecked) private var isSilent = false
        /// Until when it yields: it takes no more requests, so that it ends and another lane gets a connection. nil if it does not.
        @exclusivity(unchecked) private var yieldEnd: MonotonicInstant?
        @exclusivity(unchecked) private var yieldStart: MonotonicInstant
        /// Until when it does not yield again; nil if it may.
        @exclusivity(unchecked) private var restEnd: MonotonicInstant?
        /// The seconds for which it yields next, and rests if that was in vain.
        @exclusivity(unchecked) private var yieldTime: TimeInterval

        @exclusivity(unchecked) var sending = Sending()

        /// nil if there is no memory. The wire is left alone then.
        init?(_ wire: Wire, pool: ConnectionPool, lane: ConnectionPool.Queue.Lane, library: SystemLibraryTable) {
            guard let codec = HTTP2Codec(library) else { return nil }
            self.codec = codec
            self.wire = wire
            self.pool = pool
            self.lane = lane
            opened = pool.loop.now
            idleSince = opened
            lastReceived = opened
            yieldStart = opened
            busySince = opened
            yieldTime = pool.limits.yieldTime
            codec.owner = self
            pool.loop.setOwner(self, of: wire.socket)
            pool.add(self)
            settingsDue = opened.advanced(by: pool.limits.settingsPatience)
            setTimer()
            noteOutput()
        }

        var loop: EventLoop { pool.loop }
        var isIdle: Bool { activeCount == 0 }

        // MARK: Places

        /// Whether it takes no further request: never again, or while it yields.
        var isLeaving: Bool { yieldEnd != nil || isLeavingForEver }

        /// Whether it takes no further request, ever.
        var isLeavingForEver: Bool {
            if !isOpen || refuses || isSilent || lane.extra.needsHTTP1 || sending.hasFailed || !codec.acceptsRequests { return true }
            // A server may allow none at all, as it turns out.
            if codec.hasSettings, codec.streamLimit == 0, isIdle { return true }
            guard let lifetime = pool.limits.lifetime else { return false }
            return opened.advanced(by: lifetime) <= loop.now
        }

        /// How many more requests it takes now.
        var freePlaces: Int {
            guard !isLeaving else { return 0 }
            return max(0, streamLimit - codec.streamCount - unsubmitted.count)
        }

        /// The most streams that the server allows. Before it has said so, it is assumed to allow as many as on its last connection.
        var streamLimit: Int {
            codec.hasSettings ? codec.streamLimit : min(codec.streamLimit, max(1, lane.extra.lastStreamLimit ?? .max))
        }

        /// A place for a request; the exchange may begin at once.
        func makeExchange() -> (exchange: HTTP2Exchange, isReused: Bool) {
            defer { wasUsed = true }
            return (HTTP2Exchange(self), wasUsed)
        }

        /// Takes an exchange in, and has it submitted when the connection is known to be alive.
        func enter(_ exchange: HTTP2Exchange, isPaused: Bool) {
            if activeCount == 0 {
                pool.noteUsed(self)
                busySince = loop.now
            }
            activeCount += 1
            submitWhenAlive(exchange, isPaused: isPaused)
        }

        /// Has an exchange submitted as soon as the connection is known to be alive, unless it is paused.
        func submitWhenAlive(_ exchange: HTTP2Exchange, isPaused: Bool) {
            let isOld = lastReceived.advanced(by: pool.limits.pingAge) <= loop.now
            guard isOld || pongDue != nil || isPaused else { return exchange.submit() }
            if !unsubmitted.contains(where: { $0 === exchange }) { unsubmitted.append(exchange) }
            guard isOld, pongDue == nil, !isPaused else { return }
            pongDue = loop.now.advanced(by: pool.limits.pongPatience)
            codec.ping()
            noteOutput()
            setTimer()
        }

        /// Whether a request that is not submitted has to wait longer.
        var awaitsPong: Bool { pongDue != nil }

        /// Records that an exchange was submitted, or leaves.
        func forgetUnsubmitted(_ exchange: HTTP2Exchange) {
            if let index = unsubmitted.firstIndex(where: { $0 === exchange }) { unsubmitted.remove(at: index) }
        }

        /// Handles that an exchange needs its place no more.
        func left(_ exchange: HTTP2Exchange) {
            activeCount -= 1
            busySince = loop.now
            forgetUnsubmitted(exchange)
            pool.noteChanged(lane)
            guard isOpen else { return pool.forgetIfEmpty(self) }
            if pool.blocked.count > 0 { pool.considerYielding(self) }
            noteOutput()
            guard activeCount == 0 else { return }
            idleSince = loop.now
            setTimer()
            if !isLeaving { pool.noteUnused(self) }
        }

        /// Handles that the server has refused a stream.
        ///
        /// - Parameter isExplained: Whether it was one more than the server allows, as it turned out.
        func noteRefusal(isExplained: Bool) {
            if !isExplained { refuses = true }
            pool.noteChanged(lane)
        }

        // MARK: Yielding

        /// A yield ends, because a stream may never end. It becomes longer each time, so that slow streams can all end.
        private static let longestYield = 8.0

        /// Whether it has begun to yield a moment ago.
        var isYieldFresh: Bool { yieldEnd != nil && yieldStart.advanced(by: pool.limits.yieldTime) > loop.now }

        /// Takes no more requests for a while. Without requests it is closed.
        func yield() {
            guard isOpen, yieldEnd == nil, restEnd.map({ $0 <= loop.now }) ?? true else { return }
            yieldStart = loop.now
            yieldEnd = yieldStart.advanced(by: yieldTime)
            pool.yielding.append(self)
            pool.noteChanged(lane)
            setTimer()
        }

        /// Takes requests again.
        ///
        /// - Parameter isNeedless: Whether nobody waits for it any more.
        func endYielding(isNeedless: Bool) {
            guard yieldEnd != nil else { return }
            yieldEnd = nil
            if isNeedless {
                yieldTime = pool.limits.yieldTime
            } else {
                restEnd = loop.now.advanced(by: yieldTime)
                yieldTime = min(yieldTime * 2, Self.longestYield)
            }
            pool.yielding.removeAll { $0 === self }
            pool.noteChanged(lane)
            if isOpen, isIdle, !isLeaving { pool.noteUnused(self) }
        }

        // MARK: Readiness

        func socketIsReady(_ readiness: Readiness) {
            if sending.isBlocked, readiness.contains(.writing) || wire.needsReading {
                sending.isBlocked = false
                noteOutput()
            }
            if readiness.contains(.reading) || wire.needsWriting { receive() }
        }

        private func receive() {
            // What the socket is watched for may change.
            if wire.needsWriting { noteOutput() }
            var budget = Self.mostBytes
            let buffer = loop.scratch
            while isOpen, budget > 0 {
                switch wire.receive(into: buffer) {
                case .bytes(let count):
                    budget -= count
                    lastReceived = loop.now
                    codec.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: loop.now)
                    if isSilent, codec.hasSettings {
                        isSilent = false
                        pool.noteChanged(lane)
                    }
                    noteOutput()
                    // A short read has emptied the socket.
                    if count < buffer.count, !wire.hasMore { return }
                case .nothing:
                    if wire.needsWriting || wire.hasMore { noteOutput() }
                    return
                case .end:
                    // The kernel reports a reset once. If sending was told, this looks like the peer's end; EPIPE does come with one.
                    let code = sending.errorCode == EPIPE ? 0 : sending.errorCode
                    return connectionEnded(code)
                case .cutOff: return connectionEnded(0)
                case .failed(let code): return connectionEnded(code)
                case .violated(let error): return violated(error)
                }
            }
        }

        /// - Parameter code: The errno; 0 if the server has ended the connection.
        func connectionEnded(_ code: Int32) {
            codec.connectionEnded(isReset: code != 0)
            close()
        }

        private func violated(_ error: TransportError) {
            codec.fail(error)
            codec.deliverEvents()
            close()
        }

        // MARK: Events

        func received(_ event: HTTP2ConnectionEvent) {
            guard isOpen else { return }
            switch event {
            case .roomChanged:
                if codec.hasSettings { lane.extra.lastStreamLimit = codec.streamLimit }
                pool.noteChanged(lane)
            case .goAway:
                pool.noteChanged(lane)
                noteOutput()
            case .pong:
                guard pongDue != nil else { return }
                pongDue = nil
                let waiting = unsubmitted
                for exchange in waiting { exchange.connectionIsAlive() }
            case .failed:
                // What is left to send tells the server why.
                pool.noteChanged(lane)
                noteOutput()
            }
        }

        /// Handles that a stream has left the codec, or that its place may be used otherwise.
        func noteRoom() { pool.noteChanged(lane) }

        // MARK: Ends

        /// Closes it if there is nothing left to do.
        func closeIfDone() {
            if isOpen, codec.failure != nil || isLeaving && activeCount == 0 { close() }
        }

        /// Takes leave of the server and closes the connection. Requests that were not sent go on elsewhere.
        func close() {
            guard isOpen else { return }
            codec.deliverEvents()
            guard isOpen else { return }
            codec.close()
            sendRest()
            isOpen = false
            // They refer to the connection.
            sending.unwritten = []
            if let timer { loop.end(timer) }
            timer = nil
            wire.close(on: loop)
            endYielding(isNeedless: true)
            pool.noteUsed(self)
            pool.remove(self)
            pool.forgetIfEmpty(self)
            pool.noteChanged(lane)
            let waiting = unsubmitted
            for exchange in waiting { exchange.flowHasChanged() }
        }

        // MARK: Clocks

        private func setTimer() {
            guard let due = nextDue else { return }
            let timer = timer ?? LoopTimer(self)
            self.timer = timer
            loop.set(timer, by: due)
        }

        private var nextDue: MonotonicInstant? {
            [pongDue, settingsDue, lifeEnd, yieldEnd, isIdle ? idleEnd : nil].compactMap(\.self).min()
        }

        /// When an idle connection is closed.
        private var idleEnd: MonotonicInstant? { pool.limits.idleEnd(since: idleSince, opened: opened) }

        /// When it begins to take no more requests; nil if it has begun, or never does.
        private var lifeEnd: MonotonicInstant? {
            pool.limits.lifetime.map { opened.advanced(by: $0) }.flatMap { $0 > loop.now ? $0 : nil }
        }

        /// The requests have timers of their own. A connection that is taken for silent too early only gets no further ones.
        func wasHeldUp(since start: MonotonicInstant, until end: MonotonicInstant) {}

        func timerFired() {
            guard isOpen else { return }
            if let due = pongDue, due <= loop.now {
                pongDue = nil
                becomeSilent()
            }
            if let due = settingsDue, due <= loop.now {
                settingsDue = nil
                if !codec.hasSettings { becomeSilent() }
            }
            guard isOpen else { return }
            if isIdle, isLeaving || idleEnd.map({ $0 <= loop.now }) ?? false { return close() }
            if let end = yieldEnd, end <= loop.now { endYielding(isNeedless: false) }
            // Its time may be over.
            if pool.limits.lifetime != nil { pool.noteChanged(lane) }
            setTimer()
        }

        /// Has new requests go elsewhere. Those under way may still be answered, if the server is only slow.
        private func becomeSilent() {
            isSilent = true
            pool.noteChanged(lane)
            let waiting = unsubmitted
            for exchange in waiting { exchange.flowHasChanged() }
        }
    }
#endif
