#if os(Linux)
    import CFirewheelCurl
    import Foundation

    /// One request's transfer: what was sent, received and measured. Owned by a channel and used on the loop's thread only.
    ///
    /// Dynamic exclusivity checks are off here, in ``CurlChannel`` and in ``CurlLoop``, because of their cost. Only the loop's thread uses
    /// these objects, and no in-place modification calls code that comes back to them.
    final class CurlTransfer: ReportingTransfer {
        /// The stage of a transfer.
        enum Stage {
            /// In the channel's queue, or kept out of it while paused.
            case waiting
            /// Out of the queue, while its host name is resolved.
            case resolving
            /// Handed to libcurl.
            case running
            case over
        }

        var id: TransportTaskID { request.id }
        var reportsNews: Bool { stage == .running && !hasEnded && !isPaused }

        /// The request without its body, which is ``requestBody``.
        let request: TransportRequest
        @exclusivity(unchecked) private(set) var requestBody: Data?
        let receiver: any TransportReceiver
        let loop: CurlLoop
        /// Its lane in the channel's queue.
        var lane: OriginQueue<CurlTransfer>.Lane
        // Sound because the channel owns its transfers and ends them before it is released.
        unowned(unsafe) let channel: CurlChannel

        @exclusivity(unchecked) var stage = Stage.waiting
        /// The addresses given to libcurl with this transfer's handle.
        var told: ToldAddresses.News?
        /// Whether libcurl has its host's addresses from Firewheel's resolver.
        var hasToldAddresses = false
        /// Whether its end has been reported.
        @exclusivity(unchecked) var hasEnded = false
        /// Whether it ended with an error.
        @exclusivity(unchecked) private(set) var hasFailed = false
        /// Whether libcurl has finished it.
        @exclusivity(unchecked) var isDone = false
        /// libcurl's result that arrived while it was paused or its head was held, to be handled on resume.
        @exclusivity(unchecked) var heldEnd: Int32?
        @exclusivity(unchecked) var handle: CurlHandle?
        /// Whether the client paused it.
        @exclusivity(unchecked) var isPaused = false
        /// The state of the client's decision about a held head.
        @exclusivity(unchecked) var hold = Hold.none
        /// The error of a callback that stopped the transfer, which libcurl does not know.
        @exclusivity(unchecked) var failure: TransportError?
        @exclusivity(unchecked) private(set) var parser = ResponseHeadParser()
        /// Whether the head is complete and not reported yet.
        @exclusivity(unchecked) private(set) var hasNews = false
        @exclusivity(unchecked) private var headReceived: MonotonicInstant?
        @exclusivity(unchecked) private var body = Data()
        @exclusivity(unchecked) private(set) var chunks: [Data] = []

        // When each phase began, and when a byte was last transferred.
        @exclusivity(unchecked) var leftQueue: MonotonicInstant?
        @exclusivity(unchecked) var lookup: (start: MonotonicInstant, end: MonotonicInstant)?
        @exclusivity(unchecked) var added: MonotonicInstant?
        @exclusivity(unchecked) private var connectedAt: MonotonicInstant?
        @exclusivity(unchecked) private var isConnecting = false
        /// The errno of the last socket that could not be opened for this transfer.
        var socketError: Int32?
        @exclusivity(unchecked) private var requestSent: MonotonicInstant?
        @exclusivity(unchecked) private var firstByte: MonotonicInstant?
        @exclusivity(unchecked) var lastActivity: MonotonicInstant?

        /// The local port of its connection.
        private(set) var localPort: Int32?
        private var tlsVersion: String?
        private var tlsCipher: String?
        @exclusivity(unchecked) private var tries = 0
        /// libcurl's own limit: the next connection may be a dead one as well.
        private static let mostTimesAgain = 5
        /// Whether libcurl has resent it on another connection.
        var wasSentAgain: Bool { tries > 1 }
        @exclusivity(unchecked) private var bodyOffset = 0
        @exclusivity(unchecked) var decodedBytes = 0
        /// Chunk bytes that were delivered and not acknowledged yet.
        var outstanding = 0
        var isWindowFull = false
        /// Whether libcurl may be holding response bytes, because it was paused or they were refused. It sometimes reads on for a paused
        /// transfer.
        var isHeldBack = false
        /// The socket that libcurl watches for it and the events, for releases where a pause must stop reading here; and whether it is
        /// stopped.
        var watched: (descriptor: Int32, what: Int32)?
        var isSocketHeld = false
        /// If the response is complete before the request's body: the bytes sent at the last check, and when the next check is.
        var earlyAnswer: (uploaded: Int64, nextLook: MonotonicInstant)?

        init(
            _ request: consuming TransportRequest, receiver: any TransportReceiver, loop: CurlLoop, channel: CurlChannel,
            lane: OriginQueue<CurlTransfer>.Lane
        ) {
            requestBody = request.body.take()
            self.request = request
            self.receiver = receiver
            self.loop = loop
            self.channel = channel
            self.lane = lane
        }

        // MARK: Calls from libcurl

        /// Handles that the connection is established and the request about to be sent, once per try.
        func connected(easy: UnsafeMutableRawPointer, localPort: Int32) -> Bool {
            tries += 1
            self.localPort = localPort
            guard tries == 1 || request.allowsResend else {
                failure = ConnectionWords.mayHaveBeenActedOn
                return false
            }
            let now = MonotonicInstant.now()
            connectedAt = now
            lastActivity = now
            channel.connected(self)
            // Without a body the whole request is sent in one piece.
            if requestBody?.isEmpty ?? true { requestSent = now }
            if request.target.origin.isSecure {
                tlsVersion = fwcurl_tls_version(easy).map { String(cString: $0) }
                tlsCipher = fwcurl_tls_cipher(easy).map { String(cString: $0) }
            }
            return true
        }

        func takeHeaderLine(_ line: UnsafeRawBufferPointer) -> Int {
            lastActivity = loop.now
            // The loop reads its clock once per iteration, which may be before the request was sent in the same iteration.
            if firstByte == nil { firstByte = max(loop.now, requestSent ?? loop.now) }
            switch parser.consume(line) {
            case .more, .interim, .trailer:
                return line.count
            case .complete:
                headReceived = max(loop.now, firstByte ?? loop.now)
                hasNews = true
                if request.heldHeads.contains(parser.statusCode) { hold = .head }
                channel.noteNews(of: self)
                noteEarlyAnswer(at: loop.now)
                return line.count
            case .malformed(let reason):
                return stop(.failed(.cannotParseResponse, reason))
            }
        }

        /// Makes libcurl end the transfer for a reason that libcurl does not know; nil if the rest is not needed.
        func stop(_ reason: TransportError?) -> Int {
            if !isDiscarding { failure = reason }
            // `CurlChannel.release` would be too late: libcurl releases the connection when it ends the transfer.
            if !CurlVersion.multiplexes { handle?.forbidReuse() }
            return 0
        }

        func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
            guard !isStopped, !isWindowFull else {
                isHeldBack = true
                holdSocket()
                return Int(FWCURL_WRITEFUNC_PAUSE)
            }
            lastActivity = loop.now
            if isDiscarding { return discard(bytes.count) }
            if let limit = request.maximumBodySize, bytes.count > limit - decodedBytes {
                return stop(.bodyTooLarge)
            }
            decodedBytes += bytes.count
            switch request.delivery {
            case .whole:
                append(bytes)
            case .chunks:
                chunks.append(Data(bytes))
                outstanding += bytes.count
                isWindowFull = outstanding >= Self.window
                channel.noteNews(of: self)
            }
            noteEarlyAnswer(at: loop.now)
            return bytes.count
        }

        func giveBody(_ room: UnsafeMutableRawBufferPointer) -> Int {
            if isPaused { return Int(FWCURL_READFUNC_PAUSE) }
            lastActivity = loop.now
            guard let body = requestBody else { return 0 }
            let count = min(room.count, body.count - bodyOffset)
            let start = body.startIndex + bodyOffset
            body.copyBytes(to: room, from: start..<(start + count))
            bodyOffset += count
            if bodyOffset == body.count { requestSent = .now() }
            return count
        }

        func rewindBody(to offset: Int64, origin: Int32) -> Bool {
            // libcurl may seek to the current offset for any request, because a handle remembers an earlier resend.
            guard request.allowsResend || offset == bodyOffset else {
                failure = ConnectionWords.mayHaveBeenActedOn
                return false
            }
            guard origin == SEEK_SET, offset >= 0, offset <= Int64(requestBody?.count ?? 0) else { return false }
            bodyOffset = Int(offset)
            return true
        }

        private func append(_ bytes: UnsafeRawBufferPointer) {
            guard body.isEmpty else { return body.append(contentsOf: bytes) }
            // The declared length is only a hint, so it does not decide alone how much memory is reserved.
            let expected = Int(min(parser.contentLength ?? 0, 1 << 20))
            if expected > bytes.count {
                body.reserveCapacity(expected)
                body.append(contentsOf: bytes)
            } else {
                body = Data(bytes)
            }
        }

        // MARK: Calls from the channel

        /// The error for libcurl's result of this transfer.
        func error(for code: Int32, easy: UnsafeMutableRawPointer) -> TransportError {
            CurlErrors.error(
                code,
                CurlErrors.Circumstances(
                    message: handle?.errorMessage ?? "",
                    origin: request.target.origin, phase: phase,
                    verifyResult: fwcurl_get_long(easy, Int32(FWCURLINFO_SSL_VERIFYRESULT)),
                    isHeadIncomplete: parser.head == nil,
                    systemError: socketError ?? Int32(clamping: fwcurl_get_long(easy, Int32(FWCURLINFO_OS_ERRNO))),
                    contentEncoding: parser.head?.headers.value(for: "Content-Encoding"), certificates: channel.certificates.path))
        }

        /// Returns an unreported head and the chunks since the last call. At the end the head is part of the result, so that a small
        /// response is one event.
        func takeNews(beforeEnd isAtEnd: Bool) -> [TransportEvent.Kind] {
            var news: [TransportEvent.Kind] = []
            if hasNews, let head = parser.head, let headReceived, !isAtEnd || isHeadHeld || request.delivery == .chunks {
                hasNews = false
                news.append(.response(head, at: headReceived))
            }
            if !chunks.isEmpty {
                // One event for all data of an iteration.
                var joined = chunks[0]
                for chunk in chunks.dropFirst() { joined.append(chunk) }
                chunks.removeAll(keepingCapacity: true)
                news.append(.chunk(joined))
            }
            return news
        }

        /// Whether it may be resent (RFC 9110 section 9.2.2): a reused connection has broken before any byte of a response arrived.
        func mayGoAgain(after error: TransportError, easy: UnsafeMutableRawPointer) -> Bool {
            guard request.allowsResend, failure == nil, connectedAt != nil, firstByte == nil else { return false }
            guard tries <= Self.mostTimesAgain, case .failed(.networkConnectionLost, _) = error else { return false }
            return fwcurl_get_long(easy, Int32(FWCURLINFO_NUM_CONNECTS)) == 0
        }

        /// Resets it to its state when it was handed to libcurl.
        func goAgain() {
            added = loop.now
            lastActivity = loop.now
            bodyOffset = 0
            connectedAt = nil
            requestSent = nil
            isConnecting = false
            localPort = nil
            tlsVersion = nil
            tlsCipher = nil
            heldEnd = nil
            isDone = false
            watched = nil
            isSocketHeld = false
            handle?.forgetError()
        }

        /// When it times out or must be checked, if nothing happens until then; nil if never.
        var deadline: MonotonicInstant? {
            Self.earlier(Self.earlier(request.deadline, idleDeadline), nextEarlyLook)
        }

        private static func earlier(_ one: MonotonicInstant?, _ other: MonotonicInstant?) -> MonotonicInstant? {
            guard let one, let other else { return one ?? other }
            return min(one, other)
        }

        private var idleDeadline: MonotonicInstant? {
            if isDiscarding { return discardEnd }
            guard !isStopped, !isWindowFull, let leftQueue else { return nil }
            let timeout = connectedAt == nil ? request.connectTimeout ?? request.idleTimeout : request.idleTimeout
            guard timeout > 0 else { return nil }
            // Handed to libcurl without a connection, it waits for a free connection or stream, which counts as queueing.
            if stage == .running, connectedAt == nil, !isConnecting { return nil }
            return max(lastActivity ?? leftQueue, leftQueue).advanced(by: timeout)
        }

        /// Handles that libcurl opens a socket for it.
        func connecting() {
            guard !isConnecting else { return }
            isConnecting = true
            // A name lookup counts as part of connecting.
            if lookup == nil { lastActivity = loop.now }
            channel.connecting(self)
        }

        /// The error for a transfer whose ``deadline`` has passed; nil if only a discarded body was awaited.
        var timeoutError: TransportError? { discardEnd == nil ? .failed(.timedOut, timeoutReason) : nil }

        private var timeoutReason: String {
            if let deadline = request.deadline, loop.now >= deadline { return TimeoutWords.resource }
            let origin = request.target.origin
            guard connectedAt == nil else { return TimeoutWords.idle(request.idleTimeout, phase.words) }
            let timeout = request.connectTimeout ?? request.idleTimeout
            let step = stage == .resolving ? "looking up host \"\(origin.host)\"" : "connecting to \(ConnectionWords.address(origin))"
            return TimeoutWords.connecting(timeout, step)
        }

        private var phase: TransferPhase {
            if connectedAt == nil { return .connecting }
            if requestSent == nil { return .sending }
            return firstByte == nil ? .waiting : .receiving
        }

        /// Ends a transfer that has no handle.
        func abandon() {
            stage = .over
            requestBody = nil
        }

        /// The result of the transfer. Must be called before its handle is returned.
        func result(error: TransportError?) -> TransportResult {
            let hasBody = request.delivery == .whole && !body.isEmpty
            let problem = failure ?? error ?? missingHead
            hasFailed = problem != nil
            return TransportResult(error: problem, head: parser.head, body: hasBody ? body : nil, metrics: metrics())
        }

        /// The error for an incomplete head: libcurl reports success if the connection closes within one.
        private var missingHead: TransportError? {
            parser.head == nil ? .failed(.networkConnectionLost, "the connection closed in the middle of the response's head") : nil
        }

        private func metrics() -> TransportMetrics {
            let end = MonotonicInstant.now()
            var metrics = TransportMetrics(start: leftQueue ?? end, end: end)
            metrics.domainLookupStart = lookup?.start
            metrics.domainLookupEnd = lookup?.end
            metrics.requestStart = connectedAt
            metrics.requestEnd = requestSent
            metrics.responseStart = firstByte.map { max($0, connectedAt ?? $0) }
            metrics.responseEnd = metrics.responseStart.map { max($0, end) }
            metrics.tlsProtocolVersion = tlsVersion
            metrics.tlsCipherSuite = tlsCipher
            metrics.responseHeaderBytesReceived = parser.bytes > 0 ? Int64(parser.bytes) : nil
            metrics.responseBodyBytesAfterDecoding = parser.head == nil ? nil : Int64(decodedBytes)
            if let easy = handle?.easy, let added { metrics.read(from: easy, added: added, isSecure: request.target.origin.isSecure) }
            return metrics
        }
    }
#endif
