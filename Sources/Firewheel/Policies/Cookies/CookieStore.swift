import Foundation

/// The cookies of a jar, by their domains: which are sent, which are replaced, and which make room (RFC 6265bis sections 5.7 and 5.8).
struct CookieStore: Sendable {
    /// How many cookies one domain may have, as in Chromium; RFC 6265bis section 6.1 asks for at least 50.
    static let maximumPerDomain = 180
    /// How many stay where there are too many in all (RFC 6265bis section 6.1).
    static let maximumInAll = 3000
    /// How many more there may be before that, since those to go are searched for among all.
    static let slack = 300

    private struct Entry: Sendable {
        let cookie: Cookie
        /// By which those of one moment are told apart: a lower one was there before.
        let order: UInt64
        /// A higher one was sent or stored later.
        var lastUse: UInt64
    }

    private var domains: [String: [Cookie.Identity: Entry]] = [:]
    private(set) var count = 0
    /// How many cookies of a name are for https only: of most names none is.
    private var secureNames: [[UInt8]: Int] = [:]
    private var clock: UInt64 = 0

    /// All cookies, the oldest first.
    func cookies(at now: Date) -> [Cookie] {
        domains.values.flatMap(\.values).filter { !$0.cookie.isExpired(at: now) }.sorted(by: Self.isOlder).map(\.cookie)
    }

    // MARK: Sending

    /// The cookies for a request, in the order in which they are sent: longer paths first, then the older ones.
    mutating func cookies(for target: CookieTarget, now: Date) -> [Cookie] {
        clock &+= 1
        var found: [Entry] = []
        for domain in CookieDomain.ancestors(of: target.host, isAddress: target.isAddress) {
            removeExpired(from: domain, now: now)
            // Taken out, since it would be copied by the first change if it were in two places.
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
        // Found by its domain, which the host is or lies below.
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

    /// Stores the cookies of one response, in their order, and makes room for them.
    ///
    /// - Parameter isSecure: Whether they came over https: others put nothing in the place of a cookie that is for https only, nor in front
    ///   of it.
    /// - Returns: Whether anything is other than before.
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

    /// Takes over the time of the cookie that it replaces. One that has expired only removes that.
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

    /// Step 16 of the storage model: the paths of cookies for https only, by their names, of a domain and of those below and above it. A
    /// cookie with one of the names that would be sent to one of its paths would be sent with it, or instead of it.
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

    /// Of one domain first those go that are not for https only, and of these those that have not been used for the longest time.
    private mutating func makeRoom(in domain: String, now: Date) {
        removeExpired(from: domain, now: now)
        let entries = (domains[domain] ?? [:]).values.sorted { one, other in
            one.cookie.isSecure == other.cookie.isSecure ? Self.isLessUsed(one, other) : !one.cookie.isSecure
        }
        for entry in entries.dropLast(Self.maximumPerDomain) { remove(entry.cookie.identity, from: domain) }
    }

    /// Of all those go that have not been used for the longest time.
    private mutating func makeRoom(now: Date) {
        for domain in Array(domains.keys) { removeExpired(from: domain, now: now) }
        let entries = domains.values.flatMap(\.values).sorted(by: Self.isLessUsed)
        for entry in entries.dropLast(Self.maximumInAll) { remove(entry.cookie.identity, from: entry.cookie.domain) }
    }

    /// Cookies that were sent together were used together: then the older one goes first.
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
