import Foundation

/// How a request uses the cache.
struct CacheUse: Sendable, Hashable {
    /// The cache policy of the request.
    enum Mode: Sendable, Hashable {
        /// As HTTP has it.
        case rules
        /// The network answers, and its response is stored.
        case reload
        /// As `reload`, and caches on the way are asked to do the same.
        case reloadEverywhere
        /// A stored response is used only if the server confirms it.
        case revalidate
        /// A stored response is used, however old.
        case storedFirst
        /// As `storedFirst`, and the network is not used.
        case storedOnly
    }

    let mode: Mode
    /// The policy that asks for it.
    let policy: URLRequest.CachePolicy
    /// Whether the session has a cache.
    let hasCache: Bool
    /// Whether the request waits for the response of an identical one that is under way.
    let isDeduplicated: Bool
    /// Whether the cookies of a response are stored that arrives in the background.
    let storesCookies: Bool

    init(_ policy: URLRequest.CachePolicy, hasCache: Bool = true, isDeduplicated: Bool = false, storesCookies: Bool = true) {
        self.policy = policy
        self.hasCache = hasCache
        self.isDeduplicated = isDeduplicated
        self.storesCookies = storesCookies
        switch policy {
        case .useProtocolCachePolicy: mode = .rules
        case .reloadIgnoringLocalCacheData: mode = .reload
        case .reloadIgnoringLocalAndRemoteCacheData: mode = .reloadEverywhere
        case .returnCacheDataElseLoad: mode = .storedFirst
        case .returnCacheDataDontLoad: mode = .storedOnly
        case .reloadRevalidatingCacheData: mode = .revalidate
        // A policy of a later Foundation.
        @unknown default: mode = .rules
        }
    }

    /// The use of a retry. What is stored may be the reason for it, so the server answers, if it may be asked at all.
    var ofRetry: CacheUse {
        switch mode {
        case .storedOnly, .reload, .reloadEverywhere: self
        case .rules, .revalidate, .storedFirst:
            CacheUse(.reloadIgnoringLocalCacheData, hasCache: hasCache, isDeduplicated: isDeduplicated, storesCookies: storesCookies)
        }
    }

    /// Adds the fields by which caches on the way do the same, unless the caller has set `Cache-Control` (RFC 9111 section 5.2.1). Fetch
    /// sends the same ones.
    func addFields(to headers: inout HTTPHeaders) {
        guard !headers.contains(name: "Cache-Control") else { return }
        switch mode {
        case .reloadEverywhere:
            headers.update(name: "Cache-Control", value: "no-cache")
            if !headers.contains(name: "Pragma") { headers.update(name: "Pragma", value: "no-cache") }
        case .revalidate: headers.update(name: "Cache-Control", value: "max-age=0")
        case .rules, .reload, .storedFirst, .storedOnly: break
        }
    }
}

/// What a request accepts of the cache by directives of its own (RFC 9111 section 5.2.1). Without references, because the options of every
/// request have it.
struct CacheLimits: Sendable {
    /// In seconds.
    let maxStale: TimeInterval?
    let onlyIfCached: Bool

    /// The members of a `Cache-Control` field; empty for none.
    var directives: String {
        var directives: [String] = []
        if let maxStale {
            let seconds = maxStale > 0 ? Int(min(maxStale, TimeInterval(DeltaSeconds.most))) : 0
            directives.append(maxStale == .infinity ? "max-stale" : "max-stale=\(seconds)")
        }
        if onlyIfCached { directives.append("only-if-cached") }
        return directives.joined(separator: ", ")
    }
}
