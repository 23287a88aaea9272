#if os(Linux)
    import CFirewheelCurl
    import CFirewheelSystem
    import Foundation
    import Glibc

    /// The thread that owns all multi and easy handles of the process. It blocks in `epoll_wait` only.
    ///
    /// Other threads reach it through its inbox only. It never runs the caller's code, and never takes a lock that is held across such
    /// code.
    final class CurlLoop: @unchecked Sendable {
        // Sound because `inbox` and `poller` are constants, and everything else is used on the loop's thread only: by `run()` and what it
        // calls, including libcurl's callbacks, which run on the calling thread.

        private static let current = Locked<CurlLoop?>(nil)
        /// The process that owns the loop: a forked child that has not called exec has none.
        private static let process = getpid()

        /// The loop of this process, started on first use.
        ///
        /// - Throws: ``TransportError`` if libcurl is too old, or the process is out of file descriptors or threads.
        static func shared() throws -> CurlLoop {
            try current.withLock { current in
                if let current { return current }
                let loop = try CurlLoop()
                // The size of a main thread's stack, because the depth of libcurl and its TLS library is unknown.
                let hasStarted = PlatformThread.start(name: "firewheel.loop", stackSize: 8 << 20) {
                    PlatformThread.detach(PlatformThread.current)
                    loop.run()
                }
                // Without a thread its requests would never end; a later call may succeed.
                guard hasStarted else {
                    close(loop.poller)
                    throw TransportError.failed(.unknown, "out of threads")
                }
                current = loop
                stopAtExit()
                return loop
            }
        }

        let inbox: LoopInbox<CurlCommand>
        private let poller: Int32
        /// The time of this iteration. Reading the clock in every callback would cost more than most callbacks do.
        @exclusivity(unchecked) private(set) var now = MonotonicInstant.now()

        @exclusivity(unchecked) private var sockets = SocketTable()
        @exclusivity(unchecked) private var channels: [CurlChannel] = []
        /// The commands of this iteration.
        @exclusivity(unchecked) private var commands: [CurlCommand] = []
        /// When to check for expired idle connections. Only a hint: they may have been used again since.
        @exclusivity(unchecked) private var nextReaping: MonotonicInstant?
        private var lastReaping = MonotonicInstant(nanoseconds: 0)
        @exclusivity(unchecked) private var events = [epoll_event](repeating: epoll_event(), count: 256)
        /// The signal set with `SIGPIPE` only.
        private var brokenPipe = sigset_t()
        @exclusivity(unchecked) private var followUps = FollowUps()
        /// Whether this thread blocked `SIGPIPE`, rather than the program.
        private var isBrokenPipeOurs = true

        private init() throws {
            guard CurlVersion.isSupported else {
                let text = String(cString: fwcurl_version_text())
                throw TransportError.failed(.unknown, "libcurl \(text) is too old: 7.81 or newer is needed")
            }
            guard fwcurl_global_init() == FWCURLE_OK else { throw TransportError.failed(.unknown, "libcurl could not be initialized") }
            guard let inbox = LoopInbox<CurlCommand>() else { throw TransportError.failed(.unknown, "out of file descriptors") }
            poller = epoll_create1(Int32(EPOLL_CLOEXEC))
            guard poller >= 0 else { throw TransportError.failed(.unknown, "out of file descriptors") }
            self.inbox = inbox
            // Edge-triggered: a write wakes the loop once, and the counter need not be read.
            var event = epoll_event(events: EPOLLIN.rawValue | EPOLLET.rawValue, data: epoll_data(fd: inbox.wakeDescriptor))
            guard epoll_ctl(poller, EPOLL_CTL_ADD, inbox.wakeDescriptor, &event) == 0 else {
                close(poller)
                throw TransportError.failed(.unknown, "the transport could not be set up")
            }
        }

        // MARK: Process exit

        /// Registers a handler that stops the loop before OpenSSL's cleanup, which runs in `exit` while other threads still use TLS. Exit
        /// handlers run in reverse order, and OpenSSL has registered its own in `init`.
        private static func stopAtExit() {
            _ = process
            atexit {
                guard CurlLoop.process == getpid(), let loop = CurlLoop.current.withLock({ $0 }) else { return }
                // It stops before the next socket. If it does not, the process must still be able to exit.
                loop.inbox.stop(timeout: 2)
            }
        }

        // MARK: The loop

        private func run() {
            // Writing to a closed connection must not end the process. Other threads' signal masks are left alone.
            sigemptyset(&brokenPipe)
            sigaddset(&brokenPipe, SIGPIPE)
            var mask = sigset_t()
            pthread_sigmask(SIG_BLOCK, &brokenPipe, &mask)
            isBrokenPipeOurs = sigismember(&mask, SIGPIPE) == 0
            while !inbox.hasToStop { turn() }
            inbox.noteStopped()
            refuse()
        }

        /// Continues without libcurl, which must not be used any more: new requests fail, so that waiting for one during exit does not
        /// block for ever.
        private func refuse() -> Never {
            while true {
                let metrics = TransportMetrics(start: .now(), end: .now())
                let result = TransportResult(error: .failed(.cancelled, "the process ends"), metrics: metrics)
                inbox.take(&commands)
                for command in commands {
                    switch command {
                    case .start(_, let request, let receiver):
                        receiver.receive([TransportEvent(id: request.id, kind: .finished(result))])
                    // Retained: a released channel returns its handles to libcurl.
                    case .close(let reference): list(reference.channel)
                    default: break
                    }
                }
                commands.removeAll(keepingCapacity: true)
                guard inbox.prepareToSleep() else { continue }
                var waking = pollfd(fd: inbox.wakeDescriptor, events: Int16(POLLIN), revents: 0)
                poll(&waking, 1, -1)
                var count: UInt64 = 0
                _ = read(inbox.wakeDescriptor, &count, 8)
            }
        }

        /// Calls receivers with `SIGPIPE` as other threads have it: Dispatch may start threads for their work, and a thread, and the
        /// programs it starts, inherit the signal mask.
        func withSignals(_ work: () -> Void) {
            // If the program has blocked it, other threads have it blocked as well.
            guard isBrokenPipeOurs else { return work() }
            // Discards a signal that a write has left pending.
            var instantly = timespec()
            while sigtimedwait(&brokenPipe, nil, &instantly) == SIGPIPE {}
            pthread_sigmask(SIG_UNBLOCK, &brokenPipe, nil)
            work()
            pthread_sigmask(SIG_BLOCK, &brokenPipe, nil)
        }

        private func turn() {
            if followUps.areExpected { followUps.await { inbox.hasCommands } }
            // Bytes that arrived on an idle connection before a request was started must be seen before it is sent: so sockets are checked
            // after commands are taken.
            inbox.take(&commands)
            var count = awaitEvents(maySleep: commands.isEmpty)
            if commands.isEmpty {
                inbox.take(&commands)
                if !commands.isEmpty { count = awaitEvents(maySleep: false) }
            }
            now = .now()
            for index in 0..<count where sockets.mayBeUnasked(events[index].data.fd) { dropUnasked(events[index].data.fd) }
            for index in 0..<count {
                // With TLS one socket may take milliseconds, and the process may be waiting to exit.
                if inbox.hasToStop { break }
                dispatch(events[index])
            }
            now = .now()
            for command in commands { execute(command) }
            commands.removeAll(keepingCapacity: true)
            var hasEnded = false
            for channel in channels where channel.settle() { hasEnded = true }
            reap()
            channels.removeAll { channel in
                channel.isListed = channel.isBusy
                return !channel.isBusy
            }
            sockets.apply(poller)
            // If other channels are active, the next event is not far off.
            if hasEnded, channels.isEmpty { followUps.noteIdle() }
        }

        /// Collects socket events. If allowed, sleeps until an event, a command or a timer.
        private func awaitEvents(maySleep: Bool) -> Int {
            // The buffer fits all sockets, so that one call reports every idle connection with data, however many others are ready.
            while events.count < sockets.count { events += [epoll_event](repeating: epoll_event(), count: events.count) }
            var timeout: Int32 = 0
            if maySleep, inbox.prepareToSleep() {
                var wakeUp = channels.lazy.compactMap(\.wakeUp).min()
                if let nextReaping { wakeUp = wakeUp.map { min($0, nextReaping) } ?? nextReaping }
                timeout = LoopSleep.milliseconds(until: wakeUp)
            }
            return max(0, Int(epoll_wait(poller, &events, Int32(events.count), timeout)))
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

        /// Closes a connection that receives bytes while no request is running on it: they answer no request, and would be read as the next
        /// one's response (RFC 9112 section 9.2). libcurl only notices a closed connection, so this one is shut down.
        ///
        /// Under TLS the bytes cannot be read here and need not be: session tickets arrive before the first response, so what follows is
        /// the close. HTTP/2 sends frames on idle connections, which are left alone.
        private func dropUnasked(_ descriptor: Int32) {
            guard isIdle(descriptor) else { return }
            var byte: UInt8 = 0
            let count = recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT))
            // There is no data, or it was for a connection that has since been closed.
            if count < 0, errno == EAGAIN || errno == EBADF { return }
            end(descriptor)
        }

        /// Shuts down an idle connection and makes libcurl close it soon. Its pending bytes are read, so that libcurl sees only the end.
        private func end(_ descriptor: Int32) {
            var bytes = [UInt8](repeating: 0, count: 16_384)
            for _ in 0..<64 { if recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT)) <= 0 { break } }
            shutdown(descriptor, Int32(SHUT_RDWR))
            sockets.ended(descriptor)
            lookForAge(at: now)
        }

        /// Whether a descriptor is an idle connection of libcurl's.
        private func isIdle(_ descriptor: Int32) -> Bool {
            guard sockets.isStillOurs(descriptor), let ends = ConnectionEnds(of: descriptor) else { return false }
            return !channels.contains { $0.uses(ends) }
        }

        /// Checks a channel's connections that became idle in this iteration before another request uses them, because the poller has not
        /// reported on them since. Uses one system call for all.
        func dropUnaskedBehindResponses(of channel: CurlChannel) {
            var polled = sockets.takeIdle(of: channel).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard !polled.isEmpty, poll(&polled, nfds_t(polled.count), 0) > 0 else { return }
            for socket in polled where socket.revents != 0 { dropUnasked(socket.fd) }
        }

        /// Whether the connection of a transfer can accept more bytes now.
        func hasRoom(for transfer: CurlTransfer, of channel: CurlChannel) -> Bool {
            for descriptor in sockets.connections(of: channel) {
                guard let ends = ConnectionEnds(of: descriptor), channel.isOn(ends, transfer) else { continue }
                var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                return poll(&polled, 1, 0) > 0
            }
            return false
        }

        // MARK: Connection age

        /// Shuts down the idle connections of a channel that has requests running on others.
        ///
        /// Under TLS the server does not receive the close_notify alert of RFC 8446 section 6.1, which only libcurl could send; all
        /// messages on the connection were complete.
        func endIdle(of channel: CurlChannel) {
            for descriptor in sockets.unwatched(of: channel) where isIdle(descriptor) { end(descriptor) }
        }

        /// Makes channels close expired connections, which libcurl does by itself only when a request comes.
        private func reap() {
            guard let due = nextReaping, due <= now else { return }
            lastReaping = now
            let overdue = sockets.overdue(now)
            nextReaping = overdue.next.map { max($0, now.advanced(by: 1)) }
            // The sockets of paused transfers are not watched either.
            for (descriptor, channel) in overdue.sockets where isIdle(descriptor) {
                list(channel)
                channel.reap()
                // If libcurl examined its connections less than a second ago, it skips this time.
                nextReaping = now.advanced(by: 1)
            }
        }

        /// Schedules a check for when an idle connection expires.
        private func lookForAge(of descriptor: Int32) {
            if let end = sockets.end(of: descriptor) { lookForAge(at: end) }
        }

        private func lookForAge(at instant: MonotonicInstant) {
            // One check a second is enough for any number of connections.
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

        // MARK: Calls from channels and libcurl

        func watch(_ descriptor: Int32, what: Int32, for channel: CurlChannel) {
            sockets.watch(descriptor, what: what, for: channel, now: now)
            if what == FWCURL_POLL_REMOVE { lookForAge(of: descriptor) }
        }

        /// Records that a socket carries HTTP/1.
        func noteHTTP1(_ descriptor: Int32) {
            sockets.noteHTTP1(descriptor)
        }

        /// Handles that a request on a connection that was never watched has ended.
        func noteIdle(_ descriptor: Int32) {
            sockets.noteIdle(descriptor, now: now)
            lookForAge(of: descriptor)
        }

        /// Drops the connections of a closed channel.
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
