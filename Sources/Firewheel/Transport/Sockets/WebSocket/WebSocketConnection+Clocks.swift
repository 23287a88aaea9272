#if os(Linux)
    import Foundation

    /// Pings, and the times that are limited.
    extension WebSocketConnection {
        /// The pings that were not answered.
        struct Pings {
            struct Ping {
                let number: UInt64
                /// nil for one that only asks whether the connection is alive.
                let ticket: Int?
                let sent: MonotonicInstant
            }

            var waiting: [Ping] = []
            /// How many bytes the peer had acknowledged when this was last looked at, and when that was.
            var acknowledged: (bytes: Int64, at: MonotonicInstant)?
            var last: UInt64 = 0
        }

        /// - Parameter ticket: The client's; nil for a ping of the connection's own.
        func ping(_ ticket: Int?) {
            pings.last += 1
            pings.waiting.append(Pings.Ping(number: pings.last, ticket: ticket, sent: .now()))
            sending.writer.addPing(withUnsafeBytes(of: pings.last.bigEndian) { Data($0) })
            if pings.waiting.count == 1 { pings.acknowledged = (acknowledgedBytes, loop.now) }
        }

        /// How many of the sent bytes the peer's system has acknowledged. Over TLS it is less, by what TLS adds to bytes on their way.
        private var acknowledgedBytes: Int64 { Int64(sending.sent) - Int64(wire.bytesHeldByKernel) }

        /// Handles a pong, which answers the pings before its own as well (RFC 6455 section 5.5.3). Others answer nothing.
        func receivedPong(_ payload: Data) {
            guard payload.count == 8 else { return }
            let number = payload.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            guard pings.waiting.contains(where: { $0.number == number }) else { return }
            let now = MonotonicInstant.now()
            while let first = pings.waiting.first, first.number <= number {
                pings.waiting.removeFirst()
                if let ticket = first.ticket { report(.pong(ticket: ticket, roundTrip: now.seconds(since: first.sent))) }
            }
        }

        /// When to look at the connection again; nil for never. Nothing is due while the transfer is paused.
        var nextLook: MonotonicInstant? {
            guard let transfer, !transfer.isPaused else { return nil }
            switch stage {
            case .failing(_, let until), .ending(_, let until): return until
            case .closing:
                guard let limit = configuration.closeLimit else { return nil }
                return sending.lastProgress?.advanced(by: limit)
            case .open: return transfer.isStopped ? nil : pingEnd ?? pingStart
            }
        }

        /// When the connection counts as lost.
        private var pingEnd: MonotonicInstant? {
            guard configuration.pongTimeout > 0, let ping = pings.waiting.first else { return nil }
            return max(ping.sent, lastReceived, pings.acknowledged?.at ?? ping.sent).advanced(by: configuration.pongTimeout)
        }

        private var pingStart: MonotonicInstant? {
            guard pings.waiting.isEmpty, let interval = configuration.pingInterval, interval > 0 else { return nil }
            return lastReceived.advanced(by: interval)
        }

        func look() {
            guard let transfer else { return }
            switch stage {
            case .failing(let violation, _): fail(with: violation)
            case .ending(let error, _): return ended(error)
            case .closing: return ended(sending.isComplete ? nil : .failed(.timedOut, TimeoutWords.closing(configuration.closeTimeout)))
            case .open:
                guard pings.waiting.isEmpty else {
                    // A large message is on its way before the ping, and the peer takes it: the connection is alive.
                    let acknowledged = acknowledgedBytes
                    if let last = pings.acknowledged, acknowledged > last.bytes {
                        pings.acknowledged = (acknowledged, loop.now)
                        return finishWork(for: transfer)
                    }
                    return ended(.failed(.timedOut, TimeoutWords.ping(configuration.pongTimeout)))
                }
                ping(nil)
                flush()
            }
            finishWork(for: transfer)
        }
    }
#endif
