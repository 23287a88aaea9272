import Foundation

extension HTTPCache {
    /// Says in words what the cache would do with a request now, and why: what is stored, or why nothing is.
    ///
    /// Fields that a session adds count in a `Vary`, and so do credentials: to have them, pass the `request` of an earlier response. The
    /// text is for people, and changes between versions. Secrets in the URL are redacted.
    public func explain(_ request: URLRequest) -> String {
        let method = request.method ?? .get
        guard let url = request.url, let target = TargetURI(url.absoluteString) else { return "The request has no http or https URL." }
        let asked = CacheRequest(
            method: method, target: target, headers: request.headers, hasBody: request.httpBody != nil || request.httpBodyStream != nil,
            mode: CacheUse(request.cachePolicy).mode)
        let line = "\(method.rawValue) \(Redaction.url(target.string)): "
        if let obstacle = CacheWords.obstacle(of: asked) { return line + obstacle }
        let facts = facts(for: asked)
        guard let entry = facts.fitting else { return line + CacheWords.missing(facts.stored, facts.refusal, asked) }
        return line + CacheWords.stored(entry, asked, now: clock()) + CacheWords.later(facts.refusal)
    }
}

/// The words of ``HTTPCache/explain(_:)``.
private enum CacheWords {
    /// Why nothing stored is used, whatever is stored.
    static func obstacle(of request: CacheRequest) -> String? {
        if request.method != .get, request.method != .head {
            return request.method.isSafe
                ? "responses to this method are not cached."
                : "the server answers, and a successful response removes what is stored for the URL."
        }
        if request.control.isNoStore { return "the request has Cache-Control: no-store, so nothing is read or stored." }
        if request.isConditional { return "the request has a condition of its own, so the server answers, also with a 304." }
        if request.hasOtherHost { return "the request has a Host field that is not the URL's, so the server answers." }
        if !request.mayUseStored { return "the request has a body, so the server answers." }
        switch request.mode {
        case .reload, .reloadEverywhere: return "the request's cachePolicy has the server answer."
        case .rules, .revalidate, .storedFirst, .storedOnly: return nil
        }
    }

    /// Why nothing fits.
    static func missing(_ stored: [StoredResponse], _ refusal: CacheStorability.Reason?, _ request: CacheRequest) -> String {
        let next =
            request.mode == .storedOnly || request.control.isOnlyIfCached
            ? "The request does not allow asking the server." : "The server answers."
        guard stored.isEmpty else {
            let names = Set(stored.flatMap { $0.selectors.values.keys }).sorted().joined(separator: ", ")
            let reason =
                names.isEmpty ? "with its content codings, or without them" : "for other values of the fields that Vary names: \(names)"
            let count = stored.count == 1 ? "one response is stored" : "\(stored.count) responses are stored"
            return "\(count), but \(reason).\(later(refusal)) \(next)"
        }
        return "nothing is stored\(refusal.map { "; the last response was not, because \(words(of: $0))" } ?? ""). \(next)"
    }

    /// Why the last response was not stored, if another one is.
    static func later(_ refusal: CacheStorability.Reason?) -> String {
        refusal.map { " The last response was not stored, because \(words(of: $0))." } ?? ""
    }

    private static func words(of reason: CacheStorability.Reason) -> String {
        switch reason {
        case .request: "the request had no-store, a body or a Range"
        case .noStore: "it had Cache-Control: no-store"
        case .status(let status): "a response with status \(status) is of no use to others"
        case .varyStar: "it had Vary: *"
        case .undeclared(let status): "it had status \(status), which needs max-age, Expires, public or private"
        case .tooLarge: "it is larger than a tenth of the cache's capacity"
        case .incomplete: "its body was interrupted"
        case .disk(let words): "it could not be written: \(words)"
        case .invalidated: "what was stored for its URL was removed while it was under way"
        case .handler(let words): words
        }
    }

    /// What is done with the stored response.
    static func stored(_ entry: CacheEntry, _ request: CacheRequest, now: TimeInterval) -> String {
        let response = entry.response
        let state = state(of: response, now: now)
        switch CacheDecision(request, entry: entry, now: now) {
        case .stored(.stale(_, .revalidating)): return "\(state), and is used while it is revalidated (stale-while-revalidate)."
        case .stored(.stale): return "\(state), and is used, because the request accepts it."
        case .stored: return "\(state), and is used."
        case .conditional(let fields):
            let names = fields.map(\.name).joined(separator: " and ")
            return "\(state). The server is asked with \(names) whether it is current, because \(obstacle(response, request, now))."
        case .network: return "\(state). The server answers, because \(obstacle(response, request, now)) and cannot be confirmed."
        case .unsatisfiable: return "\(state). The request does not allow asking the server, although \(obstacle(response, request, now))."
        }
    }

    private static func state(of response: StoredResponse, now: TimeInterval) -> String {
        let age = response.freshness.age(at: now)
        let remaining = response.freshness.remaining(at: now)
        let basis =
            switch response.freshness.basis {
            case .server: response.control.maxAge != nil ? "by max-age" : "by Expires"
            case .client: "by the cache's defaultFreshness"
            case .guess: "by a tenth of the time since Last-Modified"
            case .none: "as nothing says how long it is fresh"
            }
        guard age.isFinite else { return "a response is stored whose age is unknown, because the clock was set back" }
        let freshness = remaining > 0 ? "fresh for \(seconds(remaining)) more \(basis)" : "stale \(basis)"
        return "a response with status \(response.head.statusCode) is stored, \(seconds(age)) old, \(freshness)"
    }

    private static func obstacle(_ response: StoredResponse, _ request: CacheRequest, _ now: TimeInterval) -> String {
        guard case .failure(let obstacle) = CacheDecision.source(of: response, for: request, now: now) else {
            return "that part cannot be taken from it"
        }
        switch obstacle {
        case .others: return "it was sent to a request with another Authorization"
        case .noCache: return "it has Cache-Control: no-cache"
        case .asked: return "the request asks for that"
        case .limits: return "the request's max-age or min-fresh asks for a fresher one"
        case .stale: return "it is stale"
        }
    }

    private static func seconds(_ value: TimeInterval) -> String {
        let seconds = Int(min(max(0, value), TimeInterval(DeltaSeconds.most)))
        return seconds == 1 ? "1 second" : "\(seconds) seconds"
    }
}
