#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel

    /// How many requests of a lane run at a time, when its limit changes and what ran in vain is put back.
    @Suite("Limits of lanes")
    struct LaneLimitTests {
        private typealias Queue = LaneQueue<String, Int, NoExtra>

        private static func drain(_ queue: inout Queue) -> [Int] {
            var elements: [Int] = []
            while let element = queue.next() { elements.append(element) }
            return elements
        }

        @Test("A raised limit lets more run, and a lowered one lets those that run end")
        func setLimit() {
            var queue = Queue(limit: 2)
            let lane = queue.lane(for: "a")
            for element in 0..<6 { queue.enqueue(element, in: lane) }
            #expect(Self.drain(&queue) == [0, 1])
            queue.setLimit(lane, to: 4)
            #expect(Self.drain(&queue) == [2, 3])
            queue.setLimit(lane, to: 1)
            for _ in 0..<3 { queue.finish(lane) }
            #expect(Self.drain(&queue) == [])
            queue.finish(lane)
            #expect(Self.drain(&queue) == [4])
        }

        @Test("What is put back runs first, once the limit allows it", arguments: [0, 3])
        func putBack(before: Int) {
            var queue = Queue(limit: 2)
            let lane = queue.lane(for: "a")
            for element in 0..<before { queue.enqueue(element, in: lane) }
            _ = Self.drain(&queue)
            for _ in 0..<min(2, before) { queue.finish(lane) }
            for element in [7, 8, 9] { queue.enqueue(element, in: lane) }
            let rest = Array(before > 2 ? [2] : []) + [7, 8, 9]
            #expect(Self.drain(&queue) == Array(rest.prefix(2)))
            queue.putBack(rest[1], in: lane, limit: 1)
            #expect(Self.drain(&queue) == [])
            queue.setLimit(lane, to: 2)
            #expect(Self.drain(&queue) == [rest[1]])
            queue.setLimit(lane, to: 10)
            #expect(Self.drain(&queue) == Array(rest.dropFirst(2)))
        }

        @Test("Before a server's version is known one request opens a connection, and after a failure all do")
        func unknownVersion() {
            var connections = LaneConnections()
            #expect(connections.version == .unknown && connections.limit(perHost: 64) == 1)
            connections.hasFailed = true
            #expect(connections.limit(perHost: 64) == 64)
            connections.version = .http2
            #expect(connections.limit(perHost: 64) == 64 && connections.mostOpeners(perHost: 64) == 64)
            connections.hasFailed = false
            #expect(connections.limit(perHost: 64) == 1 && connections.mostOpeners(perHost: 64) == 1)
            connections.version = .http1
            #expect(connections.limit(perHost: 64) == 64)
        }

        @Test("Beside each request that takes long to open a connection, one more opens one, within the limit of connections")
        func slowOpeners() {
            for version in [LaneConnections.Version.unknown, .http2] {
                var connections = LaneConnections()
                connections.version = version
                connections.openers = 2
                connections.slowOpeners = 2
                #expect(connections.limit(perHost: 64) == 3)
                #expect(connections.limit(perHost: 2) == 2)
                if version == .http2 { #expect(connections.mostOpeners(perHost: 64) == 3) }
            }
        }

        @Test("The protocols that a handshake offers follow from httpVersions (RFC 9113 section 3.2)")
        func protocols() throws {
            let hasLibrary = (try? HTTP2Library.system.get()) != nil
            let offers: [(HTTPVersions, [String])] = [
                (.automatic, hasLibrary ? ["h2", "http/1.1"] : ["http/1.1"]), (.http1Only, ["http/1.1"]),
                (.http2PriorKnowledge, hasLibrary ? ["h2"] : ["http/1.1"]),
            ]
            let origin = try #require(TargetURI("https://a.example/")).origin
            for (versions, expected) in offers {
                var configuration = SessionConfiguration()
                configuration.httpVersions = versions
                let pool = ConnectionPool(loop: try EventLoop.shared(), limits: ConnectionLimits(configuration), places: nil)
                let lane = pool.lane(for: ConnectionKey(origin: origin, route: .direct))
                #expect(pool.protocols(for: lane) == expected)
                lane.extra.needsHTTP1 = true
                #expect(pool.protocols(for: lane) == ["http/1.1"])
            }
        }
    }
#endif
