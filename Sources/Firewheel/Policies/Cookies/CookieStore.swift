import Foundation

/// The cookies of a jar by domain: selection, replacement and eviction (RFC 6265bis sections 5.7 and 5.8).
struct CookieStore: Sendable {
    /// The maximum number of cookies per domain, as in Chromium; RFC 6265bis section 6.1 asks for at least 50.
    static let maximumPerDomain = 180
    /// The number of cookies kept when there are too many in total (RFC 6265bis section 6.1).
    static let maximumInAll = 3000
    /// The excess that triggers an eviction, which scans all cookies.
    static let slack = 300

    private struct Entry: Sendable {
        let cookie: Cookie
        /// The order of insertion, which distinguishes cookies with the same creation time.
        let order: UInt64
        /// A higher number is a later use.
        var lastUse: UInt64
    }

    private var domains: [String: [Cookie.Identity: Entry]] = [:]
    private(set) var count = 0
    /// The number of https-only cookies by name: most names have none.
    private var secureNames: [[UInt8]: Int] = [:]
    private var clock: UInt64 = 0

    /// All cookies, oldest first.
    func cookies(at now: Date) -> [Cookie] {
        domains.values.flatMap(\.values).filter { !$0.cookie.isExpired(at: now) }.sorted(by: Self.isOlder).map(\.cookie)
    }

    // MARK: Sending

    /// The cookies for a request in sending order: longer paths first, then older ones.
    mutating func cookies(for target: CookieTarget, now: Date) -> [Cookie] {
        clock &+= 1
        var found: [Entry] = []
        for domain in CookieDomain.ancestors(of: target.host, isAddress: target.isAddress) {
            removeExpired(from: domain, now: now)
            // Removed while it is changed, because a second reference would cause a copy.
            guard var entries = domains.removeValue(forKey: domain) else { continue }
            for index in entries.values.indices where Self.sends(entries.values[index].cookie, to: target) {
                entries.values[index].lastUse = clock
                found.append(entries.values[index])
            }
            domains[domain] = entries
        }
        return found.sorted(by: Self.goesFirst).map(\.cookie)
    }

    private static func sends(_ cookie: Cookie, to target: CookieTarget) -> Bool {
        // The host is known to be in the cookie's domain.
        if cookie.isHostOnly, cookie.domain != target.host { return false }
        if cookie.isSecure, !target.isSecure { return false }
        return CookieTarget.matches(target.path, cookie.path)
    }

    private static func goesFirst(_ one: Entry, _ other: Entry) -> Bool {
        let (length, otherLength) = (one.cookie.path.utf8.count, other.cookie.path.utf8.count)
        return length == otherLength ? isOlder(one, other) : length > otherLength
    }

    private static func isOlder(_ one: Entry, _ other: Entry) -> Bool {
        (one.cookie.created, one.order) < (other.cookie.created, other.order)
    }

    // MARK: Storing

    /// Stores the cookies of one response in order, evicting others if necessary.
    ///
    /// - Parameter isSecure: Whether they were received over https: otherwise they must not replace or shadow an https-only cookie.
    /// - Returns: Whether anything changed.
    mutating func store(_ cookies: [Cookie], isSecure: Bool, now: Date) -> Bool {
        var changed: Set<String> = []
        var secured: [String: [[UInt8]: Set<String>]] = [:]
        for cookie in cookies {
            if !isSecure, !cookie.isSecure, secureNames[cookie.nameOctets] != nil {
                let related = secured[cookie.domain] ?? securePaths(related: cookie.domain, now: now)
                secured[cookie.domain] = related
                if related[cookie.nameOctets]?.contains(where: { CookieTarget.matches(cookie.path, $0) }) == true { continue }
            }
            if put(cookie, now: now) { changed.insert(cookie.domain) }
        }
        for domain in changed where (domains[domain]?.count ?? 0) > Self.maximumPerDomain { makeRoom(in: domain, now: now) }
        if count > Self.maximumInAll + Self.slack { makeRoom(now: now) }
        return !changed.isEmpty
    }

    /// Stores a cookie, keeping the creation time of the one it replaces. An expired one only removes that.
    private mutating func put(_ cookie: Cookie, now: Date) -> Bool {
        clock &+= 1
        let identity = cookie.identity
        let old = domains[cookie.domain]?[identity]
        if cookie.isExpired(at: now) {
            remove(identity, from: cookie.domain)
            return old != nil
        }
        let new = old.map { cookie.with(expires: cookie.expires, created: $0.cookie.created) } ?? cookie
        if let old { didRemove(old.cookie) }
        domains[cookie.domain, default: [:]][identity] = Entry(cookie: new, order: old?.order ?? clock, lastUse: clock)
        didAdd(new)
        return new != old?.cookie
    }

    /// Step 16 of the storage model: the paths of https-only cookies by name, in a domain, its subdomains and its parents. An insecure
    /// cookie with such a name and a matching path would shadow them.
    private func securePaths(related domain: String, now: Date) -> [[UInt8]: Set<String>] {
        var paths: [[UInt8]: Set<String>] = [:]
        for (other, entries) in domains where CookieDomain.matches(other, domain) || CookieDomain.matches(domain, other) {
            for entry in entries.values where entry.cookie.isSecure && !entry.cookie.isExpired(at: now) {
                paths[entry.cookie.nameOctets, default: []].insert(entry.cookie.path)
            }
        }
        return paths
    }

    // MARK: Removing

    /// - Returns: Whether there was one with the same name, domain and path.
    mutating func remove(_ cookie: Cookie) -> Bool {
        let before = count
        remove(cookie.identity, from: cookie.domain)
        return count < before
    }

    private mutating func remove(_ identity: Cookie.Identity, from domain: String) {
        guard let entry = domains[domain]?.removeValue(forKey: identity) else { return }
        if domains[domain]?.isEmpty == true { domains[domain] = nil }
        didRemove(entry.cookie)
    }

    private mutating func removeExpired(from domain: String, now: Date) {
        guard let entries = domains[domain], entries.values.contains(where: { $0.cookie.isExpired(at: now) }) else { return }
        for (identity, entry) in entries where entry.cookie.isExpired(at: now) { remove(identity, from: domain) }
    }

    /// Evicts cookies of one domain: first those that are not https-only, least recently used first.
    private mutating func makeRoom(in domain: String, now: Date) {
        removeExpired(from: domain, now: now)
        let entries = (domains[domain] ?? [:]).values.sorted { one, other in
            one.cookie.isSecure == other.cookie.isSecure ? Self.isLessUsed(one, other) : !one.cookie.isSecure
        }
        for entry in entries.dropLast(Self.maximumPerDomain) { remove(entry.cookie.identity, from: domain) }
    }

    /// Evicts the least recently used cookies.
    private mutating func makeRoom(now: Date) {
        for domain in Array(domains.keys) { removeExpired(from: domain, now: now) }
        let entries = domains.values.flatMap(\.values).sorted(by: Self.isLessUsed)
        for entry in entries.dropLast(Self.maximumInAll) { remove(entry.cookie.identity, from: entry.cookie.domain) }
    }

    /// Cookies sent together have the same last use; then the older one goes first.
    private static func isLessUsed(_ one: Entry, _ other: Entry) -> Bool { (one.lastUse, one.order) < (other.lastUse, other.order) }

    private mutating func didAdd(_ cookie: Cookie) {
        count += 1
        if cookie.isSecure { secureNames[cookie.nameOctets, default: 0] += 1 }
    }

    private mutating func didRemove(_ cookie: Cookie) {
        count -= 1
        guard cookie.isSecure, let others = secureNames[cookie.nameOctets] else { return }
        secureNames[cookie.nameOctets] = others > 1 ? others - 1 : nil
    }
}
