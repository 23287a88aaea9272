#if os(Linux)
    import Foundation
    import Glibc

    /// Sends what the codec gives, at the end of a turn.
    extension HTTP2Connection {
        /// What is sent, and how far it is.
        struct Sending {
            /// Bytes that were taken from the codec, and how many of them were sent.
            var output: [UInt8] = []
            var offset = 0
            /// Whether the kernel takes no more for now.
            var isBlocked = false
            /// Whether the kernel will take no more.
            var hasFailed = false
            var errorCode: Int32 = 0
            /// Whether the pool will call ``HTTP2Connection/flush()``.
            var isNoted = false
            /// The bytes that were ever taken from the codec, and those that the kernel has taken.
            var taken: Int64 = 0
            var sent: Int64 = 0
            /// Exchanges whose request the codec may not have written to its end.
            var unwritten: [HTTP2Exchange] = []
        }

        /// The most bytes of one turn, and those that are taken from the codec at a time.
        private static let mostBytesOfTurn = 1 << 20
        private static let leastTaken = 65_536

        /// Has ``flush()`` called at the end of the turn.
        func noteOutput() {
            guard !sending.isNoted, isOpen else { return }
            sending.isNoted = true
            pool.noteOutput(of: self)
        }

        /// Sends what there is, and closes the connection if that was the last.
        func flush() {
            sending.isNoted = false
            codec.deliverEvents()
            guard isOpen else { return }
            if !sending.isBlocked, !sending.hasFailed { send() }
            closeIfDone()
            updateInterest()
        }

        private func send() {
            var budget = Self.mostBytesOfTurn
            while isOpen, fill() {
                let sent = sending.output.withUnsafeBytes { wire.send(UnsafeRawBufferPointer(rebasing: $0[sending.offset...])) }
                switch sent {
                case .bytes(let count):
                    note(count)
                    budget -= count
                    guard budget > 0 else {
                        sending.isBlocked = true
                        return
                    }
                case .nothing:
                    sending.isBlocked = true
                    return
                case .failed(let code): return sendingBroke(code)
                }
            }
        }

        private func note(_ count: Int) {
            sending.sent += Int64(count)
            sending.offset += count
            guard sending.offset == sending.output.count else { return }
            let buffer = sending.output
            sending.output = []
            sending.offset = 0
            loop.giveBack(buffer)
        }

        /// Takes bytes from the codec unless there are some. False if there are none.
        private func fill() -> Bool {
            guard sending.output.isEmpty else { return true }
            guard codec.wantsToSend else { return false }
            sending.output = loop.takeOutput()
            let start = sending.taken
            codec.takeOutput(to: &sending.output, least: Self.leastTaken)
            sending.taken += Int64(sending.output.count)
            if !sending.unwritten.isEmpty {
                let unwritten = sending.unwritten
                sending.unwritten.removeAll()
                for exchange in unwritten where !exchange.noteWritten(from: start) { sending.unwritten.append(exchange) }
            }
            codec.deliverEvents()
            return !sending.output.isEmpty
        }

        /// Handles that the server takes no more. It may have answered before: the loop reports the socket again, to be read to its end.
        private func sendingBroke(_ code: Int32) {
            sending.hasFailed = true
            sending.errorCode = code
            pool.noteChanged(lane)
        }

        /// Sends what fits before the connection is closed.
        func sendRest() {
            guard !sending.isBlocked, !sending.hasFailed else { return }
            if sending.output.isEmpty, codec.wantsToSend { codec.takeOutput(to: &sending.output, least: Self.leastTaken) }
            guard sending.offset < sending.output.count else { return }
            _ = sending.output.withUnsafeBytes { wire.send(UnsafeRawBufferPointer(rebasing: $0[sending.offset...])) }
            sending.output = []
            sending.offset = 0
        }

        private func updateInterest() {
            guard isOpen else { return }
            // What is received is bounded by the windows, so that reading stops only where TLS has to write first: what has come stays in
            // the socket until then, and would be reported without end.
            // It does not wait for a writable socket where TLS has to read first.
            let waitsForRoom = sending.isBlocked && !wire.needsReading
            let interest: Readiness = wire.needsWriting ? .writing : waitsForRoom ? [.reading, .writing] : .reading
            if wire.hasMore, !wire.needsWriting { loop.lookAgain(at: wire.socket) }
            if !loop.watch(&wire.socket, for: interest) { connectionEnded(ENOMEM) }
        }

        /// The bytes up to a place in the output that the server has not acknowledged.
        func bytesHeld(before place: Int64) -> Int { Int(max(0, place - (sending.sent - Int64(wire.bytesHeldByKernel)))) }
    }
#endif
