import Foundation

/// How long a response is fresh, and how old it was when it arrived (RFC 9111 sections 4.2.1 to 4.2.3). In seconds.
struct Freshness: Sendable, Equatable {
    /// 0 if nothing says how long.
    let lifetime: TimeInterval
    let basis: Basis
    /// The age at ``responseTime`` (`corrected_initial_age`).
    let initialAge: TimeInterval
    /// When the head arrived, in seconds since 1970.
    let responseTime: TimeInterval

    /// What the lifetime comes from.
    enum Basis: Sendable, Hashable {
        /// `max-age` or `Expires`.
        case server
        /// The cache's default for responses that say nothing.
        case client
        /// A guess from `Last-Modified` (section 4.2.2).
        case guess
        /// Nothing: the response is stale from the beginning.
        case none
    }

    /// The longest guess: a day, as in Apache.
    static let longestGuess: TimeInterval = 86_400
    /// The statuses that a cache may keep without being told to (RFC 9110 section 15.1), but for 206.
    static let guessableStatuses: Set<Int> = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]

    /// - Parameters:
    ///   - headers: The response's fields, with its `Age`.
    ///   - requestTime: When the request was sent, in seconds since 1970.
    ///   - responseTime: When the head arrived, in seconds since 1970.
    ///   - hasQuery: Whether the URL has a query. Then nothing is guessed.
    ///   - clientLifetime: For responses that say nothing, in seconds; nil for none.
    ///   - initialAge: If it is known already, in seconds.
    init(
        _ headers: HTTPHeaders, control: CacheControl, statusCode: Int, requestTime: TimeInterval, responseTime: TimeInterval,
        hasQuery: Bool,
        clientLifetime: TimeInterval?, initialAge: TimeInterval? = nil
    ) {
        self.responseTime = responseTime
        let clock = Date(timeIntervalSince1970: responseTime)
        func date(_ name: String) -> TimeInterval? {
            // Of several the first counts.
            headers.values(for: name).first.flatMap { HTTPDate.parse($0, now: clock)?.timeIntervalSince1970 }
        }
        let sent = date("Date")
        // The first member counts; one that is not a number is ignored (section 5.1).
        let field = headers.values(for: "Age").first.flatMap { QuotedList.members(of: $0).first }
        let age = field.flatMap { DeltaSeconds.parse(String($0)) } ?? 0
        let apparent = sent.map { max(0, responseTime - $0) } ?? 0
        self.initialAge = initialAge ?? max(apparent, TimeInterval(age) + max(0, responseTime - requestTime))

        let generated = sent ?? responseTime
        let expires = headers.values(for: "Expires")
        let isGuessable = Self.guessableStatuses.contains(statusCode) || control.isPublic
        if let maxAge = control.maxAge {
            (lifetime, basis) = (TimeInterval(maxAge), .server)
        } else if !expires.isEmpty {
            // An invalid one, such as 0, is in the past (section 5.3). So are several.
            let end = expires.count == 1 ? date("Expires") : nil
            (lifetime, basis) = (end.map { max(0, $0 - generated) } ?? 0, .server)
        } else if isGuessable, let clientLifetime {
            (lifetime, basis) = (max(0, clientLifetime), .client)
        } else if isGuessable, !hasQuery, let modified = date("Last-Modified") {
            (lifetime, basis) = (min(max(0, (generated - modified) / 10), Self.longestGuess), .guess)
        } else {
            (lifetime, basis) = (0, .none)
        }
    }

    /// The age in seconds. Infinite if the clock was set back since the response arrived, because the age is then unknown.
    ///
    /// - Parameter now: In seconds since 1970.
    func age(at now: TimeInterval) -> TimeInterval {
        let resident = now - responseTime
        // A NaN counts as unknown, too.
        return resident >= 0 ? initialAge + resident : .infinity
    }

    /// How long the response is still fresh, in seconds. Negative if it is stale.
    func remaining(at now: TimeInterval) -> TimeInterval { lifetime - age(at: now) }
}
