#if os(Linux)
    import CFirewheelCurl
    import Glibc

    /// Which sockets libcurl wants watched, and what the kernel has been told of it.
    ///
    /// libcurl says "watch" and "do not watch" for every request on a kept-alive connection. Told at the end of a turn, and with an idle
    /// connection left registered, the kernel hears of most sockets once: two system calls a request less.
    struct SocketTable {
        private struct Entry {
            /// Who wants to know of it, or last wanted to.
            var channel: CurlChannel?
            var wanted: UInt32 = 0
            var opened = MonotonicInstant(nanoseconds: 0)
            /// When it was last found that nobody wants to know of it.
            var idleSince = MonotonicInstant(nanoseconds: 0)
            /// Whether one side has ended it while it was idle, so that libcurl has only to be made to look.
            var isEnded = false
            /// What the kernel has been told.
            var registered: UInt32 = 0
            /// Whether libcurl opened it through our callback, so that we hear of its end too.
            var isOurs = false
            /// Which socket it was: libcurl closes one on which no request got under way without telling us, and its number may be
            /// anybody's then.
            var identity: UInt64?
            /// Whether it is known that HTTP/1 goes over it: without TLS always, with TLS once a response has come.
            var carriesHTTP1 = false
            var hasChanged = false
        }

        /// By descriptor.
        private var entries: [Entry] = []
        private var changed: [Int32] = []
        /// The sockets that have become idle in this turn, and whose they are.
        private var idle: [(descriptor: Int32, channel: CurlChannel)] = []

        /// No descriptor is above this number.
        var count: Int { entries.count }

        /// libcurl opens a socket. It need not say more of it: where a server answers at once, it never wants it watched.
        mutating func opened(_ descriptor: Int32, for channel: CurlChannel, carriesHTTP1: Bool, now: MonotonicInstant) {
            let identity = Self.identity(of: descriptor)
            entry(descriptor) {
                $0 = Entry(
                    channel: channel, opened: now, idleSince: now, isOurs: true, identity: identity, carriesHTTP1: carriesHTTP1,
                    hasChanged: $0.hasChanged)
            }
            noteChange(of: descriptor)
        }

        /// A request on a connection is over. Does nothing if it is watched.
        mutating func noteIdle(_ descriptor: Int32, now: MonotonicInstant) {
            guard descriptor >= 0, descriptor < entries.count, let channel = entries[Int(descriptor)].channel else { return }
            guard entries[Int(descriptor)].isOurs, entries[Int(descriptor)].wanted == 0 else { return }
            entries[Int(descriptor)].idleSince = now
            noteChange(of: descriptor)
            idle.append((descriptor, channel))
        }

        /// Whether a descriptor is the socket that libcurl opened by this number. If not it is forgotten. As long as it is, only libcurl
        /// closes it.
        mutating func isStillOurs(_ descriptor: Int32) -> Bool {
            guard descriptor >= 0, descriptor < entries.count, entries[Int(descriptor)].isOurs else { return false }
            if isStillOurs(entries[Int(descriptor)], descriptor) { return true }
            closed(descriptor)
            return false
        }

        private func isStillOurs(_ entry: Entry, _ descriptor: Int32) -> Bool {
            guard entry.isOurs, let identity = entry.identity else { return false }
            return identity == Self.identity(of: descriptor)
        }

        /// The system's number of an open socket, which no other has at the same time.
        private static func identity(of descriptor: Int32) -> UInt64? {
            var facts = stat()
            return fstat(descriptor, &facts) == 0 ? UInt64(facts.st_ino) : nil
        }

        /// A response of HTTP/1 has come over it.
        mutating func noteHTTP1(_ descriptor: Int32) {
            entry(descriptor) { $0.carriesHTTP1 = $0.isOurs }
        }

        /// libcurl closes a socket. The kernel forgets one only when nobody has it any more: where a child process has it too, it would go
        /// on telling of it, by a number that it could not be told to forget.
        mutating func willClose(_ descriptor: Int32, _ poller: Int32) {
            if descriptor >= 0, descriptor < entries.count, entries[Int(descriptor)].registered != 0 {
                _ = epoll_ctl(poller, EPOLL_CTL_DEL, descriptor, nil)
            }
            closed(descriptor)
        }

        /// It is closed, and its number may be another's.
        mutating func closed(_ descriptor: Int32) {
            entry(descriptor) { $0 = Entry(hasChanged: $0.hasChanged) }
        }

        /// What libcurl wants of a socket (CURL_POLL_...).
        mutating func watch(_ descriptor: Int32, what: Int32, for channel: CurlChannel, now: MonotonicInstant) {
            var wanted: UInt32 = 0
            if what != FWCURL_POLL_REMOVE {
                if what & Int32(FWCURL_POLL_IN) != 0 { wanted |= EPOLLIN.rawValue }
                if what & Int32(FWCURL_POLL_OUT) != 0 { wanted |= EPOLLOUT.rawValue }
            }
            entry(descriptor) { entry in
                entry.channel = wanted == 0 && !entry.isOurs ? nil : channel
                entry.wanted = wanted
                if wanted == 0 { entry.idleSince = now }
            }
            noteChange(of: descriptor)
            if wanted == 0 { idle.append((descriptor, channel)) }
        }

        private mutating func noteChange(of descriptor: Int32) {
            guard descriptor >= 0, !entries[Int(descriptor)].hasChanged else { return }
            entries[Int(descriptor)].hasChanged = true
            changed.append(descriptor)
        }

        /// Whether something that happened on a socket which no channel wants to know of may be bytes that nobody asked for.
        func mayBeUnasked(_ descriptor: Int32) -> Bool {
            guard descriptor >= 0, descriptor < entries.count else { return false }
            let entry = entries[Int(descriptor)]
            return entry.wanted == 0 && entry.carriesHTTP1
        }

        /// A channel's connections that have become idle in this turn, once each time that they have.
        mutating func takeIdle(of channel: CurlChannel) -> [Int32] {
            let taken = idle.filter { $0.channel === channel && mayBeUnasked($0.descriptor) }.map(\.descriptor)
            idle.removeAll { $0.channel === channel }
            return taken
        }

        /// Lets go of a channel that is closed. libcurl does not tell of the end of each of its sockets.
        mutating func forget(_ channel: CurlChannel) {
            for index in entries.indices where entries[index].channel === channel { entries[index].channel = nil }
        }

        // MARK: The age of connections

        /// One side has ended a connection that is idle.
        mutating func ended(_ descriptor: Int32) {
            entry(descriptor) { $0.isEnded = $0.isOurs }
        }

        /// When a connection is to be closed if it stays idle; nil if never.
        func end(of descriptor: Int32) -> MonotonicInstant? {
            guard descriptor >= 0, descriptor < entries.count else { return nil }
            return end(of: entries[Int(descriptor)])
        }

        private func end(of entry: Entry) -> MonotonicInstant? {
            guard entry.isOurs, entry.wanted == 0, let channel = entry.channel else { return nil }
            return entry.isEnded ? entry.idleSince : channel.ages.end(idleSince: entry.idleSince, opened: entry.opened)
        }

        /// The connections that are to be closed by now, as it seems from here, and when the next one is.
        func overdue(_ now: MonotonicInstant) -> (sockets: [(descriptor: Int32, channel: CurlChannel)], next: MonotonicInstant?) {
            var sockets: [(Int32, CurlChannel)] = []
            var next: MonotonicInstant?
            for (descriptor, entry) in entries.enumerated() {
                guard let end = end(of: entry), let channel = entry.channel else { continue }
                if end <= now {
                    sockets.append((Int32(descriptor), channel))
                } else {
                    next = next.map { min($0, end) } ?? end
                }
            }
            return (sockets, next)
        }

        /// The connections of a channel of which it does not want to know anything now.
        func unwatched(of channel: CurlChannel) -> [Int32] {
            entries.indices.filter { entries[$0].isOurs && entries[$0].wanted == 0 && entries[$0].channel === channel }.map(Int32.init)
        }

        /// The connections of a channel.
        func connections(of channel: CurlChannel) -> [Int32] {
            entries.indices.filter { entries[$0].isOurs && entries[$0].channel === channel }.map(Int32.init)
        }

        // MARK: What the kernel is told

        /// The channel that wants to know about a socket. If none does, the kernel is told to stop reporting it.
        mutating func channel(wanting descriptor: Int32, _ poller: Int32) -> CurlChannel? {
            guard descriptor >= 0, descriptor < entries.count else { return nil }
            // Something happened on the socket that had this number until it was closed, earlier in this turn.
            guard entries[Int(descriptor)].registered != 0 else { return nil }
            if entries[Int(descriptor)].wanted != 0 { return entries[Int(descriptor)].channel }
            _ = epoll_ctl(poller, EPOLL_CTL_DEL, descriptor, nil)
            entries[Int(descriptor)].registered = 0
            return nil
        }

        /// Tells the kernel what has changed since last time.
        mutating func apply(_ poller: Int32) {
            for descriptor in changed {
                var entry = entries[Int(descriptor)]
                entry.hasChanged = false
                apply(&entry, descriptor, poller)
                entries[Int(descriptor)] = entry
            }
            changed.removeAll(keepingCapacity: true)
            idle.removeAll(keepingCapacity: true)
        }

        private func apply(_ entry: inout Entry, _ descriptor: Int32, _ poller: Int32) {
            if entry.wanted == 0, entry.registered == 0 {
                // It was unregistered while its transfer was paused, and is idle now; or paused still, and will be unregistered when more
                // comes.
                if entry.carriesHTTP1, isStillOurs(entry, descriptor) {
                    var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data(fd: descriptor))
                    if epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event) == 0 { entry.registered = EPOLLIN.rawValue }
                }
                return
            }
            if entry.wanted == entry.registered { return }
            if entry.wanted == 0 {
                // An idle connection stays registered for reading: it is quiet until the server closes it. A socket of which we would not
                // hear the end may not stay, since its number could come back as another socket.
                if entry.isOurs, entry.registered == EPOLLIN.rawValue { return }
                if entry.carriesHTTP1, entry.registered != 0 {
                    var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data(fd: descriptor))
                    if epoll_ctl(poller, EPOLL_CTL_MOD, descriptor, &event) == 0 {
                        entry.registered = EPOLLIN.rawValue
                        return
                    }
                }
                _ = epoll_ctl(poller, EPOLL_CTL_DEL, descriptor, nil)
                entry.registered = 0
                return
            }
            var event = epoll_event(events: entry.wanted, data: epoll_data(fd: descriptor))
            let operation = entry.registered == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
            var result = epoll_ctl(poller, operation, descriptor, &event)
            if result != 0, errno == ENOENT || errno == EEXIST {
                result = epoll_ctl(poller, operation == EPOLL_CTL_ADD ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, &event)
            }
            entry.registered = result == 0 ? entry.wanted : 0
        }

        private mutating func entry(_ descriptor: Int32, _ change: (inout Entry) -> Void) {
            guard descriptor >= 0 else { return }
            while entries.count <= Int(descriptor) { entries.append(Entry()) }
            change(&entries[Int(descriptor)])
        }
    }
#endif
