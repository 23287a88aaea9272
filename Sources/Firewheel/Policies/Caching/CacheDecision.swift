import Foundation

/// What a cache does with a request (RFC 9111 section 4). A function of the time, the request and the stored response alone.
enum CacheDecision: Sendable, Equatable {
    /// The network answers.
    case network
    /// The stored response is the answer.
    case stored(ResponseSource)
    /// The network is asked with these fields whether the stored response is still current.
    case conditional([HTTPHeader])
    /// No stored response may be the answer, and the network may not be asked (section 5.2.1.7).
    case unsatisfiable

    /// - Parameters:
    ///   - stored: The response that the request's fields select; nil if there is none.
    ///   - now: In seconds since 1970.
    init(_ request: CacheRequest, stored: StoredResponse?, now: TimeInterval) {
        let network: CacheDecision = request.mayAsk ? .network : .unsatisfiable
        guard let stored, request.mayUseStored, request.mode != .reload, request.mode != .reloadEverywhere else {
            self = network
            return
        }
        switch Self.source(of: stored, for: request, now: now) {
        case .success(let source): self = .stored(source)
        case .failure where !request.mayAsk: self = .unsatisfiable
        // Its validators could be those of the other's response, too. And a 304 says nothing about a part that is not stored.
        case .failure(.others): self = .network
        case .failure where request.range != nil: self = .network
        case .failure: self = stored.conditions.isEmpty ? .network : .conditional(stored.conditions)
        }
    }

    /// The decision about a stored response with its body, which may not have the part that a request asks for.
    init(_ request: CacheRequest, entry: CacheEntry?, now: TimeInterval) {
        self.init(request, stored: entry?.response, now: now)
        guard case .stored = self, request.method == .get, let range = request.range, let entry else { return }
        if StoredRange(range, of: entry) == nil { self = request.mayAsk ? .network : .unsatisfiable }
    }

    /// Why a stored response is not used without asking the server.
    enum Obstacle: Error, Equatable, CaseIterable {
        /// It was sent to somebody else.
        case others
        /// It has `no-cache`.
        case noCache
        /// The request asks the server, by `no-cache` or by its policy.
        case asked
        /// It is fresh, but not for long enough, or not young enough, for the request.
        case limits
        case stale
    }

    /// The source of a stored response that needs no validation, or why it needs one.
    static func source(
        of stored: StoredResponse, for request: CacheRequest, now: TimeInterval
    ) -> Result<ResponseSource, Obstacle> {
        let age = stored.freshness.age(at: now)
        let remaining = stored.freshness.remaining(at: now)
        let isOthers = !stored.isAuthorized(like: request) && !stored.control.isPublic
        // A response to somebody else is never used unasked.
        guard !isOthers else { return .failure(.others) }
        switch request.mode {
        case .storedFirst, .storedOnly: return .success(remaining > 0 ? .cache(age: age) : .stale(age: age, because: .accepted))
        case .revalidate where stored.control.isImmutable && remaining > 0 && !stored.control.isNoCache && !request.control.isNoCache:
            return .success(.cache(age: age))
        default: break
        }
        guard !stored.control.isNoCache else { return .failure(.noCache) }
        guard !request.asksServer else { return .failure(.asked) }
        let asked = request.control
        // How far the response is beyond the age that the request accepts: what `max-stale` adds to, as in OkHttp.
        let excess = max(-remaining, asked.maxAge.map { age - TimeInterval($0) } ?? -.infinity)
        let isAccepted = excess <= TimeInterval(asked.maxStale ?? 0)
        if remaining > 0 {
            return isAccepted && remaining >= TimeInterval(asked.minFresh ?? 0) ? .success(.cache(age: age)) : .failure(.limits)
        }
        guard !stored.control.mustRevalidate, asked.minFresh == nil, age.isFinite else { return .failure(.stale) }
        if asked.maxStale != nil, isAccepted { return .success(.stale(age: age, because: .accepted)) }
        if asked.maxAge == nil, let window = stored.control.staleWhileRevalidate, -remaining <= TimeInterval(window) {
            return .success(.stale(age: age, because: .revalidating))
        }
        return .failure(.stale)
    }

    /// Whether a stored response may stand in for a failure of the server, and why; nil if it may not.
    ///
    /// - Parameter failure: Why the server gave no usable response.
    static func standIn(
        _ stored: StoredResponse, for request: CacheRequest, after failure: ResponseSource.StaleReason, now: TimeInterval
    ) -> ResponseSource? {
        guard request.mayUseStored, !stored.control.isNoCache, !stored.control.mustRevalidate, !request.asksServer else { return nil }
        guard request.mode == .rules, request.range == nil, request.control.maxAge == nil, request.control.minFresh == nil else {
            return nil
        }
        guard stored.isAuthorized(like: request) || stored.control.isPublic else { return nil }
        let age = stored.freshness.age(at: now)
        let staleness = -stored.freshness.remaining(at: now)
        let limits = [stored.control.staleIfError, request.control.staleIfError].compactMap { $0 }
        if limits.contains(where: { staleness <= TimeInterval($0) }) { return .stale(age: age, because: failure) }
        // A cache that is disconnected may reuse what the server has once declared reusable (RFC 9111 section 4.2.4). A limit of the
        // server's or the request's to that is respected.
        guard failure == .unreachable, limits.isEmpty, stored.freshness.basis == .server, stored.freshness.lifetime > 0 else { return nil }
        return .stale(age: age, because: .unreachable)
    }
}
