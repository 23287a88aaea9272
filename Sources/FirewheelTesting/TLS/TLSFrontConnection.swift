#if os(Linux)
    import Glibc
    import TLSTestServer

    /// One connection of a `TLSFront`, on its own thread.
    ///
    /// A turn moves what can be moved, in this order: the client's records, their plaintext, the plain server's answer, its records.
    final class TLSFrontConnection {
        private let client: Int32
        private let stop: Int32
        private let port: Int
        private let options: TLSFront.Options
        private let change: ((inout TLSFront.Handshake) -> Void) -> Void
        /// Keeps the context that the stream is made of.
        private let context: TLSFrontContext
        private let stream: OpaquePointer
        /// Below 0 until the handshake is complete.
        private var plain: Int32 = -1

        private let records = FrontBuffer()
        private let toPlain = FrontBuffer()
        private let toClient = FrontBuffer()
        private let output = FrontBuffer(capacity: 2 * 65_536)

        private var isHandshaking = true
        /// The client's FIN has come.
        private var clientHasEnded = false
        /// The client's plaintext has ended, and whether the plain server has been told.
        private var requestsHaveEnded = false
        private var plainWasTold = false
        private var plainHasEnded = false
        /// It takes no more, but may still have something to say.
        private var plainIsDeaf = false
        private var ending: TLSFront.Ending
        private var closeNotifyIsOut = false
        private var clientWasTold = false
        /// A record of the client is needed before anything can be written.
        private var waitsForClient = false
        /// Plaintext may lie in the stream for which there was no room.
        private var mayHoldPlaintext = false
        private var sentRecordBytes = 0
        private var bytesUntilKeyUpdate: Int?
        private var hasRenegotiated = false

        private enum Outcome: Error {
            /// Both sides have ended.
            case done
            /// One side is gone, or shall be.
            case reset
            case stall
        }

        init?(
            _ arrival: FrontListener.Arrival, _ port: Int, _ context: TLSFrontContext, _ options: TLSFront.Options,
            _ change: @escaping ((inout TLSFront.Handshake) -> Void) -> Void
        ) {
            guard let stream = context.makeStream() else { return nil }
            self.stream = stream
            self.context = context
            self.port = port
            self.options = options
            self.change = change
            (client, stop) = (arrival.client, arrival.stop)
            bytesUntilKeyUpdate = options.keyUpdateInterval
            ending = options.ending
            FrontSocket.setOption(Int32(IPPROTO_TCP), TCP_NODELAY, 1, of: client)
            if let size = options.sendBuffer { FrontSocket.setOption(SOL_SOCKET, SO_SNDBUF, size, of: client) }
        }

        deinit {
            tlstest_stream_free(stream)
            if plain >= 0 { close(plain) }
        }

        func run() {
            do {
                while true { try turn() }
            } catch Outcome.stall {
                FrontSocket.drain(client, unless: stop)
                FrontSocket.resetOnClose(client)
            } catch Outcome.done {
                return
            } catch {
                FrontSocket.resetOnClose(client)
                if plain >= 0 { FrontSocket.resetOnClose(plain) }
            }
        }

        private func turn() throws {
            let ready = try wait()
            if ready.client & Int16(POLLIN | POLLHUP | POLLERR) != 0, !clientHasEnded { try receive() }
            if isHandshaking { try shakeHands() }
            if !isHandshaking {
                try decrypt()
                try sendToPlain()
                if ready.plain & Int16(POLLIN | POLLHUP | POLLERR) != 0, !plainHasEnded { try receiveFromPlain() }
                try encrypt()
            }
            try sendToClient()
            if !isHandshaking { try endIfOver() }
        }

        private func wait() throws -> (client: Int16, plain: Int16) {
            let readsClient = !clientHasEnded && toPlain.space > 0
            let readsPlain = !plainHasEnded && toClient.space > 0
            var polled = [
                pollfd(fd: client, events: events(readsClient, !output.isEmpty), revents: 0),
                pollfd(fd: plain, events: events(readsPlain, !toPlain.isEmpty), revents: 0),
                pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
            ]
            // An end that is reported without being asked for would be reported for ever.
            for index in polled.indices where polled[index].events == 0 { polled[index].fd = -1 }
            let hasWork = (mayHoldPlaintext && toPlain.space > 0) || (!toClient.isEmpty && output.isEmpty && !waitsForClient)
            guard poll(&polled, 3, hasWork ? 0 : -1) >= 0 || errno == EINTR else { throw Outcome.reset }
            if polled[2].revents != 0 { throw Outcome.reset }
            return (polled[0].revents, polled[1].revents)
        }

        private func events(_ reads: Bool, _ writes: Bool) -> Int16 { Int16((reads ? POLLIN : 0) | (writes ? POLLOUT : 0)) }

        // MARK: - From the client

        private func receive() throws {
            let count = records.fill { recv(client, $0.baseAddress, $0.count, 0) }
            if count == 0 { clientHasEnded = true }
            if count < 0, errno != EAGAIN, errno != EINTR { try clientIsGone() }
            guard count > 0 else { return }
            waitsForClient = false
            guard tlstest_stream_feed(stream, records.bytes.baseAddress, records.count) else { throw Outcome.reset }
            records.drop(records.count)
        }

        private func clientIsGone() throws {
            change { $0.clientEnd = $0.clientEnd ?? .reset }
            // The plain server gets what came before.
            if plain >= 0 {
                try decrypt()
                try sendToPlain()
            }
            throw Outcome.reset
        }

        private func shakeHands() throws {
            let result = tlstest_stream_handshake(stream)
            note(isComplete: result == 0)
            if result == 0 {
                isHandshaking = false
                let name = String(cString: tlstest_stream_protocol(stream))
                guard let plain = FrontSocket.connect(to: options.ports[name] ?? port, unless: stop) else { throw Outcome.reset }
                self.plain = plain
            } else if result == Int(TLSTEST_FAILED) || clientHasEnded {
                // The alert goes out, and what the client still says is read, so that the alert is not lost to a reset.
                if result != Int(TLSTEST_FAILED) { change { $0.clientEnd = .truncated } }
                repeat { try sendToClient() } while !output.isEmpty && isWritable()
                shutdown(client, Int32(SHUT_WR))
                FrontSocket.drain(client, unless: stop)
                throw Outcome.done
            }
        }

        private func isWritable() -> Bool {
            var polled = [pollfd(fd: client, events: Int16(POLLOUT), revents: 0), pollfd(fd: stop, events: Int16(POLLIN), revents: 0)]
            return poll(&polled, 2, -1) > 0 && polled[1].revents == 0
        }

        private func note(isComplete: Bool) { change { $0.note(stream, isComplete: isComplete) } }

        private func decrypt() throws {
            mayHoldPlaintext = false
            guard !requestsHaveEnded else { return }
            var (received, records) = (0, 0)
            defer {
                if received > 0 {
                    change { handshake in
                        handshake.applicationBytes += received
                        handshake.applicationRecords += records
                    }
                }
            }
            while toPlain.space > 0 {
                let result = toPlain.fill { tlstest_stream_read(stream, $0.baseAddress, $0.count) }
                if result > 0 {
                    received += result
                    records += 1
                    continue
                }
                let hasFailed = result == Int(TLSTEST_FAILED)
                if hasFailed { note(isComplete: true) }
                guard result == Int(TLSTEST_ENDED) || hasFailed || clientHasEnded else { return renegotiate(received > 0) }
                requestsHaveEnded = true
                let end: TLSFront.Handshake.ClientEnd = result == Int(TLSTEST_ENDED) ? .closeNotify : .truncated
                change { $0.clientEnd = end }
                if hasFailed { throw Outcome.reset }
                return
            }
            mayHoldPlaintext = true
        }

        private func renegotiate(_ hasReceived: Bool) {
            guard options.renegotiates, hasReceived, !hasRenegotiated else { return }
            hasRenegotiated = true
            _ = tlstest_stream_renegotiate(stream)
        }

        private func sendToPlain() throws {
            if !toPlain.isEmpty {
                let bytes = toPlain.bytes
                let count = send(plain, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                if count > 0 { toPlain.drop(count) } else if errno != EAGAIN, errno != EINTR { plainIsDeaf = true }
            }
            if plainIsDeaf {
                toPlain.drop(toPlain.count)
                plainWasTold = true
            }
            guard toPlain.isEmpty, requestsHaveEnded, !plainWasTold else { return }
            plainWasTold = true
            shutdown(plain, Int32(SHUT_WR))
        }

        // MARK: - To the client

        private func receiveFromPlain() throws {
            guard toClient.space > 0 else { return }
            let count = toClient.fill { recv(plain, $0.baseAddress, $0.count, 0) }
            if count == 0 { plainHasEnded = true }
            if count < 0, errno != EAGAIN, errno != EINTR {
                plainHasEnded = true
                ending = .reset
            }
        }

        private func encrypt() throws {
            // A record of 16 KiB has some bytes more.
            while !toClient.isEmpty, output.space > 17_000, !waitsForClient {
                let bytes = toClient.bytes
                let most = min(bytes.count, bytesUntilKeyUpdate ?? .max)
                let result = tlstest_stream_write(stream, bytes.baseAddress, most)
                if result == Int(TLSTEST_WAITS) { waitsForClient = true }
                guard result > 0 else {
                    if result == Int(TLSTEST_WAITS) { break }
                    throw Outcome.reset
                }
                toClient.drop(result)
                takeOutput()
                if let rest = bytesUntilKeyUpdate { updateKeys(rest - result) }
            }
            guard plainHasEnded, toClient.isEmpty, !closeNotifyIsOut else { return }
            closeNotifyIsOut = true
            if ending == .closeNotify { tlstest_stream_close(stream) }
        }

        private func updateKeys(_ rest: Int) {
            bytesUntilKeyUpdate = rest
            guard rest <= 0, let interval = options.keyUpdateInterval else { return }
            bytesUntilKeyUpdate = interval
            _ = tlstest_stream_update_keys(stream)
        }

        private func takeOutput() {
            guard output.space > 0 else { return }
            output.fill { Int(tlstest_stream_output(stream, $0.baseAddress, $0.count)) }
        }

        /// Sends until nothing is left, or the system takes no more.
        private func sendToClient() throws {
            while true {
                takeOutput()
                if let cut = options.cut, sentRecordBytes >= cut.after { throw end(cut.ending) }
                guard !output.isEmpty else { return }
                let bytes = output.bytes
                let most = min(bytes.count, options.pieceSize ?? .max, options.cut.map { $0.after - sentRecordBytes } ?? .max)
                let count = send(client, bytes.baseAddress, most, Int32(MSG_NOSIGNAL))
                guard count > 0 else {
                    if errno == EAGAIN || errno == EINTR { return }
                    return try clientIsGone()
                }
                sentRecordBytes += count
                output.drop(count)
            }
        }

        /// - Returns: What follows.
        private func end(_ ending: TLSFront.Ending) -> Outcome {
            switch ending {
            case .stall: return .stall
            case .reset:
                FrontSocket.waitUntilSent(client, unless: stop)
                return .reset
            case .closeNotify, .truncated:
                shutdown(client, Int32(SHUT_WR))
                FrontSocket.drain(client, unless: stop)
                return .done
            }
        }

        private func endIfOver() throws {
            if closeNotifyIsOut, output.isEmpty, !clientWasTold {
                clientWasTold = true
                switch ending {
                case .closeNotify, .truncated: shutdown(client, Int32(SHUT_WR))
                case .reset, .stall: throw end(ending)
                }
            }
            if clientWasTold, plainWasTold { throw Outcome.done }
        }
    }
#endif
