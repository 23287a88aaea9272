#if os(Linux)
    import Foundation

    /// One request's life on sockets: it waits, gets a connection, and collects what comes back. Owned by a pool and used on its loop's
    /// thread only.
    ///
    /// Bytes are the connection's business; flow control, clocks and the result are this one's.
    final class SocketTransfer: ReportingTransfer, TimerOwner {
        enum Stage {
            /// In the pool's queue.
            case waiting
            /// Out of the queue, because it was paused when its turn came.
            case parked
            /// Its host's name is being resolved.
            case resolving
            case connecting
            /// It could not be connected because there was no route, and the system is asked about that; or it waits for the network.
            case unrouted
            /// It has a connection.
            case running
            case over
        }

        let id: TransportTaskID
        @exclusivity(unchecked) private(set) var request: TransportRequest
        let receiver: any TransportReceiver
        // Sound because the pool owns its transfers and ends them before it is released.
        unowned(unsafe) let pool: ConnectionPool
        /// Set when the pool takes the transfer in, before anything else is done with it.
        @exclusivity(unchecked) var lane: ConnectionPool.Queue.Lane!

        // Small values stand together, because an object is smaller without gaps between them.
        @exclusivity(unchecked) var stage = Stage.waiting
        /// Whether the handshake waits for the client's verdict about the server.
        @exclusivity(unchecked) var isAsking = false
        @exclusivity(unchecked) private(set) var isPaused = false
        @exclusivity(unchecked) var hold = Hold.none
        @exclusivity(unchecked) var isWindowFull = false
        @exclusivity(unchecked) private(set) var isHeadReported = false
        /// Whether the decoder has not given all that it has or was given.
        @exclusivity(unchecked) var needsDecoding = false
        /// Whether ``pieceRoom`` is ``PieceMemory``.
        @exclusivity(unchecked) var pieceIsLarge = false
        @exclusivity(unchecked) var connector: Connector?
        /// The ticket of the connection to a Unix socket, while the transfer waits for it.
        @exclusivity(unchecked) var unixTicket: UInt64?
        @exclusivity(unchecked) var handshake: SecureHandshake?
        /// nil without a proxy.
        let passage: ProxyPassage?
        /// nil unless it opens a WebSocket.
        let upgrade: SocketUpgrade?
        /// The connection that it is opening; nil for none.
        @exclusivity(unchecked) var opening: Opening?
        @exclusivity(unchecked) var exchange: (any Exchange)?
        /// Why it could not be connected, if that was because there was no route.
        var wantOfRoute: WantOfRoute?
        private var timer: LoopTimer?

        // Flow control.
        /// Chunk bytes that were delivered and not acknowledged yet.
        @exclusivity(unchecked) var outstanding = 0

        // The response.
        @exclusivity(unchecked) private(set) var head: ResponseHead?
        @exclusivity(unchecked) var body = ReceivedBody()
        @exclusivity(unchecked) var decoder: ContentDecoder?
        /// Bytes of the body that are not decoded yet, because the client has no room.
        @exclusivity(unchecked) var encodedRest: [UInt8] = []
        @exclusivity(unchecked) var pieces: [Data] = []
        /// Memory for the next piece, and how much of it is filled.
        @exclusivity(unchecked) var pieceRoom: UnsafeMutableRawBufferPointer?
        @exclusivity(unchecked) var pieceFilled = 0
        @exclusivity(unchecked) var pieceSize = SocketTransfer.leastPiece
        @exclusivity(unchecked) private var reportedSent: Int64 = 0

        // What was measured.
        /// When it began to wait for a connection, or to wait again; nil if it does not wait.
        @exclusivity(unchecked) var waitStart: MonotonicInstant?
        @exclusivity(unchecked) var tries = 0
        @exclusivity(unchecked) var measured = Measured()
        /// When a byte was last transferred.
        @exclusivity(unchecked) var lastActivity: MonotonicInstant?
        /// The number of unacknowledged bytes that the kernel held when it was last asked; nil if it was not.
        var heldByKernel: Int?

        /// May be called on any thread, because nothing is shared before the pool takes the transfer in.
        init(_ request: consuming TransportRequest, receiver: any TransportReceiver, pool: ConnectionPool) {
            id = request.id
            upgrade = request.opensWebSocket ? request.webSocket.map { SocketUpgrade($0) } : nil
            passage =
                request.route.isDirect
                ? nil : ProxyPassage(of: request.route, to: request.target.origin, opensTunnel: upgrade != nil, on: pool)
            self.request = request
            self.receiver = receiver
            self.pool = pool
        }

        func enter(_ lane: ConnectionPool.Queue.Lane) {
            self.lane = lane
        }

        deinit {
            body.free()
            freePieceRoom()
        }

        var loop: EventLoop { pool.loop }
        var isWaiting: Bool { stage == .waiting }
        var origin: TargetURI.Origin { request.target.origin }
        /// nil if connections to the server lead to the host of the URL, by any of its addresses.
        var destination: TransportRoute.Destination? { request.route.isDirect ? nil : request.route.destination }
        /// Where connections to the server lead: the host of the URL, or the one that the session's configuration has for it.
        var server: TargetURI.Origin { destination?.host ?? request.target.origin }
        /// How messages name the server.
        var place: String { ConnectionWords.place(destination, origin) }
        /// Where its connection leads at first: the proxy, or the server.
        var peer: TargetURI.Origin { proxy?.origin ?? server }

        // MARK: Commands

        func cancel() {
            guard stage != .over else { return }
            pool.forget(self)
            leave(closing: true)
        }

        func setPaused(_ paused: Bool) {
            guard paused != isPaused, stage != .over else { return }
            isPaused = paused
            if stage == .waiting { pool.notePaused(paused, in: lane) }
            restartClocks()
            judgeOpening()
            if stage == .parked, !paused {
                stage = .waiting
                // Behind a challenge of a proxy the connection that came before is part of the request's time.
                if measured.connectStart == nil { measured.leftQueue = nil }
                lane = pool.lane(for: lane.key)
                pool.enqueue(self)
            }
            exchange?.flowHasChanged()
            setTimer()
        }

        func received(_ piece: BodyPiece, at place: PiecePlace) {
            guard place.try == tries else { return }
            exchange?.received(piece, for: place.ask)
        }

        /// Begins the idle timeout anew, after a time in which it did not run.
        func restartClocks() {
            // That of a waiting transfer has not begun.
            if stage == .waiting { waitStart = loop.now } else if stage != .parked { lastActivity = loop.now }
            if case .discarding = hold { hold = .discarding(until: loop.now.advanced(by: Self.discardPatience)) }
        }

        /// The number of this sending of the request, from 1.
        var currentTry: Int { tries }

        // MARK: Events of the connection

        func received(interim head: ResponseHead) {
            measured.responseStart = nil
            if request.reportsInterim { pool.post(.interim(head), of: self) }
        }

        func received(_ head: ResponseHead) {
            self.head = head
            measured.headReceived = loop.now
            // An interim response may have come with it.
            measured.responseStart = measured.responseStart ?? loop.now
            if request.heldHeads.contains(head.statusCode) { hold = .head }
            guard head.headers.mayContain(.contentEncoding), request.decodesContent, request.method != .head,
                ![101, 204, 304].contains(head.statusCode)
            else { return }
            decoder = ContentDecoder(
                contentEncoding: head.headers.values(for: "Content-Encoding"), limit: request.maximumBodySize)
        }

        /// Handles that the response is whole.
        func ended(trailers: HTTPHeaders) {
            if let decoder, !isDiscarding {
                do throws(TransportError) { try decoder.finish() } catch { return fail(error) }
            }
            finish(error: nil, trailers: trailers, closing: false)
        }

        /// Handles that the response is refused.
        func refused(_ error: TransportError) {
            finish(error: isDiscarding ? nil : located(error), closing: true)
        }

        /// Handles that the connection has broken.
        ///
        /// - Parameters:
        ///   - isUnsent: Whether the server cannot have received any of the request.
        ///   - bodyHasBegun: Whether the body's source was opened.
        func connectionBroke(_ error: TransportError, isUnsent: Bool, bodyHasBegun: Bool) {
            if isDiscarding { return finish(error: nil, closing: true) }
            // RFC 9110 section 9.2.2: what the server may have acted on is sent again only if the method is idempotent.
            let isDead = measured.isReused && measured.firstByte == nil
            guard isDead else { return fail(located(error)) }
            guard isUnsent || request.allowsResend else { return fail(located(ConnectionWords.mayHaveBeenActedOn)) }
            guard tries <= Self.mostTimesAgain else { return fail(located(error)) }
            if mayRepeatBody(bodyHasBegun, after: "the connection was closed by the server") { goAgain() }
        }

        /// The next connection may be dead as well, so there is a limit: libcurl's.
        static let mostTimesAgain = 5

        /// Sends the request on another connection.
        func goAgain() {
            leaveExchange()
            findConnection()
        }

        /// Forgets a connection on which the request is not answered.
        ///
        /// - Parameter closing: Whether it cannot be used again. Default: true.
        func leaveExchange(closing: Bool = true) {
            if closing { exchange?.close() }
            exchange = nil
            measured.forgetTry()
            // The next try is reported from 0 on. A number that has fallen would be news that nobody has noted.
            reportedSent = 0
            heldByKernel = nil
            lastActivity = loop.now
        }

        /// Ends the exchange with an error.
        func fail(_ error: TransportError) {
            setOpening(false, hasFailed: true)
            finish(error: error, closing: true)
        }

        /// - Parameter closing: Whether the connection cannot be used again.
        func finish(error: TransportError?, trailers: HTTPHeaders = [:], closing: Bool) {
            guard stage != .over else { return }
            if let passage, passage.isAnswering, error == nil { return answerProxy(passage, closing: closing) }
            let hasBody = request.delivery == .whole && head != nil && !isDiscarding
            let result = TransportResult(
                error: error, head: head, body: hasBody ? body.take() : nil, trailers: trailers, metrics: metrics())
            pool.finish(self, consume result)
            leave(closing: closing)
        }

        /// Gives back what the transfer has: its place in the lane, its connection, its timer.
        private func leave(closing: Bool) {
            let left = stage
            stage = .over
            setOpening(false)
            switch left {
            case .waiting:
                if isPaused { pool.notePaused(false, in: lane) }
                pool.noteAbandoned(in: lane)
            case .resolving:
                pool.stopResolving(question, for: self)
                pool.leaveLane(lane)
            case .connecting, .running: pool.leaveLane(lane)
            case .unrouted: wantOfRoute.map { pool.stopSeekingNetwork($0.destination, for: self) }
            case .parked, .over: break
            }
            connector?.cancel()
            connector = nil
            if let ticket = unixTicket.take(), let socket = destination?.unixSocket { UnixConnector.shared.abandon(ticket, of: socket) }
            handshake?.cancel()
            handshake = nil
            passage?.tunnel?.cancel()
            passage?.tunnel = nil
            if closing { exchange?.close() }
            exchange = nil
            if let timer { loop.end(timer) }
            timer = nil
            request.bodySource = nil
        }

        // MARK: Reports

        var reportsNews: Bool { stage == .running && !isPaused && !(isHeadHeld && isHeadReported) }

        var encodedCount: Int64? { decoder == nil ? nil : measured.bodyBytesReceived }

        /// Whether something is to be reported.
        var hasNews: Bool {
            head != nil && !isHeadReported || hasPieces || upgrade?.connection?.hasNews == true
                || request.reportsSent && reportedSent != measured.bodyBytesSent
        }

        /// At the end the head is part of the result, so that a small response is one event.
        func takeNews(beforeEnd isAtEnd: Bool) -> [TransportEvent.Kind] {
            var news: [TransportEvent.Kind] = []
            if request.reportsSent, reportedSent != measured.bodyBytesSent {
                reportedSent = measured.bodyBytesSent
                news.append(.sent(reportedSent))
            }
            if !isHeadReported, let head, let instant = measured.headReceived, !isAtEnd || isHeadHeld || request.delivery == .chunks {
                isHeadReported = true
                news.append(.response(head, at: instant))
            }
            for piece in takePieces() { news.append(.chunk(piece)) }
            if let connection = upgrade?.connection { news += connection.takeNews() }
            return news
        }

        // MARK: Clocks

        /// Has ``timerFired()`` called when something is due.
        func setTimer() {
            guard stage != .over, let due = nextDue else { return }
            if let shared = exchange?.sharedTimer { return loop.set(shared, by: due) }
            let timer = timer ?? LoopTimer(self)
            self.timer = timer
            loop.set(timer, by: due)
        }

        func timerFired() {
            guard stage != .over else { return }
            judgeClocks()
            if stage != .over { setTimer() }
        }

        func wasHeldUp(since start: MonotonicInstant, until end: MonotonicInstant) {
            if stage == .waiting {
                // Not `end`, for the reason below.
                if waitStart == start { waitStart = MonotonicInstant(nanoseconds: end.nanoseconds - 1) }
                return
            }
            let isConnecting = stage == .resolving || stage == .connecting
            guard (isConnecting ? lastActivity ?? measured.leftQueue : lastActivity) == start else { return }
            // Not `end`, which is the start of the next turn: if that is held up, too, without any activity, the date stays.
            lastActivity = MonotonicInstant(nanoseconds: end.nanoseconds - 1)
        }
    }
#endif
