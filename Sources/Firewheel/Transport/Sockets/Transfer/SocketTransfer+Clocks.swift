#if os(Linux)
    import Foundation

    /// Timeouts. Deadlines move with every byte, so they are computed when a timer fires, which then is set again.
    extension SocketTransfer {
        /// The seconds after which a handshake that waits for its step is looked at again.
        private static let stepPatience: TimeInterval = 0.01

        /// When something is due: a timeout, or a look at the connection.
        var nextDue: MonotonicInstant? {
            var due = request.deadline
            func note(_ instant: MonotonicInstant?) {
                guard let instant else { return }
                due = due.map { min($0, instant) } ?? instant
            }
            // What has come in time is read before the timeout is judged again.
            note(handshake?.awaitsStep == true ? loop.now.advanced(by: Self.stepPatience) : idleDeadline)
            note(waitEnd)
            note(discardEnd)
            note(exchange?.nextLook)
            note(opening?.patienceEnd)
            if kernelMayHoldBytes, let lastActivity, let idle = idleDeadline, idle > loop.now {
                note(loop.now.advanced(by: max(0.001, idle.seconds(since: lastActivity) / 8)))
            }
            return due
        }

        /// When the wait for a connection takes too long; nil if it does not wait, or may wait as long as it likes.
        private var waitEnd: MonotonicInstant? {
            guard stage == .waiting, !isPaused, let waitStart, let limit = request.connectionWaitTimeout, limit > 0 else { return nil }
            return waitStart.advanced(by: limit)
        }

        /// How long it has waited for a connection, or that it waits for the network, in words; nil if it does not wait.
        private var waitWords: String? {
            if stage == .unrouted, let wantOfRoute { return "waiting for the network (\(wantOfRoute.words))" }
            guard stage == .waiting, !isPaused, let waitStart else { return nil }
            let seconds = loop.now.seconds(since: waitStart)
            if lane.extra.place != nil, let total = pool.limits.total { return TimeoutWords.waitedForAny(seconds, total) }
            return TimeoutWords.waited(seconds, pool.limits.perHost, ConnectionWords.address(lane.key.origin))
        }

        var idleDeadline: MonotonicInstant? {
            guard discardEnd == nil else { return nil }
            switch stage {
            case .waiting, .parked, .over: return nil
            // No timeout: the name is looked up again then.
            case .unrouted: return wantOfRoute?.nextLookup
            case .resolving, .connecting:
                guard !isPaused, let start = lastActivity ?? measured.leftQueue else { return nil }
                let timeout = request.connectTimeout ?? request.idleTimeout
                return timeout > 0 ? start.advanced(by: timeout) : nil
            case .running:
                guard !isStopped, request.idleTimeout > 0, !(request.allowsQuietBody && head != nil), let lastActivity else { return nil }
                return lastActivity.advanced(by: request.idleTimeout)
            }
        }

        /// Whether bytes of the request may be on their way although all were passed to the kernel.
        private var kernelMayHoldBytes: Bool {
            stage == .running && measured.bodyBytesSent > 0
        }

        func judgeClocks() {
            let now = loop.now
            if let deadline = request.deadline, deadline <= now {
                return timeOut(waitWords.map { "\(TimeoutWords.resource), \($0)" } ?? TimeoutWords.resource)
            }
            if let end = waitEnd, end <= now, let waitWords { return timeOut("timed out, \(waitWords)") }
            judgeOpening()
            if let end = discardEnd, end <= now { return finish(error: nil, closing: true) }
            if let exchange, let look = exchange.nextLook, look <= now { exchange.look() }
            // What the kernel has passed on since is progress of the request.
            if kernelMayHoldBytes, let held = exchange?.bytesHeldByKernel {
                if let last = heldByKernel, held < last { lastActivity = now }
                heldByKernel = held
            }
            guard stage != .over, let idle = idleDeadline, idle <= now, handshake?.awaitsStep != true else { return }
            if stage == .unrouted { return lookUpAgain() }
            let reason = idleReason
            if !asksForNetwork(reason) { timeOut(reason) }
        }

        /// Ends the exchange, with an error unless only the rest of the request is missing.
        private func timeOut(_ reason: String) {
            if let exchange, exchange.isResponseWhole { return exchange.endEarly(self) }
            let error = TransportError.failed(.timedOut, reason)
            // A proxy may have refused, and be slow in saying why.
            fail(passage?.tunnel?.error(ofTimeout: error) ?? located(error))
        }

        private var idleReason: String {
            let atProxy = proxy != nil && measured.proxyEnd == nil
            let place = atProxy && !(stage == .resolving && looksUpForProxy) ? proxy.map { "the proxy \($0)" } : nil
            let address = place ?? self.place
            let step: String
            switch stage {
            case .resolving: step = "looking up host \"\(question.host)\"\(place.map { " of \($0)" } ?? "")"
            case .connecting where isAsking: step = "evaluating the certificate of \(address)"
            case .connecting where handshake != nil: step = "securing the connection to \(address)"
            case .connecting where passage?.tunnel != nil:
                step = "waiting for \(address) to connect to \(self.place)"
            case .connecting: step = "connecting to \(address)"
            case .waiting, .parked, .unrouted, .running, .over: return TimeoutWords.idle(request.idleTimeout, phase.words)
            }
            return TimeoutWords.connecting(request.connectTimeout ?? request.idleTimeout, step)
        }

        var phase: TransferPhase {
            if exchange == nil { return .connecting }
            if measured.requestEnd == nil { return .sending }
            return measured.firstByte == nil ? .waiting : .receiving
        }
    }
#endif
