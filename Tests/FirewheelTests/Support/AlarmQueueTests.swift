import Testing

@testable import Firewheel

@Suite("Alarm queue")
struct AlarmQueueTests {
    private func at(_ nanoseconds: UInt64) -> MonotonicInstant { MonotonicInstant(nanoseconds: nanoseconds) }

    @Test("Of two instants set for one id the alarm queue keeps the earlier and skips the later")
    func earlier() {
        var queue = AlarmQueue()
        for (first, second) in [(10, 20), (20, 10), (10, 10)] as [(UInt64, UInt64)] {
            queue.set(1, at: at(first))
            queue.set(1, at: at(second))
            #expect(queue.next == at(10))
            #expect(queue.takeDue(at: at(9)) == [])
            #expect(queue.takeDue(at: at(10)) == [1])
            #expect(queue.takeDue(at: at(100)) == [])
            #expect(queue.next == nil)
        }
    }

    @Test("A cleared id is not due, even if it was set before")
    func cleared() {
        var queue = AlarmQueue()
        queue.set(1, at: at(10))
        queue.set(2, at: at(20))
        queue.clear(1)
        queue.clear(3)
        #expect(queue.next == at(20))
        queue.set(1, at: at(30))
        #expect(queue.takeDue(at: at(25)) == [2])
        // Set to the same instant as before it was cleared, it is due once.
        queue.clear(1)
        queue.set(1, at: at(30))
        #expect(queue.takeDue(at: at(30)) == [1])
        #expect(queue.takeDue(at: at(30)) == [] && queue.next == nil)
    }

    @Test("10,000 alarms are due in the order of their instants")
    func many() {
        var generator = SeededGenerator(state: 10_000)
        var queue = AlarmQueue()
        var instants: [UInt64: UInt64] = [:]
        for id in 0..<10_000 as Range<UInt64> {
            let instant = UInt64.random(in: 0..<100_000, using: &generator)
            queue.set(id, at: at(instant))
            instants[id] = instant
        }
        for id in stride(from: 0, to: 10_000, by: 3) as StrideTo<UInt64> {
            queue.clear(id)
            instants[id] = nil
        }
        let expected = instants.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        var due: [UInt64] = []
        for now in stride(from: 0, through: 100_000, by: 10) as StrideThrough<UInt64> {
            let taken = queue.takeDue(at: at(now))
            #expect(zip(taken, taken.dropFirst()).allSatisfy { (instants[$0] ?? 0) <= (instants[$1] ?? 0) })
            due += taken
        }
        #expect(due.map { instants[$0] } == expected.map(\.value))
        #expect(Set(due) == Set(instants.keys))
    }

    @Test("Random setting, clearing and polling of alarms agrees with a simple table")
    func random() {
        var generator = SeededGenerator(state: 99)
        for _ in 0..<50 {
            var queue = AlarmQueue()
            var table: [UInt64: UInt64] = [:]
            var now: UInt64 = 0
            for _ in 0..<400 {
                let id = UInt64.random(in: 0..<20, using: &generator)
                switch Int.random(in: 0..<10, using: &generator) {
                case 0..<6:
                    let instant = now + UInt64.random(in: 0..<50, using: &generator)
                    queue.set(id, at: at(instant))
                    table[id] = min(table[id] ?? .max, instant)
                case 6..<9:
                    queue.clear(id)
                    table[id] = nil
                default:
                    now += UInt64.random(in: 0..<20, using: &generator)
                    let due = table.filter { $0.value <= now }
                    #expect(queue.takeDue(at: at(now)).sorted() == due.keys.sorted())
                    for id in due.keys { table[id] = nil }
                }
                #expect(queue.next?.nanoseconds == table.values.min())
                #expect(queue.count == table.count)
            }
        }
    }

    @Test("Alarms that were set and cleared leave nothing in the queue, however late they were due")
    func bounded() {
        var queue = AlarmQueue()
        queue.set(0, at: at(1))
        for id in 1..<100_000 as Range<UInt64> {
            queue.set(id, at: at(1_000_000 + id))
            queue.clear(id)
            #expect(queue.kept <= 128)
        }
        #expect(queue.takeDue(at: at(1)) == [0])
        #expect(queue.next == nil && queue.kept == 0)
    }
}
