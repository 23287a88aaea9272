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
            /// The number of the lane's connections, or 0 if they have been busy for too long.
            fileprivate(set) var line: Int
            fileprivate let ticket: UInt64
            /// Since when none of the lane's connections has ended a request.
            fileprivate(set) var since: MonotonicInstant
        }

        private struct Entry {
            let lane: Lane
            let ticket: UInt64
            /// When the entry came to the end of the line.
            var since: MonotonicInstant

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

        /// - Parameter patience: The seconds for which a lane waits for a connection of its own to end a request, for each connection that
        ///   it has. Then it counts as one without: an event source may never end.
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
        mutating func first() -> Lane? { lines.isEmpty ? nil : first(of: 0)?.lane }

        /// The number of entries that are kept, for tests.
        var entryCount: Int { lines.reduce(0) { $0 + $1.entries.count } }

        // MARK: Changes

        /// Has a lane wait, unless it does.
        mutating func append(_ lane: Lane, at now: MonotonicInstant) {
            guard lane.extra.place == nil else { return }
            count += 1
            enter(lane, line: lane.extra.share, at: now)
        }

        /// Has a lane wait no more.
        mutating func remove(_ lane: Lane) {
            guard lane.extra.place != nil else { return }
            count -= 1
            leave(lane)
        }

        /// Handles that a lane may have one connection fewer than before.
        mutating func noteLoss(of lane: Lane, at now: MonotonicInstant) {
            guard let place = lane.extra.place, lane.extra.share < place.line else { return }
            leave(lane)
            enter(lane, line: lane.extra.share, at: now)
        }

        /// Handles that a connection of a lane has ended a request, so that the lane can go on.
        mutating func noteEnd(on lane: Lane, at now: MonotonicInstant) {
            guard let place = lane.extra.place else { return }
            lane.extra.place?.since = now
            guard place.line < lane.extra.share else { return }
            leave(lane)
            enter(lane, line: lane.extra.share, at: now)
        }

        /// Has lanes whose connections have been busy for too long count as lanes without one.
        mutating func promote(at now: MonotonicInstant) {
            var due: [Lane] = []
            for index in lines.indices where lines[index].number > 0 {
                guard let (lane, since) = first(of: index) else { continue }
                if since.advanced(by: patience * Double(lines[index].number)) <= now { due.append(lane) }
            }
            for lane in due {
                leave(lane)
                enter(lane, line: 0, at: now)
            }
        }

        // MARK: Lines

        private mutating func enter(_ lane: Lane, line number: Int, at now: MonotonicInstant) {
            lastTicket += 1
            lane.extra.place = Place(line: number, ticket: lastTicket, since: now)
            let index = lines.firstIndex { $0.number >= number } ?? lines.endIndex
            if index == lines.endIndex || lines[index].number > number { lines.insert(Line(number: number), at: index) }
            lines[index].entries.append(Entry(lane: lane, ticket: lastTicket, since: now))
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

        /// The lane whose connections have been busy for the longest time, of those in a line.
        private mutating func first(of index: Int) -> (lane: Lane, since: MonotonicInstant)? {
            while let entry = lines[index].entries.first {
                if entry.isValid, let since = entry.lane.extra.place?.since {
                    if since <= entry.since { return (entry.lane, since) }
                    lines[index].entries.append(Entry(lane: entry.lane, ticket: entry.ticket, since: since))
                }
                _ = lines[index].entries.popFirst()
            }
            return nil
        }
    }
#endif
