import Firewheel
import Foundation

extension ChaosScenario {
    /// Who may see which secrets in a trip: credentials that servers ask for, tokens and cookies, and which servers are another origin.
    struct Access: Sendable {
        var account: Account?
        var tokens: Tokens?
        /// The hops of another origin: the same servers under another host name.
        var abroad: Set<Int> = []
        /// Whether each response sets a cookie.
        var setsCookies = false

        var isEmpty: Bool { account == nil && tokens == nil && abroad.isEmpty && !setsCookies }
    }

    /// A user name and password that a trip's servers ask for.
    struct Account: Sendable, Equatable {
        enum Scheme: Sendable, Equatable, CaseIterable {
            case basic, digest
            /// `auth-int`, which covers the body.
            case digestOfBody
        }

        enum Holder: Sendable, Equatable, CaseIterable {
            case nobody
            /// Set on the request, and stored in the session once accepted.
            case request
            /// Set on the request with persistence .none.
            case requestAlone
            case session
            /// In the URL.
            case url
        }

        var scheme = Scheme.basic
        var holder = Holder.request
        /// Whether the password is the right one.
        var isRight = true
        /// Whether the server calls the nonce of the first right answer stale.
        var isStale = false
        /// The hops that ask for it.
        var challenged: Set<Int> = [0]
        /// Whether the session has the right credential for the other origin.
        var isKnownAbroad = false
    }

    /// A token that the first server of a trip requires, and the result of its refresh.
    struct Tokens: Sendable, Equatable {
        enum Need: Sendable, Equatable, CaseIterable {
            case never
            /// The client refreshes it before sending anything.
            case known
            /// The server refuses the first one.
            case refused
        }

        var need = Need.never
        var isRefreshed = true
        /// The duration of the refresh in microseconds.
        var pause = 0
    }

    /// The body of a 401.
    func denial(_ trip: Int, _ hop: Int) -> Data { Data("run \(seed) trip \(trip) hop \(hop): denied".utf8) }
}

extension ChaosScenario.Trip {
    /// Whether a hop ends an attempt with status 401.
    func isDenied(in attempt: Int, at hop: Int) -> Bool {
        if access.tokens?.need == .refused, attempt == 0, hop == 0 { return true }
        guard let account = access.account, account.challenged.contains(hop) else { return false }
        return access.abroad.contains(hop) ? !account.isKnownAbroad : !account.isRight || account.holder == .nobody
    }

    /// The maximum number of requests to a hop in one attempt.
    func mostRequests(at hop: Int) -> Int {
        guard let account = access.account, account.challenged.contains(hop) else { return 1 }
        let hasAnswer = access.abroad.contains(hop) ? account.isKnownAbroad : account.holder != .nobody
        return hasAnswer ? account.isStale ? 3 : 2 : 1
    }

    /// Whether a redirect leads back to an earlier hop.
    var loops: Bool {
        allHops.contains { hop in
            if case .back = hop.leadsTo { return true }
            return false
        }
    }

    /// Whether adapters let an attempt be sent.
    func isSent(in attempt: Int) -> Bool {
        let isWithoutToken = access.tokens?.need == .known && access.tokens?.isRefreshed == false
        return !isWithoutToken && !policies.adapters.contains { $0.throwsIn(attempt) }
    }

    /// Whether a token refused in an attempt is refreshed.
    func isRefreshed(in attempt: Int) -> Bool { access.tokens?.need == .refused && attempt == 0 }
}

// MARK: - Random choices

extension ChaosScenario {
    /// Adds credentials and cookies to some trips. It has a generator of its own, so that the rest of a seed's scenario does not depend on
    /// it.
    mutating func drawAccess() {
        var dice = ChaosDice(seed: seed ^ 0x5EED_0C00_61E5_A401)
        guard dice.chance(45) else { return }
        keepsCookies = dice.chance(85)
        for index in trips.indices where dice.chance(trips[index].hops.count > 1 ? 95 : 65) {
            trips[index].access = dice.access(for: trips[index])
        }
    }
}

extension ChaosDice {
    mutating func access(for trip: ChaosScenario.Trip) -> ChaosScenario.Access {
        var access = ChaosScenario.Access()
        access.setsCookies = chance(60)
        let count = max(trip.hops.count, trip.policies.later?.count ?? 0)
        // The first hop is the origin of the credentials.
        if count > 1, chance(80) { access.abroad = Set((1..<count).filter { _ in chance(60) }) }
        if chance(65) {
            access.account = account(for: trip, count)
        } else if trip.policies.retriers.isEmpty, trip.policies.adapters.isEmpty {
            access.tokens = ChaosScenario.Tokens(
                // Without validation a 401 is not a failure, and nothing is refreshed.
                need: one(of: trip.validation == .standard ? [.never, .known, .refused, .refused] : [.never, .known]),
                isRefreshed: chance(70), pause: chance(50) ? number(0...4_000) : 0)
            // A token that a redirect to another origin dropped is not restored by the next redirect.
            if trip.loops { access.abroad = [] }
        }
        return access
    }

    private mutating func account(for trip: ChaosScenario.Trip, _ count: Int) -> ChaosScenario.Account {
        // The digest of a body is unknown until the body has been read.
        let isEarly = trip.allHops.contains(where: \.isEarly) || trip.upload != nil
        let scheme = one(of: [ChaosScenario.Account.Scheme.basic, .digest, .digest, isEarly ? .digest : .digestOfBody])
        var account = ChaosScenario.Account(
            scheme: scheme, holder: one(of: [.nobody, .request, .request, .requestAlone, .session, .session, .url]), isRight: chance(75),
            isStale: scheme != .basic && chance(30))
        account.challenged = Set((0..<count).filter { _ in chance(60) })
        account.isKnownAbroad = chance(60)
        return account
    }
}

// MARK: - Description

extension ChaosScenario.Access: CustomStringConvertible {
    var description: String {
        var parts: [String] = []
        if let account {
            parts.append(
                "\(account.scheme) of \(account.holder)\(account.isRight ? "" : ", wrong")\(account.isStale ? ", stale once" : "")")
            parts.append("asked for at \(account.challenged.sorted())\(account.isKnownAbroad ? ", known abroad" : "")")
        }
        if let tokens {
            let refresh = "\(tokens.isRefreshed ? "refreshed" : "not refreshed") in \(tokens.pause) µs"
            parts.append("a token" + (tokens.need == .never ? "" : ", \(tokens.need), \(refresh)"))
        }
        if !abroad.isEmpty { parts.append("abroad at \(abroad.sorted())") }
        if setsCookies { parts.append("cookies") }
        return parts.joined(separator: ", ")
    }
}
