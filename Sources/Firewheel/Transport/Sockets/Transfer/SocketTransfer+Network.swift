#if os(Linux)
    import Foundation

    /// A request that could not be connected for want of a route: it fails, or waits for the network.
    extension SocketTransfer {
        /// Why a request could not be connected.
        final class WantOfRoute {
            let destination: NetworkDestination
            let code: URLError.Code
            let words: String
            /// Whether the client knows that the request waits.
            var isReported = false
            /// Whether it was tried again because there was a route when the system was asked.
            var isSecond: Bool

            init(_ destination: NetworkDestination, _ code: URLError.Code, _ words: String, isSecond: Bool) {
                (self.destination, self.code, self.words, self.isSecond) = (destination, code, words, isSecond)
            }

            var error: TransportError { .failed(code, words) }
        }

        private static let cannotWait = "the system does not report when that changes"

        /// Asks the system for the way, without a place in the lane: requests to other hosts may need it.
        ///
        /// - Parameters:
        ///   - destination: Where to; anywhere if an address is not known.
        ///   - code: The request's error, if the network is not the reason.
        func seekNetwork(_ destination: NetworkDestination, after code: URLError.Code, _ words: String) {
            if !peer.isAddress { NameResolver.shared.forget(question) }
            setOpening(false, hasFailed: true)
            pool.leaveLane(lane)
            stage = .unrouted
            wantOfRoute = WantOfRoute(destination, code, words, isSecond: wantOfRoute?.isSecond ?? false)
            setTimer()
            pool.seekNetwork(destination, for: self)
        }

        /// Handles that the system has no way.
        func hasNoNetwork(isOffline: Bool) {
            guard stage == .unrouted, let wantOfRoute else { return }
            guard request.waitsForConnectivity else {
                return fail(isOffline ? .failed(.notConnectedToInternet, "no network: \(wantOfRoute.words)") : wantOfRoute.error)
            }
            guard !wantOfRoute.isReported else { return }
            wantOfRoute.isReported = true
            pool.post(.waitingForConnectivity, of: self)
        }

        /// Handles that the system has a way, or does not know.
        ///
        /// - Parameters:
        ///   - hasWaited: Whether it had none before.
        ///   - isKnown: Whether the system reports changes.
        func networkIsThere(hasWaited: Bool, isKnown: Bool) {
            guard stage == .unrouted, let wantOfRoute else { return }
            // The network may have come back before the system was asked. If there still is a route the next time, the want is another one's:
            // a router on the way has none.
            guard request.waitsForConnectivity, isKnown, hasWaited || !wantOfRoute.isSecond else {
                let canWait = isKnown || !request.waitsForConnectivity
                return fail(canWait ? wantOfRoute.error : .failed(wantOfRoute.code, "\(wantOfRoute.words), and \(Self.cannotWait)"))
            }
            wantOfRoute.isSecond = !hasWaited
            // The wait is not part of the connect timeout, nor of what the exchange takes.
            (lastActivity, measured.lookup, measured.connectStart) = (nil, nil, nil)
            if tries == 0 { measured.leftQueue = nil }
            guard !isPaused else {
                stage = .parked
                return
            }
            stage = .waiting
            lane = pool.lane(for: lane.key)
            pool.enqueue(self)
        }
    }
#endif
