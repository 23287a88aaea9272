#if os(Linux)
    import CFirewheelCurl
    import CFirewheelSystem
    import Glibc

    /// The sockets that libcurl wants watched, and their registrations with epoll.
    ///
    /// libcurl starts and stops watching a kept-alive connection for every request. Changes are applied at the end of an iteration, and
    /// idle connections stay registered, so that most sockets are registered only once.
    struct SocketTable {
        private struct Entry {
            /// The channel that watches the socket, or was the last to.
            var channel: CurlChannel?
            var wanted: UInt32 = 0
            var opened = MonotonicInstant(nanoseconds: 0)
            /// When the channel last stopped watching it.
            var idleSince = MonotonicInstant(nanoseconds: 0)
            /// Whether either side closed it while it was idle, so that libcurl only has to notice.
            var isEnded = false
            /// The events that are registered with epoll.
            var registered: UInt32 = 0
            /// Whether libcurl opened it through our callback, so that its close is reported as well.
            var isOurs = false
            /// The socket's identity: libcurl does not report the close of one on which no request was started, and its number may then be
            /// reused.
            var identity: UInt64?
            /// Whether it is known to carry HTTP/1: without TLS from the start, with TLS once a response has arrived.
            var carriesHTTP1 = false
            var hasChanged = false
        }

        /// Indexed by descriptor.
        private var entries: [Entry] = []
        private var changed: [Int32] = []
        /// The sockets that became idle in this iteration, with their channels.
        private var idle: [(descriptor: Int32, channel: CurlChannel)] = []

        /// An upper bound of all descriptors.
        var count: Int { entries.count }

        /// Adds a socket that libcurl opens. If the server answers at once, libcurl never asks for it to be watched.
        mutating func opened(_ descriptor: Int32, for channel: CurlChannel, carriesHTTP1: Bool, now: MonotonicInstant) {
            let identity = Self.identity(of: descriptor)
            entry(descriptor) {
                $0 = Entry(
                    channel: channel, opened: now, idleSince: now, isOurs: true, identity: identity, carriesHTTP1: carriesHTTP1,
                    hasChanged: $0.hasChanged)
            }
            noteChange(of: descriptor)
        }

        /// Handles that a request on a connection has ended. Does nothing if the socket is watched.
        mutating func noteIdle(_ descriptor: Int32, now: MonotonicInstant) {
            guard descriptor >= 0, descriptor < entries.count, let channel = entries[Int(descriptor)].channel else { return }
            guard entries[Int(descriptor)].isOurs, entries[Int(descriptor)].wanted == 0 else { return }
            entries[Int(descriptor)].idleSince = now
            noteChange(of: descriptor)
            idle.append((descriptor, channel))
        }

        /// Whether a descriptor is still the socket that libcurl opened; if not, its entry is dropped. While it is, only libcurl closes it.
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

        /// The inode of an open socket, which is unique while it is open.
        private static func identity(of descriptor: Int32) -> UInt64? {
            var facts = stat()
            return fstat(descriptor, &facts) == 0 ? UInt64(facts.st_ino) : nil
        }

        /// Records that a socket carries HTTP/1.
        mutating func noteHTTP1(_ descriptor: Int32) {
            entry(descriptor) { $0.carriesHTTP1 = $0.isOurs }
        }

        /// Unregisters a socket before libcurl closes it. epoll drops one only when its last copy is closed: if a child process has it too,
        /// it would go on reporting a descriptor that can no longer be unregistered.
        mutating func willClose(_ descriptor: Int32, _ poller: Int32) {
            if descriptor >= 0, descriptor < entries.count, entries[Int(descriptor)].registered != 0 {
                _ = epoll_ctl(poller, EPOLL_CTL_DEL, descriptor, nil)
            }
            closed(descriptor)
        }

        /// Drops the entry of a closed socket, whose number may be reused.
        mutating func closed(_ descriptor: Int32) {
            entry(descriptor) { $0 = Entry(hasChanged: $0.hasChanged) }
        }

        /// Sets the events that libcurl wants watched (CURL_POLL_...).
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

        /// Whether an event on an unwatched socket may mean unsolicited bytes.
        func mayBeUnasked(_ descriptor: Int32) -> Bool {
            guard descriptor >= 0, descriptor < entries.count else { return false }
            let entry = entries[Int(descriptor)]
            return entry.wanted == 0 && entry.carriesHTTP1
        }

        /// Removes and returns a channel's connections that became idle in this iteration.
        mutating func takeIdle(of channel: CurlChannel) -> [Int32] {
            let taken = idle.filter { $0.channel === channel && mayBeUnasked($0.descriptor) }.map(\.descriptor)
            idle.removeAll { $0.channel === channel }
            return taken
        }

        /// Drops a closed channel. libcurl does not report the close of each of its sockets.
        mutating func forget(_ channel: CurlChannel) {
            for index in entries.indices where entries[index].channel === channel { entries[index].channel = nil }
        }

        // MARK: Connection age

        /// Records that an idle connection was closed by either side.
        mutating func ended(_ descriptor: Int32) {
            entry(descriptor) { $0.isEnded = $0.isOurs }
        }

        /// When a connection must be closed if it stays idle; nil if never.
        func end(of descriptor: Int32) -> MonotonicInstant? {
            guard descriptor >= 0, descriptor < entries.count else { return nil }
            return end(of: entries[Int(descriptor)])
        }

        private func end(of entry: Entry) -> MonotonicInstant? {
            guard entry.isOurs, entry.wanted == 0, let channel = entry.channel else { return nil }
            return entry.isEnded ? entry.idleSince : channel.ages.end(idleSince: entry.idleSince, opened: entry.opened)
        }

        /// The connections that appear to have expired, and when the next one expires.
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

        /// A channel's connections that it does not watch now.
        func unwatched(of channel: CurlChannel) -> [Int32] {
            entries.indices.filter { entries[$0].isOurs && entries[$0].wanted == 0 && entries[$0].channel === channel }.map(Int32.init)
        }

        /// The connections of a channel.
        func connections(of channel: CurlChannel) -> [Int32] {
            entries.indices.filter { entries[$0].isOurs && entries[$0].channel === channel }.map(Int32.init)
        }

        // MARK: epoll registrations

        /// The channel that watches a socket. If there is none, the socket is unregistered.
        mutating func channel(wanting descriptor: Int32, _ poller: Int32) -> CurlChannel? {
            guard descriptor >= 0, descriptor < entries.count else { return nil }
            // The event is for an earlier socket with this number, closed in the same iteration.
            guard entries[Int(descriptor)].registered != 0 else { return nil }
            if entries[Int(descriptor)].wanted != 0 { return entries[Int(descriptor)].channel }
            _ = epoll_ctl(poller, EPOLL_CTL_DEL, descriptor, nil)
            entries[Int(descriptor)].registered = 0
            return nil
        }

        /// Applies the changes to epoll.
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
                // It was unregistered while its transfer was paused. If it is idle now it must be watched; if still paused it will be
                // unregistered again.
                if entry.carriesHTTP1, isStillOurs(entry, descriptor) {
                    var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data(fd: descriptor))
                    if epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event) == 0 { entry.registered = EPOLLIN.rawValue }
                }
                return
            }
            if entry.wanted == entry.registered { return }
            if entry.wanted == 0 {
                // An idle connection stays registered for reading, since it is silent until the server closes it. A socket whose close is
                // not reported must not stay, because its number may be reused.
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
