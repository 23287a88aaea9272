#if os(Linux)
    /// The addresses of hosts that a multi handle of libcurl has been told, so that each is told once.
    struct ToldAddresses {
        private struct Entry {
            let addresses: [String]
            /// Whether libcurl has taken them in.
            var isLoaded = false
        }

        /// By `host:port`.
        private var entries: [String: Entry] = [:]

        /// What to tell libcurl of a host's addresses, in the form of CURLOPT_RESOLVE; nil if it knows. Until it has taken them in each further transfer
        /// is to tell it too, since the first may be cancelled before libcurl has looked at it.
        mutating func news(of addresses: [String], for origin: TargetURI.Origin) -> String? {
            let key = Self.key(origin)
            if let told = entries[key], told.addresses == addresses, told.isLoaded { return nil }
            entries[key] = Entry(addresses: addresses)
            return "\(key):\(addresses.joined(separator: ","))"
        }

        /// libcurl has taken these in. If it has been told others since, those are still news.
        mutating func noteLoaded(_ addresses: [String], for origin: TargetURI.Origin) {
            let key = Self.key(origin)
            if entries[key]?.addresses == addresses { entries[key]?.isLoaded = true }
        }

        private static func key(_ origin: TargetURI.Origin) -> String { "\(origin.host):\(origin.port)" }
    }
#endif
