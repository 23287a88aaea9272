#if os(Linux)
    import Foundation

    /// The lanes whose requests wait because all connections that a pool may have are in use.
    ///
    /// The lane with the fewest connections is next: otherwise a host with many requests could keep all of them. Lanes with equally many
    /// wait in line.
    struct BlockedLanes {
        typealias Lane = ConnectionPool.Queue.Lane

        /// A lane's place in a line.
        struct Place {
            /// For how many connections the lane counts.
            let line: Int
            fileprivate let ticket: UInt64
        }

        private struct Entry {
            let lane: Lane
            let ticket: UInt64

            /// Whether the lane still waits here.
            var isValid: Bool { lane.extra.place?.ticket == ticket }
        }

        private struct Line {
            let number: Int
            /// The valid entries, and others that are dropped when they are seen.
            var entries = Fifo<Entry>()
            var validCount = 0
        }

        /// The lines with lanes, the lowest first. There are few, because their numbers add up to at most the number of connections.
        private var lines: [Line] = []
        private var lastTicket: UInt64 = 0
        /// The number of lanes.
        private(set) var count = 0

        private let patience: TimeInterval
        /// When to look next for lanes that count for fewer connections than before, because time has passed.
        private var nextLook: MonotonicInstant?

        /// - Parameter patience: The seconds after which connections do not count any more if all that a lane has stay busy.
        init(patience: TimeInterval) { self.patience = patience }

        /// The number of lanes that count as lanes without a connection.
        ///
        /// - Parameter lane: A lane that is left out.
        func starvedCount(besides lane: Lane) -> Int {
            guard let line = lines.first, line.number == 0 else { return 0 }
            return line.validCount - (lane.extra.place?.line == 0 ? 1 : 0)
        }

        /// For how few connections a lane counts; nil if none waits.
        ///
        /// - Parameter lane: A lane that is left out.
        func leastShare(besides lane: Lane) -> Int? {
            lines.first { $0.validCount > 1 || $0.number != lane.extra.place?.line }?.number
        }

        /// The lane that is served next; nil if none waits.
        mutating func first() -> Lane? {
            guard !lines.isEmpty else { return nil }
            while let entry = lines[0].entries.first {
                if entry.isValid { return entry.lane }
                _ = lines[0].entries.popFirst()
            }
            return nil
        }

        /// For how many connections a lane counts.
        func weight(of lane: Lane, at now: MonotonicInstant) -> Int { lane.extra.weight(at: now, patience: patience) }

        /// The number of entries that are kept, for tests.
        var entryCount: Int { lines.reduce(0) { $0 + $1.entries.count } }

        // MARK: Changes

        /// Has a lane wait, unless it does.
        mutating func append(_ lane: Lane, at now: MonotonicInstant) {
            guard lane.extra.place == nil else { return }
            count += 1
            enter(lane, line: weight(of: lane, at: now))
        }

        /// Has a lane wait no more.
        mutating func remove(_ lane: Lane) {
            guard lane.extra.place != nil else { return }
            count -= 1
            leave(lane)
        }

        /// Has a lane, if it waits, change its line if it counts for more or fewer connections than before.
        mutating func review(_ lane: Lane, at now: MonotonicInstant) {
            guard let place = lane.extra.place else { return }
            let line = weight(of: lane, at: now)
            guard line != place.line else { return }
            leave(lane)
            enter(lane, line: line)
        }

        /// Reviews all lanes, but not more often than is of use.
        mutating func reviewAll(at now: MonotonicInstant) {
            guard count > 0, nextLook.map({ $0 <= now }) ?? true else { return }
            nextLook = now.advanced(by: patience / 10)
            var lanes: [Lane] = []
            for line in lines where line.number > 0 {
                for entry in line.entries.elements where entry.isValid { lanes.append(entry.lane) }
            }
            for lane in lanes { review(lane, at: now) }
        }

        // MARK: Lines

        private mutating func enter(_ lane: Lane, line number: Int) {
            lastTicket += 1
            lane.extra.place = Place(line: number, ticket: lastTicket)
            let index = lines.firstIndex { $0.number >= number } ?? lines.endIndex
            if index == lines.endIndex || lines[index].number > number { lines.insert(Line(number: number), at: index) }
            lines[index].entries.append(Entry(lane: lane, ticket: lastTicket))
            lines[index].validCount += 1
        }

        private mutating func leave(_ lane: Lane) {
            guard let place = lane.extra.place.take(), let index = lines.firstIndex(where: { $0.number == place.line }) else { return }
            lines[index].validCount -= 1
            if lines[index].validCount == 0 {
                lines.remove(at: index)
            } else if lines[index].entries.count > 32 + 2 * lines[index].validCount {
                lines[index].entries.removeAll { !$0.isValid }
            }
        }
    }
#endif
