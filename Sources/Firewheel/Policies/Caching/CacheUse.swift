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
    /// Whether the session has a cache.
    let hasCache: Bool
    /// Whether the request waits for the response of an identical one that is under way.
    let isDeduplicated: Bool
    /// Whether the cookies of a response are stored that arrives in the background.
    let storesCookies: Bool

    init(_ policy: URLRequest.CachePolicy, hasCache: Bool = true, isDeduplicated: Bool = false, storesCookies: Bool = true) {
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

    /// The policy that asks for it.
    var policy: URLRequest.CachePolicy {
        switch mode {
        case .rules: .useProtocolCachePolicy
        case .reload: .reloadIgnoringLocalCacheData
        case .reloadEverywhere: .reloadIgnoringLocalAndRemoteCacheData
        case .revalidate: .reloadRevalidatingCacheData
        case .storedFirst: .returnCacheDataElseLoad
        case .storedOnly: .returnCacheDataDontLoad
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

/// What a request accepts of the cache by directives of its own (RFC 9111 section 5.2.1). In four bytes without references, because every
/// request copies its options.
struct CacheLimits: Sendable {
    /// Whether the server is not asked in bit 31. Below it the seconds of `max-stale` and 1; 0 is no `max-stale`, and `any` is one without
    /// a limit.
    private let bits: UInt32

    private static let any = UInt32(Int32.max)

    /// No directive.
    init() {
        bits = 0
    }

    init(maxStale: TimeInterval?, onlyIfCached: Bool) {
        let seconds: UInt32 =
            switch maxStale {
            case nil: 0
            case .infinity?: Self.any
            case let maxStale?: (maxStale > 0 ? UInt32(min(maxStale, TimeInterval(Self.any - 2))) : 0) + 1
            }
        bits = seconds | (onlyIfCached ? 1 << 31 : 0)
    }

    var isEmpty: Bool { bits == 0 }

    /// The members of a `Cache-Control` field; empty for none.
    var directives: String {
        var directives: [String] = []
        switch bits & Self.any {
        case 0: break
        case Self.any: directives.append("max-stale")
        case let seconds: directives.append("max-stale=\(seconds - 1)")
        }
        if bits >> 31 == 1 { directives.append("only-if-cached") }
        return directives.joined(separator: ", ")
    }
}
