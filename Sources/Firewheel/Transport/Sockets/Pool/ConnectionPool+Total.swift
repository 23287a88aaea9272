#if os(Linux)
    import Foundation

    /// The limit of all connections of a pool together. A connection that is being opened counts.
    extension ConnectionPool {
        /// How many more there may be.
        private var room: Int { (limits.total ?? .max) - connections.count - openingCount }

        /// Whether a request of a lane may open a connection now. Otherwise the lane waits for its turn.
        func mayOpenAnother(_ lane: Queue.Lane) -> Bool {
            guard hasTotal, blocked.count > 0 || room <= 0 else { return true }
            if lane === servedLane {
                servedLane = nil
                return true
            }
            blocked.append(lane, at: loop.now)
            return false
        }

        // MARK: Turns

        /// Lets lanes that wait open a connection each, while there is room.
        ///
        /// - Returns: Whether one was served.
        func serveBlocked() -> Bool {
            blocked.reviewAll(at: loop.now)
            var hasServed = false
            while room > 0 || idleCount > 0, let lane = blocked.first() {
                // One that need not open a connection any more does not wait for that.
                let transfer = mayOpen(lane) ? takeReady(of: lane) : nil
                unblock(lane)
                guard let transfer else { continue }
                if room <= 0 { oldestIdle?.close() }
                hasServed = true
                servedLane = lane
                transfer.leaveQueue()
                servedLane = nil
            }
            return hasServed
        }

        /// Takes the first request of a lane that is neither gone nor paused, and those before it.
        private func takeReady(of lane: Queue.Lane) -> SocketTransfer? {
            while let transfer = queue.takeFirst(of: lane) {
                if !transfer.isWaiting {
                    queue.skip(lane)
                } else if transfer.isPaused {
                    // It is parked.
                    transfer.leaveQueue()
                } else {
                    return transfer
                }
            }
            return nil
        }

        /// Has HTTP/2 connections take requests again that need not make room any more.
        func endNeedlessYields() {
            while let connection = yielding.last, !isWanted(from: connection.lane, besides: freshYields(besides: connection)) {
                connection.endYielding(isNeedless: true)
            }
        }

        /// The number of connections that yield and will probably be closed soon: those that have begun a moment ago.
        private func freshYields(besides connection: HTTP2Connection) -> Int {
            yielding.count { $0 !== connection && $0.isYieldFresh }
        }

        // MARK: Changes

        private func unblock(_ lane: Queue.Lane) {
            blocked.remove(lane)
            noteChanged(lane)
        }

        /// Forgets a lane that waits although it has no request that does.
        func unblockIfDone(_ lane: Queue.Lane) {
            if lane.extra.place != nil, !lane.hasWaiting { unblock(lane) }
        }

        /// Handles that a lane has one connection fewer, or opens one fewer.
        func noteLoss(of lane: Queue.Lane) {
            guard blocked.count > 0 else { return }
            blocked.review(lane, at: loop.now)
            if lane.extra.place != nil { noteChanged(lane) }
            noteActive()
        }

        // MARK: Fairness

        /// Handles that a connection has ended a request.
        ///
        /// - Returns: Whether it is to be closed for another lane.
        func givesWay(_ connection: HTTP1Connection) -> Bool {
            let lane = connection.lane
            blocked.review(lane, at: loop.now)
            blocked.reviewAll(at: loop.now)
            // Lanes that have no other connection would change places with each request, which costs more than a short wait.
            if lane.extra.share == 1, lane.hasWaiting, connection.isFresh { return false }
            return isWanted(from: lane, besides: 0)
        }

        /// Handles that an HTTP/2 connection has ended a request.
        func considerYielding(_ connection: HTTP2Connection) {
            blocked.review(connection.lane, at: loop.now)
            blocked.reviewAll(at: loop.now)
            if isWanted(from: connection.lane, besides: freshYields(besides: connection)) { connection.yield() }
        }

        /// Whether another lane should have a connection of a lane.
        ///
        /// - Parameter besides: The number of other connections that will be closed soon.
        private func isWanted(from lane: Queue.Lane, besides coming: Int) -> Bool {
            let coming = coming + max(0, room)
            if blocked.starvedCount(besides: lane) > coming { return true }
            guard coming == 0, let least = blocked.leastShare(besides: lane) else { return false }
            return least + 1 < blocked.weight(of: lane, at: loop.now)
        }
    }
#endif
