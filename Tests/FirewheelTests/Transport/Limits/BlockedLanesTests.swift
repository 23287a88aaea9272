#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel

    private func instant(_ seconds: TimeInterval) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: 1_000_000_000_000).advanced(by: seconds)
    }

    /// The order of lanes that wait for a connection.
    @Suite("Lanes that wait for a connection")
    struct BlockedLanesTests {
        private final class Bench {
            private static let begin = instant(0)
            private var queue = ConnectionPool.Queue(limit: 1)
            /// What stands for a connection.
            private final class Connection {}
            private let connections = (0..<5).map { _ in Connection() }
            var blocked = BlockedLanes(patience: 5)

            /// A lane that has so many connections.
            func lane(_ name: String, _ share: Int = 0) throws -> BlockedLanes.Lane {
                let origin = try #require(TargetURI("http://\(name)/")).origin
                let lane = queue.lane(for: ConnectionKey(origin: origin, route: .direct))
                lane.extra.openCount = share
                lane.extra.busySince = [:]
                for number in 0..<share { lane.extra.busySince[ObjectIdentifier(connections[number])] = Self.begin }
                return lane
            }

            func append(_ name: String, _ share: Int = 0, at seconds: TimeInterval = 0) throws {
                blocked.append(try lane(name, share), at: instant(seconds))
            }

            /// As another lane sees it, which does not wait.
            var starvedCount: Int { blocked.starvedCount(besides: other) }
            var leastShare: Int? { blocked.leastShare(besides: other) }
            private lazy var other = queue.lane(for: ConnectionKey(origin: TargetURI("http://other/")!.origin, route: .direct))

            /// Takes all out, in their order.
            func drain() -> [String] {
                var names: [String] = []
                while let lane = blocked.first() {
                    names.append(lane.key.origin.host)
                    blocked.remove(lane)
                }
                return names
            }
        }

        @Test("Those with the fewest connections come first, and then those that came first")
        func order() throws {
            let bench = Bench()
            for (name, share) in [("a", 2), ("b", 0), ("c", 1), ("d", 2), ("e", 0), ("f", 1)] { try bench.append(name, share) }
            // Not a second time.
            try bench.append("d", 2)
            #expect(bench.blocked.count == 6 && bench.starvedCount == 2 && bench.leastShare == 0)
            #expect(bench.drain() == ["b", "e", "c", "f", "a", "d"])
            #expect(bench.blocked.count == 0 && bench.starvedCount == 0 && bench.leastShare == nil)
        }

        @Test("A lane that loses a connection changes its line")
        func losses() throws {
            let bench = Bench()
            for (name, share) in [("a", 3), ("b", 1), ("c", 0)] { try bench.append(name, share) }
            let lane = try bench.lane("a", 0)
            bench.blocked.review(lane, at: instant(0))
            #expect(bench.starvedCount == 2 && bench.blocked.count == 3)
            #expect(bench.drain() == ["c", "a", "b"])
            // One that does not wait has no line.
            bench.blocked.review(lane, at: instant(0))
            bench.blocked.remove(lane)
            #expect(bench.blocked.count == 0 && bench.drain() == [])
        }

        @Test("A lane whose connections all stay busy with the same requests counts as one without")
        func patience() throws {
            let bench = Bench()
            for (name, share) in [("a", 2), ("b", 1), ("c", 1)] { try bench.append(name, share) }
            bench.blocked.reviewAll(at: instant(4.4))
            #expect(bench.starvedCount == 0)
            // One of its connections has begun another request.
            let (a, b) = (try bench.lane("a", 2), try bench.lane("b", 1))
            if let key = a.extra.busySince.keys.first { a.extra.busySince[key] = instant(3) }
            bench.blocked.reviewAll(at: instant(5.1))
            #expect(bench.starvedCount == 2)
            // This one can serve a waiting request.
            b.extra.busySince = [:]
            b.extra.openers = 1
            bench.blocked.review(b, at: instant(5.2))
            #expect(bench.starvedCount == 1)
            // A lane that comes later does not wait for that again.
            let late = try bench.lane("d", 3)
            bench.blocked.append(late, at: instant(6))
            #expect(bench.starvedCount == 2)
            bench.blocked.reviewAll(at: instant(8.1))
            #expect(bench.starvedCount == 3 && bench.drain() == ["c", "d", "a", "b"])
        }

        @Test("A lane does not wait for itself")
        func besides() throws {
            let bench = Bench()
            for (name, share) in [("a", 0), ("b", 1), ("c", 3)] { try bench.append(name, share) }
            let (a, b, c) = (try bench.lane("a", 0), try bench.lane("b", 1), try bench.lane("c", 3))
            #expect(bench.blocked.starvedCount(besides: a) == 0 && bench.blocked.starvedCount(besides: b) == 1)
            #expect(bench.blocked.leastShare(besides: a) == 1 && bench.blocked.leastShare(besides: c) == 0)
            bench.blocked.remove(a)
            #expect(bench.blocked.leastShare(besides: b) == 3 && bench.blocked.leastShare(besides: c) == 1)
            bench.blocked.reviewAll(at: instant(6))
            #expect(bench.blocked.starvedCount(besides: b) == 1 && bench.blocked.starvedCount(besides: c) == 1)
        }

        @Test("Lanes in any order: each is served once, and nothing is kept of those that go")
        func random() throws {
            var generator = SeededGenerator(state: 9)
            let bench = Bench()
            var waiting: Set<Int> = []
            for step in 0..<20_000 {
                let number = Int.random(in: 0..<40, using: &generator)
                let lane = try bench.lane("h\(number)", Int.random(in: 0..<5, using: &generator))
                let now = instant(Double(step) / 10)
                switch Int.random(in: 0..<6, using: &generator) {
                case 0, 1:
                    bench.blocked.append(lane, at: now)
                    waiting.insert(number)
                case 2:
                    bench.blocked.remove(lane)
                    waiting.remove(number)
                case 3, 4: bench.blocked.review(lane, at: now)
                default: bench.blocked.reviewAll(at: now)
                }
                if bench.blocked.count != waiting.count { Issue.record("\(bench.blocked.count) lanes, not \(waiting.count)") }
                if (bench.blocked.first() == nil) != waiting.isEmpty { Issue.record("none is first") }
                if bench.blocked.entryCount > 40 * 4 + 5 * 40 { Issue.record("\(bench.blocked.entryCount) entries are kept") }
            }
            #expect(Set(bench.drain()) == Set(waiting.map { "h\($0)" }) && bench.blocked.entryCount == 0)
        }
    }

    /// Hosts that share connections.
    @Suite("Turns of hosts")
    struct HostTurnsTests {
        @Test("Hosts take turns, each in its own order, and what is removed is not returned")
        func order() throws {
            var turns = HostTurns<String>()
            func origin(_ name: Character) throws -> TargetURI.Origin { try #require(TargetURI("http://\(name)/")).origin }
            for element in ["a1", "a2", "b1", "a3", "c1", "b2", "d1"] { turns.append(element, to: try origin(#require(element.first))) }
            #expect(turns.count == 7 && turns.popFirst() == "a1")
            turns.removeAll { $0 == "c1" || $0 == "a3" }
            #expect(turns.count == 4)
            var rest: [String] = []
            while let element = turns.popFirst() { rest.append(element) }
            #expect(rest == ["b1", "d1", "a2", "b2"] && turns.count == 0)
            turns.append("c2", to: try origin("c"))
            #expect(turns.popFirst() == "c2" && turns.popFirst() == nil)
        }
    }
#endif
