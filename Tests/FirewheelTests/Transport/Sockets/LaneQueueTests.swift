#if os(Linux)
    import Foundation
    import Testing

    @testable import Firewheel

    @Suite("Queue of lanes")
    struct LaneQueueTests {
        private func origin(_ name: String) throws -> TargetURI.Origin { try #require(TargetURI("http://\(name)/")).origin }

        private func drain(_ queue: inout Queue<String>) -> [String] {
            var elements: [String] = []
            while let element = queue.next() { elements.append(element) }
            return elements
        }

        @Test("Within an origin elements run first in, first out, and no more at once than the limit")
        func oneOrigin() throws {
            let a = try origin("a")
            var queue = Queue<String>(limit: 2)
            for number in 1...5 { queue.enqueue("\(number)", for: a) }
            #expect(drain(&queue) == ["1", "2"])
            queue.finish(a)
            #expect(drain(&queue) == ["3"])
            queue.enqueue("6", for: a)
            #expect(drain(&queue).isEmpty)
            queue.finish(a)
            queue.finish(a)
            #expect(drain(&queue) == ["4", "5"])
            queue.finish(a)
            #expect(drain(&queue) == ["6"])
        }

        @Test("Origins take turns, so that a busy one does not block the others")
        func roundRobin() throws {
            let (a, b, c) = (try origin("a"), try origin("b"), try origin("c"))
            var queue = Queue<String>(limit: 10)
            for number in 1...3 { queue.enqueue("a\(number)", for: a) }
            queue.enqueue("b1", for: b)
            for number in 1...2 { queue.enqueue("c\(number)", for: c) }
            #expect(drain(&queue) == ["a1", "b1", "c1", "a2", "c2", "a3"])
        }

        @Test("An origin at its limit is skipped until one of its elements finishes")
        func limits() throws {
            let (a, b) = (try origin("a"), try origin("b"))
            var queue = Queue<String>(limit: 1)
            for number in 1...3 {
                queue.enqueue("a\(number)", for: a)
                queue.enqueue("b\(number)", for: b)
            }
            #expect(drain(&queue) == ["a1", "b1"])
            queue.finish(b)
            #expect(drain(&queue) == ["b2"])
            queue.finish(a)
            queue.finish(b)
            #expect(drain(&queue) == ["a2", "b3"])
            queue.finish(b)
            #expect(drain(&queue).isEmpty)
            queue.finish(a)
            #expect(drain(&queue) == ["a3"])
        }

        @Test("A different scheme or port is a different origin")
        func separateOrigins() throws {
            var queue = Queue<String>(limit: 1)
            for url in ["http://a/", "https://a/", "http://a:81/", "http://a:80/x"] {
                queue.enqueue(url, for: try #require(TargetURI(url)).origin)
            }
            #expect(drain(&queue) == ["http://a/", "https://a/", "http://a:81/"])
        }

        @Test("Abandoned elements are released while they wait, and the others keep their order")
        func abandoned() throws {
            final class Element {
                let number: Int
                var isWanted = true
                init(_ number: Int) { self.number = number }
            }
            let a = try origin("a")
            var queue = Queue<Element>(limit: 1)
            queue.enqueue(Element(0), for: a)
            let running = queue.next()
            #expect(running?.number == 0)
            var held: [Element] = []
            var gone: [() -> Element?] = []
            for number in 1...1_000 {
                let element = Element(number)
                queue.enqueue(element, for: a)
                if number % 10 == 0 { held.append(element) } else { gone.append { [weak element] in element } }
            }
            for look in gone {
                look()?.isWanted = false
                queue.noteAbandoned(in: queue.lane(for: a)) { !$0.isWanted }
            }
            // Some may be left, but no more than the others or a few.
            #expect(gone.filter { $0() != nil }.count <= held.count)
            var order: [Int] = []
            queue.finish(a)
            while let element = queue.next() {
                if element.isWanted { order.append(element.number) }
                queue.finish(a)
            }
            #expect(order == held.map(\.number))
        }

        @Test("An origin whose elements are all abandoned is skipped, and accepts new ones")
        func allAbandoned() throws {
            let (a, b) = (try origin("a"), try origin("b"))
            var queue = Queue<Int>(limit: 4)
            for number in 1...100 { queue.enqueue(number, for: a) }
            queue.enqueue(101, for: b)
            for _ in 1...100 { queue.noteAbandoned(in: queue.lane(for: a)) { $0 <= 100 } }
            var order: [Int] = []
            while let element = queue.next() { order.append(element) }
            #expect(order == [101])
            queue.enqueue(102, for: a)
            while let element = queue.next() { order.append(element) }
            #expect(order == [101, 102])
        }

        @Test("Random enqueuing and finishing loses and repeats nothing, and keeps order and limits")
        func random() throws {
            var generator = SeededGenerator(state: 4)
            let names = ["a", "b", "c", "d", "e"]
            let origins = try names.map(origin)
            var queue = Queue<Int>(limit: 3)
            var expected = [Int: [Int]]()
            var running = [Int](repeating: 0, count: names.count)
            var laneOf: [Int: Int] = [:]
            var sent = 0
            for step in 0..<20_000 {
                let lane = Int.random(in: 0..<names.count, using: &generator)
                if step < 15_000, Bool.random(using: &generator) {
                    queue.enqueue(sent, for: origins[lane])
                    expected[lane, default: []].append(sent)
                    laneOf[sent] = lane
                    sent += 1
                } else if running[lane] > 0 {
                    queue.finish(origins[lane])
                    running[lane] -= 1
                }
                while let element = queue.next() {
                    let from = try #require(laneOf[element])
                    running[from] += 1
                    if expected[from]?.first != element || running[from] > 3 {
                        Issue.record("\(element) came out of its order or over the limit")
                    }
                    expected[from]?.removeFirst()
                }
                // No origin waits that could run.
                for (lane, waiting) in expected where !waiting.isEmpty && running[lane] < 3 { Issue.record("origin \(lane) is held up") }
            }
            while running.contains(where: { $0 > 0 }) {
                for lane in names.indices where running[lane] > 0 {
                    queue.finish(origins[lane])
                    running[lane] -= 1
                }
                while let element = queue.next() {
                    let from = try #require(laneOf[element])
                    running[from] += 1
                    expected[from]?.removeFirst()
                }
            }
            #expect(expected.values.filter { !$0.isEmpty }.isEmpty)
            #expect(sent > 5_000)
        }

        /// The seconds of processor time.
        private func cost(of count: Int, origins: [TargetURI.Origin]) -> Double {
            let start = processorTime()
            var queue = Queue<Int>(limit: 64)
            for number in 0..<count { queue.enqueue(number, for: origins[number % origins.count]) }
            var out = 0
            var running: [TargetURI.Origin] = []
            while out < count {
                while let element = queue.next() {
                    out += 1
                    running.append(origins[element % origins.count])
                }
                guard !running.isEmpty else { break }
                for origin in running { queue.finish(origin) }
                running.removeAll(keepingCapacity: true)
            }
            #expect(out == count)
            return processorTime() - start
        }

        @Test("With 50,000 waiting elements each costs about the same as with 5,000", arguments: [1, 100])
        func isLinear(originCount: Int) throws {
            let origins = try (0..<originCount).map { try origin("host\($0)") }
            _ = cost(of: 1_000, origins: origins)
            let few = (0..<3).map { _ in cost(of: 5_000, origins: origins) }.reduce(.infinity, min)
            let many = (0..<3).map { _ in cost(of: 50_000, origins: origins) }.reduce(.infinity, min)
            // Linear would be 10, and quadratic 100.
            #expect(many < few * 30, "5,000 took \(few) s, 50,000 took \(many) s")
        }
    }

    /// Lanes of which nothing else is kept.
    struct NoExtra: LaneExtra {
        var isEmpty: Bool { true }
    }

    private typealias Queue<Element> = LaneQueue<TargetURI.Origin, Element, NoExtra>

    /// By origin, as the tests use it.
    extension LaneQueue where Key == TargetURI.Origin, Extra == NoExtra {
        fileprivate mutating func enqueue(_ element: Element, for origin: TargetURI.Origin) {
            enqueue(element, in: lane(for: origin))
        }

        fileprivate mutating func finish(_ origin: TargetURI.Origin) {
            finish(lane(for: origin))
        }
    }
#endif
