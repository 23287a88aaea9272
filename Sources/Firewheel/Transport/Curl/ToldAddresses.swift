#if os(Linux)
    /// The addresses of hosts that a multi handle of libcurl has been told, so that each is told once.
    ///
    /// libcurl keeps what it is told until it is told to forget it: so it is, of hosts that were not asked for in a long time. Else a
    /// crawler would fill the memory.
    struct ToldAddresses {
        /// What libcurl knows addresses by.
        fileprivate struct Host: Hashable, CustomStringConvertible {
            let name: String
            let port: Int

            init(_ origin: TargetURI.Origin) { (name, port) = (origin.host, origin.port) }

            var description: String { "\(name):\(port)" }
        }

        /// What a transfer tells libcurl as it starts.
        struct News {
            fileprivate let host: Host
            fileprivate let addresses: [String]
            /// The hosts to forget, and when that was decided.
            fileprivate let forgotten: [(host: Host, decided: Int)]

            /// In the form of CURLOPT_RESOLVE.
            var lines: [String] { forgotten.map { "-\($0.host)" } + ["\(host):\(addresses.joined(separator: ","))"] }
        }

        private struct Entry {
            let addresses: [String]
            /// Whether libcurl has taken them in.
            var isLoaded = false
            /// How many transfers libcurl may need them for.
            var transfers: Int
            var lastUse: Int
        }

        /// When there are more hosts, all but half as many are forgotten.
        static let most = 1024
        /// How many a transfer tells to forget: more than there are new ones, and few enough to cost little.
        private static let mostForgottenAtOnce = 16

        private var entries: [Host: Entry] = [:]
        /// The hosts that libcurl is to forget, and when that was decided.
        private var forgotten: [Host: Int] = [:]
        private var uses = 0
        /// At how many hosts the oldest are looked for: more where most are in use, or each further one would cost a look.
        private var limit = most

        /// How many hosts libcurl may know.
        var count: Int { entries.count + forgotten.count }

        /// What a transfer is to tell libcurl of its host's addresses; nil if that knows. Until it has taken them in each further transfer
        /// is to tell it too, since the first may be cancelled before libcurl has looked at it.
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

        /// The end of a transfer that has begun.
        mutating func end(_ origin: TargetURI.Origin) {
            entries[Host(origin)]?.transfers -= 1
            if limit > Self.most { limit -= 1 }
        }

        /// None that libcurl may be looking for: it would look the name up itself.
        private mutating func forgetOldest() {
            let unused = entries.filter { $0.value.transfers == 0 }.sorted { $0.value.lastUse < $1.value.lastUse }
            for (host, _) in unused.prefix(entries.count - Self.most / 2) {
                entries[host] = nil
                forgotten[host] = uses
            }
            limit = max(Self.most, entries.count + Self.most / 2)
        }

        /// libcurl has taken these in. If it has been told others since, those are still news.
        mutating func noteLoaded(_ news: News) {
            if entries[news.host]?.addresses == news.addresses { entries[news.host]?.isLoaded = true }
            for (host, decided) in news.forgotten where forgotten[host] == decided { forgotten[host] = nil }
        }
    }
#endif
