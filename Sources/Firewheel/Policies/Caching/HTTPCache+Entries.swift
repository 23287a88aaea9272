import Foundation

extension HTTPCache {
    /// How many responses came from where, and what a cache holds.
    public struct Statistics: Sendable, Hashable {
        /// Requests that the cache could have answered and that went to the network, also those that failed. Revalidations in the
        /// background do not count.
        public internal(set) var networkCount = 0
        /// Fresh responses of the cache.
        public internal(set) var hitCount = 0
        /// Responses of the cache that the server has confirmed.
        public internal(set) var revalidatedCount = 0
        /// Responses of the cache that were no longer fresh.
        public internal(set) var staleCount = 0
        /// Responses that are stored now.
        public internal(set) var entryCount = 0
        /// About how many bytes they take.
        public internal(set) var byteCount = 0
        /// Responses that were removed to make room for others.
        public internal(set) var evictionCount = 0

        mutating func count(_ source: ResponseSource) {
            switch source {
            case .network: networkCount += 1
            case .cache: hitCount += 1
            case .revalidated: revalidatedCount += 1
            case .stale: staleCount += 1
            }
        }
    }

    /// A stored response.
    public struct Entry: Sendable {
        /// The URL, without fragment and user information.
        public let url: URL
        /// The status code of the response.
        public let statusCode: Int
        /// The stored header fields.
        public let headers: HTTPHeaders
        /// The bytes of the body.
        public let bodyByteCount: Int
        /// When the response arrived, or was last confirmed by the server.
        public let date: Date
        /// Its age in seconds (RFC 9111 section 4.2.3). Infinite if the clock was set back since it arrived.
        public let age: TimeInterval
        /// Whether it is fresh (RFC 9111 section 4.2).
        public let isFresh: Bool

        init?(_ entry: CacheSummary, now: TimeInterval) {
            guard let url = URL(string: entry.key) else { return nil }
            self.url = url
            let response = entry.response
            statusCode = response.head.statusCode
            headers = response.head.headers
            bodyByteCount = entry.bodyCount
            date = Date(timeIntervalSince1970: response.freshness.responseTime)
            age = response.freshness.age(at: now)
            isFresh = response.freshness.remaining(at: now) > 0
        }
    }
}

extension HTTPCache.Entry: CustomStringConvertible, CustomReflectable {
    /// One line, with secrets in the URL redacted.
    public var description: String {
        "\(Redaction.url(url.absoluteString)): status \(statusCode), \(bodyByteCount) bytes, \(isFresh ? "fresh" : "stale")"
    }

    /// Empty, so that `dump` and debuggers show only the description: the parts may contain credentials.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension HTTPCache: CustomReflectable {
    /// Empty: the parts contain credentials, and change concurrently.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .class) }
}
