#if os(Linux)
    import CFirewheelCurl
    import Foundation

    /// One multi handle: a pool of connections, the requests that run on it and those that wait. Only touched on the loop.
    final class CurlChannel {
        /// How many requests run at once on one connection of HTTP/2: the least that RFC 9113 section 6.5.2 recommends servers to allow.
        private static let multiplexedRequests = 100

        /// Whether the loop has it on its list of channels with something to do.
        @exclusivity(unchecked) var isListed = false
        /// When libcurl wants to be called for its timers.
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
        /// The next instant at which a transfer may have run out of time.
        @exclusivity(unchecked) private var nextDeadline: MonotonicInstant?
        @exclusivity(unchecked) private var outbox = CurlOutbox()
        /// For which handles libcurl has stopped watching a socket since the last look for transfers that it has ended.
        @exclusivity(unchecked) var unwatched: [UnsafeMutableRawPointer] = []
        /// Transfers whose end has been told and which still hold their handles.
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

        /// Ends everything, for a transport that is gone. Its receivers are told.
        func close() {
            for transfer in Array(transfers.values) { finish(transfer, error: .failed(.cancelled, "the transport was released")) }
            flush()
            clearEnded()
            closeConnections()
            handles.removeAll()
            loop.forget(self)
        }

        /// Closes the connections that no request is on.
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
            // It had them in the multi handle.
            toldAddresses = ToldAddresses()
        }

        /// Has libcurl close the connections that are too old or dead.
        func reap() {
            guard !handles.isReaping, let multi, let handle = idleHandle() else { return }
            handles.reap(multi, with: handle)
        }

        /// Whether a request is under way on the connection with these ends. Those that wait, of which there may be many, are not looked
        /// at.
        func uses(_ ends: ConnectionEnds) -> Bool {
            handles.inUse.contains { handle in handle.transfer.map { !$0.isDone && isOn(ends, $0) } ?? false }
        }

        func isOn(_ ends: ConnectionEnds, _ transfer: CurlTransfer) -> Bool {
            guard transfer.localPort == ends.local.port, let easy = transfer.handle?.easy else { return false }
            return ends.areThose(of: easy)
        }

        // MARK: A turn of the loop

        /// Lets libcurl act on a socket.
        func act(on descriptor: Int32, events: Int32) {
            guard let multi else { return }
            _ = fwcurl_multi_act(multi, descriptor, events)
        }

        /// Does all that can be done now: timers that are due, transfers that have ended, requests whose turn it is. True if any has ended.
        func settle() -> Bool {
            expire()
            var hasEnded = false
            var hasEndedAny = false
            repeat {
                clearEnded()
                if queue.hasNext { loop.dropUnaskedBehindResponses(of: self) }
                startWaiting()
                // One that libcurl has set again since is not for this round, but for the next turn, which looks at the sockets first.
                fireTimer()
                hasEnded = collectDone()
                // Receivers need not wait for the clearing up.
                flush()
                hasEndedAny = hasEndedAny || !ended.isEmpty
            } while hasEnded || !ended.isEmpty
            return hasEndedAny
        }

        /// The next instant at which there is something to do of itself.
        var wakeUp: MonotonicInstant? {
            guard let timer else { return nextDeadline }
            return nextDeadline.map { min($0, timer) } ?? timer
        }

        /// Ends a transfer that libcurl found to have failed, but has not ended.
        func end(_ transfer: CurlTransfer, code: Int32) {
            guard let easy = transfer.handle?.easy else { return }
            finish(transfer, code: code, easy: easy)
        }

        /// Ends a transfer that has all that the client wants of it.
        func endEarly(_ transfer: CurlTransfer) {
            finish(transfer, error: nil)
        }

        /// A transfer was answered before its own body had gone out.
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

        /// Ends the transfers that libcurl has ended. True if there were any: another's turn may have come.
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

        /// A connection is being made for a transfer: its time for that runs.
        func connecting(_ transfer: CurlTransfer) {
            watch(transfer)
            noteLoaded(transfer)
        }

        /// A transfer has a connection.
        func connected(_ transfer: CurlTransfer) {
            // From here on the idle timeout counts, which may be the shorter one.
            watch(transfer)
            noteLoaded(transfer)
        }

        /// If a transfer was told addresses, libcurl has taken them in, since it does so before it looks for a connection.
        private func noteLoaded(_ transfer: CurlTransfer) {
            guard let told = transfer.told else { return }
            transfer.told = nil
            toldAddresses.noteLoaded(told)
        }

        private func openMulti() -> UnsafeMutableRawPointer? {
            if multi == nil, let new = fwcurl_multi_make() {
                setCallbacks(of: new)
                // Else the pool shrinks with the number of transfers and connections are closed that are wanted a moment later.
                _ = fwcurl_multi_set_long(new, Int32(FWCURLMOPT_MAXCONNECTS), max(256, maximumConnectionsPerHost))
                _ = fwcurl_multi_set_long(new, Int32(FWCURLMOPT_MAX_HOST_CONNECTIONS), maximumConnectionsPerHost)
                if !CurlVersion.multiplexes { _ = fwcurl_multi_set_long(new, Int32(FWCURLMOPT_PIPELINING), Int(FWCURLPIPE_NOTHING)) }
                multi = new
            }
            return multi
        }

        // MARK: Ends

        private func finish(_ transfer: CurlTransfer, code: Int32, easy: UnsafeMutableRawPointer) {
            let error =
                code == FWCURLE_OK || transfer.isDiscarding || transfer.wasAnsweredEarly(code) ? nil : transfer.error(for: code, easy: easy)
            if let error, transfer.mayGoAgain(after: error, easy: easy), let multi, let handle = transfer.handle {
                return goAgain(transfer, handle, multi)
            }
            finish(transfer, error: error)
        }

        /// Sends a request once more, since the connection that was kept has broken. libcurl does so itself when it finds that out by
        /// reading, or with the request's first bytes; not with those that follow, and not with HTTP/2.
        private func goAgain(_ transfer: CurlTransfer, _ handle: CurlHandle, _ multi: UnsafeMutableRawPointer) {
            _ = fwcurl_multi_remove(multi, handle.easy)
            transfer.goAgain()
            // It may get another connection that has been idle.
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

        /// Tells the loop of a connection with TLS that it carries HTTP/1, once.
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

        /// Gives back what a transfer holds: its place among the running, and its handle.
        private func release(_ transfer: CurlTransfer) {
            if transfer.stage == .resolving || transfer.stage == .running { queue.finish(transfer.lane) }
            if transfer.stage == .resolving { stopWaiting(transfer, for: transfer.request.target.origin.host) }
            let isQueued = transfer.stage == .waiting && transfer.leftQueue == nil
            if transfer.hasToldAddresses { toldAddresses.end(transfer.request.target.origin) }
            transfer.abandon()
            if isQueued { queue.noteAbandoned(in: transfer.lane) { $0.stage == .over } }
            guard let handle = transfer.handle else { return }
            transfer.handle = nil
            // libcurl 7.88 would keep what tells the server that a stream of HTTP/2 is cancelled until the next request, and get what the
            // server goes on sending with that one's response.
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

        /// Makes sure that the loop looks at a transfer again when its time has run out.
        func watch(_ transfer: CurlTransfer) {
            guard let deadline = transfer.deadline else { return }
            nextDeadline = nextDeadline.map { min($0, deadline) } ?? deadline
        }

        /// Ends what has run out of time. A deadline moves with every byte, so the earliest is only a hint of when to look through them
        /// all.
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
            // With many deadlines close together, looking through all of them for each would be quadratic.
            if let next = nextDeadline { nextDeadline = max(next, loop.now.advanced(by: 0.002)) }
        }

        /// Hands over the events that have come since last time.
        private func flush() {
            let batches = outbox.take()
            if batches.isEmpty { return }
            loop.withSignals { for (receiver, events) in batches { receiver.receive(events) } }
        }
    }
#endif
