import Firewheel
import Foundation

// The verdict on what the servers received.
extension ChaosVerdict {
    func arrivalProblems(_ number: Int, _ record: ChaosRecord) -> [String] {
        var problems: [String] = []
        for arrival in record.requests where !arrival.hasRightBody {
            problems.append("hop \(arrival.hop) was sent a \(arrival.method) with a body that is not the request's")
        }
        let policies = scenario.trips[number].policies
        let attempts = 0...record.retryCount
        if policies.isStamped {
            if record.requests.contains(where: { $0.attempt.map { !attempts.contains($0) } ?? true }) {
                problems.append("of \(record.retryCount + 1) attempts requests were sent that say \(record.requests.map(\.attempt))")
            }
            for attempt in attempts {
                let isSent = scenario.trips[number].isSent(in: attempt)
                problems += hopProblems(number, attempt, record.requests.filter { $0.attempt == attempt }, most: isSent ? 1 : 0)
            }
        } else {
            let sent = attempts.filter(scenario.trips[number].isSent).count
            problems += hopProblems(number, 0, record.requests, most: sent)
        }
        return problems
    }

    /// - Parameters:
    ///   - arrivals: Requests of one attempt, or of several with the same servers.
    ///   - most: The maximum number of times that an attempt may be sent.
    private func hopProblems(_ number: Int, _ attempt: Int, _ arrivals: [ChaosRecord.Arrival], most: Int) -> [String] {
        let trip = scenario.trips[number]
        let hops = trip.hops(of: attempt)
        var problems: [String] = []
        if most == 0, !arrivals.isEmpty { problems.append("attempt \(attempt) was sent although an adapter has failed") }
        switch trip.policies.redirects {
        case .doNotFollow, .refusing, .throwing:
            if arrivals.contains(where: { $0.hop > 0 }) { problems.append("a redirect was followed that a handler does not follow") }
        case nil, .follow, .changing: break
        }
        let loops = hops.contains { hop in
            if case .back = hop.leadsTo { return true }
            return false
        }
        guard !loops else { return problems }
        var method = trip.method
        for (index, hop) in hops.enumerated() {
            let arrivals = arrivals.filter { $0.hop == index && !$0.isUnexpected }
            let most = most * trip.mostRequests(at: index)
            if let other = arrivals.first(where: { $0.method != method.rawValue }) {
                problems.append("hop \(index) was sent a \(other.method) instead of a \(method)")
            }
            // Where connections do not break, nothing is sent twice: not even what a server over HTTP/2 refuses, since it has not processed it.
            if method == .post || !scenario.losesConnections(to: trip.server(at: index)), arrivals.count > most {
                problems.append("hop \(index) was sent a \(method) \(arrivals.count) times, which may be \(most)")
            }
            method = ChaosOracle.method(method, after: hop.status)
        }
        return problems
    }
}
