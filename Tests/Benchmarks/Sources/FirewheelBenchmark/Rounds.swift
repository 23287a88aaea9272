/// One client under one load: a row of the table before its figures are known.
struct Entry {
    let client: Client
    let load: Load
}

/// Runs every entry once a round, in turn (A B C A B C …), so that whatever slows the machine for a while slows them all alike.
/// The first round warms up and is discarded. Returns the seconds, by entry and then by round.
func alternate(_ entries: [Entry], rounds: Int) async throws -> [[Double]] {
    var seconds = entries.map { _ in [Double]() }
    for round in 0...rounds {
        for (index, entry) in entries.enumerated() {
            let elapsed: Double
            do {
                elapsed = try await entry.client.run(entry.load)
            } catch {
                throw Failure("\(entry.client.name), \(entry.load.inFlight) in flight: \(error)")
            }
            if round > 0 { seconds[index].append(elapsed) }
            // What the last round leaves to be closed is not to be paid by the next.
            try await Task.sleep(nanoseconds: 20_000_000)
        }
    }
    return seconds
}

extension [Double] {
    /// The median, or 0 of nothing.
    var median: Double {
        let sorted = sorted()
        guard !sorted.isEmpty else { return 0 }
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }

    /// The median of the quotients of each element and its counterpart.
    func medianRatio(to other: [Double]) -> Double {
        zip(self, other).map { $0 / $1 }.median
    }
}
