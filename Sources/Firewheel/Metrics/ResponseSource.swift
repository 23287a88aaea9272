import Foundation

/// Where a response comes from: the network, or the session's cache (``SessionConfiguration/cache``).
public enum ResponseSource: Sendable, Hashable {
    /// The server sent it.
    case network
    /// The cache had it, and it is fresh (RFC 9111 section 4.2). `age` is in seconds since the server sent it (section 4.2.3). Also the 504
    /// by which the cache answers a request with `only-if-cached` that it has nothing for.
    case cache(age: TimeInterval)
    /// The cache had it, and the server has confirmed that it is current (section 4.3). `age` is in seconds since then.
    case revalidated(age: TimeInterval)
    /// The cache had it, and it is no longer fresh (section 4.2.4). `age` is in seconds since the server sent it.
    case stale(age: TimeInterval, because: StaleReason)

    /// Why a response is used that is no longer fresh.
    public enum StaleReason: Sendable, Hashable {
        /// The request accepts it, by its cache policy or by `max-stale` (RFC 9111 section 5.2.1.2).
        case accepted
        /// The response allows it while it is revalidated in the background: `stale-while-revalidate` (RFC 5861 section 3).
        case revalidating
        /// The server failed, and the response or the request allows it then: `stale-if-error` (RFC 5861 section 4).
        case serverError
        /// The server cannot be reached (RFC 9111 section 4.2.4).
        case unreachable
    }

    /// Whether the cache had the response.
    public var isCached: Bool {
        if case .network = self { return false }
        return true
    }

    /// Whether the server took part.
    var isFromServer: Bool {
        switch self {
        case .network, .revalidated: true
        case .cache, .stale: false
        }
    }

    /// A word for logs; nil for the network.
    var word: String? {
        switch self {
        case .network: nil
        case .cache: "cached"
        case .revalidated: "revalidated"
        case .stale: "stale"
        }
    }

    /// The age of a response of the cache in seconds; nil for one of the network.
    public var age: TimeInterval? {
        switch self {
        case .network: nil
        case .cache(let age), .revalidated(let age), .stale(let age, _): age
        }
    }
}
