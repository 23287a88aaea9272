import Firewheel
import Foundation

// What becomes of a body that can be produced only once.
extension ChaosOracle {
    /// The answer to an expectation that is refused.
    static let refusal = (status: 417, body: Data("unexpected".utf8))
    static let notRepeatable = Ending.failed(.uploadBodyFailed(.notRepeatable))

    /// How a trip ends whose expectation is refused when the body, which can be produced only once, was begun without the server's
    /// consent: its refusal is the response.
    func delivered(refusalOf trip: ChaosScenario.Trip, _ hop: ChaosScenario.Hop) -> [Ending] {
        guard trip.isOneShot, hop.refusesExpectation else { return [] }
        if trip.policies.gates.contains(.cancelling) { return [.failed(.explicitlyCancelled)] }
        let body = trip.kind == .stream && trip.refuses(Self.refusal.status) ? Data() : Self.refusal.body
        if let limit = scenario.bodyLimit, body.count > limit { return [.failed(.responseBodyTooLarge)] }
        return [judged(trip, Self.refusal.status, body, allowsEmpty: false)]
    }

    /// What a hop does to the body.
    struct Spending {
        /// The endings if it is needed again for the same hop.
        var endings: [Ending] = []
        /// The endings if it is needed again for the next hop.
        var afterwards: [Ending] = []
        /// Whether it may not have been begun to be sent, so that it can still be sent.
        var mayKeepBody = true
    }

    func spending(_ trip: ChaosScenario.Trip, _ hop: ChaosScenario.Hop, _ index: Int) -> Spending {
        guard trip.isOneShot else { return Spending() }
        var spending = Spending()
        spending.afterwards = [Self.notRepeatable]
        // The server has had all of it. An empty one need not have been begun.
        if hop.intake == .whole, trip.bodySize > 0 || trip.upload?.kind.isForm == true { spending.mayKeepBody = false }
        // The answer to a challenge; and a client that waits for the server's consent begins after a second without it.
        if trip.mostRequests(at: index) > 1 || hop.refusesExpectation { spending.endings.append(Self.notRepeatable) }
        // A server over HTTP/2 that goes away processes no more streams, and they would be sent again.
        if trip.server(at: index) == .briefHTTP2 { spending.endings.append(Self.notRepeatable) }
        return spending
    }
}
