#if os(Linux)
    import Foundation

    /// New connections of either version, and requests that HTTP/2 servers send elsewhere.
    extension SocketTransfer {
        /// Runs on a connection that was opened for this request.
        ///
        /// - Parameter name: The protocol that the server has chosen in the TLS handshake.
        func runOnNew(_ wire: Wire, protocol name: String?) {
            if name == "h2", lane.extra.needsHTTP1 {
                // The server has asked for HTTP/1.1 since the handshake began.
                wire.close(on: loop)
                setOpening(false)
                measured.forgetTry()
                return waitAgain()
            }
            do throws(TransportError) {
                let exchange = try pool.exchange(on: wire, protocol: name, for: self)
                setOpening(false, hasFailed: false)
                run(on: exchange, isReused: false)
            } catch {
                fail(error)
            }
        }

        /// Records whether the request is opening a connection.
        ///
        /// - Parameter hasFailed: Whether the connection could not be opened; nil if that is not known.
        func setOpening(_ isOpening: Bool, hasFailed: Bool? = nil) {
            guard isOpening != (opening != nil) else { return }
            if isOpening {
                opening = Opening(since: loop.now)
                pool.beganOpening(lane)
            } else {
                let isSlow = opening?.isSlow ?? false
                opening = nil
                pool.endedOpening(lane, isSlow: isSlow, hasFailed: hasFailed)
            }
        }

        /// An attempt to open a connection that others may share.
        struct Opening {
            /// The seconds after which others need not wait for it any more.
            static let patience: TimeInterval = 1

            let since: MonotonicInstant
            /// Whether another request may open a connection beside it.
            var isSlow = false

            var patienceEnd: MonotonicInstant? { isSlow ? nil : since.advanced(by: Self.patience) }
        }

        /// Lets another request open a connection if this one takes long, or is paused.
        func judgeOpening() {
            guard let opening, !opening.isSlow else { return }
            guard isPaused || opening.patienceEnd.map({ $0 <= loop.now }) ?? false else { return }
            self.opening?.isSlow = true
            pool.noteSlowOpening(lane)
        }

        /// Waits in the queue again, as the first.
        ///
        /// - Parameter isVain: Whether there was neither a place for it nor a connection that it may open. Default: false.
        func waitAgain(isVain: Bool = false) {
            if stage != .waiting {
                waitStart = loop.now
                if isPaused { pool.notePaused(true, in: lane) }
            }
            stage = .waiting
            // The connect timeout begins anew when its turn comes.
            lastActivity = nil
            // Behind a challenge of a proxy the connection that came before is part of the request's time.
            if measured.connectStart == nil { (measured.leftQueue, measured.lookup) = (nil, nil) }
            pool.putBack(self, isVain: isVain)
            setTimer()
        }

        /// Handles that the server has not processed the request, which may be sent again whatever its method (RFC 9113 section 8.7).
        ///
        /// - Parameter bodyHasBegun: Whether the body's source was opened.
        func wasRefused(bodyHasBegun: Bool) {
            guard tries <= Self.mostTimesAgain else {
                return fail(.failed(.networkConnectionLost, "the server refused the HTTP/2 stream \(tries) times"))
            }
            if mayRepeatBody(bodyHasBegun) { goAgain() }
        }

        /// Handles that the server wants the request over HTTP/1.1 and has not processed it.
        func needsHTTP1(bodyHasBegun: Bool) {
            pool.requireHTTP1(lane)
            guard mayRepeatBody(bodyHasBegun) else { return }
            leaveExchange()
            waitAgain()
        }

        /// Otherwise the request fails.
        func mayRepeatBody(_ hasBegun: Bool, after reason: String = "the server refused the HTTP/2 stream") -> Bool {
            guard hasBegun, request.bodySource?.isRepeatable == false else { return true }
            fail(.bodyNotRepeatable(reason))
            return false
        }
    }
#endif
