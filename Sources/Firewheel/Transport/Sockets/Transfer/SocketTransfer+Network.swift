#if os(Linux)
    import Foundation

    /// A request that could not be connected because there was no route: it fails, or waits for the network.
    extension SocketTransfer {
        /// Why a request could not be connected, and what it waits for.
        final class WantOfRoute {
            let destination: NetworkDestination
            let code: URLError.Code
            let words: String
            /// Whether the client knows that the request waits.
            var isReported = false
            /// Whether the connection has failed soon, so that it costs nothing to try again.
            let wasQuick: Bool
            /// Whether it was tried again because there was a route when the system was asked.
            var isSecond = false
            /// When the name is looked up again; nil if it is not.
            var nextLookup: MonotonicInstant?
            /// How often that was planned since the network was lost, or came back.
            var lookups = 0
            /// Until when a failed lookup is put down to a network that has just come back.
            var graceEnd: MonotonicInstant?

            /// - Parameter earlier: What the request has waited for before it was tried again.
            init(
                _ destination: NetworkDestination, _ code: URLError.Code, _ words: String, wasQuick: Bool, after earlier: WantOfRoute?
            ) {
                (self.destination, self.code, self.words, self.wasQuick) = (destination, code, words, wasQuick)
                guard let earlier else { return }
                (isReported, isSecond) = (earlier.isReported, earlier.isSecond)
                (lookups, graceEnd) = (earlier.lookups, earlier.graceEnd)
            }

            var error: TransportError { .failed(code, words) }
        }

        /// Whether a name has to be looked up, for the server or for its proxy: it may get other addresses.
        var leadsToName: Bool { !peer.isAddress || passage?.address != nil || looksUpForProxy }

        /// The seconds within which the system finds out that it has no route.
        private static let quickFailure: TimeInterval = 1

        /// Asks the system for the way, without a place in the lane: requests to other hosts may need it.
        ///
        /// - Parameters:
        ///   - destination: Where to; anywhere if an address is not known.
        ///   - code: The request's error, if the network is not the reason.
        func seekNetwork(_ destination: NetworkDestination, after code: URLError.Code, _ words: String) {
            let begun = measured.lookup?.start ?? measured.connectStart ?? loop.now
            let wasQuick = loop.now < begun.advanced(by: Self.quickFailure)
            setOpening(false, hasFailed: true)
            pool.leaveLane(lane)
            stage = .unrouted
            wantOfRoute = WantOfRoute(destination, code, words, wasQuick: wasQuick, after: wantOfRoute)
            setTimer()
            pool.seekNetwork(destination, for: self)
        }

        /// Handles that the system has no way.
        ///
        /// - Parameters:
        ///   - isOffline: Whether there is no way into the Internet either.
        ///   - canWait: Whether the system reports changes.
        func hasNoNetwork(isOffline: Bool, canWait: Bool) {
            guard stage == .unrouted, let wantOfRoute else { return }
            guard request.waitsForConnectivity, canWait else {
                let words = wantOfRoute.words + (request.waitsForConnectivity ? ", and the system does not report when that changes" : "")
                return fail(.failed(isOffline ? .notConnectedToInternet : wantOfRoute.code, isOffline ? "no network: \(words)" : words))
            }
            if wantOfRoute.graceEnd != nil { (wantOfRoute.graceEnd, wantOfRoute.lookups) = (nil, 0) }
            wantOfRoute.isSecond = false
            // Whether a name can be looked up does not depend on routes alone, and its addresses may be others then.
            if leadsToName, wantOfRoute.nextLookup == nil { planLookup(wantOfRoute) }
            guard !wantOfRoute.isReported else { return }
            wantOfRoute.isReported = true
            pool.post(.waitingForConnectivity, of: self)
        }

        /// Handles that the system has a way, or does not know.
        func networkIsThere() {
            guard stage == .unrouted, let wantOfRoute else { return }
            if wantOfRoute.isReported {
                // It has come back.
                (wantOfRoute.isReported, wantOfRoute.isSecond, wantOfRoute.lookups) = (false, false, 0)
                wantOfRoute.graceEnd = loop.now.advanced(by: pool.limits.lookupPatience)
                return queueAgain()
            }
            // The servers that look up names are often known only after the routes, and a network may come and go at first.
            if wantOfRoute.wasQuick || wantOfRoute.destination == .anywhere, let end = wantOfRoute.graceEnd, loop.now < end {
                return planLookup(wantOfRoute)
            }
            // The network may have come back before the system was asked. If there is a route the next time as well, it is not the reason:
            // a router on the way has none.
            guard wantOfRoute.wasQuick, !wantOfRoute.isSecond else { return fail(wantOfRoute.error) }
            wantOfRoute.isSecond = true
            queueAgain()
        }

        /// Handles that a lookup or a connection takes too long: what is sent may be lost because the network is.
        ///
        /// - Returns: Whether the system is asked. Otherwise the request has timed out.
        func asksForNetwork(_ words: String) -> Bool {
            guard request.waitsForConnectivity else { return false }
            switch stage {
            case .resolving:
                pool.stopResolving(question, for: self)
                seekNetwork(.anywhere, after: .timedOut, words)
            case .connecting:
                guard let connector = connector.take() else { return false }
                connector.cancel()
                seekNetwork(.addresses(connector.addresses.map(\.networkAddress)), after: .timedOut, words)
            case .waiting, .parked, .unrouted, .running, .over: return false
            }
            return true
        }

        private func planLookup(_ wantOfRoute: WantOfRoute) {
            let pause = pool.limits.lookupPause * pow(2, Double(min(wantOfRoute.lookups, 10)))
            wantOfRoute.lookups += 1
            wantOfRoute.nextLookup = loop.now.advanced(by: min(pause, pool.limits.lookupPatience))
            setTimer()
        }

        /// Looks the name up again while the request waits for the network.
        func lookUpAgain() {
            guard let wantOfRoute else { return }
            pool.stopSeekingNetwork(wantOfRoute.destination, for: self)
            queueAgain()
        }

        private func queueAgain() {
            wantOfRoute?.nextLookup = nil
            // In another network the names may have other addresses.
            for host in [peer, server] where !host.isAddress {
                NameResolver.shared.forget(NameResolver.Question(host: host.host, family: destination?.family ?? .any))
            }
            passage?.address = nil
            // The wait is not part of the connect timeout, nor of what the exchange takes.
            (lastActivity, measured.leftQueue, measured.lookup, measured.connectStart) = (nil, nil, nil, nil)
            lane = pool.lane(for: lane.key)
            if lane.extra.hasFailed {
                // It was the network that has failed. Otherwise each request would open a connection of its own.
                lane.extra.hasFailed = false
                pool.noteChanged(lane)
            }
            guard !isPaused else {
                stage = .parked
                return
            }
            stage = .waiting
            pool.enqueue(self)
        }
    }
#endif
