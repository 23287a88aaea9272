import Firewheel

// How retriers change the endings of attempts.
extension ChaosOracle {
    /// The possible endings of a trip in an attempt.
    func endings(of number: Int, attempt: Int) -> [Ending] {
        let trip = scenario.trips[number]
        let endings = outlook(of: number, attempt: attempt).endings
        if trip.isRefreshed(in: attempt) { return afterRefusal(endings, trip) }
        let decision = trip.decision(in: attempt)
        guard decision != .never else { return endings }
        var last = endings.filter { !asksRetriers($0) }
        // Nor about one after a byte of a stream.
        if scenario.resourceTimeout != nil || trip.kind == .stream {
            // A failure that is no longer current is not asked about.
            last = endings
        }
        // The retry of a body that can be produced once.
        if trip.isOneShot, decision != .refusal, endings.contains(where: asksRetriers) { last.append(Self.notRepeatable) }
        if decision == .refusal, trip.kind == .stream || last.count < endings.count || scenario.resourceTimeout != nil {
            last.append(.failed(.requestRetryFailed))
        }
        return last
    }

    /// The possible endings of the attempt whose token the server refuses.
    private func afterRefusal(_ endings: [Ending], _ trip: ChaosScenario.Trip) -> [Ending] {
        let refusal = Ending.failed(.responseValidationFailed(.unacceptableStatusCode(401)))
        // No retrier is asked after the resource timeout.
        let others = scenario.resourceTimeout == nil ? endings.filter { $0 != refusal } : endings
        let again = trip.isOneShot ? [Self.notRepeatable] : []
        return others + again + (trip.access.tokens?.isRefreshed == false ? [.failed(.requestRetryFailed)] : [])
    }

    /// Whether retriers are asked about an ending.
    func asksRetriers(_ ending: Ending) -> Bool {
        guard case .failed(let kind) = ending else { return false }
        return ![.explicitlyCancelled, .downloadedFileMoveFailed].contains(kind)
    }

    /// Whether a trip may never end by itself.
    func mayLast(_ number: Int) -> Bool {
        (0...scenario.trips[number].retryBound).contains { outlook(of: number, attempt: $0).mayLast }
    }
}
