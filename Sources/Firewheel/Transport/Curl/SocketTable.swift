#if os(Linux)
    import CFirewheelCurl
    import Glibc

    /// Which sockets libcurl wants watched, and what the kernel has been told of it.
    ///
    /// libcurl says "watch" and "do not watch" for every request on a kept-alive connection. Told at the end of a turn, and with an idle
    /// connection left registered, the kernel hears of most sockets once: two system calls a request less.
    struct SocketTable {
        private struct Entry {
            var channel: CurlChannel?
            var wanted: UInt32 = 0
            /// What the kernel has been told.
            var registered: UInt32 = 0
            /// Whether libcurl opened it through our callback, so that we hear of its end too.
            var isOurs = false
            /// Whether it is known that HTTP/1 goes over it: without TLS always, with TLS once a response has come.
            var carriesHTTP1 = false
            var hasChanged = false
        }

        /// By descriptor.
        private var entries: [Entry] = []
        private var changed: [Int32] = []
        /// The sockets that libcurl has stopped watching in this turn, and for whom it had watched them.
        private var idle: [(descriptor: Int32, channel: CurlChannel)] = []

        mutating func opened(_ descriptor: Int32, carriesHTTP1: Bool) {
            entry(descriptor) { $0 = Entry(isOurs: true, carriesHTTP1: carriesHTTP1, hasChanged: $0.hasChanged) }
        }

        /// A response of HTTP/1 has come over it.
        mutating func noteHTTP1(_ descriptor: Int32) {
            entry(descriptor) { $0.carriesHTTP1 = $0.isOurs }
        }

        /// The kernel forgets a descriptor that is closed.
        mutating func closed(_ descriptor: Int32) {
            entry(descriptor) { $0 = Entry(hasChanged: $0.hasChanged) }
        }

        /// What libcurl wants of a socket (CURL_POLL_...).
        mutating func watch(_ descriptor: Int32, what: Int32, for channel: CurlChannel) {
            var wanted: UInt32 = 0
            if what != FWCURL_POLL_REMOVE {
                if what & Int32(FWCURL_POLL_IN) != 0 { wanted |= EPOLLIN.rawValue }
                if what & Int32(FWCURL_POLL_OUT) != 0 { wanted |= EPOLLOUT.rawValue }
            }
            var isNew = false
            entry(descriptor) { entry in
                entry.channel = wanted == 0 ? nil : channel
                entry.wanted = wanted
                isNew = !entry.hasChanged
                entry.hasChanged = true
            }
            if isNew { changed.append(descriptor) }
            if wanted == 0 { idle.append((descriptor, channel)) }
        }

        /// Whether something that happened on a socket which no channel wants to know of may be bytes that nobody asked for.
        func mayBeUnasked(_ descriptor: Int32) -> Bool {
            guard descriptor >= 0, descriptor < entries.count else { return false }
            let entry = entries[Int(descriptor)]
            return entry.channel == nil && entry.carriesHTTP1
        }

        /// A channel's connections that have become idle in this turn, once each time that they have.
        mutating func takeIdle(of channel: CurlChannel) -> [Int32] {
            let taken = idle.filter { $0.channel === channel && mayBeUnasked($0.descriptor) }.map(\.descriptor)
            idle.removeAll { $0.channel === channel }
            return taken
        }

        /// The channel that wants to know about a socket. If none does, the kernel is told to stop reporting it.
        mutating func channel(wanting descriptor: Int32, _ poller: Int32) -> CurlChannel? {
            guard descriptor >= 0, descriptor < entries.count else { return nil }
            if let channel = entries[Int(descriptor)].channel { return channel }
            if entries[Int(descriptor)].registered != 0 {
                _ = epoll_ctl(poller, EPOLL_CTL_DEL, descriptor, nil)
                entries[Int(descriptor)].registered = 0
            }
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
