import Foundation

/// The measurements of one client for one work, by round. nil is a round that failed.
typealias Rounds = [Measurement?]

/// Does every work once a round, in turn (A B C A B C …), so that disturbances affect all alike.
/// The first round warms up and is discarded. Returns the measurements by work and round.
func alternate(_ works: [Work], rounds: Int) throws -> [Rounds] {
    var measurements = works.map { _ in Rounds() }
    for round in 0...rounds {
        for (index, work) in works.enumerated() {
            var measurement: Measurement?
            do {
                measurement = try Worker.run(work)
            } catch {
                let failure = Failure("\(work.client.name), \(work.task.rawValue), \(work.inFlight) in flight: \(error)")
                guard work.client.mayFail else { throw failure }
                complain("round \(round): \(failure)")
            }
            if round > 0 { measurements[index].append(measurement) }
            // Lets the connections of the last round close first.
            usleep(20_000)
        }
    }
    return measurements
}

func complain(_ text: String) {
    FileHandle.standardError.write(Data("firewheel-benchmark: \(text)\n".utf8))
}

extension Rounds {
    /// For each round in which both succeeded, the other's figure divided by this one's.
    func ratios(to other: Rounds, of figure: (Measurement) -> Double = \.seconds) -> [Double] {
        zip(self, other).compactMap { mine, others in
            guard let mine, let others else { return nil }
            return figure(others) / figure(mine)
        }
    }

    func values(_ figure: (Measurement) -> Double) -> [Double] { compactMap { $0.map(figure) } }
}

extension [Double] {
    /// The median, or nil if empty.
    var median: Double? {
        let sorted = sorted()
        guard !sorted.isEmpty else { return nil }
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
