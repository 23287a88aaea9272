#if os(Linux)
    import CFirewheelCurl
    import Foundation
    import Glibc

    /// The one thread that owns every multi and easy handle of the process. It sleeps in `epoll_wait`, and nothing on it waits for anything
    /// else.
    ///
    /// Other threads reach it through its inbox only. It never runs a user's code and never takes a lock that is held across any.
    final class CurlLoop: @unchecked Sendable {
        // Sound because `inbox` and `poller` are constants, and everything else is only touched on the loop's own thread: by `run()` and
        // what it calls, libcurl's callbacks included, since libcurl calls back on the thread that called it.

        private static let current = Locked<CurlLoop?>(nil)
        /// The process that has the loop: a child that was forked and has not called exec has none.
        private static let process = getpid()

        /// The loop of this process, started when first asked for.
        ///
        /// - Throws: ``TransportError`` if libcurl is too old, or the process has no descriptor or thread left for it.
        static func shared() throws -> CurlLoop {
            try current.withLock { current in
                if let current { return current }
                let loop = try CurlLoop()
                // As large as a main thread's stack: how deep libcurl and its TLS library go is theirs to say.
                let hasStarted = PlatformThread.start(name: "firewheel.loop", stackSize: 8 << 20) {
                    PlatformThread.detach(PlatformThread.current)
                    loop.run()
                }
                // Without a thread nobody would hear of its requests again; a later one may find a thread.
                guard hasStarted else {
                    close(loop.poller)
                    throw TransportError.failed(.unknown, "out of threads")
                }
                current = loop
                stopAtExit()
                return loop
            }
        }

        let inbox: CurlInbox
        private let poller: Int32
        /// The time of this turn. Asking the clock in every callback would cost more than most callbacks do.
        @exclusivity(unchecked) private(set) var now = MonotonicInstant.now()

        @exclusivity(unchecked) private var sockets = SocketTable()
        @exclusivity(unchecked) private var channels: [CurlChannel] = []
        /// When to look for idle connections that are too old. Only a hint: they may have been used again since.
        @exclusivity(unchecked) private var nextReaping: MonotonicInstant?
        private var lastReaping = MonotonicInstant(nanoseconds: 0)
        @exclusivity(unchecked) private var events = [epoll_event](repeating: epoll_event(), count: 256)
        /// `SIGPIPE` alone.
        private var brokenPipe = sigset_t()
        @exclusivity(unchecked) private var followUps = FollowUps()
        /// Whether it is this thread that has `SIGPIPE` blocked, and not the program.
        private var isBrokenPipeOurs = true

        private init() throws {
            guard CurlVersion.isSupported else {
                let text = String(cString: fwcurl_version_text())
                throw TransportError.failed(.unknown, "libcurl \(text) is too old: 7.81 or newer is needed")
            }
            guard fwcurl_global_init() == FWCURLE_OK else { throw TransportError.failed(.unknown, "libcurl could not be initialized") }
            guard let inbox = CurlInbox() else { throw TransportError.failed(.unknown, "out of file descriptors") }
            poller = epoll_create1(Int32(EPOLL_CLOEXEC))
            guard poller >= 0 else { throw TransportError.failed(.unknown, "out of file descriptors") }
            self.inbox = inbox
            // Edge-triggered: a write wakes the loop once and the counter need not be read.
            var event = epoll_event(events: EPOLLIN.rawValue | EPOLLET.rawValue, data: epoll_data(fd: inbox.wakeDescriptor))
            guard epoll_ctl(poller, EPOLL_CTL_ADD, inbox.wakeDescriptor, &event) == 0 else {
                close(poller)
                throw TransportError.failed(.unknown, "the transport could not be set up")
            }
        }

        // MARK: The end of the process

        /// Has the loop stop before OpenSSL clears itself away: that happens in `exit`, while other threads still run, and would be a crash
        /// in the middle of somebody's TLS. What was registered last runs first, and OpenSSL has registered itself in `init`.
        private static func stopAtExit() {
            _ = process
            atexit {
                guard CurlLoop.process == getpid(), let loop = CurlLoop.current.withLock({ $0 }) else { return }
                // It stops before it acts on a next socket. Should it not, the process has to end all the same.
                loop.inbox.stop(timeout: 2)
            }
        }

        // MARK: The loop

        private func run() {
            // A peer that went away must not end the process; other threads' signals are not ours to change.
            sigemptyset(&brokenPipe)
            sigaddset(&brokenPipe, SIGPIPE)
            var mask = sigset_t()
            pthread_sigmask(SIG_BLOCK, &brokenPipe, &mask)
            isBrokenPipeOurs = sigismember(&mask, SIGPIPE) == 0
            while !inbox.hasToStop { turn() }
            inbox.noteStopped()
            refuse()
        }

        /// Without libcurl, which may not be touched any more: what starts now fails, and who waits for it at the end of the process does
        /// not wait for ever.
        private func refuse() -> Never {
            while true {
                let metrics = TransportMetrics(start: .now(), end: .now())
                let result = TransportResult(error: .failed(.cancelled, "the process ends"), metrics: metrics)
                for command in inbox.take() {
                    switch command {
                    case .start(_, let request, let receiver):
                        receiver.receive([TransportEvent(id: request.id, kind: .finished(result))])
                    // Kept: a channel that goes gives its handles back to libcurl.
                    case .close(let reference): list(reference.channel)
                    default: break
                    }
                }
                guard inbox.prepareToSleep() else { continue }
                var waking = pollfd(fd: inbox.wakeDescriptor, events: Int16(POLLIN), revents: 0)
                poll(&waking, 1, -1)
                var count: UInt64 = 0
                _ = read(inbox.wakeDescriptor, &count, 8)
            }
        }

        /// Calls receivers with `SIGPIPE` as other threads have it: Dispatch may start threads for what they put on queues, and a thread,
        /// and the programs that it starts, inherit the mask of the one that starts it.
        func withSignals(_ work: () -> Void) {
            // Where the program has it blocked, others have it so too.
            guard isBrokenPipeOurs else { return work() }
            // One that a write has left here is not for anybody.
            var instantly = timespec()
            while sigtimedwait(&brokenPipe, nil, &instantly) == SIGPIPE {}
            pthread_sigmask(SIG_UNBLOCK, &brokenPipe, nil)
            work()
            pthread_sigmask(SIG_BLOCK, &brokenPipe, nil)
        }

        private func turn() {
            if followUps.areExpected { awaitFollowUp() }
            // What had come on an idle connection when a request was started has to be seen before it goes out: so there is a look after
            // commands are taken.
            var commands = inbox.take()
            var count = awaitEvents(maySleep: commands.isEmpty)
            if commands.isEmpty {
                commands = inbox.take()
                if !commands.isEmpty { count = awaitEvents(maySleep: false) }
            }
            now = .now()
            for index in 0..<count where sockets.mayBeUnasked(events[index].data.fd) { dropUnasked(events[index].data.fd) }
            for index in 0..<count {
                // With TLS what one socket takes may be milliseconds, and the process may be waiting.
                if inbox.hasToStop { break }
                dispatch(events[index])
            }
            now = .now()
            for command in commands { execute(command) }
            var hasEnded = false
            for channel in channels where channel.settle() { hasEnded = true }
            reap()
            channels.removeAll { channel in
                channel.isListed = channel.isBusy
                return !channel.isBusy
            }
            sockets.apply(poller)
            // With others under way the next event is not far off.
            if hasEnded, channels.isEmpty { followUps.noteIdle() }
        }

        /// Looks out for commands for a moment.
        private func awaitFollowUp() {
            let end = MonotonicInstant.now().advanced(by: FollowUps.patience)
            var hasCome = inbox.hasCommands
            while !hasCome, MonotonicInstant.now() < end { hasCome = inbox.hasCommands }
            followUps.noteOutcome(hasCome)
        }

        /// What has happened on the sockets. Sleeps until something does, or there is something to do, if it may.
        private func awaitEvents(maySleep: Bool) -> Int {
            // Room for all, so that one look sees every idle connection on which something has come, however many others have something
            // too.
            while events.count < sockets.count { events += [epoll_event](repeating: epoll_event(), count: events.count) }
            var timeout: Int32 = 0
            if maySleep, inbox.prepareToSleep() {
                var wakeUp = channels.lazy.compactMap(\.wakeUp).min()
                if let nextReaping { wakeUp = wakeUp.map { min($0, nextReaping) } ?? nextReaping }
                timeout = milliseconds(until: wakeUp)
            }
            return max(0, Int(epoll_wait(poller, &events, Int32(events.count), timeout)))
        }

        private func milliseconds(until wakeUp: MonotonicInstant?) -> Int32 {
            guard let wakeUp else { return -1 }
            let current = MonotonicInstant.now()
            guard wakeUp > current else { return 0 }
            // Rounded up: waking before the time has come would only spin.
            return Int32(min((wakeUp.nanoseconds - current.nanoseconds + 999_999) / 1_000_000, 60_000))
        }

        private func dispatch(_ event: epoll_event) {
            let descriptor = event.data.fd
            if descriptor == inbox.wakeDescriptor { return }
            guard let channel = sockets.channel(wanting: descriptor, poller) else { return }
            var mask: Int32 = 0
            if event.events & (EPOLLIN.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue | EPOLLRDHUP.rawValue) != 0 {
                mask |= Int32(FWCURL_CSELECT_IN)
            }
            if event.events & EPOLLOUT.rawValue != 0 { mask |= Int32(FWCURL_CSELECT_OUT) }
            if event.events & EPOLLERR.rawValue != 0 { mask |= Int32(FWCURL_CSELECT_ERR) }
            list(channel)
            channel.act(on: descriptor, events: mask)
        }

        /// Bytes on a connection that has no request under way are the answer to none, and would be read as the answer to the next one:
        /// such a connection is closed (RFC 9112 section 9.2). libcurl looks there for an end only, so it is given one. With TLS they
        /// cannot be read here, and need not be: what TLS has to say for itself, its session tickets, comes before the first response, and
        /// then only its end is left. HTTP/2 has frames of its own for an idle connection and is left alone.
        private func dropUnasked(_ descriptor: Int32) {
            guard isIdle(descriptor) else { return }
            var byte: UInt8 = 0
            let count = recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT))
            // Nothing has come, or it was for one that has been closed meanwhile.
            if count < 0, errno == EAGAIN || errno == EBADF { return }
            end(descriptor)
        }

        /// Ends an idle connection, and soon has libcurl close it. What lies in it is read, so that libcurl finds the end and nothing else.
        private func end(_ descriptor: Int32) {
            var bytes = [UInt8](repeating: 0, count: 16_384)
            for _ in 0..<64 { if recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT)) <= 0 { break } }
            shutdown(descriptor, Int32(SHUT_RDWR))
            sockets.ended(descriptor)
            lookForAge(at: now)
        }

        /// Whether a descriptor is a connection of libcurl's on which no request is under way.
        private func isIdle(_ descriptor: Int32) -> Bool {
            guard sockets.isStillOurs(descriptor), let ends = ConnectionEnds(of: descriptor) else { return false }
            return !channels.contains { $0.uses(ends) }
        }

        /// The same for a channel's connections that have become idle in this turn, before another request goes out on them: the poller has
        /// not been asked about them since. One system call for all.
        func dropUnaskedBehindResponses(of channel: CurlChannel) {
            var polled = sockets.takeIdle(of: channel).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard !polled.isEmpty, poll(&polled, nfds_t(polled.count), 0) > 0 else { return }
            for socket in polled where socket.revents != 0 { dropUnasked(socket.fd) }
        }

        /// Whether the connection that a transfer is on takes more bytes now.
        func hasRoom(for transfer: CurlTransfer, of channel: CurlChannel) -> Bool {
            for descriptor in sockets.connections(of: channel) {
                guard let ends = ConnectionEnds(of: descriptor), channel.isOn(ends, transfer) else { continue }
                var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                return poll(&polled, 1, 0) > 0
            }
            return false
        }

        // MARK: The age of connections

        /// Ends the idle connections of a channel that has requests under way on others.
        ///
        /// With TLS the server does not hear the closing alert of RFC 8446 section 6.1, which only libcurl could send; what was said on the
        /// connection was whole.
        func endIdle(of channel: CurlChannel) {
            for descriptor in sockets.unwatched(of: channel) where isIdle(descriptor) { end(descriptor) }
        }

        /// Has channels close the connections whose time is over, so that they go though no request comes that makes libcurl look at them.
        private func reap() {
            guard let due = nextReaping, due <= now else { return }
            lastReaping = now
            let overdue = sockets.overdue(now)
            nextReaping = overdue.next.map { max($0, now.advanced(by: 1)) }
            // A transfer that is paused is not watched either.
            for (descriptor, channel) in overdue.sockets where isIdle(descriptor) {
                list(channel)
                channel.reap()
                // libcurl may have looked less than a second ago, and then does not now.
                nextReaping = now.advanced(by: 1)
            }
        }

        /// Looks again when an idle connection is too old.
        private func lookForAge(of descriptor: Int32) {
            if let end = sockets.end(of: descriptor) { lookForAge(at: end) }
        }

        private func lookForAge(at instant: MonotonicInstant) {
            // Once a second is enough, however many connections there are.
            let next = max(instant, lastReaping.advanced(by: 1))
            nextReaping = nextReaping.map { min($0, next) } ?? next
        }

        private func execute(_ command: CurlCommand) {
            switch command {
            case .start(let reference, let request, let receiver):
                list(reference.channel)
                reference.channel.start(request, receiver: receiver)
            case .cancel(let reference, let id):
                list(reference.channel)
                reference.channel.cancel(id)
            case .pause(let reference, let id):
                reference.channel.pause(id)
            case .resume(let reference, let id):
                list(reference.channel)
                reference.channel.resume(id)
            case .proceed(let reference, let id, let body):
                list(reference.channel)
                reference.channel.proceed(id, body)
            case .acknowledge(let reference, let id, let bytes):
                list(reference.channel)
                reference.channel.acknowledge(id, bytes: bytes)
            case .resolved(let reference, let host, let answer):
                list(reference.channel)
                reference.channel.resolved(host, answer: answer)
            case .closeIdleConnections(let reference):
                list(reference.channel)
                reference.channel.closeIdleConnections()
            case .close(let reference):
                reference.channel.close()
            case .inspect(let look):
                look()
            }
        }

        private func list(_ channel: CurlChannel) {
            guard !channel.isListed else { return }
            channel.isListed = true
            channels.append(channel)
        }

        // MARK: What channels and libcurl ask

        func watch(_ descriptor: Int32, what: Int32, for channel: CurlChannel) {
            sockets.watch(descriptor, what: what, for: channel, now: now)
            if what == FWCURL_POLL_REMOVE { lookForAge(of: descriptor) }
        }

        /// A response of HTTP/1 has come over a socket.
        func noteHTTP1(_ descriptor: Int32) {
            sockets.noteHTTP1(descriptor)
        }

        /// A request on a connection is over that nobody wanted watched.
        func noteIdle(_ descriptor: Int32) {
            sockets.noteIdle(descriptor, now: now)
            lookForAge(of: descriptor)
        }

        /// A channel is gone, and with it its connections.
        func forget(_ channel: CurlChannel) {
            sockets.forget(channel)
        }

        func openSocket(_ address: fwcurl_address, isPlain: Bool, for channel: CurlChannel) -> Int32 {
            let descriptor = socket(address.family, address.socktype | Int32(SOCK_CLOEXEC.rawValue), address.`protocol`)
            if descriptor >= 0 {
                sockets.opened(descriptor, for: channel, carriesHTTP1: isPlain, now: now)
                lookForAge(of: descriptor)
            }
            return descriptor
        }

        func closeSocket(_ descriptor: Int32) -> Int32 {
            sockets.willClose(descriptor, poller)
            return close(descriptor)
        }
    }
#endif
