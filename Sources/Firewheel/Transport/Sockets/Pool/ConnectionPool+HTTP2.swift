#if os(Linux)
    import Foundation

    /// HTTP/2 connections, which several requests share, and the versions of HTTP.
    extension ConnectionPool {
        // MARK: Versions

        /// Decides which version a new lane speaks, if that is known already.
        func setUp(_ lane: Queue.Lane) {
            lane.extra.isSetUp = true
            if lane.key.isForWebSockets {
                (lane.extra.version, lane.extra.needsHTTP1, lane.extra.isUnlimited) = (.http1, true, true)
                return updateLimit(lane)
            }
            switch limits.versions {
            case .http1Only: lane.extra.version = .http1
            case .http2PriorKnowledge: lane.extra.version = .http2
            case .automatic: lane.extra.version = lane.key.origin.isSecure ? .unknown : .http1
            }
            if lane.extra.version != .http1 { updateLimit(lane) }
        }

        /// Why no request can be sent with the versions that the session speaks.
        var versionProblem: TransportError? {
            guard limits.versions == .http2PriorKnowledge, case .failure(let error) = loadHTTP2() else { return nil }
            return HTTP2Words.impossible(error)
        }

        /// The protocols to offer in a TLS handshake (ALPN, RFC 7301).
        func protocols(for lane: Queue.Lane) -> [String] {
            guard limits.versions != .http1Only, !lane.extra.needsHTTP1, case .success = loadHTTP2() else { return ["http/1.1"] }
            return limits.versions == .http2PriorKnowledge ? ["h2"] : ["h2", "http/1.1"]
        }

        /// The first exchange on a new connection.
        ///
        /// - Parameters:
        ///   - wire: Closed if an error is thrown.
        ///   - name: The protocol that the server has chosen in the TLS handshake; nil if it has chosen none, or there is no TLS.
        func exchange(on wire: Wire, protocol name: String?, for transfer: SocketTransfer) throws(TransportError) -> any Exchange {
            let lane: Queue.Lane = transfer.lane
            let isKnown = limits.versions == .http2PriorKnowledge && !lane.extra.needsHTTP1
            guard name == "h2" || isKnown else {
                if lane.extra.version != .http1 {
                    lane.extra.version = .http1
                    noteChanged(lane)
                }
                return HTTP1Connection(wire, pool: self, lane: lane)
            }
            do throws(TransportError) {
                if transfer.origin.isSecure, name != "h2" {
                    throw .failed(
                        .resourceUnavailable,
                        "\(transfer.place) does not offer HTTP/2, which the session's httpVersions demand")
                }
                let library: SystemLibraryTable
                switch loadHTTP2() {
                case .success(let table): library = table
                case .failure(let error): throw HTTP2Words.impossible(error)
                }
                guard let connection = HTTP2Connection(wire, pool: self, lane: lane, library: library) else { throw HTTP2Words.outOfMemory }
                lane.extra.version = .http2
                lane.extra.shared.append(connection)
                noteChanged(lane)
                return connection.makeExchange().exchange
            } catch {
                wire.close(on: loop)
                throw error
            }
        }

        /// Handles that the server of a lane wants HTTP/1.1.
        func requireHTTP1(_ lane: Queue.Lane) {
            lane.extra.needsHTTP1 = true
            lane.extra.version = .http1
            noteChanged(lane)
            for connection in lane.extra.shared { connection.noteOutput() }
        }

        // MARK: Places

        /// A place on a connection that others may use, too; nil if there is none.
        func takePlace(_ lane: Queue.Lane) -> (exchange: HTTP2Exchange, isReused: Bool)? {
            lane.extra.shared.first { $0.freePlaces > 0 }?.makeExchange()
        }

        /// Whether a request of the lane may open a connection now.
        func mayOpen(_ lane: Queue.Lane) -> Bool {
            lane.extra.version != .http2 || lane.extra.openers < lane.extra.mostOpeners(perHost: limits.perHost)
        }

        /// Records that a request opens a connection.
        func beganOpening(_ lane: Queue.Lane) {
            lane.extra.openers += 1
            openingCount += 1
            noteChanged(lane)
        }

        /// Records that a request opens its connection no more.
        ///
        /// - Parameters:
        ///   - isSlow: Whether others did not wait for it.
        ///   - hasFailed: Whether the connection could not be opened; nil if that is not known.
        func endedOpening(_ lane: Queue.Lane, isSlow: Bool, hasFailed: Bool?) {
            lane.extra.openers -= 1
            openingCount -= 1
            noteLoss(of: lane)
            if isSlow { lane.extra.slowOpeners -= 1 }
            if let hasFailed { lane.extra.hasFailed = hasFailed }
            noteChanged(lane)
        }

        /// Records that others need not wait for a request that opens a connection.
        func noteSlowOpening(_ lane: Queue.Lane) {
            lane.extra.slowOpeners += 1
            noteChanged(lane)
        }

        /// Has a request that runs wait for its turn again, as the first.
        ///
        /// - Parameter isVain: Whether there is neither a place for it nor a connection that it may open.
        func putBack(_ transfer: SocketTransfer, isVain: Bool) {
            let lane: Queue.Lane = transfer.lane
            queue.putBack(transfer, in: lane, limit: lane.extra.limit(perHost: limits.perHost), isVain: isVain)
            noteActive()
        }

        /// Has the number of requests that may run computed at the end of the turn.
        func noteChanged(_ lane: Queue.Lane) {
            guard !lane.extra.isChanged else { return }
            lane.extra.isChanged = true
            changedLanes.append(lane)
            noteActive()
        }

        private func updateLimit(_ lane: Queue.Lane) {
            queue.setLimit(lane, to: lane.extra.limit(perHost: limits.perHost))
        }

        // MARK: Turns

        /// Has a connection send what it has at the end of the turn.
        func noteOutput(of connection: HTTP2Connection) {
            connectionsWithOutput.append(connection)
            noteActive()
        }

        /// Has a WebSocket send what it has at the end of the turn.
        func noteOutput(of webSocket: WebSocketConnection) {
            webSocketsWithOutput.append(webSocket)
            noteActive()
        }

        // Apart, so that a turn without WebSockets costs nothing more.
        @inline(never)
        func flushWebSockets() {
            while let webSocket = webSocketsWithOutput.popLast() { webSocket.flushNoted() }
        }

        func updateLimits() {
            while let lane = changedLanes.popLast() {
                lane.extra.isChanged = false
                updateLimit(lane)
            }
        }

        /// Sends what there is, and starts requests that may run then: streams that were given up make room when that is sent.
        ///
        /// - Returns: Whether nothing is left for another turn.
        func settle() -> Bool {
            for _ in 0..<4 {
                while let connection = connectionsWithOutput.popLast() { connection.flush() }
                guard !changedLanes.isEmpty else { return true }
                updateLimits()
                startWaiting()
                if connectionsWithOutput.isEmpty, changedLanes.isEmpty { return true }
            }
            return false
        }

        // MARK: Idle connections

        /// Counts a connection that serves no request any more.
        func noteUnused(_ connection: HTTP2Connection) {
            guard !connection.isCounted else { return }
            connection.isCounted = true
            idleCount += 1
            closeOldest()
        }

        /// Counts a connection that serves a request again, or is closed.
        func noteUsed(_ connection: HTTP2Connection) {
            guard connection.isCounted else { return }
            connection.isCounted = false
            idleCount -= 1
        }

        /// Forgets a closed connection on which no request has a place.
        func forgetIfEmpty(_ connection: HTTP2Connection) {
            guard !connection.isOpen, connection.activeCount == 0 else { return }
            connection.lane.extra.shared.removeAll { $0 === connection }
            queue.removeIfIdle(connection.lane)
        }
    }
#endif
