#if os(Linux)
    import Foundation

    /// A connection that has become a WebSocket: moves frames between a socket and a transfer. Used on the loop's thread only.
    ///
    /// What is sent is in `WebSocketConnection+Sending`, pings and timeouts are in `WebSocketConnection+Clocks`.
    final class WebSocketConnection: Exchange, PooledConnection, SocketOwner {
        /// How far the connection is.
        enum Stage {
            case open
            /// The client has closed it. The peer's close frame is awaited.
            case closing
            /// The peer has violated the protocol. The connection fails when the client has consumed the messages before that, or at this
            /// instant, so that answers to them are sent.
            case failing(WebSocketViolation, until: MonotonicInstant)
            /// Nothing more is read. The end of the connection is awaited until this instant, and then reported, with an error if there is
            /// one.
            case ending(TransportError?, until: MonotonicInstant)
        }

        /// The most bytes of one turn, so that a fast server does not hold up other connections: a frame may have two bytes.
        private static let mostBytes = 1 << 19
        /// The most seconds to wait for the peer to close the connection behind both close frames (RFC 6455 section 7.1.1).
        private static let endPatience: TimeInterval = 1

        // Sound because the pool owns its connections and closes them before it is released.
        unowned(unsafe) let pool: ConnectionPool
        let lane: ConnectionPool.Queue.Lane
        let idleSince: MonotonicInstant
        let wire: Wire
        let headBytesReceived: Int
        let configuration: WebSocketConfiguration
        @exclusivity(unchecked) private(set) var isOpen = true
        @exclusivity(unchecked) private(set) var transfer: SocketTransfer?
        @exclusivity(unchecked) var stage = Stage.open
        private let reader: WebSocketReader
        /// Received bytes that the transfer did not want yet.
        @exclusivity(unchecked) private var input: [UInt8]
        @exclusivity(unchecked) var sending: Sending
        @exclusivity(unchecked) var pings = Pings()
        /// Whether the connection was being read when its socket was last looked after.
        @exclusivity(unchecked) private var isReading = false
        /// When a byte was last received while the connection was read.
        @exclusivity(unchecked) var lastReceived: MonotonicInstant
        /// What is to be reported. Messages stand apart, so that one event has several.
        @exclusivity(unchecked) private var messages: [WebSocketMessage] = []
        @exclusivity(unchecked) private var events: [WebSocketEvent] = []

        /// - Parameters:
        ///   - connection: The one that it takes over.
        ///   - early: What was received behind the head of the response.
        init(
            _ connection: HTTP1Connection, _ transfer: SocketTransfer, _ agreement: WebSocketHandshake.Agreement,
            _ configuration: WebSocketConfiguration, early: [UInt8]
        ) {
            pool = connection.pool
            lane = connection.lane
            wire = connection.wire
            headBytesReceived = connection.headBytesReceived
            self.configuration = configuration
            self.transfer = transfer
            input = early
            idleSince = connection.pool.loop.now
            lastReceived = connection.pool.loop.now
            let limits = WebSocketReader.Limits(message: configuration.maximumMessageSize, frame: configuration.maximumFrameSize)
            // Without the library nothing was offered.
            if let deflate = agreement.deflate, case .success(let library) = CodingLibraries.system.zlib {
                reader = WebSocketReader(
                    .client, limits: limits,
                    inflater: MessageInflater(library, keepsContext: deflate.serverKeepsContext))
                sending = Sending(
                    writer: WebSocketWriter(.client) {
                        MessageDeflater(library, windowBits: deflate.clientWindowBits, keepsContext: deflate.clientKeepsContext)
                    })
            } else {
                reader = WebSocketReader(.client, limits: limits)
                sending = Sending(writer: WebSocketWriter(.client))
            }
            pool.loop.setOwner(self, of: wire.socket)
            pool.add(self)
            if pool.hasTotal { lane.extra.busySince[ObjectIdentifier(self)] = loop.now }
        }

        var loop: EventLoop { pool.loop }
        var isIdle: Bool { false }
        var bytesHeldByKernel: Int { wire.bytesHeldByKernel }
        var expectedBody: Int64 { 0 }
        var isResponseWhole: Bool { false }
        var sharedTimer: LoopTimer? { nil }

        /// Begins to read, once the head is not held any more.
        func start() {
            flowHasChanged()
        }

        // The request was sent before.
        func begin(_ transfer: SocketTransfer) {}
        func received(_ piece: BodyPiece, for ask: Int) {}
        func endEarly(_ transfer: SocketTransfer) { transfer.finish(error: nil, closing: true) }

        func close() {
            guard isOpen else { return }
            isOpen = false
            transfer?.upgrade?.connection = nil
            transfer = nil
            endSending()
            input = []
            wire.close(on: loop)
            pool.remove(self)
        }

        // MARK: Readiness

        /// Whether received bytes are of use now.
        private var takesBytes: Bool {
            guard let transfer else { return false }
            if case .failing = stage { return false }
            // Once the connection is broken, what has come is all that comes: a full window must not hide the end.
            if sending.errorCode != 0 { return !transfer.isPaused && !transfer.isHeadHeld }
            return transfer.takesBytes
        }

        func socketIsReady(_ readiness: Readiness) {
            guard let transfer else { return close() }
            if readiness.contains(.reading) || wire.needsWriting, takesBytes { receive() }
            // What was received may have to be answered.
            if readiness.contains(.writing) || wire.needsReading || !sending.isBlocked, isOpen { flush() }
            finishWork(for: transfer)
        }

        func flowHasChanged() {
            guard let transfer else { return }
            // Discarding means that the client refuses the response.
            if transfer.isDiscarding { return transfer.finish(error: nil, closing: true) }
            noteReading()
            if takesBytes, !input.isEmpty {
                let bytes = input
                input = []
                bytes.withUnsafeBytes { process($0) }
            }
            if wire.hasMore, isOpen, takesBytes { receive() }
            if isOpen { flush() }
            finishWork(for: transfer)
        }

        /// Times that are limited begin anew when the connection is read again, or a pause ends.
        private func noteReading() {
            guard takesBytes, !isReading else { return }
            isReading = true
            (lastReceived, sending.lastProgress) = (loop.now, sending.lastProgress.map { _ in loop.now })
        }

        /// Has news reported, and watches the socket for what is wanted now.
        func finishWork(for transfer: SocketTransfer) {
            guard isOpen else { return }
            if transfer.hasNews { pool.noteNews(of: transfer) }
            updateInterest()
            transfer.setTimer()
        }

        private func updateInterest() {
            guard isOpen, let transfer else { return }
            isReading = takesBytes
            var interest: Readiness = []
            if takesBytes { interest.insert(.reading) }
            // TLS reads in order to send, also while the transfer takes no bytes. Meanwhile a writable socket means nothing.
            if sending.isBlocked, !transfer.isPaused { interest.insert(wire.needsReading ? .reading : .writing) }
            if takesBytes {
                // What has come stays in the socket until TLS has written, and would be reported without end.
                if wire.needsWriting { interest = .writing } else if wire.hasMore { loop.lookAgain(at: wire.socket) }
            }
            if !loop.watch(&wire.socket, for: interest) { transfer.fail(.failed(.unknown, "out of memory")) }
        }

        // MARK: Receiving

        private func receive() {
            var budget = Self.mostBytes
            while budget > 0, isOpen, let transfer, takesBytes {
                let room = loop.scratch
                switch wire.receive(into: room) {
                case .bytes(let count):
                    budget -= count
                    lastReceived = loop.now
                    transfer.lastActivity = loop.now
                    transfer.measured.bodyBytesReceived += Int64(count)
                    process(UnsafeRawBufferPointer(rebasing: room[..<count]))
                    // A short read has emptied the socket.
                    if count < room.count, !wire.hasMore { return }
                case .nothing: return
                case .end, .cutOff: return connectionEnded(code: sending.errorCode == EPIPE ? 0 : sending.errorCode)
                case .failed(let code): return connectionEnded(code: code)
                case .violated(let error): return ended(error)
                }
            }
        }

        /// Reads frames as far as the transfer wants them, and keeps the other bytes.
        private func process(_ bytes: UnsafeRawBufferPointer) {
            if case .ending = stage { return }
            var position = 0
            while isOpen, takesBytes {
                let (consumed, event) = reader.read(UnsafeRawBufferPointer(rebasing: bytes[position...]))
                position += consumed
                switch event {
                case .needsMore: return
                case .message(let message): received(message)
                case .ping(let payload): sending.writer.addPong(payload)
                case .pong(let payload): receivedPong(payload)
                case .close(let code, let reason): return closed(by: code, reason)
                case .failed(let violation): return violated(violation)
                }
            }
            if isOpen, position < bytes.count { input = [UInt8](bytes[position...]) }
        }

        private func received(_ message: WebSocketMessage) {
            transfer?.measured.decodedBytes += message.byteCount
            messages.append(message)
            transfer?.noteOutstanding(message.cost)
        }

        // MARK: Reports

        func report(_ event: WebSocketEvent) {
            events.append(event)
        }

        var hasNews: Bool { !messages.isEmpty || !events.isEmpty }

        func takeNews() -> [TransportEvent.Kind] {
            // The close is the last of what was received.
            var news: [TransportEvent.Kind] = messages.isEmpty ? [] : [.messages(messages)]
            news += events.map { .webSocket($0) }
            (messages, events) = ([], [])
            return news
        }

        // MARK: Ends

        /// Handles the peer's close frame, which is answered with the same code (RFC 6455 section 5.5.1).
        private func closed(by code: WebSocketCloseCode?, _ reason: String) {
            report(.closed(code, reason: reason))
            var error: TransportError?
            if case .open = stage, let code, code != .normalClosure, code != .goingAway { error = .webSocketClosed(code, reason: reason) }
            sending.writer.close(WebSocketWriter.closePayload(code, "") ?? Data(), isUrgent: true)
            end(with: error)
        }

        /// Handles that the peer has violated the protocol, or a limit.
        private func violated(_ violation: WebSocketViolation) {
            guard let transfer else { return }
            stage = .failing(violation, until: loop.now.advanced(by: configuration.closeLimit ?? Self.endPatience))
            if transfer.outstanding == 0 { fail(with: violation) }
        }

        /// Handles that the client has consumed messages.
        func messagesWereConsumed() {
            guard case .failing(let violation, _) = stage, let transfer, transfer.outstanding == 0 else { return }
            fail(with: violation)
            finishWork(for: transfer)
        }

        /// Fails the connection (RFC 6455 section 7.1.7).
        func fail(with violation: WebSocketViolation) {
            // What is queued goes first as far as the kernel takes it: answers to the messages before.
            flush()
            guard isOpen else { return }
            sending.writer.close(WebSocketWriter.closePayload(violation.code, violation.reason) ?? Data(), isUrgent: true)
            end(with: .webSocketViolated(violation.code, "the server sent \(violation.reason)"))
        }

        /// Sends what is left, and awaits the end of the connection.
        private func end(with error: TransportError?) {
            let patience = min(configuration.closeLimit ?? Self.endPatience, Self.endPatience)
            stage = .ending(error, until: loop.now.advanced(by: patience))
            flush()
        }

        /// Handles the end of the connection.
        private func connectionEnded(code: Int32) {
            switch stage {
            case .ending(let error, _): ended(error)
            case .failing(let violation, _): ended(.webSocketViolated(violation.code, "the server sent \(violation.reason)"))
            // The client wants the end, and nothing of its messages is lost.
            case .closing where sending.isComplete: ended(nil)
            case .open, .closing:
                let words = ConnectionWords.lostWebSocket(isReset: code == ECONNRESET, isWithinMessage: reader.isWithinMessage)
                ended(.failed(.networkConnectionLost, words))
            }
        }

        func ended(_ error: TransportError?) {
            transfer?.finish(error: error, closing: true)
        }
    }

    extension WebSocketConfiguration {
        /// nil for no limit.
        var closeLimit: TimeInterval? { closeTimeout > 0 ? closeTimeout : nil }
    }
#endif
