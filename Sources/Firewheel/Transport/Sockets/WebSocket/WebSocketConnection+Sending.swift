#if os(Linux)
    import Foundation

    /// Sends messages and control frames.
    extension WebSocketConnection {
        /// How far sending is.
        struct Sending {
            var writer: WebSocketWriter
            /// What is sent next, and how much of it was sent.
            var output: [UInt8] = []
            var offset = 0
            /// How many bytes were sent since the beginning.
            var sent: UInt64 = 0
            /// Whether the kernel takes no more for now.
            var isBlocked = false
            /// Whether it is to be flushed at the end of the turn.
            var isNoted = false
            /// Why the kernel takes no more; 0 if it does.
            var errorCode: Int32 = 0
            /// Whether it is to go on in the next turn, because this one had enough work.
            var awaitsTurn = false
            /// When the kernel last took bytes, or the client closed the connection.
            var lastProgress: MonotonicInstant?

            init(writer: WebSocketWriter) {
                self.writer = writer
            }

            /// Whether the close frame and everything before it were passed to the kernel.
            var isComplete: Bool { writer.isClosed && offset == output.count }
        }

        /// About how many bytes are written at a time.
        private static let target = 65_536
        /// The most bytes of one turn, so that a fast server does not hold up other connections.
        private static let mostBytes = 1 << 20
        /// The most bytes of messages that are compressed in one turn, for the same reason.
        private static let workOfTurn: UInt64 = 2 << 20

        func perform(_ command: WebSocketCommand) {
            guard isOpen else { return }
            switch command {
            case .message(let message, let ticket): sending.writer.add(message, ticket: ticket)
            case .ping(let ticket): ping(ticket)
            case .close(let code, let reason):
                guard case .open = stage else { return }
                sending.writer.close(WebSocketWriter.closePayload(code, reason) ?? Data(), isUrgent: false)
                sending.lastProgress = loop.now
                stage = .closing
            }
            // Commands of one turn are sent together.
            guard !sending.isNoted else { return }
            sending.isNoted = true
            pool.noteOutput(of: self)
        }

        /// Passes on what there is, at the end of a turn.
        func flushNoted() {
            sending.isNoted = false
            guard isOpen, let transfer else { return }
            flush()
            finishWork(for: transfer)
        }

        func flush() {
            guard isOpen, let transfer, !transfer.isPaused, !transfer.isHeadHeld, sending.errorCode == 0 else { return }
            sending.isBlocked = false
            var budget = Self.mostBytes
            let mostTaken = sending.writer.taken + Self.workOfTurn
            while budget > 0 {
                if sending.offset == sending.output.count {
                    guard !sending.writer.isEmpty else { return giveOutputBack() }
                    recycleOutput()
                    guard sending.writer.taken < mostTaken else { return goOnInNextTurn(transfer) }
                    guard sending.writer.write(to: &sending.output, target: Self.target) else {
                        return transfer.fail(.failed(.unknown, "a message cannot be compressed: the system's library failed"))
                    }
                    if sending.output.isEmpty { continue }
                }
                let result = sending.output.withUnsafeBytes { wire.send(UnsafeRawBufferPointer(rebasing: $0[sending.offset...])) }
                switch result {
                case .bytes(let count):
                    budget -= count
                    sending.offset += count
                    sending.sent += UInt64(count)
                    sending.lastProgress = loop.now
                    transfer.lastActivity = loop.now
                    transfer.measured.bodyBytesSent += Int64(count)
                    let tickets = sending.writer.takeSent(upTo: sending.sent)
                    if !tickets.isEmpty { report(.sent(tickets: tickets)) }
                case .nothing:
                    sending.isBlocked = true
                    return
                case .failed(let code):
                    // What the peer has sent before is still to be read, and then the end.
                    sending.errorCode = code
                    return
                }
            }
            sending.isBlocked = true
        }

        private func goOnInNextTurn(_ transfer: SocketTransfer) {
            guard !sending.awaitsTurn else { return }
            sending.awaitsTurn = true
            loop.inbox.post(LoopMessage(pool: PoolReference(object: pool), command: .goOnSending(transfer.id)))
        }

        /// Goes on with what was too much work for the last turn.
        func goOnSending() {
            sending.awaitsTurn = false
            guard let transfer else { return }
            flush()
            finishWork(for: transfer)
        }

        private func recycleOutput() {
            if sending.output.capacity == 0 { sending.output = loop.takeOutput() }
            sending.output.removeAll(keepingCapacity: true)
            sending.offset = 0
        }

        /// Keeps no buffer while there is nothing to send: there may be thousands of connections.
        private func giveOutputBack() {
            guard sending.output.capacity > 0 else { return }
            let buffer = sending.output
            (sending.output, sending.offset) = ([], 0)
            loop.giveBack(buffer)
        }

        func endSending() {
            (sending.output, sending.offset) = ([], 0)
        }
    }
#endif
