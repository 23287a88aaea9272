#if os(Linux)
    import CFirewheelCurl
    import Foundation

    /// One request on its way: what has been sent, received and measured. Owned by a channel and only touched on the loop.
    ///
    /// Exclusivity is not checked at run time, here and in ``CurlChannel`` and ``CurlLoop``: only the loop's thread touches them, what
    /// changes a property in place calls nothing that comes back to it, and the checks would be a tenth of what a request costs.
    final class CurlTransfer {
        /// Where a transfer is.
        enum Stage {
            /// In the channel's queue, or held out of it while paused.
            case waiting
            /// Out of the queue, its host's name being looked up.
            case resolving
            /// With libcurl.
            case running
            case over
        }

        /// Without its body, which is ``requestBody``.
        let request: TransportRequest
        @exclusivity(unchecked) private(set) var requestBody: Data?
        let receiver: any TransportReceiver
        let loop: CurlLoop
        /// Its place in the channel's queue.
        var lane: OriginQueue<CurlTransfer>.Lane
        // Sound because the channel owns its transfers and ends them before it goes: a transfer without a channel is never called.
        unowned(unsafe) let channel: CurlChannel

        @exclusivity(unchecked) var stage = Stage.waiting
        /// What its handle was given of hosts' addresses for libcurl to take in.
        var told: ToldAddresses.News?
        /// Whether libcurl has its host's addresses from us.
        var hasToldAddresses = false
        /// Whether its end has been told.
        @exclusivity(unchecked) var hasEnded = false
        /// Whether it ended with an error.
        @exclusivity(unchecked) private(set) var hasFailed = false
        /// Whether libcurl has ended it.
        @exclusivity(unchecked) var isDone = false
        /// How it ended for libcurl while it was paused or its head was held, to be told when it goes on.
        @exclusivity(unchecked) var heldEnd: Int32?
        @exclusivity(unchecked) var handle: CurlHandle?
        /// Whether the client paused it.
        @exclusivity(unchecked) var isPaused = false
        /// What the client is asked about its response, and has answered.
        @exclusivity(unchecked) var hold = Hold.none
        /// Why a callback stopped the transfer, which libcurl cannot know.
        @exclusivity(unchecked) var failure: TransportError?
        @exclusivity(unchecked) private(set) var parser = ResponseHeadParser()
        /// Whether the head has come and has not been reported yet.
        @exclusivity(unchecked) private(set) var hasNews = false
        @exclusivity(unchecked) private var headReceived: MonotonicInstant?
        @exclusivity(unchecked) private var body = Data()
        @exclusivity(unchecked) private(set) var chunks: [Data] = []

        // When the stages began, and when a byte last moved.
        @exclusivity(unchecked) var leftQueue: MonotonicInstant?
        @exclusivity(unchecked) var lookup: (start: MonotonicInstant, end: MonotonicInstant)?
        @exclusivity(unchecked) var added: MonotonicInstant?
        @exclusivity(unchecked) private var connectedAt: MonotonicInstant?
        @exclusivity(unchecked) private var isConnecting = false
        /// Why the last socket for it could not be opened.
        var socketError: Int32?
        @exclusivity(unchecked) private var requestSent: MonotonicInstant?
        @exclusivity(unchecked) private var firstByte: MonotonicInstant?
        @exclusivity(unchecked) var lastActivity: MonotonicInstant?

        /// Which of our ends its connection has.
        private(set) var localPort: Int32?
        private var tlsVersion: String?
        private var tlsCipher: String?
        @exclusivity(unchecked) private var tries = 0
        /// Why a request is not sent again (RFC 9110 section 9.2.2): that is for the client to decide.
        private static let mayHaveBeenActedOn = TransportError.failed(
            .networkConnectionLost,
            "connection lost, and the request is not sent again, since the server may have acted on it")
        /// As often as libcurl does: a next connection may be one that was kept, too.
        private static let mostTimesAgain = 5
        /// Whether libcurl has sent it again on another connection.
        var wasSentAgain: Bool { tries > 1 }
        @exclusivity(unchecked) private var bodyOffset = 0
        @exclusivity(unchecked) var decodedBytes = 0
        /// Bytes handed over in chunks and not acknowledged yet.
        var outstanding = 0
        var isWindowFull = false
        /// Whether libcurl may hold bytes of the response, since it may not give them or they were refused. It goes on reading for a paused
        /// transfer now and then.
        var isHeldBack = false
        /// The socket that libcurl watches for it and what for, where reading has to be ended here while it is paused; and whether it is.
        var watched: (descriptor: Int32, what: Int32)?
        var isSocketHeld = false
        /// Once the response is whole and the request's body is not: how far that had come at the last look, and when the next one is.
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

        // MARK: What libcurl calls

        /// The connection stands and the request is about to be sent: once for every try.
        func connected(easy: UnsafeMutableRawPointer, localPort: Int32) -> Bool {
            tries += 1
            self.localPort = localPort
            guard tries == 1 || request.allowsResend else {
                failure = Self.mayHaveBeenActedOn
                return false
            }
            let now = MonotonicInstant.now()
            connectedAt = now
            lastActivity = now
            channel.connected(self)
            // Without a body the whole request is handed over in one piece from here.
            if requestBody?.isEmpty ?? true { requestSent = now }
            if request.target.origin.isSecure {
                tlsVersion = fwcurl_tls_version(easy).map { String(cString: $0) }
                tlsCipher = fwcurl_tls_cipher(easy).map { String(cString: $0) }
            }
            return true
        }

        func takeHeaderLine(_ line: UnsafeRawBufferPointer) -> Int {
            lastActivity = loop.now
            // The loop reads its clock once a turn, which can be before the request went out in the same turn.
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

        /// Has libcurl end the transfer for a reason that it cannot know; nil is that nobody wants the rest.
        func stop(_ reason: TransportError?) -> Int {
            if !isDiscarding { failure = reason }
            // As in `CurlChannel.release`, which comes too late: libcurl gives the connection up as it ends the transfer.
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
            // To where it is already libcurl may ask to go for any request: a handle remembers that an earlier one was to be sent again.
            guard request.allowsResend || offset == bodyOffset else {
                failure = Self.mayHaveBeenActedOn
                return false
            }
            guard origin == SEEK_SET, offset >= 0, offset <= Int64(requestBody?.count ?? 0) else { return false }
            bodyOffset = Int(offset)
            return true
        }

        private func append(_ bytes: UnsafeRawBufferPointer) {
            guard body.isEmpty else { return body.append(contentsOf: bytes) }
            // What the server declares is a hint, not a promise: memory is not set aside for more than a mebibyte on its word.
            let expected = Int(min(parser.contentLength ?? 0, 1 << 20))
            if expected > bytes.count {
                body.reserveCapacity(expected)
                body.append(contentsOf: bytes)
            } else {
                body = Data(bytes)
            }
        }

        // MARK: What the channel asks

        /// What libcurl's result means, for a transfer that it ended.
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

        /// The head if it is news, and what came in chunks since last asked. The end says the head itself, so that a small response is one
        /// event.
        func takeNews(beforeEnd isAtEnd: Bool) -> [TransportEvent.Kind] {
            var news: [TransportEvent.Kind] = []
            if hasNews, let head = parser.head, let headReceived, !isAtEnd || isHeadHeld || request.delivery == .chunks {
                hasNews = false
                news.append(.response(head, at: headReceived))
            }
            if !chunks.isEmpty {
                // One event for what came in one turn.
                var joined = chunks[0]
                for chunk in chunks.dropFirst() { joined.append(chunk) }
                chunks.removeAll(keepingCapacity: true)
                news.append(.chunk(joined))
            }
            return news
        }

        /// Whether it may be sent again (RFC 9110 section 9.2.2): a kept connection has broken, and no byte of a response has come.
        func mayGoAgain(after error: TransportError, easy: UnsafeMutableRawPointer) -> Bool {
            guard request.allowsResend, failure == nil, connectedAt != nil, firstByte == nil else { return false }
            guard tries <= Self.mostTimesAgain, case .failed(.networkConnectionLost, _) = error else { return false }
            return fwcurl_get_long(easy, Int32(FWCURLINFO_NUM_CONNECTS)) == 0
        }

        /// Back to where it was when it was handed to libcurl.
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

        /// The instant at which it will have run out of time, or has to be looked at, if nothing happens until then; nil if never.
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
            // With libcurl and without a connection it is waiting for a free one, or a free stream of one: that is waiting in a queue too.
            if stage == .running, connectedAt == nil, !isConnecting { return nil }
            return max(lastActivity ?? leftQueue, leftQueue).advanced(by: timeout)
        }

        /// libcurl opens a socket for it.
        func connecting() {
            guard !isConnecting else { return }
            isConnecting = true
            // The lookup, if there was one, counts as well: it is part of connecting.
            if lookup == nil { lastActivity = loop.now }
            channel.connecting(self)
        }

        /// What it is to end with whose ``deadline`` has come; nil if it has not failed, since nobody wants its body.
        var timeoutError: TransportError? { discardEnd == nil ? .failed(.timedOut, timeoutReason) : nil }

        private var timeoutReason: String {
            if let deadline = request.deadline, loop.now >= deadline { return TimeoutWords.resource }
            let origin = request.target.origin
            guard connectedAt == nil else { return TimeoutWords.idle(request.idleTimeout, phase.words) }
            let timeout = request.connectTimeout ?? request.idleTimeout
            let step = stage == .resolving ? "looking up host \"\(origin.host)\"" : "connecting to \(CurlErrorWords.address(origin))"
            return TimeoutWords.connecting(timeout, step)
        }

        private var phase: Phase {
            if connectedAt == nil { return .connecting }
            if requestSent == nil { return .sending }
            return firstByte == nil ? .waiting : .receiving
        }

        /// The end of a transfer that never had, or no longer has, a handle.
        func abandon() {
            stage = .over
            requestBody = nil
        }

        /// What the transfer came to, to be asked before its handle is given back.
        func result(error: TransportError?) -> TransportResult {
            let hasBody = request.delivery == .whole && !body.isEmpty
            let problem = failure ?? error ?? missingHead
            hasFailed = problem != nil
            return TransportResult(error: problem, head: parser.head, body: hasBody ? body : nil, metrics: metrics())
        }

        /// For libcurl a connection that closes in the middle of a head has ended well.
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
