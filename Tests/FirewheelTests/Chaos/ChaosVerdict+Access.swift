import Firewheel
import Foundation

// The verdict on who received credentials and cookies.
extension ChaosVerdict {
    func accessProblems(_ number: Int, _ record: ChaosRecord) -> [String] {
        record.requests.flatMap { arrival in
            (credentialProblems(number, arrival) + cookieProblems(number, arrival)).map { "hop \(arrival.hop) was sent \($0)" }
        }
    }

    private func credentialProblems(_ number: Int, _ arrival: ChaosRecord.Arrival) -> [String] {
        let access = scenario.trips[number].access
        var problems: [String] = []
        if arrival.isAbroad != access.abroad.contains(arrival.hop) { problems.append("a request for another origin") }
        if arrival.isAuthorized {
            if access.account == nil, access.tokens == nil { problems.append("credentials that nobody has") }
            if arrival.isAbroad, access.account?.isKnownAbroad != true { problems.append("credentials of another origin") }
            let isNobodys = access.account.map { $0.holder == .nobody } ?? false
            if isNobodys, !arrival.isAbroad { problems.append("credentials of another origin") }
        } else if access.tokens != nil, arrival.hop == 0 {
            problems.append("no token")
        }
        return problems
    }

    private func cookieProblems(_ number: Int, _ arrival: ChaosRecord.Arrival) -> [String] {
        let trip = scenario.trips[number]
        let access = trip.access
        guard scenario.keepsCookies else { return arrival.cookies.isEmpty ? [] : ["cookies, which are off"] }
        let ending = arrival.isAbroad ? "=abroad" : "=home"
        var problems = arrival.cookies.filter { !$0.hasSuffix(ending) }.map { "the cookie \($0) of another origin" }
        if Set(arrival.cookies).count < arrival.cookies.count { problems.append("a cookie twice: \(arrival.cookies)") }
        guard access.setsCookies else { return problems }
        // A request to a hop carries what the heads of the earlier hops set.
        var expected =
            trip.loops ? [] : (0..<arrival.hop).filter { access.abroad.contains($0) == arrival.isAbroad }.map { "t\(number)h\($0)" }
        // The answer to a challenge also carries the challenge's cookies.
        if arrival.isAuthorized, let account = access.account, account.holder != .url || arrival.isAbroad { expected.append("t\(number)c") }
        problems += expected.filter { !arrival.cookies.contains($0 + ending) }.map { "\(arrival.cookies) without the cookie \($0)" }
        return problems
    }
}
