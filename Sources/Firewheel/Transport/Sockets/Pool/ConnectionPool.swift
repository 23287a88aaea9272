#if os(Linux)
    import Foundation
    import Glibc

    /// The connections and requests of one transport. Used on the loop's thread only.
    ///
    /// Waiting requests queue here; one that may run gets an idle connection, or a new one.
    final class ConnectionPool {
        typealias Queue = LaneQueue<ConnectionKey, SocketTransfer, LaneConnections>

        // Sound because the loop is never released.
        unowned(unsafe) let loop: EventLoop
        let limits: ConnectionLimits
        /// Whether there is a limit of all connections.
        let hasTotal: Bool
        let security: PoolSecurity
        /// Gives libnghttp2, loaded on first use.
        let loadHTTP2: HTTP2Library.Loader
        /// Asked whether there are routes.
        let network: any NetworkPaths
        /// The requests that could not be connected because there was no route, by where they lead.
        @exclusivity(unchecked) var unrouted: [NetworkDestination: UnroutedTransfers] = [:]
        var lastUnrouted: UInt64 = 0
        @exclusivity(unchecked) private(set) var transfers: [TransportTaskID: SocketTransfer] = [:]
        @exclusivity(unchecked) var queue: Queue
        /// The lane of the last request, which most often is that of the next one.
        @exclusivity(unchecked) private var lastLane: Queue.Lane?
        @exclusivity(unchecked) private var outbox = TransportOutbox<SocketTransfer>()
        @exclusivity(unchecked) private var isActive = false
        @exclusivity(unchecked) private var hasEndedTransfer = false
        /// Transfers that were queued in this turn.
        @exclusivity(unchecked) private var queued: [SocketTransfer] = []
        private var resolving: [NameResolver.Question: [SocketTransfer]] = [:]
        /// All open connections.
        @exclusivity(unchecked) private(set) var connections: [ObjectIdentifier: any PooledConnection] = [:]
        @exclusivity(unchecked) var idleCount = 0
        /// How many connections are being opened.
        @exclusivity(unchecked) var openingCount = 0
        /// The lanes that wait because of the limit of all connections.
        @exclusivity(unchecked) var blocked: BlockedLanes
        /// The lane whose next request may open a connection, because there is room for it; nil for none.
        @exclusivity(unchecked) var servedLane: Queue.Lane?
        /// The HTTP/2 connections that take no more requests, so that other lanes get a connection.
        @exclusivity(unchecked) var yielding: [HTTP2Connection] = []
        /// HTTP/2 connections that may have something to send.
        @exclusivity(unchecked) var connectionsWithOutput: [HTTP2Connection] = []
        /// WebSockets that may have something to send.
        @exclusivity(unchecked) var webSocketsWithOutput: [WebSocketConnection] = []
        /// Lanes that may let more or fewer requests run than before.
        @exclusivity(unchecked) var changedLanes: [Queue.Lane] = []

        init(
            loop: EventLoop, limits: ConnectionLimits, places: TLSStorePlaces?,
            loadTLS: @escaping TLSLibrary.Loader = { TLSLibrary.system },
            loadHTTP2: @escaping HTTP2Library.Loader = { HTTP2Library.system }, network: any NetworkPaths = systemNetwork
        ) {
            self.loop = loop
            self.limits = limits
            hasTotal = limits.total != nil
            self.loadHTTP2 = loadHTTP2
            self.network = network
            security = PoolSecurity(places: places, loadTLS: loadTLS)
            queue = Queue(limit: limits.perHost)
            blocked = BlockedLanes(patience: limits.busyPatience)
        }

        var transferCount: Int { transfers.count }

        // MARK: Turns

        /// Has what is new handed over at the end of the turn.
        func noteActive() {
            guard !isActive else { return }
            isActive = true
            loop.noteActive(self)
        }

        /// Starts requests that may run, and hands over what has happened.
        ///
        /// - Returns: Whether a transfer has ended.
        func finishTurn() -> Bool {
            if !webSocketsWithOutput.isEmpty { flushWebSockets() }
            updateLimits()
            startWaiting()
            let isSettled = connectionsWithOutput.isEmpty && changedLanes.isEmpty || settle()
            let batches = outbox.take()
            isActive = false
            if !isSettled { noteActive() }
            for (receiver, events) in batches { receiver.receive(events) }
            defer { hasEndedTransfer = false }
            return hasEndedTransfer
        }

        // MARK: Commands

        func start(_ transfer: SocketTransfer) {
            let key = ConnectionKey(
                origin: laneOrigin(of: transfer), route: transfer.request.route, isForWebSockets: transfer.upgrade != nil)
            if lastLane?.key != key || lastLane?.isListed != true { lastLane = lane(for: key) }
            guard let lane = lastLane else { return }
            transfer.enter(lane)
            transfers[transfer.id] = transfer
            noteActive()
            enqueue(transfer)
            if let versionProblem { transfer.fail(versionProblem) }
        }

        /// The origin whose connections a request may share.
        private func laneOrigin(of transfer: SocketTransfer) -> TargetURI.Origin {
            // A connection to an HTTP proxy takes requests for any server. None is secure as https is: nothing is known of the server.
            guard transfer.isForwarded, let proxy = transfer.proxy?.origin else { return transfer.request.target.origin }
            return TargetURI.Origin(isSecure: false, host: proxy.host, port: proxy.port, isAddress: proxy.isAddress)
        }

        func enqueue(_ transfer: SocketTransfer) {
            transfer.waitStart = loop.now
            if transfer.isForwarded {
                queue.enqueue(transfer, in: transfer.lane, to: transfer.origin)
            } else {
                queue.enqueue(transfer, in: transfer.lane)
            }
            queued.append(transfer)
            noteActive()
        }

        /// Ends all transfers and informs their receivers, because the transport was released.
        func close() {
            for transfer in Array(transfers.values) { transfer.fail(.failed(.cancelled, "the transport was released")) }
            _ = finishTurn()
            for connection in Array(connections.values) { connection.close() }
            security.close()
        }

        func closeIdleConnections() {
            for connection in Array(connections.values) where connection.isIdle { connection.close() }
        }

        // MARK: Starting requests

        func startWaiting() {
            repeat {
                while let transfer = queue.next() {
                    guard transfer.isWaiting else {
                        queue.skip(transfer.lane)
                        continue
                    }
                    // A lane that begins to wait with this request is not done.
                    let blockedLane = blocked.count > 0 ? transfer.lane : nil
                    transfer.leaveQueue()
                    if let blockedLane { unblockIfDone(blockedLane) }
                }
            } while blocked.count > 0 && serveBlocked()
            if !yielding.isEmpty { endNeedlessYields() }
            // What still waits has only a deadline.
            for transfer in queued where transfer.isWaiting { transfer.setTimer() }
            queued.removeAll(keepingCapacity: true)
        }

        /// Ends a transfer's place among those that run.
        func leaveLane(_ lane: Queue.Lane) {
            queue.finish(lane)
            if queue.hasNext { noteActive() }
        }

        func noteAbandoned(in lane: Queue.Lane) {
            queue.noteAbandoned(in: lane) { !$0.isWaiting }
            if blocked.count > 0 { unblockIfDone(lane) }
        }

        /// Records that a request that waits was paused, or goes on, or that a paused one waits no more, or again.
        func notePaused(_ isPaused: Bool, in lane: Queue.Lane) {
            lane.notePaused(isPaused)
            if blocked.count > 0 { unblockIfDone(lane) }
        }

        /// The lane for a key, which may have been dropped since it was last used.
        func lane(for key: ConnectionKey) -> Queue.Lane {
            let lane = queue.lane(for: key)
            if !lane.extra.isSetUp { setUp(lane) }
            return lane
        }

        /// An idle connection; nil if a new one has to be opened.
        func takeIdle(_ lane: Queue.Lane, isLookedAt: Bool) -> HTTP1Connection? {
            while let connection = lane.extra.connections.popLast() {
                idleCount -= 1
                if connection.maySend(isLookedAt: isLookedAt) { return connection }
                connection.close()
            }
            return nil
        }

        /// Resolves a host for a transfer, which is told by `resolved`.
        func resolve(_ question: NameResolver.Question, for transfer: SocketTransfer) {
            resolving[question, default: []].append(transfer)
            guard resolving[question]?.count == 1 else { return }
            let (inbox, pool) = (loop.inbox, PoolReference(object: self))
            NameResolver.shared.resolve(question, for: ObjectIdentifier(self)) { answer in
                inbox.post(LoopMessage(pool: pool, command: .resolved(question, answer)))
            }
        }

        func resolved(_ question: NameResolver.Question, _ answer: NameResolver.Answer) {
            for transfer in resolving.removeValue(forKey: question) ?? [] { transfer.resolved(answer) }
        }

        func stopResolving(_ question: NameResolver.Question, for transfer: SocketTransfer) {
            resolving[question]?.removeAll { $0 === transfer }
            guard resolving[question]?.isEmpty == true else { return }
            resolving[question] = nil
            NameResolver.shared.abandon(question, for: ObjectIdentifier(self))
        }

        /// Connects to a Unix socket for a transfer, which is told by `connectedToUnixSocket`.
        func connect(to socket: UnixSocket, for transfer: SocketTransfer) -> UInt64 {
            let (inbox, pool, id) = (loop.inbox, PoolReference(object: self), transfer.id)
            return UnixConnector.shared.connect(to: socket) { ticket, answer in
                inbox.post(LoopMessage(pool: pool, command: .connected(id, ticket: ticket, answer)))
            }
        }

        func connected(_ id: TransportTaskID, _ ticket: UInt64, _ answer: UnixConnector.Answer) {
            if let transfer = transfers[id], transfer.unixTicket == ticket { return transfer.connectedToUnixSocket(answer) }
            if case .success(let descriptor) = answer { Glibc.close(descriptor) }
        }

        // MARK: Connections

        func add(_ connection: any PooledConnection) {
            connections[ObjectIdentifier(connection)] = connection
            connection.lane.extra.openCount += 1
        }

        /// Keeps a connection for another request.
        func keep(_ connection: HTTP1Connection) {
            if hasTotal {
                connection.lane.extra.busySince[ObjectIdentifier(connection)] = nil
                if blocked.count > 0, givesWay(connection) { return connection.close() }
            }
            connection.lane.extra.connections.append(connection)
            idleCount += 1
            closeOldest()
        }

        /// Closes an idle connection if there are too many.
        func closeOldest() {
            guard idleCount > limits.idle else { return }
            oldestIdle?.close()
        }

        /// The connection that has been idle for the longest time.
        var oldestIdle: (any PooledConnection)? { connections.values.lazy.filter(\.isIdle).min { $0.idleSince < $1.idleSince } }

        /// Forgets a connection that is closed.
        func remove(_ connection: any PooledConnection) {
            connections[ObjectIdentifier(connection)] = nil
            let lane = connection.lane
            lane.extra.openCount -= 1
            if hasTotal { lane.extra.busySince[ObjectIdentifier(connection)] = nil }
            if let index = lane.extra.connections.lastIndex(where: { $0 === connection }) {
                lane.extra.connections.remove(at: index)
                idleCount -= 1
            }
            noteLoss(of: lane)
            queue.removeIfIdle(lane)
        }

        // MARK: Events

        func noteNews(of transfer: SocketTransfer) {
            outbox.noteNews(of: transfer)
            noteActive()
        }

        func post(_ kind: TransportEvent.Kind, of transfer: SocketTransfer) {
            outbox.post(kind, of: transfer)
            noteActive()
        }

        /// Reports the end of a transfer.
        func finish(_ transfer: SocketTransfer, _ result: consuming TransportResult) {
            transfers[transfer.id] = nil
            hasEndedTransfer = true
            for kind in transfer.takeNews(beforeEnd: true) { outbox.post(kind, of: transfer) }
            outbox.post(.finished(consume result), of: transfer)
            noteActive()
        }

        /// Forgets a transfer that was cancelled.
        func forget(_ transfer: SocketTransfer) {
            transfers[transfer.id] = nil
        }
    }
#endif
