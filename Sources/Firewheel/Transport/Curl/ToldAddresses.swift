#if os(Linux)
    /// The addresses of hosts that a multi handle of libcurl has been told, so that each is told once.
    ///
    /// libcurl keeps what it is told until it is told to forget it: so it is, of hosts that were not asked for in a long time. Else a crawler would fill the memory.
    struct ToldAddresses {
        /// What a transfer tells libcurl as it starts.
        struct News {
            fileprivate let host: String
            fileprivate let addresses: [String]
            fileprivate let forgotten: [String]

            /// In the form of CURLOPT_RESOLVE.
            var lines: [String] { forgotten.map { "-\($0)" } + ["\(host):\(addresses.joined(separator: ","))"] }
        }

        private struct Entry {
            let addresses: [String]
            /// Whether libcurl has taken them in.
            var isLoaded = false
            var lastUse: Int
        }

        /// How many hosts libcurl knows at the most; half of them when there would be more.
        static let most = 1024

        /// By `host:port`.
        private var entries: [String: Entry] = [:]
        /// The hosts that libcurl is to forget, by `host:port`.
        private var forgotten: Set<String> = []
        private var uses = 0

        /// How many hosts libcurl may know.
        var count: Int { entries.count + forgotten.count }

        /// What to tell libcurl of a host's addresses; nil if it knows. Until it has taken them in each further transfer
        /// is to tell it too, since the first may be cancelled before libcurl has looked at it.
        mutating func news(of addresses: [String], for origin: TargetURI.Origin) -> News? {
            let host = Self.key(origin)
            uses += 1
            if let told = entries[host], told.addresses == addresses, told.isLoaded {
                entries[host]?.lastUse = uses
                return nil
            }
            entries[host] = Entry(addresses: addresses, lastUse: uses)
            forgotten.remove(host)
            if entries.count > Self.most { forgetOldest() }
            return News(host: host, addresses: addresses, forgotten: Array(forgotten))
        }

        private mutating func forgetOldest() {
            let byAge = entries.sorted { $0.value.lastUse < $1.value.lastUse }
            for (host, _) in byAge.prefix(Self.most / 2) {
                entries[host] = nil
                forgotten.insert(host)
            }
        }

        /// libcurl has taken these in. If it has been told others since, those are still news.
        mutating func noteLoaded(_ news: News) {
            if entries[news.host]?.addresses == news.addresses { entries[news.host]?.isLoaded = true }
            forgotten.subtract(news.forgotten)
        }

        private static func key(_ origin: TargetURI.Origin) -> String { "\(origin.host):\(origin.port)" }
    }
#endif
