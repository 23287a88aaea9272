import Testing

@testable import Firewheel

@Suite("Timers of a loop")
struct LoopTimersTests {
    private final class Owner: TimerOwner {
        let name: Int
        init(_ name: Int) { self.name = name }
        func timerFired() {}
        func wasHeldUp(since start: MonotonicInstant, until end: MonotonicInstant) {}
    }

    private func instant(_ number: UInt64) -> MonotonicInstant { MonotonicInstant(nanoseconds: number) }

    @Test("Timers fire in the order of their instants, each once, and not before")
    func order() {
        var timers = LoopTimers()
        let owners = (0..<100).map(Owner.init)
        let pairs = owners.map { (owner: $0, timer: LoopTimer($0)) }
        for pair in pairs.shuffled() { timers.set(pair.timer, by: instant(UInt64(pair.owner.name) * 10)) }
        #expect(timers.next() == instant(0))
        var fired: [Int] = []
        while let owner = timers.popDue(at: instant(495)) as? Owner { fired.append(owner.name) }
        #expect(fired == Array(0..<50))
        #expect(timers.next() == instant(500))
        while let owner = timers.popDue(at: instant(2_000)) as? Owner { fired.append(owner.name) }
        #expect(fired == Array(0..<100) && timers.next() == nil)
    }

    @Test("A timer that is set to a later instant keeps the earlier one, so that a deadline that moves costs nothing")
    func later() {
        var timers = LoopTimers()
        let owner = Owner(1)
        let timer = LoopTimer(owner)
        timers.set(timer, by: instant(10))
        for number in 11..<1_000 { timers.set(timer, by: instant(UInt64(number))) }
        #expect(timers.count == 1 && timers.next() == instant(10))
        timers.set(timer, by: instant(5))
        #expect(timers.next() == instant(5))
        #expect(timers.popDue(at: instant(5)) === owner)
        // What it was set to before no longer counts.
        #expect(timers.popDue(at: instant(10_000)) == nil)
    }

    @Test("Each owner of a timer that is set is found once")
    func found() {
        var timers = LoopTimers()
        let owners = (0..<4).map(Owner.init)
        let pairs = owners.map(LoopTimer.init)
        for (number, timer) in pairs.enumerated() { timers.set(timer, by: instant(UInt64(10 + number))) }
        // Set anew, fired, and ended.
        timers.set(pairs[3], by: instant(1))
        timers.set(pairs[3], by: instant(0))
        timers.end(pairs[1])
        #expect(timers.popDue(at: instant(0)) === owners[3])
        timers.set(pairs[2], by: instant(5))
        var found: [Int] = []
        timers.forEachOwner { owner in found.append((owner as? Owner)?.name ?? -1) }
        #expect(found.sorted() == [0, 2])
        #expect(timers.popDue(at: instant(100)) === owners[2])
    }

    @Test("Ended timers never fire, and leave little behind")
    func ended() {
        var timers = LoopTimers()
        var owners: [Owner] = []
        for number in 0..<10_000 {
            let owner = Owner(number)
            let timer = LoopTimer(owner)
            timers.set(timer, by: instant(UInt64(1_000_000 + number)))
            if number % 100 == 0 { owners.append(owner) } else { timers.end(timer) }
        }
        #expect(timers.count <= 2 * owners.count + 66)
        var fired = 0
        while let owner = timers.popDue(at: instant(.max)) as? Owner {
            #expect(owner.name == fired * 100)
            fired += 1
        }
        #expect(fired == owners.count)
    }
}
