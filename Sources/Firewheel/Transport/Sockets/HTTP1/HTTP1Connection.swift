#if os(Linux)
    import Foundation
    import Glibc

    /// A connection that speaks HTTP/1.1: moves the bytes between a socket and a transfer, one exchange after the other. Used on the loop's
    /// thread only.
    ///
    /// What is sent is in `HTTP1Connection+Sending`.
    final class HTTP1Connection: Exchange, PooledConnection, SocketOwner, TimerOwner {
        /// The most bytes of one turn and of one call, so that a fast server does not hold up other connections: `recv` goes on for as
        /// long as the server sends.
        private static let mostBytes = 2 << 20
        private static let mostBytesOfRead = 1 << 18

        // Sound because the pool owns its connections and closes them before it is released.
        unowned(unsafe) let pool: ConnectionPool
        let lane: ConnectionPool.Queue.Lane
        private let opened: MonotonicInstant
        @exclusivity(unchecked) private(set) var idleSince: MonotonicInstant
        let wire: Wire
        @exclusivity(unchecked) private(set) var isOpen = true
        @exclusivity(unchecked) private var timer: LoopTimer?
        /// The number of requests that it has had.
        @exclusivity(unchecked) private var requestCount = 0

        /// The transfer whose exchange this is; nil while idle.
        @exclusivity(unchecked) private(set) var transfer: SocketTransfer?
        @exclusivity(unchecked) private var reader = ResponseReader(for: .get)
        /// Received bytes that the transfer did not want yet.
        @exclusivity(unchecked) private var input: [UInt8] = []
        @exclusivity(unchecked) var sending = Sending()

        init(_ wire: Wire, pool: ConnectionPool, lane: ConnectionPool.Queue.Lane) {
            self.wire = wire
            self.pool = pool
            self.lane = lane
            opened = pool.loop.now
            idleSince = opened
            pool.loop.setOwner(self, of: wire.socket)
            pool.add(self)
        }

        var loop: EventLoop { pool.loop }
        var isIdle: Bool { transfer == nil }
        var bytesHeldByKernel: Int { wire.bytesHeldByKernel }
        var headBytesReceived: Int { reader.headBytes }
        var isResponseWhole: Bool { sending.end != nil }

        var expectedBody: Int64 { if case .length(let length) = reader.bodyFraming { length } else { 0 } }

        // MARK: Exchanges

        func begin(_ transfer: SocketTransfer) {
            self.transfer = transfer
            requestCount += 1
            if pool.hasTotal { lane.extra.busySince[ObjectIdentifier(self)] = loop.now }
            input = []
            sending = Sending()
            if !transfer.isPaused { sendRequest() }
            finishWork(for: transfer)
        }

        /// Prepares for the response to the request that is being sent.
        func expectResponse(to transfer: SocketTransfer, isLast: Bool) {
            let wantsInterim = transfer.request.reportsInterim || transfer.request.expectsContinue
            reader = ResponseReader(
                for: transfer.request.method, wantsInterim: wantsInterim, isLast: isLast, mayUpgrade: transfer.upgrade != nil)
        }

        /// Whether another request may be sent on this idle connection.
        ///
        /// - Parameter isLookedAt: Whether the loop has looked at it since it became idle, and handled what it saw.
        func maySend(isLookedAt: Bool) -> Bool {
            if let lifetime = pool.limits.lifetime, opened.advanced(by: lifetime) <= loop.now { return false }
            // What has come would answer no request (RFC 9112 section 9.2).
            return isLookedAt && idleSince != loop.now || wire.isQuiet
        }

        /// Whether opening it has not paid yet: it has had few requests, in a short time.
        var isFresh: Bool { requestCount < 8 && opened.advanced(by: 0.25) > loop.now }

        /// Leaves the pool without closing its connection, which somebody else has taken over.
        func detach() {
            isOpen = false
            transfer = nil
            endSending()
            if let timer { loop.end(timer) }
            timer = nil
            pool.remove(self)
        }

        private func becomeIdle() {
            idleSince = loop.now
            setIdleTimer()
            updateInterest()
            if isOpen { pool.keep(self) }
        }

        func close() {
            guard isOpen else { return }
            isOpen = false
            transfer = nil
            endSending()
            if let timer { loop.end(timer) }
            timer = nil
            wire.close(on: loop)
            pool.remove(self)
        }

        // MARK: Readiness

        func socketIsReady(_ readiness: Readiness) {
            guard let transfer else {
                // It answers no request, or is the end. But TLS sends tickets and the like.
                return wire.tls != nil && wire.isQuiet ? updateInterest() : close()
            }
            if readiness.contains(.reading) || wire.needsWriting, transfer.takesBytes { receive() }
            if readiness.contains(.writing) || wire.needsReading, isOpen, self.transfer === transfer { flush() }
            finishWork(for: transfer)
        }

        func flowHasChanged() {
            guard let transfer else { return }
            if !sending.hasBegun, !transfer.isPaused {
                // It was not watched during the pause.
                guard wire.isQuiet else { return transfer.goAgain() }
                sendRequest()
            }
            if !transfer.isStopped, transfer.decodeRest() {
                let bytes = input
                input = []
                bytes.withUnsafeBytes { process($0) }
            }
            if wire.hasMore, isOpen, self.transfer === transfer, transfer.takesBytes { receive() }
            if isOpen, self.transfer === transfer { flush() }
            finishWork(for: transfer)
        }

        /// Has news of a transfer reported, and watches the socket for what is wanted now.
        func finishWork(for transfer: SocketTransfer) {
            if self.transfer === transfer, transfer.hasNews { pool.noteNews(of: transfer) }
            updateInterest()
        }

        private func updateInterest() {
            guard isOpen else { return }
            var interest: Readiness = []
            if let transfer {
                if transfer.takesBytes { interest.insert(.reading) }
                // TLS reads in order to send, also while the transfer takes no bytes. Meanwhile a writable socket means nothing.
                if sending.isBlocked, !transfer.isPaused { interest.insert(wire.needsReading ? .reading : .writing) }
            } else {
                interest = .reading
            }
            if transfer?.takesBytes ?? true {
                // What has come stays in the socket until TLS has written, and would be reported without end.
                if wire.needsWriting { interest = .writing } else if wire.hasMore { loop.lookAgain(at: wire.socket) }
            }
            guard !loop.watch(&wire.socket, for: interest) else { return }
            if let transfer { transfer.fail(.failed(.unknown, "out of memory")) } else { close() }
        }

        // MARK: Receiving

        func receive() {
            var budget = Self.mostBytes
            while budget > 0 {
                guard isOpen, let transfer, transfer.takesBytes else { return }
                let room = transfer.bodyRoom(reader.plainBytes)
                let buffer = room ?? loop.scratch
                let wanted = min(buffer.count, Self.mostBytesOfRead)
                switch wire.receive(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])) {
                case .bytes(let count):
                    budget -= count
                    transfer.lastActivity = loop.now
                    transfer.measured.noteBytes(at: loop.now)
                    take(UnsafeRawBufferPointer(rebasing: buffer[..<count]), isInPlace: room != nil, transfer)
                    // A short read has emptied the socket.
                    if count < wanted, !wire.hasMore { return }
                case .nothing: return
                case .end:
                    // The kernel reports a reset once. If sending was told, this looks like the peer's end; EPIPE does come with one.
                    let code = sending.errorCode == EPIPE ? 0 : sending.errorCode
                    return connectionEnded(isClean: code == 0, code: code)
                case .cutOff: return connectionEnded(isClean: false, code: 0)
                case .failed(let code): return connectionEnded(isClean: false, code: code)
                case .violated(let error): return violated(error)
                }
            }
        }

        private func take(_ bytes: UnsafeRawBufferPointer, isInPlace: Bool, _ transfer: SocketTransfer) {
            guard isInPlace else { return process(bytes) }
            _ = reader.read(bytes)
            transfer.filledRoom(bytes.count)
            process(UnsafeRawBufferPointer(start: nil, count: 0))
        }

        /// Reads received bytes as far as the transfer wants them, and keeps the others.
        private func process(_ bytes: UnsafeRawBufferPointer) {
            var position = 0
            while isOpen, let transfer, transfer.takesBytes {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
                let (consumed, event) = reader.read(rest)
                position += consumed
                switch event {
                case .needsMore: return
                case .interim(let head):
                    transfer.received(interim: head)
                    if head.statusCode == 100 { sendAwaitedBody() }
                case .head(let head):
                    if !head.hasBegunWithoutBody { skipAwaitedBody() }
                    if transfer.isForwarded { takeFromProxy(head, transfer) } else { transfer.received(head) }
                case .upgraded(let head):
                    return switchToWebSocket(head, rest: UnsafeRawBufferPointer(rebasing: bytes[position...]), transfer)
                case .body(let range):
                    let following = reader.plainBytes
                    transfer.received(UnsafeRawBufferPointer(rebasing: rest[range]), following: following == .max ? 0 : following)
                case .end(let end): responseEnded(end, transfer)
                case .excess: endEarly(transfer)
                case .failed(let error): transfer.refused(error)
                }
            }
            if transfer != nil, position < bytes.count { input = [UInt8](bytes[position...]) }
        }

        // Apart, so that a response without a proxy costs nothing more.
        @inline(never)
        private func takeFromProxy(_ head: ResponseHead, _ transfer: SocketTransfer) {
            if transfer.mayDeliver(head, bodyHasBegun: sending.hasOpenedSource) { transfer.received(head) }
        }

        private func violated(_ error: TransportError) {
            guard let transfer else { return close() }
            if sending.end != nil { return endEarly(transfer) }
            transfer.refused(error)
        }

        /// Handles the end of the connection within an exchange.
        private func connectionEnded(isClean: Bool, code: Int32) {
            guard let transfer else { return close() }
            if sending.end != nil { return endEarly(transfer) }
            if isClean || transfer.measured.firstByte != nil && reader.bodyFraming == .untilClose {
                switch reader.connectionEnded(isClean: isClean) {
                case .end(let end): return responseEnded(end, transfer)
                case .failed(let error):
                    return transfer.connectionBroke(error, isUnsent: sending.isRefused, bodyHasBegun: sending.hasOpenedSource)
                default: break
                }
            }
            let reason = ConnectionWords.lost(isReset: code == ECONNRESET, transfer.phase)
            transfer.connectionBroke(
                .failed(.networkConnectionLost, reason), isUnsent: sending.isRefused, bodyHasBegun: sending.hasOpenedSource)
        }

        // MARK: Ends

        /// Handles that the response is whole. The request may not be.
        private func responseEnded(_ end: ResponseReader.End, _ transfer: SocketTransfer) {
            skipAwaitedBody()
            if sending.isComplete { return finishExchange(end, transfer) }
            // What happens to the request from here on does not touch the response.
            sending.end = end
            flush()
            guard self.transfer === transfer else { return }
            // RFC 9112 section 9.3 and RFC 9110 section 7.5: the server wants no more of it, unless it has accepted the request.
            let wantsRest = (200..<300).contains(transfer.head?.statusCode ?? 0) && !sending.hasFailed && !transfer.isDiscarding
            guard wantsRest else { return finishExchange(end, transfer) }
            sending.bytesAtLook = sending.bytesSent
            sending.nextLook = loop.now.advanced(by: SocketTransfer.bodyPatience)
            transfer.setTimer()
        }

        func endEarly(_ transfer: SocketTransfer) {
            guard let end = sending.end else { return transfer.finish(error: nil, closing: true) }
            finishExchange(end, transfer)
        }

        func finishExchange(_ end: ResponseReader.End, _ transfer: SocketTransfer) {
            // What follows a response answers no request, but TLS may have sent a ticket.
            let stays = end.connectionStays && sending.isComplete && !sending.hasFailed && (!wire.hasMore || wire.isQuiet)
            transfer.ended(trailers: end.trailers)
            // Otherwise a failed decoding has closed it.
            guard isOpen else { return }
            self.transfer = nil
            endSending()
            if stays { becomeIdle() } else { close() }
        }

        // MARK: Clocks

        var sharedTimer: LoopTimer? {
            let timer = timer ?? LoopTimer(self)
            self.timer = timer
            return timer
        }

        private func setIdleTimer() {
            if let end = idleEnd, let sharedTimer { loop.set(sharedTimer, by: end) }
        }

        /// When an idle connection is closed.
        private var idleEnd: MonotonicInstant? { pool.limits.idleEnd(since: idleSince, opened: opened) }

        func timerFired() {
            if let transfer { return transfer.timerFired() }
            guard let end = idleEnd else { return }
            if end <= loop.now { close() } else { setIdleTimer() }
        }

        func wasHeldUp(since start: MonotonicInstant, until end: MonotonicInstant) {
            transfer?.wasHeldUp(since: start, until: end)
        }
    }
#endif
