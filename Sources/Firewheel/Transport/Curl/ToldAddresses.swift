#if os(Linux)
    /// The host addresses given to a multi handle of libcurl, so that each is given once.
    ///
    /// libcurl keeps them until told to remove them. Hosts that were not used for long are removed, so that a crawler does not fill the
    /// memory.
    struct ToldAddresses {
        /// The key of libcurl's entries.
        fileprivate struct Host: Hashable, CustomStringConvertible {
            let name: String
            let port: Int

            init(_ origin: TargetURI.Origin) { (name, port) = (origin.host, origin.port) }

            var description: String { "\(name):\(port)" }
        }

        /// The changes that a transfer passes to libcurl when it starts.
        struct News {
            fileprivate let host: Host
            fileprivate let addresses: [String]
            /// The hosts to remove, and when that was decided.
            fileprivate let forgotten: [(host: Host, decided: Int)]

            /// In the format of CURLOPT_RESOLVE.
            var lines: [String] { forgotten.map { "-\($0.host)" } + ["\(host):\(addresses.joined(separator: ","))"] }
        }

        private struct Entry {
            let addresses: [String]
            /// Whether libcurl has loaded them.
            var isLoaded = false
            /// The number of transfers for which libcurl may need them.
            var transfers: Int
            var lastUse: Int
        }

        /// The most hosts: when there are more, all but half as many are removed.
        static let most = 1024
        /// The most removals passed with one transfer: more than its additions, and few enough to cost little.
        private static let mostForgottenAtOnce = 16

        private var entries: [Host: Entry] = [:]
        /// The hosts to be removed from libcurl, and when that was decided.
        private var forgotten: [Host: Int] = [:]
        private var uses = 0
        /// The number of hosts at which the oldest are looked for. It is raised when most are in use, because otherwise each new host would
        /// cost a scan.
        private var limit = most

        /// The number of hosts that libcurl may know.
        var count: Int { entries.count + forgotten.count }

        /// The addresses to pass to libcurl with a transfer; nil if it has them. Until libcurl has loaded them every transfer passes them,
        /// because the first may be cancelled before that.
        mutating func begin(_ origin: TargetURI.Origin, addresses: [String]) -> News? {
            let host = Host(origin)
            uses += 1
            let known = entries[host]
            let isKnown = known?.addresses == addresses && known?.isLoaded == true
            entries[host] = Entry(addresses: addresses, isLoaded: isKnown, transfers: (known?.transfers ?? 0) + 1, lastUse: uses)
            if isKnown { return nil }
            forgotten[host] = nil
            if entries.count > limit { forgetOldest() }
            let some = forgotten.prefix(Self.mostForgottenAtOnce).map { (host: $0.key, decided: $0.value) }
            return News(host: host, addresses: addresses, forgotten: some)
        }

        /// Handles the end of a transfer that has begun.
        mutating func end(_ origin: TargetURI.Origin) {
            entries[Host(origin)]?.transfers -= 1
            if limit > Self.most { limit -= 1 }
        }

        /// Removes the least recently used hosts, except those in use, which libcurl would then resolve itself.
        private mutating func forgetOldest() {
            let unused = entries.filter { $0.value.transfers == 0 }.sorted { $0.value.lastUse < $1.value.lastUse }
            for (host, _) in unused.prefix(entries.count - Self.most / 2) {
                entries[host] = nil
                forgotten[host] = uses
            }
            limit = max(Self.most, entries.count + Self.most / 2)
        }

        /// Records what libcurl has loaded. If the addresses have changed since, the new ones are still to be passed.
        mutating func noteLoaded(_ news: News) {
            if entries[news.host]?.addresses == news.addresses { entries[news.host]?.isLoaded = true }
            for (host, decided) in news.forgotten where forgotten[host] == decided { forgotten[host] = nil }
        }
    }
#endif
