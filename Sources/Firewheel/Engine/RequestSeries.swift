/// What makes requests of a session one after the other, as an event source does.
protocol RequestSeries: AnyObject, Sendable {
    /// Whether it has no request now, through which the session could end it.
    var isBetweenRequests: Bool { get }

    func end(with error: FirewheelError)
}

/// The series of a session that have begun and not ended.
final class RequestSeriesRegistry: Sendable {
    private struct Entry: Sendable {
        weak var series: (any RequestSeries)?
    }

    private let entries = Locked<[ObjectIdentifier: Entry]>([:])

    func add(_ series: any RequestSeries) {
        entries.withLock { $0[ObjectIdentifier(series)] = Entry(series: series) }
    }

    func remove(_ series: any RequestSeries) {
        entries.withLock { $0[ObjectIdentifier(series)] = nil }
    }

    /// Ends all of them, or those that have no request now.
    func end(with error: FirewheelError, onlyBetweenRequests: Bool = false) {
        for series in entries.withLock({ $0.values.compactMap(\.series) }) where !onlyBetweenRequests || series.isBetweenRequests {
            series.end(with: error)
        }
    }
}
