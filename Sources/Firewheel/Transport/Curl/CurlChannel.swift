#if os(Linux)
    import CFirewheelCurl
    import Foundation

    /// One multi handle: a connection pool with its running and waiting requests. Used on the loop's thread only.
    final class CurlChannel {
        /// The number of concurrent requests on one HTTP/2 connection: the least that RFC 9113 section 6.5.2 recommends servers to allow.
        private static let multiplexedRequests = 100

        /// Whether the channel is on the loop's list of channels with pending work.
        @exclusivity(unchecked) var isListed = false
        /// When libcurl wants its timers to be handled.
        @exclusivity(unchecked) var timer: MonotonicInstant?

        unowned let loop: CurlLoop
        private let maximumConnectionsPerHost: Int
        let ages: CurlConnectionAges
        let certificates: CurlCertificates
        @exclusivity(unchecked) private var multi: UnsafeMutableRawPointer?
        @exclusivity(unchecked) private(set) var transfers: [TransportTaskID: CurlTransfer] = [:]
        @exclusivity(unchecked) var queue: OriginQueue<CurlTransfer>
        private var resolving: [String: [CurlTransfer]] = [:]
        private(set) var toldAddresses = ToldAddresses()
        @exclusivity(unchecked) private(set) var handles = CurlHandlePool()
        let handleCount = CurlHandle.Count()
        /// The earliest instant at which a transfer may have timed out.
        @exclusivity(unchecked) private var nextDeadline: MonotonicInstant?
        @exclusivity(unchecked) private var outbox = TransportOutbox<CurlTransfer>()
        /// The handles for which libcurl has stopped watching a socket since finished transfers were last collected.
        @exclusivity(unchecked) var unwatched: [UnsafeMutableRawPointer] = []
        /// Transfers whose end has been reported and which still hold their handles.
        @exclusivity(unchecked) private var ended: [CurlTransfer] = []

        init(loop: CurlLoop, maximumConnectionsPerHost: Int, ages: CurlConnectionAges, certificates: CurlCertificates) {
            self.loop = loop
            self.maximumConnectionsPerHost = max(1, maximumConnectionsPerHost)
            self.ages = ages
            self.certificates = certificates
            queue = OriginQueue(limit: self.maximumConnectionsPerHost)
        }

        var isBusy: Bool { !transfers.isEmpty || timer != nil }

        // MARK: Commands

        func start(_ request: TransportRequest, receiver: any TransportReceiver) {
            if let feature = request.unsupportedFeature() {
                return loop.withSignals { receiver.receive([.notSent(request.id, .unsupported(feature, by: "CurlTransport"))]) }
            }
            let lane = queue.lane(for: request.target.origin)
            let transfer = CurlTransfer(request, receiver: receiver, loop: loop, channel: self, lane: lane)
            transfers[transfer.request.id] = transfer
            queue.enqueue(transfer, in: lane)
            watch(transfer)
        }

        func cancel(_ id: TransportTaskID) {
            guard let transfer = transfers.removeValue(forKey: id) else { return }
            release(transfer)
        }

        func resolved(_ host: String, answer: NameResolver.Answer) {
            let waiting = resolving.removeValue(forKey: host) ?? []
            for transfer in waiting where transfer.stage == .resolving && !transfer.hasEnded {
                transfer.lookup?.end = loop.now
                switch answer {
                case .success(let addresses): run(transfer, addresses: addresses)
                case .failure(let failure): finish(transfer, error: .failed(.cannotFindHost, failure.description))
                }
            }
        }

        /// Ends all transfers and informs their receivers, because the transport was released.
        func close() {
            for transfer in Array(transfers.values) { finish(transfer, error: .failed(.cancelled, "the transport was released")) }
            flush()
            clearEnded()
            closeConnections()
            handles.removeAll()
            loop.forget(self)
        }

        /// Closes idle connections.
        func closeIdleConnections() {
            clearEnded()
            if transfers.isEmpty {
                closeConnections()
            } else {
                loop.endIdle(of: self)
            }
        }

        private func closeConnections() {
            handles.endReaping(in: multi)
            if let multi { _ = fwcurl_multi_free(multi) }
            unwatched.removeAll()
            multi = nil
            timer = nil
            // The addresses belonged to the multi handle.
            toldAddresses = ToldAddresses()
        }

        /// Makes libcurl close connections that are too old or dead.
        func reap() {
            guard !handles.isReaping, let multi, let handle = idleHandle() else { return }
            handles.reap(multi, with: handle)
        }

        /// Whether a request is running on the connection with these ends. Waiting requests, which may be many, are not examined.
        func uses(_ ends: ConnectionEnds) -> Bool {
            handles.inUse.contains { handle in handle.transfer.map { !$0.isDone && isOn(ends, $0) } ?? false }
        }

        func isOn(_ ends: ConnectionEnds, _ transfer: CurlTransfer) -> Bool {
            guard transfer.localPort == ends.local.port, let easy = transfer.handle?.easy else { return false }
            return ends.areThose(of: easy)
        }

        // MARK: Loop iteration

        /// Lets libcurl handle a socket's events.
        func act(on descriptor: Int32, events: Int32) {
            guard let multi else { return }
            _ = fwcurl_multi_act(multi, descriptor, events)
        }

        /// Handles due timers, finished transfers and requests that may start. True if any transfer has ended.
        func settle() -> Bool {
            expire()
            var hasEnded = false
            var hasEndedAny = false
            repeat {
                clearEnded()
                if queue.hasNext { loop.dropUnaskedBehindResponses(of: self) }
                startWaiting()
                // A timer that libcurl sets again here waits for the next iteration, which handles sockets first.
                fireTimer()
                hasEnded = collectDone()
                // Before the cleanup, so that receivers need not wait for it.
                flush()
                hasEndedAny = hasEndedAny || !ended.isEmpty
            } while hasEnded || !ended.isEmpty
            return hasEndedAny
        }

        /// The next instant at which there is work without an event.
        var wakeUp: MonotonicInstant? {
            guard let timer else { return nextDeadline }
            return nextDeadline.map { min($0, timer) } ?? timer
        }

        /// Ends a transfer that has failed for libcurl, but that libcurl has not ended.
        func end(_ transfer: CurlTransfer, code: Int32) {
            guard let easy = transfer.handle?.easy else { return }
            finish(transfer, code: code, easy: easy)
        }

        /// Ends a transfer of which the client needs nothing more.
        func endEarly(_ transfer: CurlTransfer) {
            finish(transfer, error: nil)
        }

        /// Handles a response that is complete before the request's body was sent.
        func noteAnsweredEarly(_ transfer: CurlTransfer) {
            watch(transfer)
        }

        func noteNews(of transfer: CurlTransfer) {
            outbox.noteNews(of: transfer)
        }

        private func fireTimer() {
            guard let multi, let timer, timer <= loop.now else { return }
            self.timer = nil
            _ = fwcurl_multi_act(multi, Int32(FWCURL_SOCKET_TIMEOUT), 0)
        }

        /// Collects the transfers that libcurl has finished. True if there were any, because waiting requests may start then.
        private func collectDone() -> Bool {
            guard let multi else { return false }
            var code: Int32 = 0
            var hasEnded = false
            defer { unwatched.removeAll(keepingCapacity: true) }
            while let easy = fwcurl_multi_next_done(multi, &code) {
                guard let transfer = CurlHandle.transfer(of: easy) else {
                    handles.endReaping(by: easy, in: multi)
                    continue
                }
                transfer.isDone = true
                noteIdle(after: easy)
                guard !transfer.isStopped else {
                    transfer.heldEnd = code
                    continue
                }
                finish(transfer, code: code, easy: easy)
                hasEnded = true
            }
            return hasEnded
        }

        private func startWaiting() {
            while let transfer = queue.next() {
                guard transfer.stage == .waiting else {
                    queue.finish(transfer.lane)
                    continue
                }
                transfer.leftQueue = loop.now
                if transfer.isPaused {
                    queue.finish(transfer.lane)
                } else {
                    launch(transfer)
                }
            }
        }

        private func launch(_ transfer: CurlTransfer) {
            let host = transfer.request.target.origin.host
            watch(transfer)
            if transfer.request.target.origin.isAddress { return run(transfer, addresses: nil) }
            if let addresses = NameResolver.shared.cached(host) { return run(transfer, addresses: addresses) }
            transfer.stage = .resolving
            transfer.lookup = (loop.now, loop.now)
            resolving[host, default: []].append(transfer)
            guard resolving[host]?.count == 1 else { return }
            let inbox = loop.inbox
            let channel = CurlChannelReference(self)
            loop.withSignals {
                NameResolver.shared.resolve(host, for: ObjectIdentifier(self)) { answer in
                    inbox.post(.resolved(channel, host: host, answer: answer))
                }
            }
        }

        private func run(_ transfer: CurlTransfer, addresses: [String]?) {
            transfer.stage = .running
            guard let multi = openMulti(), let handle = idleHandle() else {
                return finish(transfer, error: .failed(.unknown, "out of memory"))
            }
            if let addresses {
                transfer.told = toldAddresses.begin(transfer.request.target.origin, addresses: addresses)
                transfer.hasToldAddresses = true
            }
            handle.prepare(for: transfer)
            transfer.handle = handle
            transfer.added = loop.now
            if fwcurl_multi_add(multi, handle.easy) != 0 {
                finish(transfer, error: .failed(.unknown, "libcurl did not take the transfer"))
            }
        }

        /// Starts the connect timeout of a transfer for which a connection is being opened.
        func connecting(_ transfer: CurlTransfer) {
            watch(transfer)
            noteLoaded(transfer)
        }

        /// Handles that a transfer has a connection.
        func connected(_ transfer: CurlTransfer) {
            // From here on the idle timeout applies, which may be shorter.
            watch(transfer)
            noteLoaded(transfer)
        }

        /// Records that libcurl has loaded the addresses passed with a transfer, which it does before it looks for a connection.
        private func noteLoaded(_ transfer: CurlTransfer) {
            guard let told = transfer.told else { return }
            transfer.told = nil
            toldAddresses.noteLoaded(told)
        }

        private func openMulti() -> UnsafeMutableRawPointer? {
            if multi == nil, let new = fwcurl_multi_make() {
                setCallbacks(of: new)
                // Otherwise the pool shrinks with the number of transfers, and connections are closed that are needed right after.
                _ = fwcurl_multi_set_long(new, Int32(FWCURLMOPT_MAXCONNECTS), max(256, maximumConnectionsPerHost))
                _ = fwcurl_multi_set_long(new, Int32(FWCURLMOPT_MAX_HOST_CONNECTIONS), maximumConnectionsPerHost)
                if !CurlVersion.multiplexes { _ = fwcurl_multi_set_long(new, Int32(FWCURLMOPT_PIPELINING), Int(FWCURLPIPE_NOTHING)) }
                multi = new
            }
            return multi
        }

        // MARK: Completion

        private func finish(_ transfer: CurlTransfer, code: Int32, easy: UnsafeMutableRawPointer) {
            let error =
                code == FWCURLE_OK || transfer.isDiscarding || transfer.wasAnsweredEarly(code) ? nil : transfer.error(for: code, easy: easy)
            if let error, transfer.mayGoAgain(after: error, easy: easy), let multi, let handle = transfer.handle {
                return goAgain(transfer, handle, multi)
            }
            finish(transfer, error: error)
        }

        /// Sends a request again because the reused connection has broken. libcurl does so itself only if it notices while reading or with
        /// the request's first bytes, and not over HTTP/2.
        private func goAgain(_ transfer: CurlTransfer, _ handle: CurlHandle, _ multi: UnsafeMutableRawPointer) {
            _ = fwcurl_multi_remove(multi, handle.easy)
            transfer.goAgain()
            // It may be given another idle connection.
            loop.dropUnaskedBehindResponses(of: self)
            if fwcurl_multi_add(multi, handle.easy) != 0 {
                finish(transfer, error: .failed(.unknown, "libcurl did not take the transfer"))
            }
        }

        private func finish(_ transfer: CurlTransfer, error: TransportError?) {
            guard transfer.stage != .over, !transfer.hasEnded else { return }
            let news = transfer.takeNews(beforeEnd: true)
            let result = transfer.result(error: error)
            transfers[transfer.request.id] = nil
            switch result.metrics.networkProtocolName {
            case "h2" where CurlVersion.multiplexes: queue.raiseLimit(transfer.lane, to: Self.multiplexedRequests)
            case .some: queue.resetLimit(transfer.lane)
            case nil: break
            }
            noteHTTP1(transfer, result.metrics)
            for kind in news { outbox.post(kind, of: transfer) }
            outbox.post(.finished(result), of: transfer)
            ended.append(transfer)
            transfer.hasEnded = true
        }

        /// Tells the loop, once per TLS connection, that it carries HTTP/1.
        private func noteHTTP1(_ transfer: CurlTransfer, _ metrics: TransportMetrics) {
            guard transfer.request.target.origin.isSecure, metrics.isReusedConnection == false, let easy = transfer.handle?.easy,
                metrics.networkProtocolName == "http/1.1" || metrics.networkProtocolName == "http/1.0"
            else { return }
            loop.noteHTTP1(fwcurl_active_socket(easy))
        }

        private func clearEnded() {
            for transfer in ended { release(transfer) }
            ended.removeAll(keepingCapacity: true)
        }

        /// Returns a transfer's handle and its place among the running transfers.
        private func release(_ transfer: CurlTransfer) {
            if transfer.stage == .resolving || transfer.stage == .running { queue.finish(transfer.lane) }
            if transfer.stage == .resolving { stopWaiting(transfer, for: transfer.request.target.origin.host) }
            let isQueued = transfer.stage == .waiting && transfer.leftQueue == nil
            if transfer.hasToldAddresses { toldAddresses.end(transfer.request.target.origin) }
            transfer.abandon()
            if isQueued { queue.noteAbandoned(in: transfer.lane) { $0.stage == .over } }
            guard let handle = transfer.handle else { return }
            transfer.handle = nil
            // libcurl 7.88 delays the HTTP/2 stream's cancellation until the next request on the connection, and then delivers the rest of
            // the cancelled response with that request's response.
            if !transfer.isDone, !CurlVersion.multiplexes { handle.forbidReuse() }
            handles.giveBack(handle, from: multi)
        }

        private func idleHandle() -> CurlHandle? {
            handles.take { CurlHandle(loop: loop, ages: ages, certificates: certificates, count: handleCount) }
        }

        private func stopWaiting(_ transfer: CurlTransfer, for host: String) {
            resolving[host]?.removeAll { $0 === transfer }
            guard resolving[host]?.isEmpty == true else { return }
            resolving[host] = nil
            NameResolver.shared.abandon(host, for: ObjectIdentifier(self))
        }

        /// Schedules a check of a transfer at its deadline.
        func watch(_ transfer: CurlTransfer) {
            guard let deadline = transfer.deadline else { return }
            nextDeadline = nextDeadline.map { min($0, deadline) } ?? deadline
        }

        /// Ends transfers that have timed out. A deadline moves with every byte, so the earliest is only a hint of when to check all of
        /// them.
        private func expire() {
            guard let next = nextDeadline, next <= loop.now else { return }
            nextDeadline = nil
            for transfer in Array(transfers.values) {
                if transfer.lookWhetherHeldUp(at: loop.now, hasRoom: loop.hasRoom(for: transfer, of: self)) {
                    finish(transfer, error: nil)
                    continue
                }
                guard let deadline = transfer.deadline else { continue }
                if deadline <= loop.now {
                    finish(transfer, error: transfer.timeoutError)
                } else {
                    watch(transfer)
                }
            }
            // Many deadlines close together are checked at once, because a scan for each would be quadratic.
            if let next = nextDeadline { nextDeadline = max(next, loop.now.advanced(by: 0.002)) }
        }

        /// Delivers the events gathered since the last call.
        private func flush() {
            let batches = outbox.take()
            if batches.isEmpty { return }
            loop.withSignals { for (receiver, events) in batches { receiver.receive(events) } }
        }
    }
#endif
